"""A Chinese workbook says in Chinese what sizes and families are: each of the built-in specs has its translation, and none is left over."""

from __future__ import annotations

import io
import re

import pytest
import yaml
from openpyxl import load_workbook

from generator import load
from generator.files.resources import builtin_specs_dir, templates_dir
from generator.importing.common_keys import shared
from generator.importing.found import rules
from generator.render.texts import meanings, texts
from generator.render.workbook import build_workbook
from generator.text.translated import LANGUAGES
from tests.support.builtin import builtin_library

OTHERS = [language for language in LANGUAGES if language != "en"]
STAGE = re.compile(r" \(stage \d+\)$")


def builtin_meanings() -> set[str]:
    library = builtin_library()
    swept = [
        yaml.safe_load(path.read_text(encoding="utf-8"))["sweep"] for path in sorted((builtin_specs_dir() / "comparisons").glob("*.yaml"))
    ]
    families = {library.spec(name).family for name in library.names} - {""}
    return (
        families
        | {one["is"] for one in swept if "is" in one}
        | {STAGE.sub("", dim.meaning) for name in library.names for dim in library.spec(name).dims.values()}
    )


def builtin_notes() -> set[str]:
    library = builtin_library()
    specs = [library.spec(name) for name in library.names]
    common = shared("transformers")
    reasons = {reason for _, rule in rules(library) for reason in rule.ignore.values()} | {*common.ignore.values()}
    reasons |= {otherwise for _, otherwise in common.usual.values()}
    return reasons | {part.note for spec in specs for part in (*spec.rows.values(), *spec.presets.values())}


@pytest.mark.slow  # reads all specs
@pytest.mark.parametrize("language", OTHERS)
def test_every_meaning_of_a_built_in_size_has_a_translation_and_no_translation_is_left_over(language: str) -> None:
    found = builtin_meanings()
    assert len(found) > 150
    assert not found - meanings(language).keys()
    assert not meanings(language).keys() - found - builtin_notes()


@pytest.mark.slow
def test_chinese_meanings_are_chinese() -> None:
    said = meanings("zh")
    assert not [text for text in said.values() if not re.search("[\u4e00-\u9fff]", text)]
    shared = {text for text in said.values() if [*said.values()].count(text) > 1}
    # What differs in English by a word alone may be one text in Chinese; in one spec, sizes keep apart.
    library = builtin_library()
    for name in library.names:
        told = [texts("zh").said(meaning) for meaning in dict.fromkeys(dim.meaning for dim in library.spec(name).dims.values())]
        assert not shared & {text for text in told if told.count(text) > 1}, name


@pytest.mark.parametrize("language", OTHERS)
def test_the_file_says_nothing_twice(language: str) -> None:
    text = (templates_dir() / "meanings" / f"{language}.yaml").read_text(encoding="utf-8")
    entries = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(entries) == len(yaml.safe_load(text))


def test_stages_are_numbered_and_unknown_words_stay_english() -> None:
    assert texts("zh").said("channels (stage 2)") == "通道数（第 2 阶段）"
    assert texts("zh").said("number of gizmos") == "number of gizmos"
    assert texts("en").said("model width") == "model width"


@pytest.mark.slow
def test_no_sheet_of_a_chinese_workbook_says_a_meaning_in_english() -> None:
    spec = load("multi_head_attention")
    book = load_workbook(io.BytesIO(build_workbook(spec.sheet, "zh")))
    english = {size.meaning for size in spec.sheet.sizes}
    cells = {cell.value for sheet in book for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)}
    notes = {rule.prompt or "" for sheet in book for rule in sheet.data_validations.dataValidation}
    # What is told of claims stays as it is written.
    claims = {
        text for claim in spec.sheet.claims for text in (claim.note, claim.because, claim.erratum) if text
    }  # stay as they are written
    said = {line for text in cells | notes for line in text.splitlines()} - claims
    assert not [line for line in said if any(meaning in line for meaning in english)]
    assert {"模型宽度", "序列长度"} <= cells
