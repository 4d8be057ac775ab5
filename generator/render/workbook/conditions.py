"""Conditions on sizes as people say them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Expr, Ge, Gt, Integer, Le, Lt, Symbol

from generator.formulas.evaluate import evaluate
from generator.questions.growth.at_sizes import divisibility
from generator.render.texts import Texts
from generator.render.workbook.cell_formulas import CellFormulas, closed_form
from generator.render.workbook.cells import quoted
from generator.render.workbook.live import Live, sentence
from generator.render.workbook.sheet_plan import Plan
from generator.sheet.sheet import Constraint

LONGEST_LIST = 999  # characters of all conditions that are broken


def condition_words(constraint: Constraint, words: Texts, order: Sequence[str]) -> str:
    """Return a condition in words, such as `d is a multiple of h`; one that has no words as the spec writes it."""
    condition = constraint.condition
    division = divisibility(condition)
    if division is not None:
        a, b = (closed_form(side, order) for side in division)
        return words("conditions.multiple", a=a, b=b)
    if isinstance(condition, Le | Ge):
        small, large = (condition.lhs, condition.rhs) if isinstance(condition, Le) else (condition.rhs, condition.lhs)
        return words("conditions.at_most", a=closed_form(small, order), b=closed_form(large, order))
    return words("conditions.other", text=constraint.text)


def broken_conditions(plan: Plan, formulas: CellFormulas, cells: Mapping[str, str], is_whole: str) -> str:
    """Return the formula that names the conditions that sizes break, side by side and not nested; an empty text where all hold.

    Args:
        cells: the cell of each size.
        is_whole: the condition that all of them are whole.
    """
    then, texts = plan.words("scaling.then"), []
    for constraint in plan.sheet.constraints:
        broken = then + condition_words(constraint, plan.words, plan.order)
        texts.append(f'IF(IFERROR({formulas.text(constraint.condition, cells)},FALSE),"",{quoted(broken)})')
    text = f"MID({'&'.join(texts)},{len(then) + 1},{LONGEST_LIST})" if texts else '""'
    return f"IF(IFERROR({is_whole},FALSE),{text},{quoted(plan.words('scaling.not_whole'))})"


def broken_value(plan: Plan, sizes: Mapping[str, Any]) -> str:
    """Return what `broken_conditions` comes to where all sizes are whole."""
    broken = [condition_words(one, plan.words, plan.order) for one in plan.sheet.constraints if not evaluate(one.condition, sizes)]
    return plan.words("scaling.then").join(broken)


def broken_words(constraint: Constraint, plan: Plan, formulas: CellFormulas, found: str) -> str:
    """Return the formula of the sentence that says how a condition is broken, with the values in use.

    Args:
        found: the cell that lists the values of the condition's sizes.
    """
    words, condition = plan.words, constraint.condition
    division = divisibility(condition)
    if division is not None:
        a, b = (_with_value(side, plan, formulas) for side in division)
        if isinstance(division[0], Symbol):
            return sentence(words("conditions.not_multiple_near"), a=a, b=b, near=_nearest(*division, plan, formulas)).formula
        return sentence(words("conditions.not_multiple"), a=a, b=b).formula
    if isinstance(condition, Le | Ge | Lt | Gt):
        small, large = (_with_value(side, plan, formulas) for side in (condition.lts, condition.gts))
        key = "conditions.too_large" if isinstance(condition, Le | Ge) else "conditions.not_less"
        return sentence(words(key), a=small, b=large).formula
    return sentence(words("conditions.broken"), text=constraint.text, found=Live(found, "")).formula


def _with_value(side: Expr, plan: Plan, formulas: CellFormulas) -> Live | str:
    """Return one side of a condition with what it comes to, `d = 1000`; a number is only itself."""
    if isinstance(side, Integer):
        return str(side)
    label = f"{closed_form(side, plan.order)} = "
    return Live(f"{quoted(label)}&({formulas.text(side)})", "")


def _nearest(a: Expr, b: Expr, plan: Plan, formulas: CellFormulas) -> Live:
    """Return the multiples of b around a; only the one above where there is none below."""
    value, step = formulas.text(a), f"({formulas.text(b)})"
    below = f"({step}*INT({value}/{step}))"
    both = sentence(plan.words("conditions.two_near"), low=Live(below, ""), high=Live(f"({below}+{step})", ""))
    one = sentence(plan.words("conditions.one_near"), high=Live(step, ""))
    return Live(f"IF({value}<{step},{one.formula},{both.formula})", "")
