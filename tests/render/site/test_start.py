"""The page from which all others are found: its questions lead to pages that are filled in, and that show what the commands print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from generator.formulas.human import compact as short_count
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.memory_answer import memory_of
from generator.questions.memory.stored_formats import stored_format
from generator.render.site.start import questions
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.translated import LANGUAGES

from .sites import opened, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LIBRARY = Library()
PAGES = ("bert", "llama3")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sheets = [compile_spec(LIBRARY, name).sheet for name in PAGES]
    return write_site(tmp_path_factory.mktemp("site"), *sheets)


def test_questions_are_about_presets_and_sizes_that_there_are() -> None:
    for one in questions():
        spec = LIBRARY.spec(one["page"])
        parts = dict(part.split("=") for part in one["address"].split("&"))
        assert set(LANGUAGES) <= one.keys()
        assert parts.get("p") is None or parts["p"] in spec.presets
        assert {key[2:] for key in parts if key.startswith("s.")} <= spec.dims.keys()


@pytest.mark.slow
def test_someone_new_finds_the_gigabytes_of_llama_and_sends_the_link(chromium: Browser, site: Path) -> None:
    sheet = compile_spec(LIBRARY, "llama3").sheet
    setting = MemorySetting("bfloat16", stored_format("int8"), stored_format("int8"))
    answer = memory_of(sheet, "llama-3-8b", {"b": 8, "n": 1, "m": 32768, "P": 32768}, setting)
    total = answer.total
    assert total is not None
    with opened(chromium, site, "index") as page:
        page.click("text=How many gigabytes does Llama 3 8B take with 8-bit weights and cache, at a context of 32k and a batch of 8?")
        page.wait_for_selector(".answer")
        assert f"{short_count(total, '')}B" in page.inner_text(".answer")
        shown, address = page.inner_text("main"), page.evaluate("location.hash")
    with opened(chromium, site, "llama3", address) as page:
        assert page.inner_text("main") == shown
        table = page.inner_text("#memory-section table >> nth=0")
        assert all(f"{count:,}" in table for count in (*(part.bytes for part in answer.needs.parts), total))


@pytest.mark.slow
def test_questions_lead_to_pages_that_know_all_of_their_addresses(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "index") as page:
        asked = page.eval_on_selector_all("#questions a", "all => all.map(one => one.getAttribute('href'))")
    assert len(asked) == sum(one["page"] in PAGES for one in questions()) > 4
    for link in asked:
        name, _, address = link.partition(".html")
        with opened(chromium, site, name, address) as page:
            assert page.locator("[role=alert]:visible").count() == 0
            assert "knows" not in page.inner_text(".answer")


@pytest.mark.slow
@pytest.mark.parametrize(("chosen", "given"), [("prefill", {"n": 4096}), ("decode", {"n": 1, "m": 4096})])
def test_the_pass_over_a_prompt_and_that_of_the_next_token_are_those_of_gen_memory(
    chromium: Browser, site: Path, chosen: str, given: dict[str, int]
) -> None:
    sheet = compile_spec(LIBRARY, "llama3").sheet
    setting = MemorySetting("bfloat16", stored_format("q4_k"), stored_format("fp8"))
    there = 24 * 10**9
    answer = memory_of(sheet, "llama-3-8b", {"b": 2, **given}, setting, there=there)
    length = "n" if chosen == "prefill" else "m"
    with opened(chromium, site, "llama3", "#1&p=llama-3-8b&w=q4_k&c=fp8&m=24GB&s.b=2") as page:
        page.select_option("#scenario", chosen)
        place = next(i for i, size in enumerate(sheet.sizes) if size.name == length)
        page.fill(f"#size-{place}", "4096")
        page.wait_for_timeout(150)
        assert f"{answer.total:,}" in page.inner_text("#memory-section table >> nth=0")
        for size in ("b", length):
            assert f": {answer.largest[size].value:,}" in page.inner_text(f".largest[data-size={size}]")
        other = next(i for i, size in enumerate(sheet.sizes) if size.name == {"n": "m", "m": "n"}[length])
        assert not page.is_visible(f"#size-{other}")
        assert f"At {length} = 4,096, " in page.inner_text("#growth")
        freed = page.inner_text(f".freed[data-size={length}]")
    # With as many positions as tokens, that is what memory allows: one more does not fit.
    most = int(freed.rpartition(": ")[2].replace(",", ""))
    for count, fits in ((most, True), (most + 1, False)):
        assert memory_of(sheet, "llama-3-8b", {"b": 2, **given, length: count, "P": count}, setting, there=there).fits is fits


@pytest.mark.slow
def test_a_page_that_opens_at_sizes_that_do_not_fit_shows_its_preset_and_offers_the_bound(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "llama3", "#1&p=llama-3-8b&y=decode") as page:
        usual = page.inner_text(".answer")
    with opened(chromium, site, "llama3", "#1&p=llama-3-8b&y=decode&s.m=32768") as page:
        assert "m <= P does not hold: m = 32,768, P = 8,192" in page.inner_text("main")
        assert page.inner_text(".answer") == usual
        page.click("text=set P to 32,768")
        assert page.locator("[role=alert]:visible").count() == 0
        assert page.inner_text(".answer") != usual


@pytest.mark.slow
def test_the_start_page_keeps_language_and_search_in_its_address(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "index") as page:
        page.click("text=中文")
        page.fill("#search", "llama-3-70b")
        page.wait_for_timeout(400)
        address, shown = page.evaluate("location.hash"), page.inner_text("main")
    with opened(chromium, site, "index", address) as page:
        assert page.inner_text("main") == shown
        assert page.locator("article:visible").count() == 1
        page.click("text=llama-3-70b")
        page.wait_for_selector(".answer")
        assert page.get_attribute("html", "lang") == "zh"
        page.goto((site / "index.html").as_uri() + "#1&l=constructor&s=%E0%A4%A&nothing")
        assert page.get_attribute("html", "lang") == "en"
