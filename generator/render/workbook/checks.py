"""The sheet of checks: what must hold for the numbers to be trusted, one line each, and the known differences from the literature."""

from __future__ import annotations

from dataclasses import replace

from openpyxl.formatting.rule import Rule

from generator.formulas.evaluate import evaluate
from generator.quantities import QUANTITIES, Quantity
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.claims import WIDTHS, claim_text, is_checked, sides, write_differing
from generator.render.workbook.close import close_formula, is_close
from generator.render.workbook.invalid_sizes import FITS, hide, warn
from generator.render.workbook.live_check import CheckLine, LiveCheck, judged, verdict
from generator.render.workbook.sheet_plan import FIRST_CHECK_ROW, PROBLEM_CELL, Plan
from generator.render.workbook.size_checks import size_checks
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import BAD_LOOK, FAINT_LOOK, GOOD_LOOK
from generator.render.workbook.typed import typed_count
from generator.sheet.sheet import SheetClaim


def check_list(plan: Plan, formulas: CellFormulas, layer_totals: dict[str, Value]) -> tuple[LiveCheck, ...]:
    """Return all checks, with their verdicts at the sizes in use.

    Args:
        plan: the layout.
        formulas: how formulas are written.
        layer_totals: what the layers add up to, by quantity.
    """
    checks = [*size_checks(plan, formulas)]
    checks += [_sum_check(plan, quantity, layer_totals[quantity.key]) for quantity in QUANTITIES]
    checks += [_expect_check(plan, quantity) for quantity in plan.expected]
    if plan.expected:
        checks.append(_all_expect_check(plan))
    checks += [_claim_check(plan, formulas, claim) for claim in plan.sheet.claims if is_checked(plan, claim)]
    return tuple(checks)


CLOSE = close_formula("C{row}", "D{row}")


def _compared(plan: Plan, condition: str) -> str:
    """Return the formula of a verdict on results: there is none where the sizes have no answer."""
    return f"IF({FITS},{judged(plan, condition)},{quoted(plan.words('result.none'))})"


def overrides(plan: Plan) -> str:
    """Return the formula that counts what is typed over a preset, from any sheet."""
    rows = [plan.size_rows[size.name] for size in plan.settable]
    return typed_count(plan.at("summary", f"$C${min(rows)}:$C${max(rows)}")) if rows else "0"


def _sum_check(plan: Plan, quantity: Quantity, found: Value) -> LiveCheck:
    expected = evaluate(plan.sheet.totals[quantity.key], plan.in_use)
    layers = plan.at("layers", f"{plan.quantity_column(quantity)}{plan.layers_total_row}")
    return LiveCheck(
        plan.words("checks.sum", title=plan.title(quantity)),
        CheckLine(layers, found),
        CheckLine(plan.total_cell(quantity), expected),
        _compared(plan, CLOSE),
        verdict(plan, is_close(found, expected)),
    )


def _expect_check(plan: Plan, quantity: Quantity) -> LiveCheck:
    found = evaluate(plan.sheet.totals[quantity.key], plan.in_use)
    published = plan.preset_value(plan.expected_rows[quantity.key])
    expected = plan.columns[0].expect.get(quantity.key)
    none = plan.words("result.none")
    return LiveCheck(
        plan.words("checks.expect", title=plan.title(quantity)),
        CheckLine(plan.total_cell(quantity), found),
        CheckLine(f'IF(ISNUMBER({published}),{published},"")', "" if expected is None else expected),
        f'IF(OR({overrides(plan)}>0,IFERROR(D{{row}}="",FALSE)),{quoted(none)},{_compared(plan, CLOSE)})',
        none if expected is None else verdict(plan, is_close(found, expected)),
    )


def _all_expect_check(plan: Plan) -> LiveCheck:
    differences = [plan.whole_range(plan.expected_rows[quantity.key] + 1) for quantity in plan.expected]
    published = [plan.whole_range(plan.expected_rows[quantity.key]) for quantity in plan.expected]
    filled = plan.filled_columns
    pairs = [(evaluate(column.sheet.totals[key], column.values), value) for column in filled for key, value in column.expect.items()]
    met = sum(is_close(found, expected) for found, expected in pairs)
    return LiveCheck(
        plan.words("checks.all_expect"),
        CheckLine("+".join(f"COUNTIF({cells},0)" for cells in differences), met),
        CheckLine(f"COUNT({','.join(published)})", len(pairs)),
        judged(plan, "C{row}=D{row}"),
        verdict(plan, met == len(pairs)),
    )


