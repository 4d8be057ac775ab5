"""Specs drawn at random, verified against execution; `make fuzz` draws many more."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import yaml

from generator.ops.registry import ops
from tests.fuzz.batch import KNOWN, KNOWN_SIGNATURES
from tests.fuzz.blocks import BLOCKS
from tests.fuzz.moves import MOVES
from tests.fuzz.specs import CHOICES, NAME, Drawn, spec
from tests.fuzz.verdict import Verdict, judge

FOUND = Path(__file__).parents[1] / "fixtures" / "found"
ROWS = 6
FEW, SOME, MANY = 5, 13, 55


def drawn(number: int, rows: int = ROWS, only: str = "") -> Drawn:
    return spec(Random(number).randbytes((rows + 1) * CHOICES), KNOWN, rows, only)


def check(number: int) -> Verdict:
    verdict = judge(drawn(number), seed=number, build=number % 5 == 0)
    assert [finding for finding in verdict.findings if finding.signature not in KNOWN_SIGNATURES] == [], drawn(number)
    return verdict


def test_every_op_of_the_registry_can_be_drawn() -> None:
    assert MOVES.keys() == ops().keys()


# What shows that a block is drawn.
WANTED = {
    "own": "block0",
    "slot": "slots",
    "use": "with",
    "decode": "use",
    "tie of blocks": "tie",
    "any rank": "...",
    "own experts": "experts",
}


@pytest.mark.parametrize("name", [*MOVES, *BLOCKS])
def test_what_can_be_drawn_comes_up(name: str) -> None:
    wanted = WANTED.get(name, name)
    for number in range(60):
        files = {stem: yaml.safe_load(text) for stem, text in drawn(number, 2, name).files.items()}
        rows = [row for file in files.values() for row in file.get("layers", {}).values()]
        if any(row.get("op") == name for row in rows) if name in MOVES else any(key in str(rows) + str(files) for key in [wanted]):
            return
    pytest.fail(f"{name} is never drawn")


@pytest.mark.parametrize("key", ["like", "blocks"])
def test_specs_that_lean_on_others_come_up(key: str) -> None:
    assert any(f"{key}:" in repr(drawn(number)) for number in range(60))


@pytest.mark.parametrize("number", range(FEW))
def test_a_drawn_spec_measures_what_its_formulas_say(number: int) -> None:
    check(number)


@pytest.mark.parametrize(
    "numbers", [pytest.param(range(FEW, SOME), marks=pytest.mark.slow), pytest.param(range(SOME, MANY), marks=pytest.mark.exhaustive)]
)
def test_many_drawn_specs_measure_what_their_formulas_say(numbers: range) -> None:
    verdicts = [check(number) for number in numbers]
    assert sum(not verdict.refused for verdict in verdicts) >= len(numbers) * 3 // 4


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(file.stem for file in FOUND.glob("*.yaml")))
def test_what_was_found_once_holds_now(name: str) -> None:
    file = FOUND / f"{name}.yaml"
    used = {other.stem: other.read_text(encoding="utf-8") for other in (FOUND / name).glob("*.yaml")}
    verdict = judge(Drawn({NAME: file.read_text(encoding="utf-8"), **used}), samples=3, build=True)
    assert (verdict.refused, verdict.unsampled, verdict.findings) == ("", "", ())
