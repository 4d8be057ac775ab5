"""Formulas in LaTeX, in the forms that GitHub renders everywhere: dollar-backtick in a line, a `math` fence for a display.

Both are code to Markdown, so nothing in a formula is taken for markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr

from generator.formulas.factored import factored_latex
from generator.formulas.latex import to_latex
from generator.formulas.order import ordered_terms
from generator.render.markdown.numbers import exact

LINE_WIDTH = 90  # characters of LaTeX, in a display and for totals
MOST_FACTORED = 24  # terms; factoring takes longer with more, and finds little
Parts = Sequence[tuple[str, Expr]]  # summands of a formula, each with the name of what it comes from
_NESTING = re.compile(r"\\(?:left|begin)(?![a-zA-Z])|\\(?:right|end)(?![a-zA-Z])|[{}]|\\.| [+-] ")


def inline(latex: str) -> str:
    """Return a formula for a line of text or a table's cell."""
    return f"$`{latex}`$"


def display_lines(latex: str, width: int = LINE_WIDTH) -> tuple[str, ...]:
    """Return the lines of a display; a long sum is broken before a plus or minus, its lines one below the other."""
    lines = [""]
    for part in outer_terms(latex):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    if len(lines) == 1:
        return (latex,)
    rows = [_signed(line.strip(), is_first=i == 0) for i, line in enumerate(lines)]
    return (r"\begin{aligned}", *(rf"{row} \\" for row in rows[:-1]), rows[-1], r"\end{aligned}")


def part_lines(parts: Parts, order: Sequence[str], width: int = LINE_WIDTH) -> tuple[str, ...]:
    """Return the lines of a display in which each part of a sum begins a line, with its name behind it."""
    rows: list[str] = []
    for name, expr in parts:
        label, lines = rf" && \text{{{' '.join(name.split('_'))}}}", [""]
        for term in outer_terms(shortest(expr, order)):
            if lines[-1] and len(lines[-1]) + len(term) > width:
                lines.append("")
            lines[-1] += term
        rows += [_signed(line.strip(), is_first=not rows and i == 0) + (label if i == 0 else "") for i, line in enumerate(lines)]
    return (r"\begin{aligned}", *(rf"{row} \\" for row in rows[:-1]), rows[-1], r"\end{aligned}")


def _signed(line: str, *, is_first: bool) -> str:
    """Return a line of a sum with its sign; the empty group makes that one between two terms."""
    if is_first:
        return f"& {line}"
    return f"& {{}} {line}" if line.startswith(("+ ", "- ")) else f"& {{}} - {line[1:]}" if line.startswith("-") else f"& {{}} + {line}"


def displayed(expr: Expr, order: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a display: as a product where that fits in one line."""
    short = shortest(expr, order)
    return (short,) if len(short) <= LINE_WIDTH else display_lines(to_latex(expr, order))


def shortest(expr: Expr, order: Sequence[str]) -> str:
    """Return a formula in LaTeX, multiplied out or, where that is shorter, as a product."""
    plain = to_latex(expr, order)
    if not 1 < len(ordered_terms(expr, order)) <= MOST_FACTORED or not expr.is_polynomial(*expr.free_symbols):
        return plain
    return min(plain, factored_latex(expr, order), key=len)


def outer_terms(latex: str) -> list[str]:
    """Return the summands of a formula, each with its sign; what is inside braces, parentheses and cases stays together."""
    terms, start, depth = [], 0, 0
    for token in _NESTING.finditer(latex):
        if token[0] in ("{", r"\left", r"\begin"):
            depth += 1
        elif token[0] in ("}", r"\right", r"\end"):
            depth -= 1
        elif token[0] in (" + ", " - ") and depth == 0:
            terms.append(latex[start : token.start()])
            start = token.start()
    return [*terms, latex[start:]]


@dataclass
class LongFormula:
    """A formula that is shown below its table: its number, what it is the formula of, and its lines."""

    number: int
    captions: list[str]
    lines: tuple[str, ...]

    @property
    def caption(self) -> str:
        """All that this is the formula of."""
        return "; ".join(self.captions)


@dataclass
class PageFormulas:
    """The formulas of one page. Short ones stand where they are used; long ones are numbered and shown below their table.

    Args:
        order: the names of the sizes as the spec lists them.
    """

    order: Sequence[str]
    _long: dict[str, LongFormula] = field(default_factory=dict)
    _taken: int = 0

    def cell(self, expr: Any, caption: str, limit: int = LINE_WIDTH, *, factored: bool = False, parts: Parts = ()) -> str:
        """Return a formula of at most `limit` characters, or a link to where it is shown; whole numbers are plain text.

        A formula that is too long multiplied out may be short enough as a product.

        Args:
            caption: what this is the formula of, in Markdown.
            factored: show it as a product in any case.
            parts: what it is the sum of, each of which has a line of its own where the formula is long.
        """
        if expr.is_Integer:
            return exact(int(expr))
        latex = factored_latex(expr, self.order) if factored else to_latex(expr, self.order)
        if len(latex) > limit and len(short := shortest(expr, self.order)) <= limit:
            latex = short
        if len(latex) <= limit:
            return inline(latex)
        entry = self._long.get(latex)
        if entry is None:
            lines = part_lines(parts, self.order) if len(parts) > 1 else display_lines(latex)
            entry = self._long[latex] = LongFormula(len(self._long) + 1, [], lines)
        if caption not in entry.captions:
            entry.captions.append(caption)
        return f"[({entry.number})](#formula-{entry.number})"

    def take(self) -> tuple[LongFormula, ...]:
        """Return the long formulas that are new since the last call, for display at this place of the page."""
        new = tuple(self._long.values())[self._taken :]
        self._taken = len(self._long)
        return new
