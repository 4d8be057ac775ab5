"""The pages in a browser: they show what the commands print, whatever is typed, and nothing from a spec or an address runs."""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from generator.files.resources import templates_dir
from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.human import compact as short_count
from generator.formulas.javascript import HELPERS
from generator.formulas.mathml import to_mathml
from generator.questions.growth.inner_crossings import division_of, met
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.memory_answer import memory_of
from generator.questions.memory.stored_formats import stored_format
from generator.render.site.compact import compact
from generator.render.site.formula_pool import UNKNOWN, FormulaPool
from generator.render.site.model_data import model_data
from generator.sheet.compiled import compile_spec
from generator.sheet.costing import cost_of
from generator.sheet.example import known_views
from generator.sheet.sheet import Sheet
from generator.spec.library import Library
from tests.support.hostile_texts import SHOWN

from .sites import milliseconds, opened, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

# What is typed into the page of a spec, over its first preset.
TYPED: dict[str, dict[str, int]] = {
    "bert": {"b": 16, "n": 384},
    "grouped_rotary_attention": {"b": 3, "n": 2, "m": 96, "P": 128},
    "convolution_layer": {"b": 3, "n": 100},
    "lstm": {"b": 5, "n": 17},
    "mixture_of_experts": {"b": 4, "n": 64},
    "mlp": {"b": 10**40, "n": 3},
}
LIBRARY = Library()
FIXTURES = Path(__file__).parents[2] / "fixtures" / "ops"


def sheet_of(name: str) -> Sheet:
    return compile_spec(LIBRARY, name).sheet


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), *map(sheet_of, TYPED))


def place_of(sheet: Sheet, name: str) -> int:
    return next(i for i, size in enumerate(sheet.sizes) if size.name == name)


def type_sizes(page: Page, sheet: Sheet, sizes: dict[str, int]) -> None:
    for name, value in sizes.items():
        if not page.is_visible(f"#size-{place_of(sheet, name)}"):
            page.click("#sizes summary")
        page.fill(f"#size-{place_of(sheet, name)}", f"{value:,}")


@pytest.mark.parametrize("name", TYPED)
def test_what_is_typed_gives_the_numbers_of_gen_cost(chromium: Browser, site: Path, name: str) -> None:
    sheet = sheet_of(name)
    with opened(chromium, site, name) as page:
        type_sizes(page, sheet, TYPED[name])
        shown = page.evaluate("""() => Object.fromEntries([...document.querySelectorAll("[data-total]")]
            .map(one => [one.dataset.total, one.textContent]))""")
        given = page.evaluate("""() => [...document.querySelectorAll("[id^=size-]")].filter(one => one.matches("input"))
            .map(one => [one.id.slice(5), one.value])""")
    preset = sheet.presets[0].name if sheet.presets else None
    sizes = {sheet.sizes[int(i)].name: int(value.replace(",", "")) for i, value in given}
    assert TYPED[name].items() <= sizes.items()
    expected = cost_of(sheet, preset, sizes).to_dict()
    assert {"params", "macs", "saved_elements"} <= shown.keys()
    for key, text in shown.items():
        assert text == f"{cost_of(sheet, preset, sizes).value(key):,}"
        assert key not in expected or text == f"{expected[key]:,}"


def parts_page(chromium: Browser, *parts: str) -> Page:
    page = chromium.new_page()
    page.add_script_tag(content="\n".join((templates_dir() / "site" / f"{part}.js").read_text() for part in parts))
    return page


@pytest.mark.parametrize("name", ["bert", "grouped_rotary_attention", "mixture_of_experts"])
def test_all_formulas_of_a_page_have_pythons_values(chromium: Browser, name: str) -> None:
    sheet = sheet_of(name)
    pool = FormulaPool([size.name for size in sheet.sizes])
    model_data(sheet, pool)
    assert held_against_python(chromium, pool, sets=10) > 10


