"""Examples for sizes that nobody published."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Eq, Ge, Mod

from generator.formulas.evaluate import evaluate
from generator.sheet.example import NoExampleError, example_sizes
from generator.sheet.sheet import Constraint, Sheet
from tests.render.workbook.sheets import L, b, d, encoder, h, n, without_presets


def constrained(*conditions: Constraint) -> Sheet:
    return replace(without_presets(), constraints=conditions)


def test_sizes_beside_published_ones_are_one_batch_and_common_lengths() -> None:
    sheet = encoder()
    published = dict(sheet.presets[0].sizes)
    assert example_sizes(sheet, published) == {"b": 1}
    del published["n"]
    assert example_sizes(sheet, published) == {"b": 1, "n": 128}


def test_of_rounds_there_are_few() -> None:
    sheet = encoder()
    published = {name: value for name, value in sheet.presets[0].sizes.items() if name != "n"}
    hashed = replace(sheet, sizes=tuple(replace(size, meaning="rounds of hashing") if size.name == "n" else size for size in sheet.sizes))
    assert example_sizes(hashed, published) == {"b": 1, "n": 2}


def test_without_presets_all_sizes_are_small_different_and_satisfy_the_conditions() -> None:
    found = example_sizes(without_presets(), {})
    assert set(found) == {"b", "n", "d", "h", "L", "N", "R", "C", "d1"}
    different = [value for name, value in found.items() if name != "b"]
    assert len(set(different)) == len(different)
    assert max(found.values()) <= 64
    assert found["d"] % found["h"] == 0
    assert found["n"] <= found["N"]


def test_numbers_that_a_condition_names_are_found() -> None:
    sheet = constrained(
        Constraint("d == 197*h", Eq(d, 197 * h)), Constraint("L >= 1000", Ge(L, 1000)), Constraint("d % h == 0", Eq(Mod(d, h), 0))
    )
    found = example_sizes(sheet, {})
    assert all(evaluate(constraint.condition, found) for constraint in sheet.constraints)


def test_conditions_that_cannot_be_met_are_named() -> None:
    with pytest.raises(NoExampleError, match="b > 7"):
        example_sizes(constrained(Constraint("b > 7", b > 7), Constraint("b < 7", b < 7)), {})


@pytest.mark.parametrize(
    ("conditions", "name", "value"),
    [
        ((Eq(Mod(b, 8), 0),), "b", 8),
        ((b > 700,), "b", 701),
        ((Eq(Mod(b, 17), 5), Eq(Mod(b, 19), 7)), "b", 311),
        ((Eq(Mod(3 * b + 1, 1000), 0),), "b", 333),
        ((Eq(Mod(1001, b), 0), b > 100), "b", 143),
        ((Eq(b, 7 * n), n > 1), "b", 14),
    ],
)
def test_a_batch_that_conditions_ask_for_is_found_although_there_are_few_in_use(conditions, name: str, value: int) -> None:
    assert example_sizes(constrained(*(Constraint(str(one), one) for one in conditions)), {})[name] == value


def test_the_same_sheet_gives_the_same_examples() -> None:
    assert example_sizes(without_presets(), {}) == example_sizes(without_presets(), {})
