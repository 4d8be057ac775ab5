"""A config.json on a page: what becomes of each key, and all totals, are those of `gen import` and `gen cost config.json`."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from generator.importing.config import config_of
from generator.importing.found import Imported, imported
from generator.quantities import MEASURES
from generator.render.site.config_rules import imports_script
from generator.render.site.site_files import app_script
from generator.sheet.compiled import compile_spec
from generator.sheet.costing import cost_of
from generator.sheet.sheet import Sheet
from generator.text.problems import ProblemsError
from generator.text.source import Source
from tests.importing.configs import DRAWS, SEED, UNSAID, saved
from tests.support.builtin import builtin_library

from .sites import opened, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

LIBRARY = builtin_library()
PAGES = ("bert", "llama3")
LLAMA = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 1000, "hidden_size": 96, "num_hidden_layers": 3,
    "num_attention_heads": 6, "num_key_value_heads": 2, "intermediate_size": 210, "hidden_act": "silu", "max_position_embeddings": 64,
    "attention_dropout": 0.0, "rms_norm_eps": 1e-05, "mystery": [1, 2.5, "x"],
}  # fmt: skip
# Texts that no spec can be taken for, each wrong in another way.
WRONG = [
    json.dumps({**LLAMA, "hidden_act": "gelu", "tie_word_embeddings": 3}, indent=2),
    json.dumps({**LLAMA, "hidden_size": 97, "head_dim": None}, indent=1),
    json.dumps({**LLAMA, "hidden_size": "wide", "vocab_size": 1.5}),
    json.dumps({key: value for key, value in LLAMA.items() if key != "num_hidden_layers"}, indent=4),
    '{\n  "model_type": "llama",\n\t"model_type": "bert"\n}',
    '{"model_type": 3}',
    '{"model_type": "nothing_like_it"}',
    '[{"model_type": "llama"}]',
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), *(compile_spec(LIBRARY, name).sheet for name in PAGES), imports=LIBRARY)


@pytest.fixture
def page_with_rules(chromium: Browser) -> Page:
    """Return a page with the rules of all specs, and no model."""
    page = chromium.new_page()
    page.set_content("<main></main>")
    page.add_script_tag(content=app_script([]))
    page.add_script_tag(content=imports_script(LIBRARY, list(LIBRARY.files)))
    return page


def python_reads(text: str) -> Any:
    try:
        return imported(config_of(Source("config.json", text)), LIBRARY)
    except ProblemsError as error:
        return [[one.message, [one.span.line, one.span.column]] for one in error.problems if one.span is not None]


IN_BROWSER = """text => {
  const found = importedConfig(text);
  if (found.problems) return found.problems.map(one => [one.message, one.place]);
  const { mapping, rule, without, unknown, warnings } = found;
  const pairs = (map, show) => Object.fromEntries([...map].map(([key, value]) => [key, show(value)]));
  return { spec: rule.spec, sizes: pairs(mapping.sizes, Number),
    options: pairs(mapping.options, one => JSON.parse(jsonText(one))),
    used: pairs(mapping.used, one => one), assumed: pairs(mapping.assumed, one => one),
    without: pairs(without, one => one), unknown, warnings };
}"""


def as_data(found: Imported) -> dict[str, Any]:
    one = found.mapped
    return {
        "spec": found.name, "sizes": one.sizes, "options": one.options, "used": one.used, "assumed": one.assumed,
        "without": found.without_effect, "unknown": list(found.unknown), "warnings": list(found.warnings),
    }  # fmt: skip


def held_against_python(page: Page, text: str) -> Any:
    expected = python_reads(text)
    found = page.evaluate(IN_BROWSER, text)
    assert found == (as_data(expected) if isinstance(expected, Imported) else expected)
    return expected


def drawn(kind: str, count: int) -> list[dict[str, Any]]:
    rng = random.Random(f"{SEED} {kind}")
    return [saved(kind, **UNSAID.get(kind, {})), *(saved(kind, **DRAWS[kind](rng)) for _ in range(count))]


def test_configurations_of_all_kinds_are_read_as_gen_import_reads_them(page_with_rules: Page) -> None:
    read = [held_against_python(page_with_rules, json.dumps(one, indent=2)) for kind in DRAWS for one in drawn(kind, 1)]
    assert sum(isinstance(one, Imported) for one in read) > 90


@pytest.mark.exhaustive
def test_many_configurations_of_all_kinds_are_read_as_gen_import_reads_them(page_with_rules: Page) -> None:
    read = [held_against_python(page_with_rules, json.dumps(one, indent=2)) for kind in DRAWS for one in drawn(kind, 10)]
    assert sum(isinstance(one, Imported) for one in read) > 450


@pytest.mark.parametrize("text", WRONG)
def test_mistakes_are_said_with_their_places_as_by_gen_import(page_with_rules: Page, text: str) -> None:
    assert held_against_python(page_with_rules, text)[0][1] is not None
    assert not isinstance(python_reads(text), Imported)


@pytest.mark.parametrize(
    "text", ["", "{", '{"a":1,}', '{"a": 01}', "nul", '{"a": "\n"}', "[" * 5000, '{"a": 1e999}', '{"a": ' + "1" * 200 + "}"]
)
def test_what_is_no_json_is_said_and_not_thrown(page_with_rules: Page, text: str) -> None:
    assert isinstance(python_reads(text), list)
    assert len(page_with_rules.evaluate(IN_BROWSER, text)) == 1


def shown_totals(page: Page) -> dict[str, str]:
    found: dict[str, str] = page.eval_on_selector_all(
        "[data-total]", "all => Object.fromEntries(all.map(one => [one.dataset.total, one.textContent]))"
    )
    return found


def expected_totals(text: str, keys: dict[str, str], **sizes: int) -> dict[str, str]:
    found = python_reads(text)
    assert isinstance(found, Imported)
    return totals_of(compile_spec(found.library, found.name).sheet, found.preset, keys, **sizes)


def totals_of(sheet: Sheet, name: str, keys: dict[str, str], **sizes: int) -> dict[str, str]:
    """Return the totals of a preset as `gen cost` has them and a page writes them."""
    preset = next(one for one in sheet.every_preset if one.name == name)
    cost = cost_of(sheet.under(preset), name, sizes)
    return {one.key: f"{cost.value(one.key):,}" for one in MEASURES if one.key in keys}


def test_a_file_fills_the_page_and_its_address_shows_the_same(chromium: Browser, site: Path, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA, indent=2), encoding="utf-8")
    free = [(place, size.name) for place, size in enumerate(compile_spec(LIBRARY, "llama3").sheet.sizes) if size.name in {"b", "n", "m"}]
    with opened(chromium, site, "llama3") as page:
        page.click("#config-section summary")
        page.set_input_files("#config-file", file)
        page.wait_for_selector("#config-said details")
        assert 'nothing is known of mystery: [1, 2.5, "x"]' in page.inner_text("#config-said")
        given = {name: int(page.input_value(f"#size-{place}")) for place, name in free}
        assert given["n"] <= 64
        totals = shown_totals(page)
        page.wait_for_timeout(400)
        address = page.evaluate("location.hash")
    with opened(chromium, site, "llama3", address) as page:
        assert shown_totals(page) == totals
        assert page.locator("[role=alert]:visible").count() == 0
    assert totals == expected_totals(file.read_text(encoding="utf-8"), totals, **given)


DROP = """([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name, { type: "application/json" }));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })); }"""


def test_a_file_dropped_on_the_start_page_opens_the_page_of_its_model(chromium: Browser, site: Path) -> None:
    text = json.dumps(drawn("bert", 1)[1])
    with opened(chromium, site, "index") as page:
        page.evaluate(DROP, ["config.json", text])
        page.wait_for_selector(".answer")
        assert "bert.html#1&i=" in page.url
        page.wait_for_selector("#config-said details")
        totals = shown_totals(page)
        sizes = python_reads(text).mapped.sizes
        assert totals["params"] == expected_totals(text, totals, b=1, n=min(sizes["P"], 8))["params"]
        assert page.locator("[role=alert]:visible").count() == 0


def test_what_the_page_cannot_say_is_said(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "llama3", "#1&l=zh") as page:
        before = shown_totals(page)
        page.evaluate(DROP, ["config.json", json.dumps({**LLAMA, "tie_word_embeddings": True, "attention_bias": True})])
        page.wait_for_selector("#config-said p")
        assert "tied = true" in page.inner_text("#config-said")
        page.evaluate(DROP, ["<img src=x>.json", '{"model_type": "<img src=x onerror=alert(1)>"}'])
        page.wait_for_selector("#config-said li")
        assert "<img src=x>.json:1:16" in page.inner_text("#config-said")
        page.evaluate(DROP, ["config.json", json.dumps(drawn("bert", 1)[1])])
        page.wait_for_selector("#config-said a[href^='bert.html#1&i=']")
        assert shown_totals(page) == before