def _claim_check(plan: Plan, formulas: CellFormulas, claim: SheetClaim) -> LiveCheck:
    """Hold a published formula against the sum of the rows; the source claims nothing where its conditions do not hold."""
    both = sides(plan, formulas, claim)
    found, expected, none = both.published, both.ours, plan.words("result.none")
    compared = _compared(plan, CLOSE)
    shown = found.value if both.is_applicable else plan.words("checks.not_applicable")
    judgement = verdict(plan, is_close(found.value, expected.value)) if both.is_applicable else none
    return LiveCheck(
        claim_text(plan, claim, "checks.claim"),
        replace(found, formula=both.guarded(found.formula, plan), value=shown),
        expected,
        f"IF({both.applies},{compared},{quoted(none)})" if both.applies else compared,
        judgement,
    )


def write_checks(page: Page, plan: Plan, checks: tuple[LiveCheck, ...], formulas: CellFormulas) -> None:
    """Write the checks, and below them all other claims."""
    words = plan.words
    page.widths(WIDTHS)
    page.text("A1", words("checks.title", title=plan.sheet_title), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    page.text(page.merged("A2:F2", "Remark"), words("checks.note"), "Remark")
    _write_problem(page, plan, checks)
    page.row(4, ["", *(words(f"checks.{key}") for key in ("check", "found", "expected", "result", "wrong"))], "Column head")
    for column, key in (("C", "found"), ("D", "expected")):
        page.text(f"{column}4", words(f"checks.{key}"), "Column head, number")
    page.text("E4", words("checks.result"), "Column head, centred")
    for row, check in enumerate(checks, start=FIRST_CHECK_ROW):
        _write_check(page, plan, row, check)
    first_result = FIRST_CHECK_ROW + sum(bool(check.wrong) for check in checks)
    last = FIRST_CHECK_ROW + len(checks) - 1
    ok, wrong, none = (words(f"result.{key}") for key in ("ok", "wrong", "none"))
    for word, look in ((ok, GOOD_LOOK), (wrong, BAD_LOOK), (none, FAINT_LOOK)):
        page.sheet.conditional_formatting.add(f"E5:E{last}", Rule(type="cellIs", operator="equal", formula=[quoted(word)], dxf=look))
    hide(page, f"C{first_result}:D{last}")
    page.sheet.freeze_panes = "C5"
    write_differing(page, plan, formulas, last + 2)


def _write_problem(page: Page, plan: Plan, checks: tuple[LiveCheck, ...]) -> None:
    """Say what is wrong with the sizes: the sentence of the first check on them that fails."""
    last = FIRST_CHECK_ROW + sum(bool(check.wrong) for check in checks) - 1
    sentences, verdicts = (f"${column}${FIRST_CHECK_ROW}:${column}${last}" for column in "FE")
    wrong = quoted(plan.words("result.wrong"))
    formula = f'IFERROR(INDEX({sentences},MATCH({wrong},{verdicts},0)),"")'
    at = PROBLEM_CELL.replace("$", "")
    page.formula(page.merged(f"{at}:F{at[1:]}", "Message"), formula, "", "Message")
    page.sheet.row_dimensions[int(at[1:])].height = 20
    warn(page, f"{at}:F{at[1:]}")


def _write_check(page: Page, plan: Plan, row: int, check: LiveCheck) -> None:
    page.number(f"A{row}", row - FIRST_CHECK_ROW + 1, "Muted number")
    page.text(f"B{row}", check.text)
    page.height(row, [(check.text, WIDTHS[1])])
    for column, entry in (("C", check.found), ("D", check.expected)):
        if entry.formula:
            page.formula(f"{column}{row}", entry.formula, entry.value, entry.style)
        else:
            page.text(f"{column}{row}", str(entry.value), entry.style)
    page.formula(f"E{row}", check.condition.replace("{row}", str(row)), check.verdict, "Verdict")
    if check.wrong:
        wrong = check.wrong.replace("{row}", str(row))
        page.formula(f"F{row}", f'IF(E{row}={quoted(plan.words("result.wrong"))},{wrong},"")', "", "Words")
    else:
        page.blank(f"F{row}", "Words")
