"""The sheet of checks: what must hold for the numbers to be trusted, one line each, and the known differences from the literature."""

from __future__ import annotations

from dataclasses import dataclass

from openpyxl.formatting.rule import Rule

from generator.printing.evaluate import evaluate
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.claims import WIDTHS, claim_text, is_checked, write_differing
from generator.render.workbook.close import close_formula, is_close
from generator.render.workbook.conditions import condition_words
from generator.render.workbook.formulas import Formulas, number_text
from generator.render.workbook.plan import FIRST_CHECK_ROW, Plan
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import BAD_LOOK, FAINT_LOOK, GOOD_LOOK
from generator.sheet import QUANTITIES, Constraint, Quantity, SheetClaim


@dataclass(frozen=True)
class Entry:
    """What a cell beside a check shows: a formula with its value, or plain text where there is no formula."""

    formula: str
    value: Value
    style: str = "Link, total"


@dataclass(frozen=True)
class Check:
    """One line. `condition` is the formula that gives the verdict; it may speak of its own row as `{row}`."""

    text: str
    found: Entry
    expected: Entry
    condition: str
    verdict: str


def check_list(plan: Plan, formulas: Formulas, layer_totals: dict[str, Value]) -> tuple[Check, ...]:
    """Return all checks, with their verdicts at the sizes in use.

    Args:
        plan: the layout.
        formulas: how formulas are written.
        layer_totals: what the layers add up to, by quantity.
    """
    checks = [_sum_check(plan, quantity, layer_totals[quantity.key]) for quantity in QUANTITIES]
    checks += [_constraint_check(plan, formulas, constraint) for constraint in plan.sheet.constraints]
    checks += [_whole_check(plan, name) for name in plan.order]
    checks += [_expect_check(plan, quantity) for quantity in plan.expected]
    if plan.expected:
        checks.append(_all_expect_check(plan))
    checks += [_claim_check(plan, formulas, claim) for claim in plan.sheet.claims if is_checked(plan, claim)]
    return tuple(checks)


def _verdict(plan: Plan, holds: bool) -> str:
    return plan.words("result.ok" if holds else "result.wrong")


def _judged(plan: Plan, condition: str) -> str:
    """Return the formula of a verdict; an error counts as a failure."""
    return f"IF(IFERROR({condition},FALSE),{quoted(plan.words('result.ok'))},{quoted(plan.words('result.wrong'))})"


CLOSE = close_formula("C{row}", "D{row}")
LARGEST_DERIVED = "2^53"  # beyond this a spreadsheet does not tell neighbouring whole numbers apart


def _sum_check(plan: Plan, quantity: Quantity, found: Value) -> Check:
    expected = evaluate(plan.sheet.totals[quantity.key], plan.in_use)
    layers = plan.at("layers", f"{plan.quantity_column(quantity)}{plan.layers_total_row}")
    return Check(
        plan.words("checks.sum", title=plan.title(quantity)),
        Entry(layers, found),
        Entry(plan.total_cell(quantity), expected),
        _judged(plan, CLOSE),
        _verdict(plan, is_close(found, expected)),
    )


def _whole_check(plan: Plan, name: str) -> Check:
    value = plan.in_use[name]
    meaning = next(size.meaning for size in plan.sheet.sizes if size.name == name)
    return Check(
        plan.words("checks.whole", name=name, meaning=meaning),
        Entry(plan.names[name], value, "Link"),
        Entry("", plan.words("checks.whole_expected"), "Muted words"),
        _judged(plan, f"AND(ISNUMBER(C{{row}}),C{{row}}>=1,C{{row}}<={LARGEST_DERIVED},C{{row}}=INT(C{{row}}))"),
        _verdict(plan, value >= 1 and value == int(value)),
    )


def _constraint_check(plan: Plan, formulas: Formulas, constraint: Constraint) -> Check:
    names = [name for name in plan.order if name in {symbol.name for symbol in constraint.condition.free_symbols}]
    labels = [f"{', ' if i else ''}{name} = " for i, name in enumerate(names)]
    parts = [f"{quoted(label)}&{plan.names[name]}" for label, name in zip(labels, names, strict=True)]
    shown = ", ".join(f"{name} = {number_text(plan.in_use[name])}" for name in names)
    return Check(
        plan.words("checks.constraint", text=condition_words(constraint, plan)),
        Entry("&".join(parts), shown, "Link"),
        Entry("", plan.words("checks.constraint_expected"), "Muted words"),
        _judged(plan, formulas.text(constraint.condition)),
        _verdict(plan, evaluate(constraint.condition, plan.in_use)),
    )


