"""The page of one spec."""

from __future__ import annotations

from typing import Any

from generator.formulas.latex import to_latex
from generator.quantities import Shown, shown_in
from generator.render.environment import environment
from generator.render.markdown.claim_cells import claims_table
from generator.render.markdown.diagram import diagram, diagrams_inside
from generator.render.markdown.escape_markdown import code, comment, link, paragraphs, text
from generator.render.markdown.formula import LINE_WIDTH, PageFormulas, inline, shortest
from generator.render.markdown.growth_section import growth_section
from generator.render.markdown.links import Links, bibliography, citation, workbook_link
from generator.render.markdown.on_devices import on_devices_section
from generator.render.markdown.peak_section import peak_section
from generator.render.markdown.preset_tables import presets_section
from generator.render.markdown.row_tables import row_tables
from generator.render.markdown.sections import constraint_lines, inference_table, options_table, sizes_table, totals_table
from generator.sheet.sheet import Sheet


def render_page(sheet: Sheet, links: Links | None = None) -> str:
    """Return a spec's page: GitHub-flavoured Markdown, the same for the same sheet and links.

    Args:
        links: the spec and the other pages, where they can be linked to.
    """
    page = environment().get_template("markdown/page.md.jinja").render(_context(sheet, links or Links()))
    return page.rstrip("\n") + "\n"  # each section ends with an empty line


def _context(sheet: Sheet, links: Links) -> dict[str, Any]:
    context: dict[str, Any] = {
        "source": comment(sheet.source),
        "source_hash": comment(sheet.source_hash),
        "title": text(sheet.title),
        "description": paragraphs(sheet.description),
        "citations": citation(sheet, " ".join(sheet.cite)),
        "brief": " · ".join(f"**{text(one.title)}** {_in_brief(sheet, one.key)}" for one in shown_in(Shown.BRIEF, sheet.totals)),
        "files": _files(sheet, links),
        "diagram": diagram(sheet, links.pages),
        "inside": diagrams_inside(sheet, links.pages),
        "options": options_table(sheet),
        "constraints": constraint_lines(sheet),
        "bibliography": bibliography(sheet),
        "growth": growth_section(sheet),
        "on_devices": on_devices_section(sheet),
    }
    # Long formulas are shown below the table that first needs them (those of rows, of which there may be many, further down):
    # the tables are made in the order in which they stand.
    formulas = PageFormulas(_order(sheet))
    context["presets"], context["presets_formulas"] = presets_section(sheet, formulas), formulas.take()
    context["sizes"], context["sizes_formulas"] = sizes_table(sheet, formulas), formulas.take()
    context["rows"], context["rows_formulas"] = row_tables(sheet, formulas, links), formulas.take()
    context["totals"], context["totals_formulas"] = totals_table(sheet, formulas), formulas.take()
    context["inference"], context["inference_formulas"] = inference_table(sheet, formulas), formulas.take()
    context["peak"] = peak_section(sheet, formulas)
    context["claims"], context["claims_formulas"] = claims_table(sheet, formulas), formulas.take()
    return context


def _order(sheet: Sheet) -> list[str]:
    return [size.name for size in sheet.sizes]


def _in_brief(sheet: Sheet, key: str) -> str:
    latex = to_latex(sheet.totals[key], _order(sheet))
    if len(latex) > LINE_WIDTH:
        latex = shortest(sheet.totals[key], _order(sheet))
    if len(latex) <= LINE_WIDTH:
        return inline(latex)
    return "in numbers at the [presets](#presets), as a [formula](#totals)" if sheet.presets else "see [Totals](#totals)"


def _files(sheet: Sheet, links: Links) -> str:
    spec = link(code(sheet.source), links.spec) if links.spec else code(sheet.source)
    module, path = f"modules/{sheet.name}.py", f"excel/{sheet.name}.xlsx"
    workbook = workbook_link(path, f"../{path}", is_there=links.workbook)
    return " · ".join((f"Spec: {spec}", f"Module: {link(code(module), f'../{module}')}", workbook))
