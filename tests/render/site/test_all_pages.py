"""Limits that hold for every page: its size, the width of a phone, the size of controls, and how soon it is ready and answers.

All pages are built in `make test-all` only; in `make test` it is those with most formulas, which are the largest and the slowest.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from generator.render.module.view import ModuleSet
from generator.render.site.code_lines import code_lines
from generator.render.site.model_page import model_script
from generator.sheet.compiled import compile_spec
from tests.support.builtin import builtin_library

from .sites import milliseconds, opened, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

pytestmark = pytest.mark.slow

# The page with most bytes of all, zipped; `make test-all` finds it out where another has become so.
HEAVIEST = ("efficientnet",)
RAW, ZIPPED = 600_000, 60_000
READY, UPDATE, SLOWER_UPDATE = 1000, 16, 100  # milliseconds, the last two at the machine's own pace and at a quarter of it
UPDATES = 5
SMALL = """() => [...document.querySelectorAll("button, select, input, summary")]
  .map(one => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 24 || box.height < 24)).map(([text]) => text)"""
UPDATED = f"""() => {{ const free = archsheet.model.sizes.findIndex(size => size[2] === "free");
  for (let turn = 0; turn < {UPDATES}; turn += 1) {{
    archsheet.app.change(state => {{ state.typed[free] = BigInt(2 + turn % 2); }});
    document.body.getBoundingClientRect().height; }} }}"""


def site_of(folder: Path, names: Any) -> Path:
    """Write pages as `gen build` does, with the lines of code that stand beside rows: they are a tenth of a page."""
    library, modules = builtin_library(), ModuleSet(builtin_library())
    site = write_site(folder, *(compile_spec(library, name).sheet for name in names))
    for name in names:
        compiled = compile_spec(library, name)
        (site / f"{name}.js").write_text(model_script(compiled.sheet, code_lines(compiled, library, modules)), encoding="utf-8")
    return site


def held_to_size(site: Path) -> None:
    shared = [(site / name).read_bytes() for name in ("app.js", "app.css")]
    pages = [page.stem for page in site.glob("*.html") if page.stem not in {"index", "compare"}]
    assert pages
    for name in pages:
        files = [*shared, (site / f"{name}.js").read_bytes(), (site / f"{name}.html").read_bytes()]
        assert sum(map(len, files)) < RAW, name
        assert sum(len(gzip.compress(data)) for data in files) < ZIPPED, name


def held_to_a_phone(page: Page, name: str) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
    assert page.evaluate(SMALL) == [], name


def held_to_times(page: Page, address: str) -> None:
    tools = page.context.new_cdp_session(page)
    # Times of the page's own thread: with others, it would be told how busy the machine is.
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    for slower, most in ((4, SLOWER_UPDATE), (1, UPDATE)):
        tools.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        tries = [measured(page, tools, address) for _ in range(2)]  # other programs may be in the way of one
        ready, update = map(min, zip(*tries, strict=True))
        assert 0 < update < most, (address, slower)
        assert 0 < ready < READY, (address, slower)


def measured(page: Page, tools: CDPSession, address: str) -> tuple[float, float]:
    page.goto("about:blank")
    before = milliseconds(tools)
    page.goto(address)
    ready = milliseconds(tools) - before
    page.evaluate("clearTimeout(archsheet.app.later)")
    before = milliseconds(tools)
    page.evaluate(UPDATED)
    return ready, (milliseconds(tools) - before) / UPDATES


@pytest.fixture(scope="module")
def heaviest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_of(tmp_path_factory.mktemp("heaviest"), HEAVIEST)


@pytest.fixture(scope="module")
def every_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_of(tmp_path_factory.mktemp("every"), builtin_library().files)


def held_to_limits(chromium: Browser, site: Path) -> int:
    held_to_size(site)
    names = sorted(page.stem for page in site.glob("*.html"))
    for name in names:
        with opened(chromium, site, name, "#1&m=24GB" if name not in {"index", "compare"} else "", width=360, height=740) as page:
            page.wait_for_selector("main h2")
            held_to_a_phone(page, name)
            if name not in {"index", "compare"}:
                held_to_times(page, (site / f"{name}.html").as_uri())
    return len(names)


def test_the_heaviest_pages_keep_to_all_limits(chromium: Browser, heaviest: Path) -> None:
    assert held_to_limits(chromium, heaviest) == len(HEAVIEST) + 2


@pytest.mark.exhaustive
def test_all_pages_keep_to_all_limits(chromium: Browser, every_page: Path) -> None:
    assert held_to_limits(chromium, every_page) == len(builtin_library().files) + 2
