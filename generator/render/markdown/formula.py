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
    lines = _broken(outer_terms(latex), width)
    if len(lines) == 1:
        return (latex,)
    return _aligned([_signed(line, is_first=i == 0) for i, line in enumerate(lines)])


def part_lines(parts: Sequence[tuple[str, Sequence[str]]], width: int = LINE_WIDTH) -> tuple[str, ...]:
    """Return the lines of a display in which each part of a sum begins a line, with its name behind it.

    Args:
        parts: the name of each, and its summands with their signs.
    """
    rows: list[str] = []
    for name, terms in parts:
        label = rf" && \text{{{' '.join(name.split('_'))}}}"
        lines = enumerate(_broken(terms, width))
        rows += [_signed(line, is_first=not rows and i == 0) + (label if i == 0 else "") for i, line in lines]
    return _aligned(rows)


def _broken(terms: Sequence[str], width: int) -> list[str]:
    """Return summands in lines of at most so many characters, if each has no more."""
    lines = [""]
    for term in terms:
        if lines[-1] and len(lines[-1]) + len(term) > width:
            lines.append("")
        lines[-1] += term
    return [line.strip() for line in lines]


def _aligned(rows: Sequence[str]) -> tuple[str, ...]:
    return (r"\begin{aligned}", *(rf"{row} \\" for row in rows[:-1]), rows[-1], r"\end{aligned}")


def multiplied(factor: str, latex: str) -> list[str]:
    """Return a sum times a factor (if any) as summands, the first and last with parentheses, so that lines may end between them."""
    terms = outer_terms(latex)
    if factor and len(terms) > 1:
        terms[0], terms[-1] = f"({terms[0]}", f"{terms[-1]})"
    return [rf"{factor} \cdot {terms[0]}", *terms[1:]] if factor else terms


def _signed(line: str, *, is_first: bool) -> str:
    """Return a line of a sum with its sign; the empty group makes that one between two terms."""
    if is_first:
        return f"& {line}"
    return f"& {{}} {line}" if line.startswith(("+ ", "- ")) else f"& {{}} - {line[1:]}" if line.startswith("-") else f"& {{}} + {line}"


def displayed(expr: Expr, order: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a display: as a product where that fits in one line."""
    return display_lines(fitting(expr, order))


def fitting(expr: Expr, order: Sequence[str]) -> str:
    """Return a formula as a product where that fits in one line; else multiplied out, so that it can be broken."""
    short = shortest(expr, order)
    return short if len(short) <= LINE_WIDTH else to_latex(expr, order)


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
        latex = factored_latex(expr, self.order) if factored else to_latex(expr, self.order)
        if short := self.short(expr, limit, latex):
            return short
        if latex not in self._long:
            named = [(name, outer_terms(shortest(part, self.order))) for name, part in parts]
            self._add(latex, part_lines(named) if len(named) > 1 else display_lines(latex))
        return self._link(latex, caption)

    def short(self, expr: Any, limit: int = LINE_WIDTH, latex: str = "") -> str:
        """Return a formula of at most `limit` characters, in one form or the other; empty where it has more."""
        if expr.is_Integer:
            return exact(int(expr))
        latex = latex or to_latex(expr, self.order)
        found = latex if len(latex) <= limit else shortest(expr, self.order)
        return inline(found) if len(found) <= limit else ""

    def below(self, key: str, lines: tuple[str, ...], caption: str) -> str:
        """Return a link to a display of these lines; two with the same key are one."""
        if key not in self._long:
            self._add(key, lines)
        return self._link(key, caption)

    def _add(self, key: str, lines: tuple[str, ...]) -> None:
        self._long[key] = LongFormula(len(self._long) + 1, [], lines)

    def _link(self, key: str, caption: str) -> str:
        entry = self._long[key]
        if caption not in entry.captions:
            entry.captions.append(caption)
        return f"[({entry.number})](#formula-{entry.number})"

    def take(self) -> tuple[LongFormula, ...]:
        """Return the long formulas that are new since the last call, for display at this place of the page."""
        new = tuple(self._long.values())[self._taken :]
        self._taken = len(self._long)
        return new
