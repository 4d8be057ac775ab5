"""The first sheet: preset and master check, what the numbers say, sizes, results, and where the cost goes."""

from __future__ import annotations

from openpyxl.formatting.rule import Rule
from openpyxl.worksheet.datavalidation import DataValidation

import generator.render.workbook.sheet_plan as places
from generator.quantities import PARAMS
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.checks import overrides
from generator.render.workbook.cost_shares import write_charts, write_parts
from generator.render.workbook.excel_names import PROBLEM
from generator.render.workbook.glossary_sheet import Terms
from generator.render.workbook.invalid_sizes import text_if_valid, warn
from generator.render.workbook.live import Live, choice, fixed, rounded, sentence
from generator.render.workbook.live_check import LiveCheck
from generator.render.workbook.results import write_inference, write_memory, write_results
from generator.render.workbook.scaling import Scaling
from generator.render.workbook.sentences import write_sentences
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.size_inputs import ALL, WIDTHS, write_sizes
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import BAD_LOOK, GOOD_LOOK
from generator.render.workbook.unit_scale import MYRIADS, of_counts


def write_summary(page: Page, plan: Plan, formulas: CellFormulas, checks: tuple[LiveCheck, ...], scaling: Scaling | None) -> None:
    """Write the summary."""
    page.widths(WIDTHS)
    _write_head(page, plan)
    terms = Terms(plan)
    write_sizes(page, plan, formulas)
    totals = write_results(page, plan, formulas, terms)
    write_memory(page, plan, formulas)
    write_inference(page, plan, formulas)
    write_parts(page, plan, terms)
    write_charts(page, plan, scaling)
    _write_verdict(page, plan, checks)
    _write_headline(page, plan, totals)
    write_sentences(page, plan, scaling)
    page.sheet.freeze_panes = "A4"


def _write_head(page: Page, plan: Plan) -> None:
    sheet = plan.sheet
    page.text(page.merged("A1:G1", "Sheet title"), plan.sheet_title, "Sheet title")
    description = " ".join(plan.words.said(sheet.description).split())
    row = places.INSIGHT_ROWS[-1] + 1
    page.text(page.merged(f"A{row}:G{row}", "Prose"), description, "Prose")
    page.height(row, [(description, ALL * 0.95)], points=15)
    if sheet.cite:
        sources = "; ".join(sheet.references[key].text for key in sheet.cite if key in sheet.references)
        text = plan.words("summary.source", label=sources)
        page.text(page.merged(f"A{row + 1}:G{row + 1}", "Remark"), text, "Remark")
        page.link_out(f"A{row + 1}", next((sheet.references[key].url for key in sheet.cite if key in sheet.references), ""), text)
        page.height(row + 1, [(text, ALL)])
    for at, height in ((1, 28), (2, 42), (3, 26), (row + 2, 6)):
        page.sheet.row_dimensions[at].height = height


def _write_verdict(page: Page, plan: Plan, checks: tuple[LiveCheck, ...]) -> None:
    words = plan.words
    last = places.FIRST_CHECK_ROW + len(checks) - 1
    results, texts, found = (plan.at("checks", f"${c}${places.FIRST_CHECK_ROW}:${c}${last}") for c in "EBC")
    ok, wrong = words("result.ok"), words("result.wrong")
    failing = next((check for check in checks if check.verdict == wrong), None)
    page.text("A2", words("summary.preset"), "Label, free")
    page.text(page.merged("B2:C2", "Input choice"), plan.columns[0].name, "Input choice")
    page.text("D2", words("summary.checks"), "Label, free")
    page.formula("E2", f'IF(COUNTIF({results},"{wrong}")=0,"{ok}","{wrong}")', wrong if failing else ok, "Verdict, large")
    for word, look in ((ok, GOOD_LOOK), (wrong, BAD_LOOK)):
        page.sheet.conditional_formatting.add("E2", Rule(type="cellIs", operator="equal", formula=[quoted(word)], dxf=look))
    position = f'MATCH("{wrong}",{results},0)'
    shown = Live(f"INDEX({texts},{position})", failing.text if failing else "")
    value = Live(f"INDEX({found},{position})", str(failing.found.value) if failing else "")
    looked = sentence(words("summary.failing"), check=shown, found=value)
    message = choice(f"$E$2={quoted(wrong)}", failing is not None, looked, _overrides(plan))
    message = text_if_valid(message, Live(PROBLEM, ""))
    page.formula(page.merged("F2:G2", "Message"), message.formula, message.shown, "Message")
    warn(page, "F2:G2")
    _offer_presets(page, plan)


def _overrides(plan: Plan) -> Live:
    """Say how many sizes are overridden."""
    count = overrides(plan)
    some = sentence(plan.words("summary.overridden"), count=Live(count, "0"))
    return choice(f"{count}=0", True, fixed(plan.words("summary.as_preset")), some)


def _write_headline(page: Page, plan: Plan, totals: dict[str, Value]) -> None:
    """The two numbers that most readers came for, in one line below the preset."""
    words, rows = plan.words, plan.total_rows
    scale, places_in_text = of_counts(words), {}
    decimals = 2 if scale is MYRIADS else 1  # of a larger unit more digits are needed to say as much
    spoken = [f" {name}" if name else "" for name in words.scale("scalars", spoken=True)]
    for key, names in ((PARAMS.key, spoken), (plan.main.key, words.scale(plan.main.unit))):
        cell = f"$D${rows[key]}"
        amount, step = scale.scaled(totals[key])
        places_in_text[key] = rounded(f"$B${rows[key]}", amount, decimals)
        places_in_text[f"{key}_unit"] = Live(scale.unit_formula(cell, names), names[step])
    work, work_unit = places_in_text[plan.main.key], places_in_text[f"{plan.main.key}_unit"]
    headline = sentence(
        words("summary.headline"),
        params=places_in_text[PARAMS.key],
        params_unit=places_in_text[f"{PARAMS.key}_unit"],
        work=work,
        work_unit=work_unit,
        where=fixed(plan.main.words(words.language).headline),
    )
    headline = text_if_valid(headline, Live(f"{quoted(words('summary.no_answer'))}&{PROBLEM}", ""))
    page.formula(page.merged("A3:G3", "Headline"), headline.formula, headline.shown, "Headline")
    warn(page, "A3:G3")


def _offer_presets(page: Page, plan: Plan) -> None:
    """Let the user choose: the presets, and those of the user's own columns that have a name."""
    words = plan.words
    first = plan.at("presets", f"${plan.first_column}${places.PRESET_NAMES_ROW}")
    names = f"OFFSET({first},0,0,1,COUNTA({plan.preset_range(places.PRESET_NAMES_ROW)}))"
    rule = DataValidation("list", formula1=names, allow_blank=False, showErrorMessage=True, showInputMessage=True)
    rule.promptTitle, rule.prompt = words("summary.preset_title"), words("summary.preset_prompt")
    rule.errorTitle, rule.error = words("summary.preset_title"), words("summary.preset_error")
    rule.add("B2")
    page.sheet.add_data_validation(rule)
