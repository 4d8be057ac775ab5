"""Sizes that are drawn to run a module with."""

from __future__ import annotations

import random

import pytest

from generator.proof.verify.sample_sizes import sample
from generator.sheet.compiled import compile_spec
from tests.support.builtin import builtin_library


@pytest.mark.parametrize("seed", range(12))
def test_sizes_are_found_where_several_defaults_are_less_than_what_is_drawn(seed: int) -> None:
    """An inverted bottleneck has a stride and a reach of 1 by default: both are drawn in the end."""
    sizes = sample(compile_spec(builtin_library(), "inverted_bottleneck").sheet, random.Random(seed))
    assert min(sizes["r"], sizes["t"]) >= 2
    assert sizes["D"] % 4 == 0
