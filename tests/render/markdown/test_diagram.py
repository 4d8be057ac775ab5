"""The Mermaid pictures: safe ids, escaped labels, one node a row, arrows for what is read, one level each."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from generator.render.markdown.diagram import MAX_NODES, diagram, diagrams_inside, label_text
from generator.sheet.sheet import Sheet
from tests.render.markdown.sheets import TOKENS, b, n, odd, row, stack, wide

LABEL = r'"[^"]*"'
NODE = re.compile(rf"(\w+)(?:\[{LABEL}\]|\[\[{LABEL}\]\]|\(\[{LABEL}\]\))")
ARROW = re.compile(rf"(\w+) (-->|-\.->)(?:\|{LABEL}\|)? (\w+)")
RESERVED = {"end", "class", "graph", "subgraph", "style", "default", "click", "o", "x", "linkStyle", "classDef", "direction", "call"}


def lines_of(sheet: Sheet) -> list[str]:
    drawn = diagram(sheet)
    assert drawn is not None
    return [line.strip() for line in drawn.lines]


def arrows(sheet: Sheet) -> list[tuple[str, str, str]]:
    return [(match[1], match[2], match[3]) for line in lines_of(sheet) if (match := ARROW.fullmatch(line))]


@pytest.mark.parametrize("sheet", [stack(), odd(), wide(), wide(5)], ids=["stack", "odd", "closed", "open"])
def test_every_line_is_known_mermaid_with_unique_ids_that_are_no_keywords(sheet: Sheet) -> None:
    first, *lines = lines_of(sheet)
    assert first == "flowchart TB"
    ids = [match[1] for line in lines if (match := NODE.fullmatch(line))]
    ends = [match.group(1, 3) for line in lines if (match := ARROW.fullmatch(line))]
    assert len(ids) + len(ends) == len(lines)
    assert len(set(ids)) == len(ids)
    assert not set(ids) & RESERVED
    assert {end for pair in ends for end in pair} <= set(ids)


def test_rows_inputs_and_outputs_are_nodes_and_a_block_is_one_node_with_its_count() -> None:
    assert lines_of(stack())[1:5] == [
        'in_tokens(["tokens<br/>[b, n]"])',
        'row_embedded["embedded<br/>embedding<br/>[b, n, d]"]',
        'row_blocks[["blocks: block × L<br/>[b, n, d]"]]',
        'row_end["end<br/>linear<br/>[b, n, V]"]',
    ]
    assert arrows(stack()) == [
        ("in_tokens", "-->", "row_embedded"),
        ("row_embedded", "-->", "row_blocks"),
        ("row_blocks", "-->", "row_end"),
        ("row_end", "-->", "out_end"),
    ]


def test_blocks_with_pages_are_linked_and_others_are_drawn_below_one_level_each() -> None:
    pages = {"block", "mlp"}
    drawn = diagram(stack(), pages)
    assert drawn is not None
    assert drawn.remarks == ("Boxes with double sides are blocks, each drawn on its own page: [`block`](block.md)",)
    assert diagrams_inside(stack(), pages) == ()
    (block,) = diagrams_inside(stack(), {"mlp"})
    assert block.heading == "Inside <code>blocks</code>"
    assert [line.strip() for line in block.lines[1:]] == [
        'in_x(["x"])',
        'row_blocks_mlp[["mlp: mlp<br/>[b, n, d]"]]',
        'row_blocks_sum["sum<br/>add<br/>[b, n, d]"]',
        "in_x --> row_blocks_mlp",
        "in_x -.-> row_blocks_sum",
        "row_blocks_mlp --> row_blocks_sum",
    ]
    assert block.remarks[-1] == "Dotted arrows are residual connections."
    assert [one.heading for one in diagrams_inside(stack(), ())] == ["Inside <code>blocks</code>", "Inside <code>blocks.mlp</code>"]
    assert diagrams_inside(stack(), {"block"}) == ()  # the page of block draws mlp
    assert len(diagrams_inside(wide(), ())) == 1  # nine blocks of one kind


def test_an_add_of_two_unrelated_rows_is_no_residual() -> None:
    rows = (row("words", "embedding", "tokens"), row("places", "parameter"), row("sum", "add", "words", "places"))
    sheet = replace(stack(), rows=rows, outputs={"sum": TOKENS})
    assert all(kind == "-->" for _, kind, _ in arrows(sheet))


def test_a_row_that_is_no_add_and_reads_past_others_has_plain_arrows() -> None:
    rows = (row("chosen", "top_k", "tokens"), row("mixed", "experts", "tokens", "chosen"))
    sheet = replace(stack(), rows=rows, outputs={"mixed": TOKENS})
    assert all(kind == "-->" for _, kind, _ in arrows(sheet))


def test_a_part_of_a_result_is_written_on_its_arrow() -> None:
    pair = replace(row("chosen", "top_k", "tokens"), shapes=(("values", (b, n)), ("indices", (b, n))))
    sheet = replace(stack(), rows=(pair, row("y", "relu", "chosen.values")), outputs={"chosen.indices": (b, n)})
    lines = lines_of(sheet)
    assert 'row_chosen["chosen<br/>top_k<br/>values: [b, n]<br/>indices: [b, n]"]' in lines
    assert 'row_chosen -->|"values"| row_y' in lines
    assert 'row_chosen -->|"indices"| out_chosen_indices' in lines


def test_two_outputs_of_one_row_both_come_from_it() -> None:
    """As where the row of the second is switched off and hands the first one's result through."""
    rows = (row("first", "relu", "tokens"),)
    sheet = replace(stack(), rows=rows, outputs={"first": TOKENS, "second": TOKENS}, handed={"second": "first"})
    assert arrows(sheet)[1:] == [("row_first", "-->", "out_first"), ("row_first", "-->", "out_second")]


def test_names_that_differ_only_in_what_ids_cannot_hold_get_different_ids() -> None:
    rows = (row("é", "relu", "tokens"), row("ü", "relu", "é"), row("_", "relu", "ü"))
    assert arrows(replace(stack(), rows=rows, outputs={"_": TOKENS}))[1:] == [
        ("row__", "-->", "row___2"),
        ("row___2", "-->", "row___3"),
        ("row___3", "-->", "out__"),
    ]


def test_a_sheet_of_too_many_rows_has_no_picture() -> None:
    rows = tuple(row(f"r{i}", "relu", "tokens") for i in range(MAX_NODES))
    assert diagram(replace(stack(), rows=rows)) is None


@pytest.mark.parametrize(
    ("raw", "label"),
    [
        ('a "b" <c>', "a #34;b#34; #60;c#62;"),
        ("`x` #1; %%{init}", "#96;x#96; #35;1#59; #37;#37;#123;init#125;"),
        ("2*n*d", "2#42;n#42;d"),
        ("q_heads _x_", "q_heads #95;x#95;"),
        ("f(n) [b]", "f(n) [b]"),
        ("注意力\n🙂", "注意力 🙂"),
    ],
)
def test_labels_hold_no_markup(raw: str, label: str) -> None:
    assert label_text(raw) == label
