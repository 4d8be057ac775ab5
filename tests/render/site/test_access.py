"""Pages are for everybody: axe finds nothing, contrast is computed where it is undecided, the HTML is valid, paper and keys will do."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from generator.sheet.compiled import compile_spec
from generator.spec.library import Library

from .sites import opened, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

# Pages with most of what there is on one: a broken condition, what fits, a chosen row, a training step, Chinese.
SHOWN = {
    "index": ("index", ""),
    "decoding": ("grouped_rotary_attention", "#1&m=24GB&s.n=64&s.m=32"),
    "training": ("bert", "#1&t=adamw&m=24GB&r=blocks.attention.scores&z=1&o=blocks,blocks.attention"),
    "chinese": ("bert", "#1&l=zh"),
    "compared": ("compare", "#1&m=grouped_rotary_attention%20%20decode&m=bert%20bert-large%20adamw&z=1&q=macs&x=b"),
}
LEAST_CONTRAST = 4.5  # WCAG 2.2, 1.4.3, of texts below 24 px
LEAST_OF_GRAPHICS = 3.0  # 1.4.11

# The least contrast of texts of elements with the nearest ground that is opaque, and of the curves with theirs.
CONTRASTS = """selectors => selectors.map(selector => {
  const channels = text => text.match(/[\\d.]+/g).map(Number);
  const linear = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = node => {
    for (let one = node; one; one = one.parentElement) {
      const [r, g, b, alpha = 1] = channels(getComputedStyle(one).backgroundColor);
      if (alpha === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const node = document.querySelector(selector);
  const style = getComputedStyle(node);
  const ink = node.closest("svg") ? (style.fill === "none" ? style.stroke : style.fill) : style.color;
  const [above, below] = node.matches(".bar") ? [style.backgroundColor, node.parentElement] : [ink, node];
  const [light, dark] = [luminance(channels(above)), luminance(ground(below))].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = Library()
    sheets = [compile_spec(library, name).sheet for name in ("bert", "grouped_rotary_attention")]
    return write_site(tmp_path_factory.mktemp("site"), *sheets)


def unfold(page: Page) -> None:
    page.wait_for_selector("main h2")
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    page.wait_for_timeout(150)


@pytest.mark.parametrize(("shown", "scheme"), [("index", "light"), ("training", "light"), ("chinese", "dark"), ("compared", "light")])
def test_axe_finds_nothing_and_what_it_leaves_undecided_has_contrast(chromium: Browser, site: Path, shown: str, scheme: Any) -> None:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    with opened(chromium, site, *SHOWN[shown], has_policy=False) as page:
        page.emulate_media(color_scheme=scheme)
        page.evaluate(axe)
        if scheme == "dark":  # in which nothing but colours is other
            assert held_to_axe(page, {"runOnly": ["color-contrast"]}) == 1
        else:
            unfold(page)
            assert held_to_axe(page, {}) > 30


def held_to_axe(page: Page, options: dict[str, Any]) -> int:
    """Hold a page against the rules of axe; return how many passed. What it cannot decide about colours is computed."""
    found = page.evaluate("options => axe.run(document, {preload: false, ...options})", options)
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    undecided = {one["id"]: [node["target"][0] for node in one["nodes"]] for one in found["incomplete"]}
    assert undecided.keys() <= {"color-contrast"}
    texts = undecided.get("color-contrast", [])
    low = [(text, ratio) for text, ratio in zip(texts, page.evaluate(CONTRASTS, texts), strict=True) if ratio < LEAST_CONTRAST]
    assert low == []
    lines = [selector for selector in (*(f".curve.side-{side}" for side in range(8)), ".bar") if page.query_selector(selector)]
    assert min(page.evaluate(CONTRASTS, lines), default=LEAST_OF_GRAPHICS) >= LEAST_OF_GRAPHICS
    return len(found["passes"])


@pytest.mark.parametrize("shown", SHOWN)
def test_the_html_of_a_page_is_valid(chromium: Browser, site: Path, shown: str) -> None:
    html5lib = pytest.importorskip("html5lib")
    name, address = SHOWN[shown]
    html5lib.HTMLParser(strict=True).parse((site / f"{name}.html").read_text(encoding="utf-8"))
    with opened(chromium, site, name, address, has_policy=False) as page:
        unfold(page)
        made = page.evaluate("'<!doctype html>' + document.documentElement.outerHTML")
        # What stands where it may not is moved when it is read again.
        again = page.evaluate(
            "text => '<!doctype html>' + new DOMParser().parseFromString(text, 'text/html').documentElement.outerHTML", made
        )
        ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
        named = page.eval_on_selector_all(
            "[for], [aria-describedby]", "all => all.map(one => one.htmlFor || one.getAttribute('aria-describedby'))"
        )
    html5lib.HTMLParser(strict=True).parse(made)
    assert again == made
    assert len(set(ids)) == len(ids)
    assert set(named) <= set(ids)


def test_on_paper_there_are_no_controls_and_nothing_is_cut(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "bert", "#1&m=24GB", width=700) as page:
        page.emulate_media(media="print")
        assert page.locator(".controls:visible, .languages:visible, input[type=range]:visible").count() == 0
        assert page.locator(".answer:visible, #memory-section table:visible, .chart:visible").count() >= 3
        assert page.evaluate("document.documentElement.scrollWidth") <= 700


def test_all_is_reached_and_done_by_keys(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "bert") as page:
        reached = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
        assert {"scenario", "dtype", "preset", "size-0", "memory", "device", "quantity", "fold", "name"} <= reached
        before = page.inner_text("[data-total=macs]")
        page.focus("#size-0")
        page.keyboard.press("PageUp")
        assert int(page.inner_text("[data-total=macs]").replace(",", "")) == 2 * int(before.replace(",", ""))
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("PageDown")
        assert page.inner_text("[data-total=macs]") == before
        page.focus("button.fold[aria-expanded=false]")
        page.keyboard.press("Enter")
        assert page.locator("button.fold[aria-expanded=true]").count() == 1
