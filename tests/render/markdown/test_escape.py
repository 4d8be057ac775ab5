"""Text from specs shows as it was written, whatever is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.render.markdown.escape_markdown import cell, code, comment, link, paragraphs, text
from tests.render.markdown import rendered

MARKUP = st.text(st.sampled_from("\\`*_[]()<>|~&#!$+-=.:;1a \té🙂注{}\"'^@/"), max_size=40)
WORDS = st.lists(
    st.sampled_from(["&amp;", "&#35;", "<b>", "-->", "***", "__", "~~", "1.", "- ", "# ", "![", "](", "$x$", "\\", "|", "a", " ", "=="]),
    max_size=12,
).map("".join)


def one_line(raw: str) -> str:
    return " ".join(raw.split())


def without_code(raw: str) -> bool:
    return "`" not in raw and "http" not in raw


@given((MARKUP | WORDS).filter(without_code).filter(str.strip))
def test_a_paragraph_shows_exactly_its_text(raw: str) -> None:
    (paragraph,) = paragraphs(raw)
    assert rendered.blocks(paragraph) == ["paragraph_open"]
    assert rendered.shown(paragraph) == one_line(raw)
    assert rendered.inline_kinds(paragraph) <= {"html_inline"}


@given((MARKUP | WORDS).filter(str.strip))
def test_a_table_s_cell_shows_exactly_its_text_and_stays_one_cell(raw: str) -> None:
    page = f"| a | b |\n| --- | --- |\n| {cell(text(raw))} | end |\n"
    ((_, (first, last)),) = rendered.tables(page)
    assert last == "end"
    expected = rendered.shown(text(raw))
    assert rendered.shown(first) == expected


@given(MARKUP.filter(str.strip))
def test_a_code_span_shows_exactly_its_text(raw: str) -> None:
    assert rendered.inline_kinds(code(raw)) == {"code_inline"}
    assert rendered.shown(code(raw)) == one_line(raw)


def test_words_between_backticks_are_code_and_a_lone_backtick_is_not() -> None:
    assert text("see `a_b|c` and ` this") == "see `a_b|c` and \\` this"


def test_addresses_are_links_without_the_punctuation_around_them() -> None:
    shown = text("see https://example.org/a_b_c*d, (https://example.org/x).")
    assert shown == "see <https://example.org/a_b_c*d>, (<https://example.org/x>)."


def test_dollar_signs_are_kept_from_github_s_math() -> None:
    assert text("$5 or $6") == "<span>$</span>5 or <span>$</span>6"


def test_paragraphs_are_parted_by_empty_lines_and_start_no_list_or_heading() -> None:
    assert paragraphs("- a\nb\n\n2) c\n\n# d") == ("\\- a b", "2\\) c", "\\# d")
    assert paragraphs(" \n\n ") == ()


def test_links_with_brackets_or_spaces_in_their_address() -> None:
    for target in ("https://example.org/a_(b)", "a b.md", "plain.md", "a|b<c>.md"):
        assert rendered.inline_kinds(link("label", target)) == {"link_open", "link_close"}
        assert rendered.shown(link("label", target)) == "label"
        assert "|" not in link("label", target)


def test_a_comment_cannot_be_ended_by_its_text() -> None:
    page = f"<!-- {comment('a--b --> *c*')} -->\n"
    assert page.count("-->") == 1
    assert rendered.blocks(page) == ["html_block"]


@pytest.mark.parametrize("raw", ["flop_counter", "q_heads", "a__b_c"])
def test_underscores_between_letters_stay_readable(raw: str) -> None:
    assert rendered.shown(text(raw)) == raw
    assert rendered.inline_kinds(text(raw)) == set()