@pytest.mark.exhaustive
def test_all_formulas_of_all_specs_and_ops_have_pythons_values(chromium: Browser) -> None:
    library = Library([FIXTURES])
    found = 0
    for name in library.files:
        own = compile_spec(library, name).sheet
        unders = {id(one.under): one.under for one in own.other_presets if one.under is not None}
        for sheet in (own, *unders.values()):
            pool = FormulaPool([size.name for size in sheet.sizes])
            model_data(sheet, pool)
            for row in sheet.rows:
                for expr in (*row.costs.values(), row.repeat, *(axis for _, axes in row.shapes for axis in axes)):
                    assert pool.add(expr) != UNKNOWN or sheet.is_average(expr), (name, row.path, expr)
            for condition in sheet.constraints:
                assert pool.add(condition.condition) != UNKNOWN, (name, condition.text)
            found += held_against_python(chromium, pool, sets=20)
    assert found > 1000


def held_against_python(chromium: Browser, pool: FormulaPool, sets: int) -> int:
    """Compare all formulas at random sizes, of which some are great; return how many values no float holds."""
    rng = random.Random(7)
    at = [{size: rng.choice((rng.randint(1, 64), 12 * rng.randint(1, 64))) for size in pool.order} for _ in range(sets - 2)]
    at += [{size: rng.randint(10**8, 10**12) for size in pool.order} for _ in range(2)]
    page = parts_page(chromium, "exact")
    formulas = ",".join(f"s=>{one}" for one in pool.sources)
    script = f"""all => {{ const {{{",".join(HELPERS)}}} = HELPERS;
        const valueOf = (one, sizes) => {{ try {{ return String(one(sizes.map(BigInt))); }} catch {{ return null; }} }};
        return [{formulas}].map(one => all.map(sizes => valueOf(one, sizes))); }}"""
    found = page.evaluate(script, [[str(sizes[size]) for size in pool.order] for sizes in at])
    page.close()
    beyond_floats = 0
    for expr, place in pool.places.items():
        for sizes, value in zip(at, found[place], strict=True) if place != UNKNOWN else ():
            expected = by_python(expr, sizes)
            assert value == expected, (expr, sizes)
            beyond_floats += expected is not None and expected.isdigit() and int(expected) > 2**53
    return beyond_floats


def by_python(expr: Any, sizes: dict[str, int]) -> str | None:
    try:
        value = evaluate(expr, sizes)
    except EvaluationError:
        return None
    return str(value).lower() if isinstance(value, int) else None


def test_formulas_are_drawn_from_the_short_form(chromium: Browser) -> None:
    sheet = sheet_of("grouped_rotary_attention")
    names = [size.name for size in sheet.sizes]
    exprs = [*sheet.totals.values(), *(one.condition for one in sheet.constraints), *sheet.rows[-1].costs.values()]
    wanted = [to_mathml(expr, names) for expr in exprs]
    page = parts_page(chromium, "dom")
    found = page.evaluate("texts => texts.map(text => math(text).innerHTML)", [compact(one) for one in wanted])
    page.close()
    assert found == wanted


def test_the_browser_rounds_as_commands_do(chromium: Browser) -> None:
    rng = random.Random(3)
    counts = [542_550, 999_949, 999_950, 1_234_500, 10**27 - 1, 10**40, 999, 1000]
    counts += [rng.randint(1, 10 ** rng.randint(1, 30)) for _ in range(200)]
    page = parts_page(chromium, "numbers")
    script = """values => values.map(one => [COUNT_PREFIXES, PREFIXES].map(prefixes => short(BigInt(one), prefixes, "")))"""
    found = page.evaluate(script, [*map(str, counts)])
    page.close()
    for count, shown in zip(counts, found, strict=True):
        assert [text.strip() for text in shown] == [short_count(count, unit) for unit in ("scalars", "elements")]


