"""The page of one model: scripts with its formulas and its data, and the HTML that loads the first of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.formulas.javascript import HELPERS
from generator.render.environment import environment
from generator.render.markdown.escape_markdown import comment
from generator.render.site.compact import compact
from generator.render.site.escaped import html_text, script_comment, script_json
from generator.render.site.formula_pool import FormulaPool
from generator.render.site.model_data import CodeLine, model_data
from generator.render.site.site_files import html_page
from generator.sheet.sheet import Sheet


def model_script(sheet: Sheet, code: Mapping[str, CodeLine] | None = None) -> str:
    """Return a classic script that sets `archsheet.model` and `archsheet.formulas`.

    Args:
        code: the line of a module that computes a row, by the row's path.
    """
    return _script("model", sheet, **_model(sheet, code))


def others_script(sheet: Sheet) -> str:
    """Return a classic script that sets `archsheet.others`, what presets with other options or blocks than those in force go by.

    It is empty where there are none. A page loads it where such a preset is asked for.
    """
    unders = {id(one.under): one.under for one in sheet.other_presets if one.under is not None}
    return _script("others", sheet, others=[_model(under) for under in unders.values()]) if unders else ""


def _model(sheet: Sheet, code: Mapping[str, CodeLine] | None = None) -> dict[str, Any]:
    pool = FormulaPool([size.name for size in sheet.sizes])
    data = model_data(sheet, pool, code)
    data["drawn"] = [compact(markup) for markup in pool.drawn]
    return {"data": script_json(data), "formulas": pool.sources}


def _script(template: str, sheet: Sheet, **given: Any) -> str:
    origin = {"source": script_comment(sheet.source), "source_hash": sheet.source_hash}
    return environment().get_template(f"site/{template}.js.jinja").render(**origin, helpers=",".join(HELPERS), **given)


def model_page(sheet: Sheet) -> str:
    """Return the HTML of a model."""
    return html_page(
        "model",
        origin=f"Generated from {comment(sheet.source)} (sha256 {sheet.source_hash}); edit the spec, not this file",
        title=html_text(sheet.title),
        description=html_text(sheet.description),
        script=f"{sheet.name}.js",
        plain=f"../markdown/{sheet.name}.md",
    )
