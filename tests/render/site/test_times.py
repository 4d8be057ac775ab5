"""Times on a page are those of `gen time`: in training, in the pass over a prompt and in that of the next token, with what binds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from generator.questions.hardware.device_names import devices
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.stored_formats import stored_format
from generator.questions.time.roofline import TimeSetting
from generator.questions.time.time_answer import TimeQuestion, time_of
from generator.sheet.compiled import compile_spec
from generator.sheet.example import known_views
from tests.support.builtin import builtin_library

from .sites import opened, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

DEVICES = {one.name: one for one in devices()}
# Page, preset, sizes, and what is chosen: device, computing, weights, caches, optimiser, pass.
CASES: list[tuple[str, str, dict[str, int], tuple[str, str, str, str, str, str]]] = [
    ("llama3", "llama-3-8b", {"b": 8, "n": 1, "m": 4096}, ("h100", "bfloat16", "int8", "fp8", "", "decode")),
    ("llama3", "llama-3-8b", {"b": 1, "n": 2048}, ("a100", "float16", "q4_k", "float16", "", "prefill")),
    ("bert", "bert-base", {"b": 32, "n": 384}, ("h100", "bfloat16", "bfloat16", "bfloat16", "adamw", "")),
    ("bert", "bert-base", {"b": 4, "n": 128}, ("h100", "float32", "float32", "float32", "muon", "")),
    ("bert", "bert-large", {"b": 1, "n": 16}, ("v100", "bfloat16", "bfloat16", "bfloat16", "", "")),
    ("mixtral", "mixtral-8x7b", {"b": 4, "n": 1, "m": 8192}, ("h200", "bfloat16", "bfloat16", "bfloat16", "", "decode")),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = builtin_library()
    return write_site(tmp_path_factory.mktemp("site"), *(compile_spec(library, name).sheet for name in sorted({one[0] for one in CASES})))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[3][5] or case[3][4] or 'pass'}")
def test_times_are_those_of_gen_time(chromium: Browser, site: Path, case: Any) -> None:
    name, preset, given, (device, dtype, weights, cache, optimiser, chosen) = case
    sheet = compile_spec(builtin_library(), name).sheet
    setting = MemorySetting(dtype, stored_format(weights), stored_format(cache), optimiser)
    question = TimeQuestion(setting, TimeSetting(next(one for one in DEVICES.values() if device in (one.name, *one.also)), dtype))
    examples = next(view.examples for view in known_views(sheet) if view.preset is not None and view.preset.name == preset)
    sizes = {**{key: value for key, value in examples.items() if key in {"b", "n"}}, **given}
    answer = time_of(sheet, preset, sizes, question)
    least = answer.training or answer.forward
    assert least is not None
    address = f"#1&p={preset}&d={dtype}&v={question.setting.device.name}" + (f"&t={optimiser}" if optimiser else f"&w={weights}&c={cache}")
    address += (f"&y={chosen}" if chosen else "") + "".join(f"&s.{key}={value}" for key, value in given.items())
    with opened(chromium, site, name, address) as page:
        shown = page.inner_text("#time")
        bound, estimate = page.get_attribute("#time", "data-bound"), page.get_attribute("#time", "data-estimate")
    assert float(bound or "") == pytest.approx(least.seconds, rel=1e-12)
    assert ("bound by compute" in shown, "bound by memory" in shown) == (least.limit == "compute", least.limit == "memory")
    assert question.setting.device.title in shown
    if least.estimate_seconds is None:
        assert estimate == "null"
        assert "no peak is known" in shown
    else:
        assert float(estimate or "") == pytest.approx(least.estimate_seconds, rel=1e-12)


def test_a_device_that_is_too_small_has_no_time_and_the_smallest_that_holds_it_is_taken(chromium: Browser, site: Path) -> None:
    with opened(chromium, site, "llama3", "#1&p=llama-3-8b&y=decode") as page:
        titles = {one.title for one in DEVICES.values()}
        assert any(title in page.inner_text(".answer") for title in titles)
        page.select_option("#device", min(DEVICES.values(), key=lambda one: one.memory).name)
        assert "does not fit" in page.inner_text(".answer")
        page.select_option("#device", "")
        assert "at least" in page.inner_text("#time")
