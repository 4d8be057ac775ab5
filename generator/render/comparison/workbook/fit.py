"""Whether the sizes of a side fit together at a swept value: as a formula, and when the file is written."""

from __future__ import annotations

from sympy import Basic

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.excel import to_excel
from generator.render.comparison.workbook.layout import Layout
from generator.render.workbook.cells import quoted
from generator.render.workbook.conditions import condition_words
from generator.render.workbook.typed import is_size
from generator.sheet.sheet import Constraint


def fit_formula(layout: Layout, side: int, index: int) -> str:
    """Return the formula that says OK, or names the first thing that is wrong with the sizes."""
    words, order = layout.words, _order(layout, side)
    swept = layout.value_cell(index)
    cells = layout.cells(side, swept, inside=True)
    text, no_size = quoted(words("result.ok")), quoted(words("scaling.not_whole"))
    follows = [to_excel(value, cells, order) for value in layout.following(side).values() if _varies(value)]
    if follows:
        whole = ",".join(f"{one}>=1,{one}=INT({one})" for one in follows)
        text = f"IF(IFERROR(AND({whole}),FALSE),{text},{no_size})"
    for constraint, condition in reversed(layout.conditions(side)):
        if condition != True:  # noqa: E712 - sympy's true is not Python's
            text = f"IF(IFERROR({to_excel(condition, cells, order)},FALSE),{text},{quoted(_broken(layout, side, constraint))})"
    typed = [swept, *(layout.size_cell(side, name) for name in layout.numbers(side))]
    return f"IF(AND({','.join(is_size(cell) for cell in typed)}),{text},{no_size})"


def fit(layout: Layout, side: int, swept: int) -> str:
    """Return what the formula comes to when the file is written."""
    words = layout.words
    sizes = {**layout.numbers(side), layout.swept: swept}
    for constraint, condition in layout.conditions(side):
        try:
            holds = condition == True or bool(evaluate(condition, sizes))  # noqa: E712 - sympy's true is not Python's
        except EvaluationError:
            holds = False
        if not holds:
            return _broken(layout, side, constraint)
    whole = all(found >= 1 and found == int(found) for found in (evaluate(value, sizes) for value in layout.following(side).values()))
    return words("result.ok" if whole else "scaling.not_whole")


def misfits(layout: Layout, side: int) -> list[str]:
    """Return all that the formula may say where the sizes do not fit: its cell needs room for each, as sizes can be typed over."""
    broken = [_broken(layout, side, constraint) for constraint, condition in layout.conditions(side) if condition != True]  # noqa: E712
    return [*broken, layout.words("scaling.not_whole")]


def _broken(layout: Layout, side: int, constraint: Constraint) -> str:
    words = layout.words
    return words("comparison.needs", condition=condition_words(constraint, words, _order(layout, side)))


def _varies(value: Basic) -> bool:
    return bool(value.free_symbols)


def _order(layout: Layout, side: int) -> list[str]:
    return [size.name for size in layout.sides[side].sheet.sizes]
