"""Stacks that hand on several tensors cost what they measure, from one layer on: what is handed through, swapped, shared or late."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import check_case
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.small_specs import write_specs

BLOCK = "title: A block\ndims: {b: batch, n: length, d: width}\n"
NET = "title: A stack\ndims: {b: batch, n: length, d: width, L: layers}\n"
TWO = "inputs: {x: [b, n, d], y: [b, n, d]}\n"
STACK = NET + TWO + "layers:\n  st: {use: block, in: [x, y], repeat: L}\n"
BOTH = STACK + "  z: {op: add, in: [st.f, st.g]}\n"
READ_LATER = STACK + "  z: {op: linear, in: st.y, out: [b, n, d]}\n  w: {op: add, in: [z, st.f]}\n"

# The block, the stack around it, and from how many layers on the formulas hold.
STACKS = {
    "a mask hides some of what the last one multiplies": (
        "inputs: {x: [b, n, d]}\nlayers:\n  f: {op: linear, out: [b, n, d]}\n",
        NET + "inputs: {x: [b, n, d]}\nlayers:\n  st: {use: block, repeat: L}\n  z: {op: hide, axes: b i j, where: j > i}\n",
        1,
    ),
    "one of two is handed through and kept by what comes later": (
        TWO + "layers:\n  f: {op: add, in: [x, y]}\noutputs: [f, y]\n",
        READ_LATER,
        1,
    ),
    "two change places, one of them made anew": (
        TWO + "layers:\n  l: {op: linear, in: y, out: [b, n, d]}\n  f: {op: add, in: [x, l]}\noutputs: [y, f]\n",
        STACK + "  z: {op: add, in: [st.y, st.f]}\n",
        1,
    ),
    "both are parts of one tensor": (
        TWO + "layers:\n  a: {op: mul, in: [x, y]}\n  w: {op: linear, out: [b, n, 2*d]}\n"
        "  s: {op: split, axis: 2, into: 2, names: [f, g]}\n"
        "outputs: [s.f, s.g]\n",
        STACK + "  z: {op: mul, in: [st.s_f, st.s_g]}\n",
        1,
    ),
    "the first lies in memory as no other": (
        TWO + "layers:\n  l: {op: linear, in: x, out: [b, n, d]}\n  f: {op: mul, in: [l, y]}\n"
        "  g: {op: activation, kind: gelu}\noutputs: [f, g]\n",
        NET + "inputs: {x: [b, n, d], o: [1, 1, d]}\nlayers:\n  y: {op: expand, in: o, out: [b, n, d]}\n"
        "  st: {use: block, in: [x, y], repeat: L}\n  z: {op: mul, in: [st.f, st.g]}\n",
        1,
    ),
    "gradients reach one after the other": (
        TWO + "layers:\n  g: {op: linear, in: x, out: [b, n, d]}\n  f: {op: mul, in: [x, y]}\noutputs: [f, g]\n",
        BOTH.replace("x: [b, n, d], y: [b, n, d]", "x: {shape: [b, n, d], grad: false}, y: {shape: [b, n, d], grad: false}"),
        2,
    ),
    "a slot": (
        "inputs: {x: [b, n, d]}\nslots: {inner: {use: mlp, with: {f: 2*d}, is: stacked}}\nlayers:\n  st: {slot: inner, repeat: 3}\n",
        NET + "inputs: {x: [b, n, d]}\nlayers:\n  y: {use: block, repeat: L}\n",
        1,
    ),
}  # fmt: skip


def library(folder: Path, block: str, net: str) -> Library:
    return Library([write_specs(folder / "mine", block=BLOCK + block, net=net)])


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_costs_what_it_measures_from_its_least_number_of_layers_on(tmp_path: Path, name: str) -> None:
    block, net, least = STACKS[name]
    with Workbench(library(tmp_path, block, net)) as bench:
        conditions = [c.condition for c in bench.compiled("net").sheet.constraints]
        for layers in (1, 2, 3, 4, 7):
            sizes = {"b": 3, "n": 5, "d": 4, "L": layers}
            assert all(evaluate(condition, sizes) for condition in conditions) == (layers >= least)
            if layers >= least:
                case = check_case(bench, "net", sizes)
                assert [check for check in case.checks if not check.equal] == []


def test_layers_that_never_come_to_rest_are_refused_for_any_number_and_counted_for_some(tmp_path: Path) -> None:
    swap = TWO + "layers:\n  l: {op: linear, in: y, out: [b, n, d]}\n  f: {op: add, in: [x, l]}\noutputs: [y, f]\n"
    net = (
        NET + "inputs: {x: [b, n, d], p: [b, d, n]}\nlayers:\n  y: {op: rearrange, in: p, to: b d n -> b n d}\n"
        "  st: {use: block, in: [x, y], repeat: L}\n  z: {op: add, in: [st.y, st.f]}\n"
    )
    with pytest.raises(ProblemsError) as raised:
        compile_spec(library(tmp_path, swap, net), "net")
    assert "the costs of `block` cannot be written as one formula" in str(raised.value)
    assert "write a number of runs, such as `repeat: 6`" in str(raised.value)
    for layers in (1, 2, 5):
        with Workbench(
            library(tmp_path / str(layers), swap, net.replace("repeat: L", f"repeat: {layers}").replace(", L: layers", ""))
        ) as bench:
            case = check_case(bench, "net", {"b": 3, "n": 5, "d": 4})
            assert [check for check in case.checks if not check.equal] == []


def test_a_result_that_the_last_layer_works_out_for_nothing_is_refused(tmp_path: Path) -> None:
    block = TWO + "layers:\n  f: {op: add, in: [x, y]}\n  g: {op: linear, in: f, out: [b, n, d]}\noutputs: [f, g]\n"
    with pytest.raises(ProblemsError) as raised:
        compile_spec(library(tmp_path, block, STACK + "outputs: st.f\n"), "net")
    assert "nothing reads `st.g`, which the last layer computes" in str(raised.value)


def test_a_result_for_which_alone_a_block_works_is_refused_and_one_on_the_way_is_not(tmp_path: Path) -> None:
    once = STACK.replace(", repeat: L", "").replace(", L: layers", "") + "outputs: st."
    block = TWO + "layers:\n  f: {op: add, in: [x, y]}\n  g: {op: linear, in: f, out: [b, n, d]}\noutputs: [f, g]\n"
    with pytest.raises(ProblemsError) as raised:
        compile_spec(library(tmp_path, block, once + "f\n"), "net")
    assert "`block` computes `g` for `st.g` alone, which nothing reads" in str(raised.value)
    assert compile_spec(library(tmp_path / "other", block, once + "g\n"), "net").sheet.outputs
