"""Presets with other options or blocks than the usual ones: the page has their formulas too, and shows what `gen cost` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from generator.sheet.compiled import compile_spec
from tests.support.builtin import builtin_library

from .sites import opened, wait_until, write_site
from .test_config import DROP, LLAMA, expected_totals, shown_totals, totals_of
from .test_pages import type_sizes

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

LIBRARY = builtin_library()
TIED = "llama-3.2-3b"
SIZES = {"b": 2, "n": 48, "m": 48}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sheets = [compile_spec(LIBRARY, name).sheet for name in ("llama3", "bert")]
    return write_site(tmp_path_factory.mktemp("site"), *sheets, imports=LIBRARY)


def by_python(name: str, keys: dict[str, str], sizes: dict[str, int]) -> dict[str, str]:
    return totals_of(compile_spec(LIBRARY, "llama3").sheet, name, keys, **sizes)


def test_a_preset_with_other_options_is_chosen_and_left_again_and_its_address_shows_the_same(chromium: Browser, site: Path) -> None:
    sheet = compile_spec(LIBRARY, "llama3").sheet
    with opened(chromium, site, "llama3", "#1&w=int8") as page:
        page.select_option("#preset", label=f"{TIED} (tied=True)")
        wait_until(page, "model.other === 'llama-3.2-1b'")
        type_sizes(page, sheet, SIZES)
        page.wait_for_timeout(400)
        totals, address = shown_totals(page), page.evaluate("location.hash")
        assert totals == by_python(TIED, totals, SIZES)
        assert page.input_value("#preset") != ""
        assert "w=int8" in address
        assert page.locator("[role=alert]:visible").count() == 0
        page.select_option("#preset", label="llama-3-8b")
        wait_until(page, "model.other === undefined")
        totals = shown_totals(page)
        assert totals == by_python("llama-3-8b", totals, SIZES)
        assert "w=int8" in page.evaluate("location.hash")
    with opened(chromium, site, "llama3", address) as page:
        page.wait_for_selector("[data-total]")
        totals = shown_totals(page)
        assert totals == by_python(TIED, totals, SIZES)
        assert page.locator("[role=alert]:visible").count() == 0


def test_the_start_page_leads_to_it(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "index") as page:
        page.click(f"text={TIED}")
        page.wait_for_selector("[data-total]")
        assert shown_totals(page)["params"] == by_python(TIED, {"params": ""}, SIZES)["params"]
        assert page.locator("[role=alert]:visible").count() == 0


def test_a_configuration_with_options_of_a_preset_is_filled_in_under_these_and_one_of_the_usual_ones_again_under_those(
    chromium: Browser, site: Path
) -> None:
    tied = json.dumps({**LLAMA, "tie_word_embeddings": True})
    sheet = compile_spec(LIBRARY, "llama3").sheet
    with opened(chromium, site, "index") as page:
        page.evaluate(DROP, ["config.json", tied])
        page.wait_for_selector("[data-total]")
        page.wait_for_selector("#config-said details")
        assert "u=llama-3.2-1b&i=" in page.url
        type_sizes(page, sheet, SIZES)
        totals = shown_totals(page)
        assert totals == expected_totals(tied, totals, **SIZES)
        page.evaluate(DROP, ["config.json", json.dumps(LLAMA)])
        wait_until(page, "model.other === undefined")
        page.wait_for_selector("#config-said details")
        type_sizes(page, sheet, SIZES)
        totals = shown_totals(page)
        assert totals == expected_totals(json.dumps(LLAMA), totals, **SIZES)
        assert page.locator("[role=alert]:visible").count() == 0


def test_it_stands_beside_others(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "compare", f"#1&m=llama3%20llama-3-8b&m=llama3%20{TIED}&s.b=2&s.n=48&s.m=48&z=1") as page:
        page.wait_for_selector("#differences table")
        cells = page.locator("#differences tr", has_text="Parameters").first.locator("td").all_inner_texts()
        expected = [by_python(name, {"params": ""}, SIZES)["params"] for name in ("llama-3-8b", TIED)]
        assert [cell.partition("(")[2].rstrip(")") for cell in cells[-2:]] == expected


def test_an_address_that_asks_for_none_that_there_is_says_so(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "llama3", "#1&u=nothing") as page:
        assert "u=nothing" in page.inner_text("[role=alert]:visible")