def _overrides(plan: Plan) -> str:
    rows = [plan.size_rows[size.name] for size in plan.settable]
    return f"COUNTA({plan.at('summary', f'$C${min(rows)}:$C${max(rows)}')})" if rows else "0"


def _expect_check(plan: Plan, quantity: Quantity) -> Check:
    found = evaluate(plan.sheet.totals[quantity.key], plan.in_use)
    published = plan.preset_value(plan.expected_rows[quantity.key])
    expected = plan.columns[0].expect.get(quantity.key)
    none = plan.words("result.none")
    return Check(
        plan.words("checks.expect", title=plan.title(quantity)),
        Entry(plan.total_cell(quantity), found),
        Entry(f'IF(ISNUMBER({published}),{published},"")', "" if expected is None else expected),
        f'IF(OR({_overrides(plan)}>0,IFERROR(D{{row}}="",FALSE)),{quoted(none)},{_judged(plan, CLOSE)})',
        none if expected is None else _verdict(plan, is_close(found, expected)),
    )


def _all_expect_check(plan: Plan) -> Check:
    differences = [plan.preset_range(plan.expected_rows[quantity.key] + 1) for quantity in plan.expected]
    published = [plan.preset_range(plan.expected_rows[quantity.key]) for quantity in plan.expected]
    pairs = [(evaluate(plan.sheet.totals[key], column.values), value) for column in plan.columns for key, value in column.expect.items()]
    met = sum(is_close(found, expected) for found, expected in pairs)
    return Check(
        plan.words("checks.all_expect"),
        Entry("+".join(f"COUNTIF({cells},0)" for cells in differences), met),
        Entry(f"COUNT({','.join(published)})", len(pairs)),
        _judged(plan, "C{row}=D{row}"),
        _verdict(plan, met == len(pairs)),
    )


def _claim_check(plan: Plan, formulas: Formulas, claim: SheetClaim) -> Check:
    claimed, derived = (evaluate(expr, plan.in_use) for expr in (claim.claimed, claim.derived))
    return Check(
        claim_text(plan, claim, "checks.claim"),
        Entry(formulas.text(claim.claimed), claimed, "Whole number"),
        Entry(formulas.text(claim.derived), derived, "Whole number"),
        _judged(plan, CLOSE),
        _verdict(plan, is_close(claimed, derived)),
    )


def write_checks(page: Page, plan: Plan, checks: tuple[Check, ...], formulas: Formulas) -> None:
    """Write the checks, and below them all other claims."""
    words = plan.words
    page.widths(WIDTHS)
    page.text("A1", words("checks.title", title=plan.sheet.title), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    page.sheet.row_dimensions[3].height = 6
    page.text(page.merged("A2:E2", "Remark"), words("checks.note"), "Remark")
    page.row(4, ["", *(words(f"checks.{key}") for key in ("check", "found", "expected", "result"))], "Column head")
    for column, key in (("C", "found"), ("D", "expected")):
        page.text(f"{column}4", words(f"checks.{key}"), "Column head, number")
    page.text("E4", words("checks.result"), "Column head, centred")
    for row, check in enumerate(checks, start=FIRST_CHECK_ROW):
        _write_check(page, row, check)
    last = FIRST_CHECK_ROW + len(checks) - 1
    ok, wrong, none = (words(f"result.{key}") for key in ("ok", "wrong", "none"))
    for word, look in ((ok, GOOD_LOOK), (wrong, BAD_LOOK), (none, FAINT_LOOK)):
        page.sheet.conditional_formatting.add(f"E5:E{last}", Rule(type="cellIs", operator="equal", formula=[quoted(word)], dxf=look))
    page.sheet.freeze_panes = "C5"
    write_differing(page, plan, formulas, last + 2)


def _write_check(page: Page, row: int, check: Check) -> None:
    page.number(f"A{row}", row - FIRST_CHECK_ROW + 1, "Muted number")
    page.text(f"B{row}", check.text)
    page.height(row, [(check.text, WIDTHS[1])])
    for column, entry in (("C", check.found), ("D", check.expected)):
        if entry.formula:
            page.formula(f"{column}{row}", entry.formula, entry.value, entry.style)
        else:
            page.text(f"{column}{row}", str(entry.value), entry.style)
    page.formula(f"E{row}", check.condition.replace("{row}", str(row)), check.verdict, "Verdict")
