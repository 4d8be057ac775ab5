"""Checks on the sizes, of which each must hold before any result is shown: what was typed, conditions, and sizes that follow."""

from __future__ import annotations

from sympy import Expr

from generator.formulas.evaluate import evaluate
from generator.render.workbook.cell_formulas import CellFormulas, closed_form, number_text
from generator.render.workbook.cells import quoted
from generator.render.workbook.conditions import broken_words, condition_words
from generator.render.workbook.live import Live, sentence
from generator.render.workbook.live_check import CheckLine, LiveCheck, judged, verdict
from generator.render.workbook.sheet_plan import PRESET_CELL, PRESET_NAMES_ROW, Plan
from generator.sheet.sheet import Constraint, Size

LARGEST_DERIVED = "2^53"  # beyond this a spreadsheet does not tell neighbouring whole numbers apart
FOUND = "$C{row}"


def size_checks(plan: Plan, formulas: CellFormulas) -> tuple[LiveCheck, ...]:
    """Return the checks in the order in which mistakes are spoken of: what was typed before what follows from it."""
    following = [(size, size.value) for size in plan.sheet.sizes if size.value is not None]
    return (
        _preset_check(plan),
        *(_typed_check(plan, size) for size in plan.settable),
        *(_constraint_check(plan, formulas, constraint) for constraint in plan.sheet.constraints),
        *(_whole_check(plan, size, formula) for size, formula in following),
    )


def _preset_check(plan: Plan) -> LiveCheck:
    chosen = plan.at("summary", PRESET_CELL)
    return LiveCheck(
        plan.words("checks.preset"),
        CheckLine(f'IFERROR({chosen}&"","?")', plan.columns[0].name, "Link"),
        CheckLine("", plan.words("checks.preset_expected"), "Muted number"),
        judged(plan, f"ISNUMBER(MATCH({chosen},{plan.preset_range(PRESET_NAMES_ROW)},0))"),
        verdict(plan, holds=True),
        quoted(plan.words("summary.unknown_preset")),
    )


def _typed_check(plan: Plan, size: Size) -> LiveCheck:
    row, words = plan.size_rows[size.name], plan.words
    origin, override = (plan.at("summary", f"${column}${row}") for column in "EC")
    unused = f"{origin}={quoted(words('summary.not_used'))}"
    typed = f'IF({override}="",{plan.preset_value(plan.published_rows[size.name])},{override})'
    wrong = sentence(words("checks.not_used"), name=size.name, typed=Live(FOUND, ""))
    return LiveCheck(
        words("checks.typed", name=size.name, meaning=plan.meaning(size)),
        CheckLine(f'IFERROR(IF({unused},{typed},{plan.names[size.name]}),"?")', plan.in_use[size.name], "Link"),
        CheckLine("", words("checks.typed_expected"), "Muted number"),
        judged(plan, f"NOT({unused})"),
        verdict(plan, holds=True),
        wrong.formula,
    )


def _constraint_check(plan: Plan, formulas: CellFormulas, constraint: Constraint) -> LiveCheck:
    names = [name for name in plan.order if name in {symbol.name for symbol in constraint.condition.free_symbols}]
    labels = [f"{', ' if i else ''}{name} = " for i, name in enumerate(names)]
    parts = [f"{quoted(label)}&{plan.names[name]}" for label, name in zip(labels, names, strict=True)]
    shown = ", ".join(f"{name} = {number_text(plan.in_use[name])}" for name in names)
    return LiveCheck(
        plan.words("checks.constraint", text=condition_words(constraint, plan.words, plan.order)),
        CheckLine("&".join(parts), shown, "Link"),
        CheckLine("", plan.words("checks.constraint_expected"), "Muted number"),
        judged(plan, formulas.text(constraint.condition)),
        verdict(plan, evaluate(constraint.condition, plan.in_use)),
        broken_words(constraint, plan, formulas, FOUND),
    )


def _whole_check(plan: Plan, size: Size, formula: Expr) -> LiveCheck:
    value, name = plan.in_use[size.name], plan.names[size.name]
    follows = f"{size.name} = {closed_form(formula, plan.order)}"
    wrong = sentence(plan.words("checks.not_whole"), name=follows, value=Live(f'IFERROR(ROUND({FOUND},4),"?")', ""))
    return LiveCheck(
        plan.words("checks.whole", name=size.name, meaning=plan.meaning(size)),
        CheckLine(name, value, "Link"),
        CheckLine("", plan.words("checks.whole_expected"), "Muted number"),
        judged(plan, f"AND(ISNUMBER(C{{row}}),C{{row}}>=1,C{{row}}<={LARGEST_DERIVED},C{{row}}=INT(C{{row}}))"),
        verdict(plan, value >= 1 and value == int(value)),
        wrong.formula,
    )