@pytest.mark.parametrize(
    ("name", "optimiser", "weights", "there"),
    [("grouped_rotary_attention", "", "q4_k", 1), ("bert", "adamw", "float32", 16), ("bert", "adafactor", "float32", 16)],
)
def test_memory_and_what_fits_are_those_of_gen_memory(
    chromium: Browser, site: Path, name: str, optimiser: str, weights: str, there: int
) -> None:
    sheet = sheet_of(name)
    preset = sheet.presets[0].name if sheet.presets else None
    dtype = weights if optimiser else "bfloat16"
    setting = MemorySetting(dtype, stored_format(weights), stored_format(dtype if optimiser else "fp8"), optimiser)
    given = {**known_views(sheet)[0].examples, **TYPED[name]}
    answer = memory_of(sheet, preset, given, setting, there=there << 30)
    address = f"#1&d={dtype}&m={there}%20GiB" + (f"&t={optimiser}" if optimiser else f"&w={weights}&c=fp8")
    with opened(chromium, site, name, address + "".join(f"&s.{key}={value}" for key, value in TYPED[name].items())) as page:
        parts = page.inner_text("#memory-section table >> nth=0")
        largest = {one.get_attribute("data-size"): one.inner_text() for one in page.query_selector_all(".largest")}
    assert answer.total is not None
    for count in (*(part.bytes for part in answer.needs.parts), answer.total):
        assert f"{count:,}" in parts
    contexts = {growth.other.name for growth in sheet.growths}
    asked = {size.name for size in sheet.sizes if size.kind == "free" or size.name in contexts}
    assert largest.keys() == answer.largest.keys() & asked
    for size, one in ((size, answer.largest[size]) for size in largest):
        assert re.findall(r"(?<=: )[\d,]+", largest[size]) == [f"{one.value:,}"]
        assert ("conditions" in largest[size]) == (not one.is_by_memory)


def test_crossings_are_those_of_the_closed_form(chromium: Browser, site: Path) -> None:
    sheet = sheet_of("bert")
    division = division_of(sheet)
    one = next(one for one in division.crossings("macs") if division.is_main(one) and one.size == "n")
    found = met(one, division.views[0].sizes)
    assert found is not None
    with opened(chromium, site, "bert", "#1&q=macs") as page:
        said = page.inner_text("#growth")
    assert f"{found.large.words} is above {found.small.words} from n = {found.high:,} on" in said
    assert "P bounds n and grows along with it" in said


def test_a_broken_condition_is_said_at_its_sizes_and_the_totals_stay(chromium: Browser, site: Path) -> None:
    sheet = sheet_of("bert")
    with opened(chromium, site, "bert") as page:
        before = page.inner_text("[data-total=macs]")
        type_sizes(page, sheet, {"n": 513})
        assert "n <= P does not hold: n = 513, P = 512" in page.inner_text(f"#size-{place_of(sheet, 'n')}-said")
        assert page.get_attribute(f"#size-{place_of(sheet, 'n')}", "aria-invalid") == "true"
        assert page.inner_text("[data-total=macs]") == before
        for text in ("1.5", "-3", "0", "constructor", "1" * 101, "٣"):
            page.fill(f"#size-{place_of(sheet, 'n')}", text)
            assert "is no size" in page.inner_text(f"#size-{place_of(sheet, 'n')}-said")
            assert page.inner_text("[data-total=macs]") == before
        page.fill(f"#size-{place_of(sheet, 'n')}", "512")
        assert page.inner_text("[data-total=macs]") != before


