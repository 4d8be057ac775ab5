"""A module works out the sizes that it is not given, and refuses others for which the sheet has none either."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.proof.verify.instance import Workbench
from generator.sheet.sizing import sized
from generator.spec.library import Library
from generator.text.errors import SizeError
from tests.support.small_specs import write_specs

SPEC = """\
title: Two layers
dims: {b: batch, d: width, m: {is: inner width, default: d/2}, k: {is: other width, default: (m - 1)/(d - 3) + m}}
inputs: {x: [b, d]}
layers:
  up: {op: linear, out: [b, m]}
  over: {op: linear, out: [b, k]}
"""


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"d": 7}, "d % 2 == 0 must hold where m is not given; found d = 7"),
        ({"d": 3, "m": 4}, "d != 3 must hold where k is not given; found d = 3"),
        ({"d": 8}, "must hold where k is not given; found d = 8, m = 4"),
        ({"d": 7, "m": 5}, ""),
        ({"d": 4}, ""),
        ({"d": 7, "m": 2, "k": 9}, ""),
    ],
)
def test_a_module_refuses_the_sizes_for_which_the_sheet_has_no_default(tmp_path: Path, given: dict[str, int], refused: str) -> None:
    with Workbench(Library([write_specs(tmp_path, mine=SPEC)])) as bench:
        sheet, built = bench.compiled("mine").sheet, bench.module_class("mine")
        if refused:
            with pytest.raises(SizeError):
                sized(sheet, None, given)
            with pytest.raises(ValueError, match="must hold") as error:
                built(**given)
            assert str(error.value).endswith(refused)
            return
        known = sized(sheet, None, given)
        module = built(**given)
        assert module.up.weight.shape == (known["m"], known["d"])
        assert module.over.weight.shape == (known["k"], known["m"])
