"""Where there is one of a kind, no command speaks of several."""

from __future__ import annotations

import re

import pytest

from generator.cli import main
from tests.support.small_specs import BROKEN, LAYER, write_specs

SEVERAL = re.compile(r"(?<![\d.,*])1 (more |random |further )?(?!axis\b)[a-z]+s\b")
HEAD = "title: One\ndims: {b: batch, d: width, h: {is: heads, value: d / 2}}\nwhere: d % 2 == 0\ninputs: {x: [b, d], y: [d]}\nlayers:\n"
WRONG_ROWS = [
    '  z: {op: einsum, in: y, eq: "d, d -> d"}',
    '  z: {op: einsum, in: x, eq: "d -> d"}',
    "  z: {op: rearrange, in: x, to: d -> d}",
    "  z: {op: split, in: x, into: 2, names: [a]}",
    "  z: {op: split, in: x, sizes: [d]}",
    "  z: {op: add, in: y}",
    "  z: {use: layer, in: [x, y]}",
    "  z: {op: conv1d, in: y, channels: d}",
    "  z: {op: roll, in: x, axes: 1, shifts: [1, 2]}",
]


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_a_message_about_one_does_not_speak_of_several(specs, capsys, row: str) -> None:
    write_specs(specs, wrong=f"{HEAD}{row}\n")
    main(["check", "mine/wrong.yaml"])
    said = "".join(capsys.readouterr())
    assert "no mistakes" not in said
    assert not SEVERAL.search(said), said


@pytest.mark.parametrize(
    "words",
    [
        "check one",
        "check mine/alone.yaml",
        "build one",
        "build mine/alone.yaml",
        "sweep mine/layer.yaml b=1 m=1 k=1..2 --where k>1 --top 1",
        "sweep mine/layer.yaml b=1 m=1 k=1..2 --csv points.csv",
        "diff mine/layer.yaml mine/layer.yaml b=1 k=1 m=1",
        "list one",
    ],
)
def test_a_summary_of_one_does_not_speak_of_several(specs, capsys, words: str) -> None:
    write_specs(specs, alone=BROKEN)
    write_specs(specs.parent / "one", single=LAYER)
    main(words.split())
    said = "".join(capsys.readouterr())
    assert not SEVERAL.search(said), said