def test_an_address_says_all_that_is_shown(chromium: Browser, site: Path) -> None:
    sheet = sheet_of("bert")
    with opened(chromium, site, "bert") as page:
        page.select_option("#preset", label="bert-large")
        type_sizes(page, sheet, {"b": 4, "n": 256})
        page.select_option("#scenario", "adamw")
        page.select_option("#quantity", "saved_elements")
        page.fill("#memory", "24 GB")
        page.click("text=unfold all")
        page.click("button.name:text-is('scores')")
        page.select_option("#side-a", "row:blocks")
        page.wait_for_timeout(400)
        address, text = page.evaluate("location.hash"), page.inner_text("main")
    with opened(chromium, site, "bert", address) as page:
        assert page.inner_text("main") == text
        page.evaluate("location.hash = '#1&s.n=128&nothing=1&p=constructor&s.b=%E0%A4%A'")
        page.wait_for_timeout(50)
        assert page.input_value(f"#size-{place_of(sheet, 'n')}") == "128"
        assert "nothing=1, p=constructor, s.b=%E0%A4%A" in page.inner_text("main")


def test_what_is_taken_along_holds_what_the_page_shows(chromium: Browser, site: Path) -> None:
    sheet = sheet_of("bert")
    saved = {}
    with opened(chromium, site, "bert", "#1&t=adamw&s.n=384") as page:
        page.wait_for_selector(".chart")
        for button in ("Rows as CSV", "Answer as Markdown", "Chart as SVG", "Chart as PNG"):
            with page.expect_download() as waiting:
                page.click(f"button:text-is('{button}')")
            name = waiting.value.suggested_filename
            saved[name.rpartition(".")[2]] = Path(waiting.value.path()).read_bytes()
        shown = page.inner_text("#memory-section table >> nth=0")
    sizes = {**known_views(sheet)[0].examples, "n": 384}
    rows = list(csv.DictReader(saved["csv"].decode().splitlines()))
    assert [row["row"] for row in rows] == [row.path for row in sheet.rows]
    at = cost_of(sheet, sheet.presets[0].name, sizes)
    assert sum(int(row["macs"]) for row, own in zip(rows, sheet.rows, strict=True) if own.depth == 0) == at.value("macs")
    text = saved["md"].decode()
    assert f"{at.value('params'):,}" in text
    assert re.findall(r"[\d,]{6,}", shown)[-1] in text
    tree = ET.fromstring(saved["svg"])  # noqa: S314 - our own text
    curves = list(tree.iter("{http://www.w3.org/2000/svg}polyline"))
    assert len(curves) == 2
    assert {one.get("fill") for one in curves} == {"none"}
    assert len({one.get("stroke") for one in curves}) == 2
    picture = Image.open(BytesIO(saved["png"]))
    assert picture.width == 2 * int(tree.get("width", "0"))
    assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 20


HOSTILE_SPEC = """\
title: {0}
description: {1}
dims:
  constructor: {2}
  toString: {3}
  valueOf: {{is: {4}, default: 2*constructor}}
inputs:
  x: [toString, constructor]
layers:
  toLocaleString: {{op: linear, out: [toString, valueOf]}}
presets:
  hasOwnProperty: {{set: {{constructor: 4}}, note: {5}}}
"""
HOSTILE_ADDRESS = "#1&p=__proto__&s.__proto__=1&o=constructor&l=constructor&<img src=x onerror=alert(1)>&m=javascript:alert(1)&t=toString"


def test_hostile_texts_names_and_addresses_are_only_texts(chromium: Browser, tmp_path: Path) -> None:
    texts = [json.dumps(text[:200]) for text in SHOWN]
    for number, six in enumerate(batched([*texts, *texts[:5]], 6)):
        (tmp_path / f"hostile{number}.yaml").write_text(HOSTILE_SPEC.format(*six), encoding="utf-8")
    library = Library([tmp_path])
    sheets = [compile_spec(library, name).sheet for name in library.own]
    site = write_site(tmp_path, *sheets)
    for sheet in sheets:
        with opened(chromium, site, sheet.name, HOSTILE_ADDRESS) as page:
            assert page.inner_text("[data-total=params]") == f"{4 * 8 + 8:,}"
            assert " ".join(sheet.title.split()) in page.inner_text("h1")
            assert page.evaluate("document.querySelectorAll('img, iframe, object, main script, main style').length") == 0
            assert page.evaluate("[...document.links].every(one => /^(file|https?):/.test(one.protocol))")


