"""The index of pages."""

from __future__ import annotations

from dataclasses import replace

from generator.render.markdown.index import render_index
from tests.render.markdown import rendered
from tests.render.markdown.sheets import ODD, odd, stack, wide

BLOCK = replace(wide(), name="mlp", title="MLP", source="blocks/ffn/mlp.yaml", presets=())
PLAIN = replace(stack(), name="plain", title="Plain", source="plain.yaml", presets=())


def test_models_come_first_then_blocks_then_others() -> None:
    index = render_index([odd(), BLOCK, PLAIN, stack()])
    assert rendered.headings(index) == ["Architectures", "models", "blocks/ffn", "odd"]
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
