"""A text of a spec may have what it is in other languages beside it: who asks for none of these reads the English one."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest
import yaml
from openpyxl import load_workbook

from generator.build.spec_summary import restore, summarise
from generator.files.resources import templates_dir
from generator.render.texts import names, texts
from generator.render.workbook import build_workbook
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError, render
from generator.text.translated import LANGUAGES, Translated, said_in

SPEC = """\
title: {en: A layer, zh: 一个层}
description: {en: It multiplies., zh: 它做乘法。}
dims:
  b: batch size
  C: {is: {en: thickness, zh: 厚度}, each: 1..2}
  m: {is: {en: breadth}}
inputs: {x: [b, C1]}
layers:
  wide: {op: linear, out: [b, "C[2]"], is: {en: the widest, zh: 最宽的}, note: {en: as printed, zh: 如印}}
  y: {op: linear, out: [b, m]}
presets: {small: {set: {C: [2, 3], m: 4}, note: {en: ours, zh: 我们的}}}
"""

TOLD = {"一个层": "A layer", "它做乘法。": "It multiplies.", "厚度（第 2 阶段）": "thickness", "最宽的": "the widest", "如印": "as printed"}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "layer.yaml").write_text(SPEC, encoding="utf-8")
    return Library([tmp_path])


def test_each_text_is_english_and_knows_what_it_is_in_chinese(library: Library) -> None:
    spec = library.spec("layer")
    row = spec.rows["wide"]
    told = (spec.title, spec.description, spec.dims["C2"].meaning, row.meaning, row.note, spec.presets["small"].note)
    assert told == ("A layer", "It multiplies.", "thickness (stage 2)", "the widest", "as printed", "ours")
    assert [said_in(text, "zh") for text in told] == ["一个层", "它做乘法。", "厚度（第 2 阶段）", "最宽的", "如印", "我们的"]
    assert said_in(spec.dims["m"].meaning, "zh") is None
    assert texts("zh").said(spec.dims["b"].meaning) == "批大小"  # as built-in specs say it
    assert texts("zh").said(spec.dims["m"].meaning) == "breadth"


def test_a_chinese_workbook_says_all_of_it_in_chinese_and_an_english_one_none(library: Library) -> None:
    sheet = compile_spec(library, "layer").sheet

    def cells(language: str) -> str:
        book = load_workbook(io.BytesIO(build_workbook(sheet, language)))
        return "\n".join(str(cell.value) for page in book for line in page.iter_rows() for cell in line if isinstance(cell.value, str))

    chinese, english = cells("zh"), cells("en")
    for zh, en in TOLD.items():
        assert zh in chinese
        assert zh not in english
        assert en in english
        assert en not in chinese
    assert "我们的" in chinese
    assert "wide（最宽的）" in chinese


def test_what_is_kept_of_a_sheet_keeps_the_languages(library: Library) -> None:
    sheet = compile_spec(library, "layer").sheet
    kept = restore(yaml.safe_load(yaml.safe_dump(summarise(sheet, {}))))
    assert kept is not None
    assert [texts("zh").said(text) for text in (kept.title, kept.description, kept.sizes[1].meaning)] == [
        "一个层",
        "它做乘法。",
        "厚度（第 1 阶段）",
    ]
    assert said_in(pickle.loads(pickle.dumps(sheet.title)), "zh") == "一个层"  # noqa: S301 - as it goes from process to process


def test_a_variant_that_says_a_text_anew_has_none_of_the_other_languages_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "layer.yaml").write_text(SPEC, encoding="utf-8")
    own = "title: Another\nlike: layer\ndims: {m: {is: {en: height}}}\nlayers: {wide: {note: {en: changed}}}\n"
    (tmp_path / "other.yaml").write_text(own, encoding="utf-8")
    spec = Library([tmp_path]).spec("other")
    assert (spec.dims["m"].meaning, spec.rows["wide"].note) == ("height", "changed")
    assert said_in(spec.rows["wide"].note, "zh") is None
    assert said_in(spec.rows["wide"].meaning, "zh") == "最宽的"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("title: {zh: 一个层}", "`en` is missing in `title`"),
        ("title: {en: A layer, fr: Une couche}", "unknown key `fr` in `title`"),
        ("title: [A layer]", "expected a text in `title`; found a list"),
        ("title: {en: A layer, zh: [一]}", "expected a text in `title.zh`; found a list"),
        ("title: {en: '', zh: 一个层}", "the title is empty"),
        (f"title: {{en: A layer, zh: {'长' * 201}}}", "`title.zh` has 201 characters; there is room for 200"),
    ],
)
def test_what_is_no_text_in_some_language_is_told_with_its_place(tmp_path: Path, written: str, message: str) -> None:
    (tmp_path / "layer.yaml").write_text("\n".join([written, *SPEC.splitlines()[1:]]), encoding="utf-8")
    with pytest.raises(ProblemsError) as caught:
        Library([tmp_path]).spec("layer")
    said = "\n".join(map(render, caught.value.problems))
    assert message in said
    assert "layer.yaml:1:" in said


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_names_are_told_once_and_apart(language: str) -> None:
    text = (templates_dir() / "names" / f"{language}.yaml").read_text(encoding="utf-8")
    entries = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(entries) == len(names(language))
    assert len(set(names(language).values())) == len(entries)


def test_names_have_numbers_and_what_is_unknown_stays() -> None:
    assert texts("zh").named("stage3") == "stage3（阶段 3）"
    assert texts("zh").named("gizmo") == "gizmo"
    assert texts("zh").named("gizmo", Translated.of("a gizmo", {"zh": "小物件"})) == "gizmo（小物件）"
    assert texts("en").named("stage3", "a stage") == "stage3"
    assert texts("zh").block("multi head attention") == "多头注意力"


def test_what_a_sheet_says_of_its_own_rows_is_told_in_chinese_too() -> None:
    sheet = compile_spec(Library(), "mixture_of_experts").sheet
    (note,) = (row.note for row in sheet.rows if row.op == "experts")
    assert note.startswith("finds the tokens of each expert")
    assert texts("zh").said(note).startswith("找出各专家的词元")
