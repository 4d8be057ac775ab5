"""Orders of growth, held against those that papers and documents state."""

from __future__ import annotations

import pytest
from sympy import Eq, Max, Min, Mod, ceiling

from generator.api import load
from generator.formulas.symbols import Facts, symbol
from generator.questions.growth.monomials import upper_bound
from generator.questions.growth.orders import growth_order, order_of

b, n, d, h, w = (symbol(name) for name in ["b", "n", "d", "h", "w"])
HEADS = Facts([Eq(Mod(d, h), 0)])


def test_attention_grows_as_its_paper_says() -> None:
    """Vaswani et al., 2017, table 1: n^2 d; document 001: O(n^2 d + n d^2)."""
    sheet = load("multi_head_attention").sheet
    order = order_of(sheet.totals["macs"], sheet)
    assert set(order.terms) == {b * n**2 * d, b * n * d**2}
    assert {one.size: one.order for one in order.regimes} == {"n": (b * n**2 * d,), "d": (b * n * d**2,)}


def test_heads_change_softmax_and_memory_but_not_the_matrix_work() -> None:
    sheet = load("multi_head_attention").sheet
    powers = {key: order_of(sheet.totals[key], sheet).powers.get("h", 0) for key in ("matmul_flops", "vector_flops", "saved_elements")}
    assert powers == {"matmul_flops": 0, "vector_flops": 1, "saved_elements": 1}


@pytest.mark.parametrize(("spec", "power"), [("multi_head_attention", 2), ("linear_attention", 1), ("linformer_attention", 1)])
def test_efficient_attentions_are_linear_in_the_length(spec, power) -> None:
    sheet = load(spec).sheet
    assert order_of(sheet.totals["macs"], sheet).powers["n"] == power


def test_a_term_is_left_out_where_another_one_bounds_it() -> None:
    assert growth_order(n**2 * d + n * d, ["n", "d"]).terms == (n**2 * d,)
    assert set(growth_order(n**2 * h + n**2 * d, ["n", "d", "h"]).terms) == {n**2 * h, n**2 * d}
    assert growth_order(n**2 * h + n**2 * d, ["n", "d", "h"], HEADS).terms == (n**2 * d,)  # h divides d
    assert growth_order(n * d**2 / h + n * d**2, ["n", "d", "h"], HEADS).terms == (n * d**2,)


def test_rounding_and_choices_grow_as_what_they_hold() -> None:
    assert growth_order(ceiling(n / w) * w * d, ["n", "w", "d"]).terms == (n * d,)
    assert set(growth_order(Max(n, 2 * w) * d, ["n", "w", "d"]).terms) == {n * d, w * d}
    assert growth_order(Mod(n, w) * d, ["n", "w", "d"]).terms == (w * d,)


def test_what_is_never_above_a_number_is_a_constant() -> None:
    """What only the first step of decoding runs is counted times 1 - min(1, m - n): O(n d) at most."""
    assert growth_order(n * d - Min(1, w - h) * n * d, ["n", "d", "h", "w"]).terms == (n * d,)
    assert growth_order(Min(n, w) * d, ["n", "w", "d"]).terms == (Min(n, w) * d,)


def test_a_size_in_the_denominator_is_said_to_fall() -> None:
    order = growth_order(n * d**2 / h, ["n", "d", "h"])
    assert order.powers == {"n": 1, "d": 2, "h": -1}


def test_nothing_grows_in_a_constant_and_zero_has_no_order() -> None:
    assert growth_order(n - n, ["n"]).terms == ()
    assert growth_order(n - n + 5, ["n"]).bound == 1


def test_an_upper_bound_is_none_below_the_value() -> None:
    formula = ceiling(n / w) * d**2 / h - n
    values = {"n": 13, "w": 4, "d": 12, "h": 3}
    assert upper_bound(formula, values) >= formula.subs({symbol(name): value for name, value in values.items()})
