"""Claims that would hold whatever they say are mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sheet.claims.claim_specs import claims, problems

EXCEEDS = "of: macs, row: attended, exceeds: {row: up}"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (f"{{{EXCEEDS}, where: n < f, once: n > f}}", "`once: n > f` never holds where `n < f`"),
        (f"{{{EXCEEDS}, where: [n < d, d < f], once: n > f}}", "`once: n > f` never holds where `n < d` and `d < f`"),
        (f"{{{EXCEEDS}, given: {{f: 4*d}}, where: n <= 2*d, once: n > f}}", "`once: n > f` never holds where `n <= 2*d`"),
        (f"{{{EXCEEDS}, where: n > 9, once: 5 > n}}", "`once: 5 > n` never holds where `n > 9`"),
    ],
)
def test_a_point_that_is_never_passed_is_refused(claim: str, message: str, tmp_path: Path) -> None:
    assert [found[:2] for found in problems(tmp_path, claim)] == [(1, message)]


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("given: {d: 1/2}", "`d` cannot be given as 1/2: sizes are whole numbers of at least 1"),
        ("given: {d: h/24}, preset: base", "`d` cannot be given as h/24: sizes are whole numbers of at least 1"),
        ("given: {d: -1}", "`d` cannot be given as -1: sizes are whole numbers of at least 1"),
        ("given: {f: d - n}, where: d < n", "no sizes meet `d < n` and `d - n >= 1`, which this claim assumes"),
        ("where: [n < d, d < f, f < n]", "no sizes meet `d > n`, `d < f` and `f < n`, which this claim assumes"),
    ],
)
def test_a_claim_about_sizes_that_cannot_be_is_refused(claim: str, message: str, tmp_path: Path) -> None:
    assert [found[:2] for found in problems(tmp_path, f"{{of: params, equals: 1, {claim}}}")] == [(1, message)]


def test_an_order_in_which_nothing_grows_is_refused(tmp_path: Path) -> None:
    [found] = problems(tmp_path, '{of: params, order: "0"}')
    assert found == (1, "the order 0 names no size, so nothing grows", ("name the sizes that grow under `in`",))


def test_conditions_that_leave_some_sizes_are_accepted(tmp_path: Path) -> None:
    lines = [
        "{of: params, row: normed, equals: 2*d, given: {f: d - n}, where: n < d}",
        "{of: params, row: normed, equals: 2*d, where: [n < d, d < f, f < 2*n]}",
        "{of: params, row: normed, equals: n, given: {d: n/2}}",
        "{of: macs, row: attended, given: {f: 4*d}, where: n > d, exceeds: {row: [up, down]}, once: n > 2*d}",
        "{of: macs, row: attended, given: {f: 4*d}, where: n > 2*d, exceeds: {row: [up, down]}, once: n > 2*d}",
    ]
    assert [claim.verdict for claim in claims(tmp_path, *lines)] == ["equal", "equal", "equal", "holds", "holds"]
