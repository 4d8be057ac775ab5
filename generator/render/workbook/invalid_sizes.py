"""What stands in place of results where the sizes have no answer: a dash, and in words what is wrong.

One cell says what is wrong, and is empty where nothing is; it has a name, because conditional formats take no cell of another
sheet.
"""

from __future__ import annotations

from openpyxl.formatting.rule import Rule

from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.excel_names import PROBLEM
from generator.render.workbook.live import Live, choice, fixed
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.styles import BAD_LOOK, DASH_LOOK

FITS = f'{PROBLEM}=""'


def dash_if_invalid(plan: Plan, formula: str) -> str:
    """Return a result's formula that shows a dash where the sizes have no answer."""
    return f"IF({FITS},{formula},{dash(plan)})"


def text_if_valid(live: Live, instead: Live) -> Live:
    """Return a sentence, and what is said instead of it where the sizes have no answer."""
    return choice(FITS, True, live, instead)


def dash(plan: Plan) -> str:
    """Return the text that stands in place of a result, as a literal."""
    return quoted(plan.words("result.dash"))


def write_note(page: Page, plan: Plan, cells: str, text: str) -> None:
    """Write a sheet's remark over a range; where the sizes have no answer it says so, in red."""
    at = page.merged(cells, "Remark")
    instead = Live(f"{quoted(plan.words('summary.no_answer'))}&{PROBLEM}", "")
    live = text_if_valid(fixed(text), instead)
    page.formula(at, live.formula, live.shown, "Remark")
    warn(page, cells)


def warn(page: Page, cells: str) -> None:
    """Colour a range where the sizes have no answer."""
    page.sheet.conditional_formatting.add(cells, Rule(type="expression", formula=[f'{PROBLEM}<>""'], dxf=BAD_LOOK))


def hide(page: Page, cells: str) -> None:
    """Show a dash in each cell of a range where the sizes have no answer, so that its formulas can stay short.

    Call it before other conditional formats of the range are added: the first rule wins.
    """
    rule = Rule(type="expression", formula=[f'{PROBLEM}<>""'], dxf=DASH_LOOK, stopIfTrue=True)
    page.sheet.conditional_formatting.add(cells, rule)
