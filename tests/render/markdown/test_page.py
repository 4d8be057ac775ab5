"""Whole pages: as a Markdown parser sees them, and one word for word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from generator.in_bytes import BYTES
from generator.quantities import QUANTITIES
from generator.render.markdown.links import Links, spec_link
from generator.render.markdown.ops import render_ops
from generator.render.markdown.page import render_page
from generator.render.markdown.row_tables import MOST_ROWS, visible_rows
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from tests.render.markdown import rendered
from tests.render.markdown.sheets import ODD, odd, stack, wide
from tests.support.builtin import builtin_library

GOLDEN = Path(__file__).with_name("stack.md")
SHEETS = {"stack": stack(), "odd": odd(), "wide": wide(), "narrow": wide(3, terms=2)}


@pytest.fixture(params=[*SHEETS, "multi_head_attention"])
def sheet(request: pytest.FixtureRequest) -> Sheet:
    name: str = request.param
    return SHEETS[name] if name in SHEETS else compile_spec(builtin_library(), name).sheet


def test_a_small_page_word_for_word() -> None:
    links = Links("../../specs/models/stack.yaml", {"stack", "mlp"})
    assert render_page(stack(), links) == GOLDEN.read_text(encoding="utf-8")


def test_every_table_row_has_as_many_cells_as_its_head(sheet: Sheet) -> None:
    page = render_page(sheet)
    tables = list(rendered.table_lines(page))
    assert len(tables) >= 3
    for lines in tables:
        assert {rendered.cell_count(line) for line in lines} == {rendered.cell_count(lines[0])}
    assert sum(map(len, tables)) == sum(line.startswith("|") for line in page.splitlines())


def test_the_tables_of_rows_have_every_row_and_the_totals_table_every_quantity(sheet: Sheet) -> None:
    tables = rendered.tables(render_page(sheet))
    names = [line[0].rpartition(";")[2].strip("*`") for table in tables if table[0][:2] == ["Row", "Op"] for line in table[1:]]
    top = [row for row in sheet.rows if row.depth == 0]
    inside = [row.name for block in top for row in sheet.rows if row.path.startswith(f"{block.path}.")]
    assert names == [*(row.name for row in top), *inside]
    (totals,) = [table[1:] for table in tables if table[0][:2] == ["Quantity", "Key"]]
    formulas = {line[1].strip("`"): line[2].strip("`") for line in totals}  # of bytes a line for each set of number formats
    assert [*formulas][: len(QUANTITIES)] == [quantity.key for quantity in QUANTITIES]
    for amount in BYTES:
        if not amount.is_by_kind:
            assert formulas.get(amount.key) == (f"float_bytes*{amount.of.key}" if sheet.totals[amount.of.key] != 0 else None)
    moved = sheet.totals["traffic_elements"] != 0
    assert formulas.get("arithmetic_intensity") == ("(matmul_flops + vector_flops) / traffic_bytes" if moved else None)


def test_formulas_are_balanced_and_hold_nothing_that_a_table_or_github_would_break(sheet: Sheet) -> None:
    formulas = rendered.formulas(render_page(sheet))
    assert len(formulas) >= len(sheet.sizes)
    for latex in formulas:
        assert latex.count("{") == latex.count("}")
        assert latex.count(r"\left") == latex.count(r"\right")
        assert latex.count(r"\begin") == latex.count(r"\end")
        assert not set("|<>$`#%") & set(latex)


def test_links_to_long_formulas_have_their_place_on_the_page() -> None:
    page = render_page(wide())
    assert "[(1)](#formula-1)" in page
    for number in range(1, page.count("```math") + 1):
        assert page.count(f'<a id="formula-{number}"></a>') == 1
        assert f"(#formula-{number})" in page
    assert all(len(line) < 700 for line in page.splitlines())


def test_odd_characters_change_nothing_about_the_page_s_structure() -> None:
    plain, page = render_page(stack()), render_page(odd())
    assert rendered.headings(page)[1:] == rendered.headings(plain)[1:]
    assert rendered.shown(f"{rendered.headings(page)[0]}") == " ".join(ODD.replace("`x|y`", "x|y").split())
    assert len(rendered.tables(page)) == len(rendered.tables(plain))
    assert rendered.inline_kinds(page) == rendered.inline_kinds(plain) | {"html_inline"}


def test_the_comment_names_source_and_hash_before_anything_else() -> None:
    page = render_page(stack())
    assert page.splitlines()[1:3] == ["<!-- spec: models/stack.yaml -->", f"<!-- sha256: {'0' * 64} -->"]
    assert rendered.blocks(page)[:4] == ["html_block", "html_block", "html_block", "heading_open"]


def test_a_block_links_to_its_page_and_the_spec_to_its_file_only_where_these_exist() -> None:
    assert "use `mlp`" in render_page(stack())
    assert "use [`mlp`](mlp.md)" in render_page(stack(), Links(pages={"mlp"}))
    assert "Spec: `models/stack.yaml` ·" in render_page(stack())
    assert "Spec: [`models/stack.yaml`](../../specs/models/stack.yaml) ·" in render_page(stack(), Links("../../specs/models/stack.yaml"))


def test_a_spec_is_linked_from_the_pages_of_its_own_project(tmp_path: Path) -> None:
    out = tmp_path / "project" / "generated"
    assert spec_link(tmp_path / "project" / "specs" / "models" / "bert.yaml", out) == "../../specs/models/bert.yaml"
    assert spec_link(tmp_path / "elsewhere" / "bert.yaml", out) == ""


def test_a_sheet_with_next_to_nothing_has_a_page() -> None:
    bare = replace(stack(), description="", sizes=(), options={}, constraints=(), presets=(), claims=(), cite=(), references={})
    assert rendered.headings(render_page(bare)) == ["A stack", "Data flow", "Rows", "Totals"]


def test_a_page_shows_as_many_levels_as_are_readable_and_names_where_the_others_are() -> None:
    sheet = compile_spec(builtin_library(), "swin").sheet
    pages = frozenset(builtin_library().files)
    shown, closed = visible_rows(sheet.rows, pages)
    assert len(shown) <= MOST_ROWS < len(sheet.rows)
    assert {row.depth for row in sheet.rows if row.depth <= max(row.depth for row in shown)} == {row.depth for row in shown}
    assert {row.op.partition(" ")[2] for row in closed} <= pages
    page = render_page(sheet, Links(pages=pages))
    assert "`gen show swin` prints every row." in page
    assert [table[0][0] for table in rendered.tables(page)].count("Row") == 1 + page.count(" rows</summary>")


def test_of_blocks_that_have_no_page_one_of_each_kind_is_opened_however_many_rows_there_are() -> None:
    rows = wide(14).rows  # 14 stages of six rows each
    shown, closed = visible_rows(rows, {"stage"})
    assert [row.path for row in shown] == [row.path for row in closed] == [f"stage_{i}" for i in range(14)]
    shown, closed = visible_rows(rows, ())
    assert [row.path for row in shown if row.depth == 1] == [f"stage_0.part_{k}" for k in range(6)]
    assert [row.path for row in closed] == [f"stage_{i}" for i in range(1, 14)]


def test_what_is_folded_is_read_as_markdown_with_its_formulas() -> None:
    page = render_page(compile_spec(builtin_library(), "cat").sheet)
    lines = page.splitlines()
    assert page.count("<details>") == page.count("</details>") > 8
    for i, line in enumerate(lines):
        if line == "<details>":
            assert lines[i - 1] == lines[i + 2] == ""
            assert lines[i + 1].startswith("<summary>")
        if line == "</details>":
            assert lines[i - 1] == lines[i + 1] == ""
    html = [token.content for token in rendered.tokens(page) if token.type == "html_block"]
    assert not any("|" in block or "math" in block for block in html)


def test_a_long_total_is_the_sum_of_its_parts_each_with_its_name() -> None:
    page = render_page(compile_spec(builtin_library(), "cat").sheet)
    macs = next(display for display in rendered.fences(page, "math") if r"& 64bp^2N^2cC && \text{patch embedding}" in display)
    assert r"& {} + 512bN^2CL_1 \left(N^2 + 4C + 16\right) && \text{stage1} \\" in macs
    assert macs.count(r"\text{") == 9


def test_what_each_operation_costs_is_a_link() -> None:
    assert "[what each operation costs](ops.md#vector-operations)" in render_page(stack())
    assert "\n## Vector operations\n" in render_ops()


def test_the_peak_says_at_which_moments_it_may_be() -> None:
    page = render_page(compile_spec(builtin_library(), "bert").sheet)
    moments = [table for table in rendered.tables(page) if table[0] == ["Moment", "Bytes beside that"]]
    assert len(moments) == 2
    assert ["backward pass at `blocks.mlp.down`, in the last run of `blocks`", "$`4bnf + 8bn + 8bd`$"] in moments[0]
