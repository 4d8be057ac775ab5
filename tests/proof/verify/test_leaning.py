"""Variants, blocks inside of files, sizes from elsewhere and presets with options: modules measured as derived."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import verify
from generator.spec.lookup import collect

COLLECTION = collect([Path(__file__).parents[2] / "fixtures" / "leaning"])


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTION.requested)
def test_what_leans_on_others_measures_what_its_formulas_say(name: str) -> None:
    with Workbench(COLLECTION.library) as bench:
        found = verify(bench, name, samples=3)
    assert found.equal
    assert not found.skipped
    assert {case.preset for case in found.cases} == ({"", "mixer-like", "mixer-like-no-bias"} if name == "mixer_like" else {""})


def test_all_kinds_are_there() -> None:
    assert COLLECTION.requested == ("attending", "mixer_like", "mixer_like_cell", "mixer_like_mixed", "wrapped")
