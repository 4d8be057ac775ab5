"""A preset's name stands where a spec's does, so no two specs have a preset of one name."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cli import main
from tests.support.small_specs import LAYER, write_specs

FIRST = LAYER.replace("small:", "shared-small:")
OTHER = FIRST.replace("One layer", "Another layer")


def test_two_specs_with_a_preset_of_one_name_are_a_mistake_in_the_second(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_specs(specs, apple=FIRST, pear=OTHER, plum=OTHER.replace("shared-small:", "plum-small:"))
    assert main(["check", "mine"]) == 1
    line = next(number for number, text in enumerate(OTHER.splitlines(), 1) if "shared-small:" in text)
    said = capsys.readouterr().err
    assert said.count("error:") == 1
    assert f"mine/pear.yaml:{line}:3: error: `apple` has a preset `shared-small` too" in said
    assert f"the other is mine/apple.yaml:{line}" in said


def test_a_preset_called_as_a_built_in_one_is_a_mistake_where_one_stands_beside_the_other(
    specs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_specs(specs, apple=LAYER.replace("small:", "bert-base:"))
    assert main(["check", "mine"]) == 1
    assert "`bert` has a preset `bert-base` too" in capsys.readouterr().err
