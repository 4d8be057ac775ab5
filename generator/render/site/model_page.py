"""The page of one model: a script with its formulas and its data, and the HTML that loads it."""

from __future__ import annotations

from collections.abc import Mapping

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
    pool = FormulaPool([size.name for size in sheet.sizes])
    data = model_data(sheet, pool, code)
    data["drawn"] = [compact(markup) for markup in pool.drawn]
    return (
        environment()
        .get_template("site/model.js.jinja")
        .render(
            source=script_comment(sheet.source),
            source_hash=sheet.source_hash,
            data=script_json(data),
            helpers=",".join(HELPERS),
            formulas=pool.sources,
        )
    )


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
