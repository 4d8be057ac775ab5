"""Sites of a few specs in a folder, as `gen build --formats site` writes them, and their pages in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.questions.hardware.device_names import devices
from generator.render.markdown.index import IndexEntry
from generator.render.markdown.preset_tables import preset_numbers
from generator.render.site.config_rules import imports_script
from generator.render.site.model_page import model_page, model_script, others_script
from generator.render.site.site_files import app_script, app_style, language_scripts, lists_script
from generator.render.site.start import compare_page, start_page, start_script
from generator.sheet.sheet import Sheet
from generator.spec.library import Library

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page


def write_site(folder: Path, *sheets: Sheet, imports: Library | None = None) -> Path:
    """Write the pages of sheets, and those that list and compare them, without lines of code: these take the modules of all they use."""
    (folder / "app.js").write_text(app_script(devices()), encoding="utf-8")
    (folder / "lists.js").write_text(lists_script(), encoding="utf-8")
    for name, text in language_scripts().items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "app.css").write_text(app_style(), encoding="utf-8")
    (folder / "index.html").write_text(start_page(), encoding="utf-8")
    (folder / "compare.html").write_text(compare_page(), encoding="utf-8")
    (folder / "index.js").write_text(start_script([IndexEntry(sheet, preset_numbers(sheet)) for sheet in sheets]), encoding="utf-8")
    if imports is not None:  # all specs are read for it
        (folder / "imports.js").write_text(imports_script(imports, [sheet.name for sheet in sheets]), encoding="utf-8")
    for sheet in sheets:
        (folder / f"{sheet.name}.js").write_text(model_script(sheet), encoding="utf-8")
        if text := others_script(sheet):
            (folder / f"{sheet.name}.others.js").write_text(text, encoding="utf-8")
        (folder / f"{sheet.name}.html").write_text(model_page(sheet), encoding="utf-8")
    return folder


@contextmanager
def opened(
    browser: Browser, folder: Path, name: str, hash_: str = "", width: int = 1000, height: int = 800, *, has_policy: bool = True
) -> Iterator[Page]:
    """Open a page from a file; that anything goes wrong on it, or that anything asks to be seen, is a failure.

    Args:
        has_policy: whether the page's own Content-Security-Policy is in force; tools that are put into a page need it off.
    """
    page = browser.new_page(viewport={"width": width, "height": height}, bypass_csp=not has_policy)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.set_default_timeout(60_000)
    try:
        page.goto(f"{(folder / name).as_uri()}.html{hash_}")
        yield page
        assert said == []
    except Exception as error:
        raise AssertionError(f"{name}{hash_}: {said[:5]}") from error
    finally:
        page.close()


def wait_until(page: Page, condition: str) -> None:
    """Wait until an expression holds on a page: asked from outside, as the page's own policy lets nothing on it be evaluated."""
    for _ in range(600):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{condition} does not come to hold")


def milliseconds(tools: CDPSession) -> float:
    """Return the time that the page's thread has taken for scripts, styles, layout and all else."""
    found: list[dict[str, Any]] = tools.send("Performance.getMetrics")["metrics"]
    return 1000 * float(next(one["value"] for one in found if one["name"] == "TaskDuration"))
