"""docs/measured.md: every figure that others have printed beside what the command in its line derives."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from generator.text.expression_values import evaluate_number
from generator.text.expressions import parse_expression

DOCUMENT = Path(__file__).parents[2] / "docs" / "measured.md"
COLUMNS = ("what", "printed", "by", "command", "reckoned", "comes to", "what is between")
FIGURE = re.compile(r"(?:(at least|at most) )?([0-9][0-9,]*(?:\.[0-9]+)?) (\S+)")
UNITS = {"bytes": 1, "numbers": 1, "tokens/s": 1, "hours": 1, "%": 1, "KB": 10**3, "GB": 10**9, "B": 10**9, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True)
class Figure:
    """A number with its unit, and which way it is a bound, if it is one."""

    bound: str
    digits: str
    unit: str

    @property
    def value(self) -> Fraction:
        return Fraction(self.digits.replace(",", "")) * UNITS[self.unit]

    def shown(self, value: Fraction) -> str:
        """Return a value in the unit and with the decimals of this figure."""
        in_units = value / UNITS[self.unit]
        decimals = len(self.digits.partition(".")[2])
        exact = Decimal(in_units.numerator) / Decimal(in_units.denominator)
        return f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN):,}"


@dataclass(frozen=True)
class Line:
    """A line of the document."""

    what: str
    printed: Figure
    by: str
    command: tuple[str, ...]
    reckoned: str
    comes_to: Figure
    between: str


def figure(text: str) -> Figure:
    found = FIGURE.fullmatch(text)
    assert found is not None, f"`{text}` is no figure with a unit"
    return Figure(found[1] or "", found[2], found[3])


def code(text: str) -> str:
    found = re.fullmatch("`([^`]+)`", text)
    assert found is not None, text
    return found[1]


def lines() -> Iterator[Line]:
    for row in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = tuple(cell.strip() for cell in row.strip("|").split("|"))
        if len(cells) != len(COLUMNS) or cells == COLUMNS or set("".join(cells)) <= set("- "):
            continue
        what, printed, by, command, reckoned, comes_to, between = cells
        words = tuple(shlex.split(code(command)))
        yield Line(what, figure(printed), by, words[1:], code(reckoned), figure(comes_to), between)


LINES = list(lines())


@cache
def asked(command: tuple[str, ...]) -> str:
    """Return what a command prints as JSON; a command stands in several lines."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*command, "--json"]) == 0
    return out.getvalue()


def counts_in(found: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the numbers of an answer by their names; those inside of an object have its name before theirs, and sizes have their own."""
    counts = {name: Fraction(value) for name, value in found["dims"].items()}
    for name, value in found.items():
        inside = {f"{name}_{key}": one for key, one in value.items()} if isinstance(value, Mapping) else {name: value}
        counts |= {key: Fraction(one) for key, one in inside.items() if isinstance(one, (int, float)) and not isinstance(one, bool)}
    return counts


def test_there_are_twenty_lines_and_each_names_its_source() -> None:
    assert len(LINES) >= 20
    assert len({(line.what, line.printed) for line in LINES}) == len(LINES)
    linked = {name for line in LINES for name in re.findall(r"\[([^\]]+)\]\(https://", line.by)}
    for line in LINES:
        assert "](https://" in line.by or line.by == "the same table" or line.by in linked, line.by
        assert line.between, line.what


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.what[:40]}, {line.printed.digits}")
def test_a_printed_figure_is_derived(line: Line) -> None:
    value = Fraction(evaluate_number(parse_expression(line.reckoned), counts_in(json.loads(asked(line.command)))))
    assert line.comes_to.shown(value) == line.comes_to.digits, line.reckoned
    assert line.printed.unit == line.comes_to.unit
    if line.comes_to.bound == "at least":
        assert line.printed.value >= line.comes_to.value
    elif line.comes_to.bound == "at most":
        assert line.printed.value <= line.comes_to.value
    else:
        assert line.printed.digits == line.comes_to.digits
    share = re.match("([0-9.]+) of", line.between)
    if share is not None:
        low, high = sorted((line.printed.value, value))
        assert f"{float(low / high):.2f}" == share[1]
