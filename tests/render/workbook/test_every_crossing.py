"""Every sentence about a crossing in every workbook, as the file is written. Typed-over sizes: `test_specs_recalculated.py`."""

from __future__ import annotations

import pytest

from generator.questions.growth.growth_summary import first_of_pairs, inside

from .crossing_truth import sentences, wrong_sentences
from .every import book, books

pytestmark = pytest.mark.slow


def test_who_overtakes_whom_is_so_at_the_whole_sizes_on_both_sides() -> None:
    found = {one.name: wrong_sentences(one.plan, one.stored.values, one.plan.in_use) for one in books()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    said = [text for one in books() for text in sentences(one.plan, one.stored.values)]
    assert len(said) > 200
    assert sum(" overtakes " in text for text in said) > 150


def test_pages_and_workbooks_show_the_same_crossings() -> None:
    for one in books():
        key = "total_flops" if one.plan.main.key == "vector_flops" else "macs"
        shown = [each for each in inside(one.plan.sheet) if each.measure == key]
        pairs = {frozenset((each.crossing.first.words, each.crossing.second.words)) for each in first_of_pairs(shown)}
        assert pairs == {frozenset((each.first.words, each.second.words)) for each in one.plan.crossings}, one.name
        assert {(each.crossing.size, each.crossing.root) for each in shown} == {(each.size, each.root) for each in one.plan.crossings}


def test_a_crossing_that_the_conditions_exclude_is_said_to_be_so() -> None:
    """BERT has 512 positions; attention would pass the feed-forward network at 2 * 768 = 1536."""
    text = next(text for text in sentences(book("bert").plan, book("bert").stored.values))
    assert text == "multi head attention overtakes mlp (excluded by the condition that n is at most P)"
    assert (
        book("bert")
        .stored.values["Summary", "A4"]
        .endswith("; multi head attention overtakes mlp beyond n = 1536 (excluded by the condition that n is at most P).")
    )
