"""Formulas at arrays in machine words, against the same in Python's integers, which have no limit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sympy import Eq, Integer, Max, Min, Mod, Ne, Piecewise, ceiling, floor, log, sqrt

from generator.formulas import in_words as choosing
from generator.formulas import word_program
from generator.formulas.evaluate import array_formula, evaluate, evaluate_scalar
from generator.formulas.in_words import ArrayFormula
from generator.formulas.symbols import symbol
from generator.formulas.whole_terms import Bounds
from generator.formulas.words import LARGEST, DoesNotFitError, planned

from .expressions import formulas, polynomials, whole_formulas

m, n, w = (symbol(name) for name in ["m", "n", "w"])
EIGHT = np.arange(1, 9)


def _one_by_one(expr: Any, sizes: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Return the values place by place, by what works out single numbers."""
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=object) for value in sizes.values()))
    found = [evaluate_scalar(expr, dict(zip(sizes, values, strict=True))) for values in zip(*(array.flat for array in arrays), strict=True)]
    result = np.empty(len(found), dtype=object)
    result[:] = found
    return result.reshape(arrays[0].shape)


def in_words(expr: Any, sizes: dict[str, Any], beyond: Any = None) -> np.ndarray[Any, Any]:
    """Return what is worked out in machine words; `beyond` takes what is not, which is an error by default."""

    def never(given: Any) -> Any:
        pytest.fail(f"{expr} at {given} is left to longer integers")

    plain = array_formula(expr)
    known = {name: value for name, value in sizes.items() if np.ndim(value) == 0}
    arrays = {name: value for name, value in sizes.items() if np.ndim(value)}
    return choosing.in_words(ArrayFormula(plain.data, plain.alone, beyond or never), known, arrays)


def plan(formulas: list[Any], known: dict[str, int], bounds: Bounds) -> Any:
    found = [array_formula(one) for one in formulas]
    return planned([one.data for one in found], known, {"m": 0}, [bounds], found[0].alone)


