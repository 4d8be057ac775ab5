"""The index of pages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from generator.build.spec_summary import restore, restored_numbers, summarise
from generator.files.resources import builtin_specs_dir
from generator.render.markdown.index import IndexEntry
from generator.render.markdown.index import render_index as render_entries
from generator.render.markdown.preset_tables import preset_numbers
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from generator.spec.references import Reference, read_references
from tests.render.markdown import rendered
from tests.render.markdown.sheets import ODD, odd, stack, wide
from tests.support.builtin import builtin_library

BLOCK = replace(wide(), name="mlp", title="MLP", source="blocks/ffn/mlp.yaml", presets=())
PLAIN = replace(stack(), name="plain", title="Plain", source="plain.yaml", presets=())


def render_index(sheets: Sequence[Sheet]) -> str:
    return render_entries([IndexEntry(sheet, preset_numbers(sheet)) for sheet in sheets])


def test_models_come_first_then_blocks_then_others() -> None:
    index = render_index([odd(), BLOCK, PLAIN, stack()])
    assert rendered.headings(index) == ["Architectures", "models", "blocks/ffn", r"odd/a--b--\>c"]
    names = [line[1] for table in rendered.tables(index) for line in table[1:]]
    assert names == ["`stack`", "`mlp`", "`plain`", "`odd`"]


def test_a_line_links_to_the_page_and_shows_parameters_or_their_range() -> None:
    models, blocks, top = rendered.tables(render_index([stack(), BLOCK, PLAIN]))
    assert models[1] == ["[A stack](stack.md)", "`stack`", "161 K – 194 K", "2"]
    assert blocks[1] == ["[MLP](mlp.md)", "`mlp`", "[formula](mlp.md#totals)"]
    assert top[1] == ["[Plain](plain.md)", "`plain`", "$`2dfL + 2dV + dL + fL`$"]


def test_the_order_of_the_sheets_does_not_matter_but_their_content_does() -> None:
    sheets = [stack(), BLOCK, PLAIN]
    assert render_index(sheets) == render_index(sheets[::-1])
    assert render_index(sheets) != render_index([replace(stack(), source_hash="1" * 64), BLOCK, PLAIN])


def test_odd_titles_stay_in_their_cell() -> None:
    ((_, line),) = rendered.tables(render_index([odd()]))
    assert len(line) == 4
    assert rendered.shown(line[0]) == " ".join(ODD.replace("`x|y`", "x|y").split())


def test_families_come_before_folders_by_their_years_with_what_each_preset_comes_to() -> None:
    late = {"smith2020": Reference("smith2020", "Smith, 2021b, second", "", "")}
    early = replace(PLAIN, family="Rows", references={"smith2020": Reference("smith2020", "Smith, 1999", "", "")})
    sheets = [
        replace(stack(), family="Stacks"),
        replace(BLOCK, name="later", source="later.yaml", family="Rows", references=late),
        early,
        BLOCK,
    ]
    index = render_index(sheets)
    assert rendered.headings(index) == ["Architectures", "Rows", "Stacks", "blocks/ffn"]
    rows, stacks, _ = rendered.tables(index)
    assert rows[0] == ["Architecture", "Year", "Parameters"]
    assert [line[:2] for line in rows[1:]] == [["[Plain](plain.md)", "1999"], ["[MLP](later.md)", "2021"]]
    assert stacks == [
        ["Architecture", "Year", "Preset", "Parameters", "Matmul FLOPs", "Work at"],
        ["[A stack](stack.md)", "2020", "`base`", "194 K", "33.2 MFLOP", "`b` = 1, `n` = 128"],
        ["", "", "`long`", "161 K", "99.1 MFLOP", "`b` = 1"],
    ]
    assert index == render_index(sheets[::-1])


def test_what_was_kept_of_a_build_gives_the_same_catalogue() -> None:
    sheet = compile_spec(builtin_library(), "bert").sheet
    data = json.loads(json.dumps(summarise(sheet, {})))
    kept = restore(data)
    assert kept is not None
    assert render_entries([IndexEntry(kept, restored_numbers(data))]) == render_index([sheet])
    assert (kept.family, kept.year) == ("Encoder-only Transformers", "2019")


def test_every_model_that_comes_with_the_tool_has_a_family_and_a_year() -> None:
    library = builtin_library()
    references = read_references([builtin_specs_dir()])
    models = [name for name in library.files if library.relative(name) == f"models/{name}.yaml"]
    assert len(models) > 30
    for name in models:
        spec = library.spec(name)
        assert spec.family, name
        assert re.search(r"\b(19|20)\d\d[a-z]?\b", references[spec.cite[0]].label), name


def test_blocks_inside_of_the_files_of_others_stand_apart_at_the_end() -> None:
    inner = replace(PLAIN, name="stack_unit", title="A unit", source="models/stack.yaml")
    assert rendered.headings(render_index([inner, stack(), odd()])) == [
        "Architectures",
        "models",
        r"odd/a--b--\>c",
        "inside of other specs",
    ]