def batched(texts: list[str], count: int) -> list[list[str]]:
    return [texts[at : at + count] for at in range(0, len(texts) - count + 1, count)]


def test_nothing_is_evaluated_on_a_page(chromium: Browser, site: Path) -> None:
    page_text = (site / "mlp.html").read_text().replace('src="app.js"', 'src="probe.js"')
    (site / "probe.html").write_text(page_text)
    (site / "probe.js").write_text("try { window.found = eval('1'); } catch (error) { window.found = error.name; }")
    page = chromium.new_page()
    page.goto((site / "probe.html").as_uri())
    assert page.evaluate("window.found") == "EvalError"
    page.close()


@pytest.mark.parametrize("name", ["bert", "mixture_of_experts"])
def test_a_phone_needs_no_scrolling_sideways_and_controls_are_large_enough(chromium: Browser, site: Path, name: str) -> None:
    with opened(chromium, site, name, "#1&m=24GB", width=360, height=740) as page:
        page.click("text=unfold all")
        page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        small = page.evaluate("""() => [...document.querySelectorAll("button, select, input, summary")]
            .map(one => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.width < 24 || box.height < 24)).map(([text]) => text)""")
        assert small == []
        page.evaluate("window.scrollTo(0, 2000)")
        assert page.evaluate("document.querySelector('.answer').getBoundingClientRect().top") >= 0


UPDATES = 10
UPDATED = f"""place => {{ for (let turn = 0; turn < {UPDATES}; turn += 1) {{
    archsheet.app.change(state => {{ state.typed[place] = BigInt(2 + turn % 2); }});
    document.body.getBoundingClientRect().height; }} }}"""


@pytest.mark.parametrize(("slower", "update", "ready"), [(1, 16, 1000), (4, 100, 1000)])
def test_a_page_is_ready_and_answers_at_once_also_on_a_slow_machine(
    chromium: Browser, site: Path, slower: int, update: float, ready: float
) -> None:
    updates, loads = [], []
    for _ in range(2):  # other programs may be in the way of one
        with opened(chromium, site, "mlp") as page:
            # Times of the page's own thread: with others, it would be told how busy the machine is.
            tools = page.context.new_cdp_session(page)
            tools.send("Performance.enable", {"timeDomain": "threadTicks"})
            tools.send("Emulation.setCPUThrottlingRate", {"rate": slower})
            page.goto((site / "bert.html").as_uri())
            loads.append(milliseconds(tools))
            page.evaluate("clearTimeout(archsheet.app.later)")
            before = milliseconds(tools)
            page.evaluate(UPDATED, place_of(sheet_of("bert"), "b"))
            updates.append((milliseconds(tools) - before) / UPDATES)
    assert 0 < min(updates) < update
    assert 0 < min(loads) < ready


@pytest.mark.parametrize("name", TYPED)
def test_a_page_is_small(site: Path, name: str) -> None:
    files = [(site / file).read_bytes() for file in ("app.js", "app.css", f"{name}.js", f"{name}.html")]
    assert sum(map(len, files)) < 600_000
    assert sum(len(gzip.compress(data)) for data in files) < 60_000


def test_a_page_is_found_by_its_words_and_opens_at_a_preset(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "index") as page:
        assert page.locator("article:visible").count() == len(TYPED)
        page.fill("#search", "BERT bidirectional")
        page.fill("#search", "bert-large")
        assert page.locator("article:visible").count() == 1
        assert f"1 of {len(TYPED)}" in page.inner_text("main")
        page.click("text=bert-large")
        assert page.inner_text("[data-total=params]") == f"{cost_of(sheet_of('bert'), 'bert-large', {}).value('params'):,}"