def _same(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    return found.shape == expected.shape and [Fraction(one) for one in found.tolist()] == [Fraction(one) for one in expected.tolist()]


# Small ones, and such that products of two to five of them come to lie on either side of 2^63.
lengths = st.one_of(st.integers(1, 40), *(st.integers(2**bits - 3, 2**bits + 3) for bits in (13, 21, 31, 32, 62, 63)))


@settings(suppress_health_check=[HealthCheck.too_slow])  # sympy builds the formulas
@given(st.one_of(formulas, whole_formulas, polynomials), st.data())
def test_random_formulas(expr: Any, data: st.DataObject) -> None:
    """Each place is what it is alone, wherever 2^63 comes to lie; and a value is a machine word if all of them are small enough."""
    used = sorted(name.name for name in expr.free_symbols)
    if not used:
        return
    count = data.draw(st.integers(1, 5))
    fixed = data.draw(st.sets(st.sampled_from(used), max_size=len(used) - 1))
    sizes = {
        name: data.draw(lengths) if name in fixed else np.array([data.draw(lengths) for _ in range(count)], dtype=object) for name in used
    }
    try:
        expected = _one_by_one(expr, sizes)
    except ValueError:
        return
    found = evaluate(expr, sizes)
    assert _same(found, expected)
    assert (found.dtype == np.int64) == all(isinstance(one, int) and abs(one) <= LARGEST for one in expected)


@given(st.one_of(formulas, whole_formulas), st.data())
def test_random_formulas_at_small_sizes(expr: Any, data: st.DataObject) -> None:
    """Here most are worked out in machine words; how many, `test_most_formulas_have_a_plan` says."""
    used = sorted(name.name for name in expr.free_symbols)
    sizes = {name: np.array(data.draw(st.lists(st.integers(1, 12), min_size=4, max_size=4))) for name in used}
    if used:
        try:
            expected = _one_by_one(expr, sizes)
        except ValueError:
            return
        assert _same(evaluate(expr, sizes), expected)


@pytest.mark.parametrize(
    "expr",
    [
        3 * n**3 * m + 2 * n * w - 5 * m**2,
        floor(n / 3) * ceiling(m / n),
        Mod(m, n) + Mod(n, 8) + Mod(5 * n, 7),
        Min(m - n, w - 1) * Max(0, m - w) ** 2,
        4 * n**2 * Min(n, w) / (2 * n**2 + 2 * n * Min(n, w)),
        n * (n + 1) / 2,
        m / n - w / (m + 1),
        Piecewise((m**2, m < 5), (n, Eq(Mod(m, 2), 0)), (w, True)),
        Piecewise((1, Ne(n, m)), (0, True)) * w,
        log(Integer(1024), 2) * n + sqrt(Integer(49)) * m,
        n**-2 + m,
    ],
)
@pytest.mark.parametrize("at", [{"m": 3, "n": EIGHT, "w": 4}, {"m": EIGHT + 2, "n": EIGHT, "w": EIGHT[::-1]}])
def test_most_formulas_have_a_plan(expr: Any, at: dict[str, Any]) -> None:
    sizes = {name.name: at[name.name] for name in expr.free_symbols}
    assert _same(in_words(expr, sizes), _one_by_one(expr, sizes))


@pytest.mark.parametrize("factor", [7, 49, 127, 649657])
def test_the_greatest_word_is_one_and_the_next_number_is_none(factor: int) -> None:
    other = LARGEST // factor
    assert other * factor == LARGEST
    assert in_words(m * n, {"m": np.array([1, factor]), "n": other}).tolist() == [other, LARGEST]
    assert in_words(-m * n, {"m": np.array([1, factor]), "n": other}).tolist() == [-other, -LARGEST]
    with pytest.raises(DoesNotFitError):
        plan([m * n + 1], {"n": other}, (1, factor))
    assert evaluate(m * n + 1, {"m": np.array([1, factor]), "n": other}).tolist() == [other + 1, 2**63]


def test_what_is_too_long_on_the_way_is_no_word() -> None:
    """m**3 - m**2*n is small, but neither of the two is."""
    sizes = {"m": np.array([2**22, 2**22 + 5]), "n": np.array([2**22 - 1, 2**22 + 3])}
    assert evaluate(m**3 - m**2 * n, sizes).tolist() == [2**44, 2 * (2**22 + 5) ** 2]


def test_only_the_parts_that_need_longer_integers_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "PART", 100)
    long = []

    def beyond(given: dict[str, Any]) -> Any:
        long.append(given["m"].tolist())
        return given["m"].astype(object) * 3

    sizes = np.arange(1, 1001) * 2**53
    found = in_words(m * 3, {"m": sizes}, beyond)
    assert [part[0] // 2**53 for part in long] == [301, 401, 501, 601, 701, 801, 901]
    assert found.tolist() == [3 * int(size) for size in sizes]


@pytest.mark.parametrize("piece", [1, 3, 8, 100])
def test_pieces_fit_together(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_program, "PIECE", piece)
    expr = Piecewise((floor(m * n / 3) + Mod(m, 4), m < w), (Min(m, w) ** 3 - n, True))
    sizes = {"m": np.arange(1, 13).reshape(3, 4), "n": np.arange(12, 0, -1).reshape(4, 3).T.reshape(3, 4), "w": 6}
    assert in_words(expr, sizes).tolist() == _one_by_one(expr, sizes).tolist()


def test_arrays_of_several_shapes_and_kinds() -> None:
    sizes = {
        "m": np.array([[1], [200]], dtype=np.uint8),
        "n": np.array([3, 4, 2**30], dtype=np.int32)[::-1],
        "w": np.array([5], dtype=object),
    }
    expr = m**2 * n + Mod(n, m + w)
    assert in_words(expr, sizes).tolist() == _one_by_one(expr, sizes).tolist()


def test_unsigned_words_that_are_no_signed_ones() -> None:
    assert evaluate(m + 1, {"m": np.array([1, 2**64 - 1], dtype=np.uint64)}).tolist() == [2, 2**64]


def test_results_are_arrays_of_their_own() -> None:
    sizes = np.arange(1, 5)
    found = evaluate(m, {"m": sizes})
    found[0] = 7
    assert sizes.tolist() == [1, 2, 3, 4]
    twice = plan([m + 1, 1 + m], {}, (1, 4)).values([sizes])
    assert [one.tolist() for one in twice] == [[2, 3, 4, 5]] * 2


def test_conditions() -> None:
    sizes = np.arange(1, 5)
    for expr, holds in [
        (m <= 4, [True] * 4),
        (m <= 2, [True, True, False, False]),
        (Eq(Mod(m, 2), 0) | (m < 2), [True, True, False, True]),
    ]:
        found = in_words(expr, {"m": sizes})
        assert found.dtype == bool
        assert found.tolist() == holds
    assert in_words(n <= m, {"m": sizes, "n": sizes}).all()  # one array: nothing is compared
