"""Pages have what specs say in other languages beside the English texts."""

from __future__ import annotations

from generator.importing.found import rules
from generator.render.site.formula_pool import FormulaPool
from generator.render.site.model_data import model_data
from generator.render.site.translations import called, named, translations
from generator.sheet.compiled import compile_spec
from generator.text.translated import Translated
from tests.support.builtin import builtin_library


def test_texts_are_told_once_and_only_where_they_are_known() -> None:
    own = Translated.of("a gizmo", {"zh": "小物件"})
    assert translations(["", own, "number of gizmos", "model width", own]) == {"zh": [["a gizmo", "小物件"], ["model width", "模型宽度"]]}
    assert named([("stage1", ""), ("gizmo", own), ("thing", "")]) == {"zh": [["stage1", "stage1（阶段 1）"], ["gizmo", "gizmo（小物件）"]]}
    assert called(["blocks / attention", "gizmo"]) == {"zh": [["blocks / attention", "模块 / 注意力"]]}


def test_a_page_knows_title_description_sizes_and_rows_in_chinese() -> None:
    sheet = compile_spec(builtin_library(), "multi_head_attention").sheet
    data = model_data(sheet, FormulaPool([size.name for size in sheet.sizes]))
    said, rows = dict(data["said"]["zh"]), dict(data["named"]["zh"])
    assert said[sheet.title] == "多头自注意力"
    assert said[sheet.description].startswith("每个位置")
    assert {size.meaning for size in sheet.sizes} <= said.keys()
    assert rows["scores"] == "scores（注意力分数）"


def test_every_reason_why_a_key_of_a_configuration_has_no_effect_is_told_in_chinese() -> None:
    reasons = {str(reason) for _, rule in rules(builtin_library()) for reason in rule.ignore.values()}
    assert len(reasons) > 70
    assert not reasons - dict(translations(reasons)["zh"]).keys()
