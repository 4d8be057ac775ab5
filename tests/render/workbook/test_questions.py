"""What people open a workbook to ask is answered by it alone; calculated by HyperFormula, with what a reader would type."""

from __future__ import annotations

from typing import Any

import pytest

from generator.render.workbook.load_choices import choice_row
from generator.render.workbook.named_cells import named_cells

from .every import Book, book
from .hyperformula import calculated, needs_hyperformula
from .libreoffice import Cell

pytestmark = [pytest.mark.slow, needs_hyperformula]

LOAD = "Memory and time"


def choose(**choices: Any) -> dict[Cell, Any]:
    """Return what is typed for scenario A."""
    return {(LOAD, f"B{choice_row(key)}"): value for key, value in choices.items()}


def named(one: Book, found: dict[Cell, Any], name: str) -> Any:
    """Return the value of a cell by its name."""
    (cell,) = (named.cell for named in named_cells(one.plan) if named.name == name)
    title, _, at = cell.replace("$", "").replace("'", "").rpartition("!")
    return found[title, at]


def test_bert_large_its_costliest_layers_and_where_attention_dominates() -> None:
    one = book("bert")
    found = calculated(one.file, {("Summary", "B2"): "bert-large"})
    assert named(one, found, "total.params") == 335_141_888  # as transformers' BertModel counts bert-large-uncased
    assert "multi head attention overtakes mlp beyond n = 2048 (excluded by the condition that n is at most P)" in found["Summary", "A4"]
    assert found["Summary", "A6"].startswith("The most expensive layers are up and down (mlp): ")
    assert named(one, found, "scenario_a.twice_length") > 1


def test_whether_a_training_step_fits_on_24_gb_and_with_which_batch() -> None:
    one, typed = book("bert"), {"task": "Training step", "optimiser": "adam", "memory": 24, "length": 512}
    largest = named(one, calculated(one.file, choose(**typed)), "scenario_a.largest")
    assert largest > 10
    for batch, verdict in ((largest, "fits"), (largest + 1, "close")):  # close: without gradients of all weights at once
        found = calculated(one.file, choose(**typed, batch=batch))
        assert named(one, found, "scenario_a.verdict") == verdict
        assert (named(one, found, "scenario_a.total_gb") <= 24) == (verdict == "fits")


def test_what_a_million_generated_tokens_cost_at_a_price_typed_in() -> None:
    one = book("llama3")
    found = calculated(one.file, choose(task="Generate one token", batch=8, price=2))
    seconds = 10**6 / named(one, found, "scenario_a.estimate_rate")
    assert named(one, found, "scenario_a.million_cost") == pytest.approx(seconds * 2 / 3600, rel=1e-9)
    assert 0.1 < named(one, found, "scenario_a.million_cost") < 10
