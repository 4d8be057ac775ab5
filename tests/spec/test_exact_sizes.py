"""Sizes with logarithms and roots: a module works them out exactly, or they are refused where they stand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from generator.api import SizeError, load
from generator.build.builder import Request, build
from generator.render.module.view import ModuleSet
from generator.render.module.writer import render_module
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.spec.lookup import collect
from tests.support.bad_specs import errors, told
from tests.support.small_specs import write_specs

SPEC = (
    "title: Sizes\ndims:\n  b: batch\n  n: length\n  e: {{is: width, value: {}}}\ninputs: {{x: [b, n]}}\n"
    "layers:\n  y: {{op: linear, out: [b, {}]}}\n"
)
EXACT = {
    "log2(max(n - 3, 1))": lambda n: round(math.log2(max(n - 3, 1))) if max(n - 3, 1).bit_count() == 1 else 0,
    "sqrt(max(n - 3, 0))": lambda n: math.isqrt(max(n - 3, 0)) if math.isqrt(max(n - 3, 0)) ** 2 == max(n - 3, 0) else 0,
    "floor(sqrt(max(n - 3, 0))/2)": lambda n: math.isqrt(max(n - 3, 0)) // 2,
    "sqrt(n)": lambda n: math.isqrt(n) if math.isqrt(n) ** 2 == n else 0,
    "floor(log2(n)/2)": lambda n: (n.bit_length() - 1) // 2,
    "ceil(sqrt(n))": lambda n: math.isqrt(n - 1) + 1,
}
INEXACT = {
    "sqrt(n) - 2": "`sqrt(n)` in ",
    "2*log2(n)": "`log2(n)` in ",
    "floor(2*log2(n))": "`log2(n)` in ",  # at n = 3 it is 3, and twice the whole part is 2
    "n // log2(n + 1)": "`log2(n + 1)` in ",
    "floor(sqrt(n) + 1/2)": "`sqrt(n)` in ",
    "log2(n/4)": "",
    "n**0.25": "",
    "sqrt(log2(n))": "",
    "min(n, sqrt(n))": "`sqrt(n)` in ",
}


@pytest.mark.slow
@pytest.mark.parametrize("value", EXACT)
def test_a_size_with_a_logarithm_or_root_is_built_and_comes_out_whole(value: str, folder: Path) -> None:
    write_specs(folder / "own", sized=SPEC.format(f'"{value}"', "e"))
    assert not build(Request(collect([folder / "own"]), folder / "out")).failed
    for n in range(1, 40):
        expected = EXACT[value](n)
        if expected:
            assert load(folder / "own/sized.yaml").cost(n=n, b=1).params == n * expected + expected
        else:
            with pytest.raises(SizeError, match=r"these sizes break `.*`"):
                load(folder / "own/sized.yaml").cost(n=n, b=1).params  # noqa: B018  it is worked out when it is read


@pytest.mark.parametrize(("value", "part"), INEXACT.items())
def test_a_size_that_no_module_could_work_out_is_refused_where_it_stands(value: str, part: str, folder: Path) -> None:
    message, place, notes = told(folder, SPEC.format(f'"{value}"', "e"))
    assert message == f"size `e`: a module cannot work out {part}`{value}` exactly"
    assert place.startswith('"')
    assert "give it a size of its own" in notes[1]


def test_a_root_with_a_size_of_its_own_may_stand_in_any_other(folder: Path) -> None:
    spec = SPEC.format("sqrt(n)", "r").replace("inputs", "  r: {is: more, value: 2*e + 3}\ninputs", 1)
    assert not errors(folder, spec)
    library = Library([folder])
    assert "2 * e + 3" in render_module(compile_spec(library, "mine"), ModuleSet(library))


def test_a_shape_is_held_to_the_same(folder: Path) -> None:
    message, place, _ = told(folder, SPEC.format("2*n", '"floor(2*log2(n))"'))
    assert message == "a module cannot work out `log2(n)` in `floor(2*log2(n))` exactly"
    assert place.startswith('"floor')


@pytest.mark.parametrize(("value", "kind", "least"), [("log2(n - 3)", "logarithm", 1), ("sqrt(n - 3)", "root", 0)])
def test_a_root_or_logarithm_of_what_may_be_too_small_is_refused(value: str, kind: str, least: int, folder: Path) -> None:
    message, place, notes = told(folder, SPEC.format(value, "e"))
    assert message == f"size `e`: the {kind} of n - 3 has no value where that is below {least}"
    assert place == value
    assert notes == [f"write max(n - 3, {least}) inside, which is never below"]


def test_sizes_without_a_value_break_the_condition_that_says_so(folder: Path) -> None:
    spec = SPEC.format("12 // (n - 3)", "e")
    write_specs(folder, quotient=spec)
    with pytest.raises(SizeError, match="these sizes break `n != 3`"):
        load(folder / "quotient.yaml").cost(n=3, b=1)
    message, _, notes = told(folder, spec + "presets:\n  low: {set: {n: 3}}\n")
    assert (message, notes) == ("preset `low` breaks `n != 3`", ["n is 3"])
