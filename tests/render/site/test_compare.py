"""Models side by side in a browser: each column is what the commands print for it, and an address shows the same again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.memory_answer import memory_of
from generator.questions.memory.stored_formats import stored_format
from generator.sheet.compiled import compile_spec
from generator.sheet.costing import cost_of
from generator.spec.library import Library

from .sites import opened, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

LIBRARY = Library()
SETTING = MemorySetting("bfloat16", stored_format("int8"), stored_format("fp8"))
# Two presets of one model in decoding, and a training step of another.
SIDES = "m=gpt2%20gpt2%20decode&m=gpt2%20gpt2-medium%20decode&m=bert%20bert-base%20adamw"
ADDRESS = f"#1&{SIDES}&w=int8&c=fp8&s.b=4&s.m=512&s.n=128&q=memory&x=b"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), *(compile_spec(LIBRARY, name).sheet for name in ("bert", "gpt2")))


def columns(page: Page) -> dict[str, list[str]]:
    """Return the rows of the table of differences by their first cells."""
    page.wait_for_selector("#differences > *")
    lines = page.eval_on_selector_all("#differences tbody tr", "all => all.map(one => [...one.cells].map(cell => cell.textContent))")
    return {line[0]: line[1:] for line in lines}


def test_each_column_is_what_the_commands_print(chromium: Browser, site: Path) -> None:
    gpt2, bert = (compile_spec(LIBRARY, name).sheet for name in ("gpt2", "bert"))
    given = {"b": 4, "n": 1, "m": 512}
    answers = [memory_of(gpt2, preset, given, SETTING).total for preset in ("gpt2", "gpt2-medium")]
    training = MemorySetting("bfloat16", stored_format("bfloat16"), stored_format("bfloat16"), "adamw")
    answers.append(memory_of(bert, "bert-base", {"b": 4, "n": 128}, training).total)
    params = [cost_of(sheet, preset, {}).value("params") for sheet, preset in ((gpt2, "gpt2"), (gpt2, "gpt2-medium"), (bert, "bert-base"))]
    with opened(chromium, site, "compare", ADDRESS) as page:
        found = columns(page)
        assert [cell.partition("(")[2].rstrip(" B)") for cell in found["Memory needed"]] == [f"{total:,}" for total in answers]
        assert [cell.partition("(")[2].rstrip(")") for cell in found["Parameters"]] == [f"{count:,}" for count in params]
        assert "b" not in found  # which is the same for all
        page.check("#equal")
        assert columns(page)["b"] == ["4"] * 3
        assert page.locator(".curve").count() == 3


def test_sides_are_added_changed_and_taken_away_and_an_address_shows_the_same(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "compare") as page:
        page.wait_for_selector("#differences > *")
        for _ in range(6):
            page.click("#add")
        assert page.is_disabled("#add")
        assert page.locator(".compared li").count() == 8
        for _ in range(6):
            page.click(".compared li >> nth=2 >> button")
        page.select_option("#model-1", "gpt2")
        page.wait_for_selector("#run-1 option[value=decode]", state="attached")
        page.select_option("#preset-1", "gpt2-medium")
        page.select_option("#run-1", "decode")
        page.fill("#size-b", "2")
        page.wait_for_timeout(400)
        address, text = page.evaluate("location.hash"), page.inner_text("main")
    assert "gpt2-medium" in address
    with opened(chromium, site, "compare", address) as page:
        page.wait_for_selector("#differences > *")
        assert page.inner_text("main") == text
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_what_an_address_says_that_is_unknown_is_left_out_and_said(chromium: Browser, site: Path) -> None:
    hostile = "#1&m=..%2Fbert&m=constructor&m=bert%20__proto__%20toString&m=bert%20constructor"
    hostile += "&q=__proto__&l=constructor&<img src=x>&s.n=1.5"
    with opened(chromium, site, "compare", hostile) as page:
        page.wait_for_selector("#differences > *")
        assert page.locator(".compared li").count() == 1
        said = page.inner_text("[role=alert]")
        assert all(part in said for part in ("m=..%2Fbert", "m=constructor", "q=__proto__", "l=constructor", "s.n=1.5"))
        assert page.locator("script[src^='..'], img").count() == 0


def test_a_page_leads_to_the_comparison_with_itself_as_it_is(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "gpt2", "#1&p=gpt2-medium&y=decode&w=int8&s.m=512") as page:
        shown = page.inner_text("#memory-section table >> nth=0 >> tr >> nth=-1")
        page.click("text=Models side by side")
        found = columns(page)
        assert found == {}  # both sides are the same
        page.check("#equal")
        assert all(cell.partition("(")[2].rstrip(" B)") in shown for cell in columns(page)["Memory needed"])
