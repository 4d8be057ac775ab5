"""The texts of all languages have the same keys and places, and say what the tool says elsewhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from generator.files.resources import templates_dir
from generator.quantities import MEASURES, UNITS, Quantity
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import make_plan
from generator.render.workbook.unit_scale import of_counts
from generator.text.translated import LANGUAGES

from .calculator import stored
from .sheets import encoder


def content(language: str) -> dict[str, dict[str, Any]]:
    found = yaml.safe_load((templates_dir() / "workbook" / f"{language}.yaml").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def flat(language: str) -> dict[str, Any]:
    return {f"{section}.{key}": text for section, texts_ in content(language).items() for key, text in texts_.items()}


def test_there_is_a_file_for_each_language_and_no_other() -> None:
    assert {path.stem for path in (templates_dir() / "workbook").glob("*.yaml")} == set(LANGUAGES)


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_languages_have_the_keys_and_places_of_english(language: str) -> None:
    english, other = flat("en"), flat(language)
    assert other.keys() == english.keys()
    for key, text in english.items():
        if key in ("scale.prefixes", "scale.words", "scale.spoken"):  # as many as there are steps in which the language counts
            assert len(other[key]) == len(of_counts(texts(language)).limits) + 1, key
        elif isinstance(text, list):
            assert len(other[key]) == len(text), key
        elif isinstance(text, str):
            assert places(other[key]) == places(text), key


def places(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_chinese_is_chinese_wherever_english_has_words() -> None:
    english, chinese = flat("en"), flat("zh")
    same = {key for key, text in english.items() if isinstance(text, str) and chinese[key] == text and re.search("[a-z]{4}", text)}
    assert same <= {"about.rebuild_text", "checks.order"}


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_quantities_have_words_in_each_language(measure: Quantity) -> None:
    said = {language: measure.words(language) for language in LANGUAGES}
    assert all(words.title and words.meaning for words in said.values())
    assert re.search("[\u4e00-\u9fff]", said["zh"].title + said["zh"].meaning)
    assert {language: bool(words.short) for language, words in said.items()} == dict.fromkeys(LANGUAGES, bool(measure.en.short))
    assert UNITS[measure.unit].keys() == set(LANGUAGES)


def test_every_text_is_used() -> None:
    """A key that no code names is left over."""
    package = templates_dir().parent / "generator"
    folders = (package / "render" / "workbook", package / "render" / "comparison")
    files = [package / "render" / "texts.py", *(path for folder in folders for path in sorted(folder.rglob("*.py")))]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    keys = [(section, key) for section, texts_ in content("en").items() for key in texts_]
    unused = [f"{section}.{key}" for section, key in keys if f'"{section}.{key}"' not in code and f"{section}.{{" not in code]
    assert not unused


@pytest.mark.slow
def test_a_chinese_workbook_has_the_numbers_of_the_english_one(tmp_path) -> None:
    found = []
    for language in ("en", "zh"):
        path = tmp_path / f"{language}.xlsx"
        path.write_bytes(build_workbook(encoder(), language))
        book = stored(path)
        titles = list(book.extents)
        plan = make_plan(encoder(), texts(language))
        rounded = {(titles[0], f"B{row}") for row in plan.total_rows.values()}  # in steps of a thousand or of ten thousand
        assert rounded <= book.values.keys()
        numbers = {
            (titles.index(title), at): value
            for (title, at), value in book.values.items()
            if isinstance(value, float) and (title, at) not in rounded
        }
        found.append(numbers)
    assert found[0] == found[1]
    assert len(found[0]) > 300
