"""The parameters that one token uses are shown beside all of them, where they are fewer."""

from __future__ import annotations

import pytest

from generator.api import load
from generator.cli import main
from generator.render.markdown.page import render_page
from generator.sheet.compiled import compile_spec
from tests.support.builtin import builtin_library

SIZES = ["b=1", "n=8", "d=16", "f=24"]


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", ["show", "growth"])
def test_one_spec(capsys: pytest.CaptureFixture[str], command: str) -> None:
    name = {"show": "Active parameters", "growth": "active_params"}[command]
    assert name in printed(capsys, command, "mixture_of_experts")
    assert name not in printed(capsys, command, "gated_mlp")


def test_several_specs(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "compare", "gated_mlp", "mixture_of_experts", *SIZES, "E=4", "k=2").splitlines()
    (line,) = [line for line in lines if line.startswith("Active parameters")]
    assert line.split()[2:4] == ["1,152", "2,368"]
    assert "Active" not in printed(capsys, "compare", "gated_mlp", "mlp", *SIZES)


def test_the_page() -> None:
    library = builtin_library()
    page = render_page(compile_spec(library, "mixture_of_experts").sheet)
    assert "**Active parameters** $`3dfk + dE`$" in page
    assert "**Active parameters**" not in render_page(compile_spec(library, "gated_mlp").sheet)


def test_shapes_inside_are_averages() -> None:
    rows = {row.name: row for row in load("mixture_of_experts").cost(b=1, n=5, d=16, f=24, E=4, k=2).rows}
    assert rows["experts.gate"].shape == (1, 2.5, 24)
    assert rows["experts.gate"].macs == 5 * 2 * 16 * 24
