"""No gradient flows through an index, a comparison or a shape: what is derived of the backward pass is what is measured around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench
from generator.proof.verify.peaks import compare_peaks
from generator.proof.verify.verification import check_case
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.small_specs import write_specs

DIMS = "title: A model\ndims: {b: batch, n: length, d: width, L: {is: layers, default: 3}}\n"
X = DIMS + "inputs: {x: [b, n, d]}\nlayers:\n"
Y = "  y: {op: linear, out: [b, n, d]}\n"
BY_INDEX = "  z: {op: gather, in: [x, picked], axis: 1}\n"
BLOCK = "title: A block\ndims: {b: batch, n: length, d: width}\n"
TWO = BLOCK + "inputs: {x: [b, n, d], y: [b, n, d]}\nlayers:\n"
CELL = "title: A cell\ndims: {b: batch, d: width}\ninputs: {x: [b, d], y: [b, d]}\nlayers:\n"
ROWS_OF_X = "  a: {op: linear, in: x, out: [b, n, d]}\n"
ROWS_OF_Y = "  l: {op: linear, in: y, out: [b, n, d]}\n"

# The model, the block that it uses, and from how many layers on its formulas hold.
FLOWS = {
    "argmax": (X + Y + "  a: {op: argmax, over: 2}\n  s: {op: scale, in: x, by: 2}\noutputs: [a, s]\n", "", 1),
    "an index that picks": (X + "  y: {op: linear, out: [b, n, 1]}\n  picked: {op: argmax, over: 2}\n" + BY_INDEX, "", 1),
    "the places of top_k": (
        X + "  y: {op: linear, out: [b, n, 2]}\n  t: {op: top_k, k: 2, over: 1}\n"
        "  picked: {op: rearrange, in: t.indices, to: b k j -> b (k j)}\n" + BY_INDEX,
        "",
        1,
    ),
    "the values of top_k": (X + Y + "  t: {op: top_k, k: 2, over: 1}\noutputs: [t.values]\n", "", 1),
    "buckets": (
        X + Y + "  h: {op: rearrange, to: b n d -> b 1 n d}\n  k: {op: lsh_buckets, rounds: 2, buckets: 4}\n  o: {op: argsort}\n"
        "  s: {op: scale, in: x, by: 2}\noutputs: [o, s]\n",
        "",
        1,
    ),
    "read for its shape": (X + Y + "  p: {op: positional, kind: learned, length: 64}\n", "", 1),
    "also read for its values": (X + Y + "  a: {op: argmax, over: 2}\n  s: {op: softmax, in: y}\noutputs: [a, s]\n", "", 1),
    "kept by what is idle first and by something else later": (
        X + Y + "  e: {op: activation, kind: gelu}\n  a: {op: argmax, over: 2}\n"
        "  z: {op: linear, in: y, out: [b, n, d]}\noutputs: [a, z]\n",
        "",
        1,
    ),
    "one part of several": (
        X + "  y: {op: linear, out: [b, n, 2*d]}\n  s: {op: split, into: 2, names: [f, g]}\n"
        "  a: {op: argmax, in: s.f}\noutputs: [a, s.g]\n",
        "",
        1,
    ),
    "a block of which only an index leaves": (
        X + "  u: {use: block}\n  s: {op: scale, in: x, by: 2}\noutputs: [u, s]\n",
        BLOCK + "inputs: {x: [b, n, d]}\nlayers:\n" + ROWS_OF_X + "  i: {op: argmax, over: 2}\n",
        1,
    ),
    "a slot of which only an index is read": (
        X + "  u: {slot: inner}\n  i: {op: argmax, in: u, over: 2}\n  s: {op: scale, in: x, by: 2}\noutputs: [i, s]\n"
        "slots: {inner: {use: block, is: a block}}\n",
        BLOCK + "inputs: {x: [b, n, d]}\nlayers:\n" + ROWS_OF_X + "  e: {op: activation, kind: gelu}\n",
        1,
    ),
    "a stack of which only an index is read": (
        X + "  u: {use: block, repeat: L}\n  i: {op: argmax, over: 2}\n  s: {op: scale, in: x, by: 2}\noutputs: [i, s]\n",
        BLOCK + "inputs: {x: [b, n, d]}\nlayers:\n" + ROWS_OF_X + "  e: {op: activation, kind: gelu}\n",
        1,
    ),
    "the last layer alone works for an index": (
        DIMS + "inputs: {x: [b, n, d], y: [b, n, d]}\nlayers:\n  u: {use: block, in: [x, y], repeat: L}\n"
        "  i: {op: argmax, in: u.l, over: 2}\n  z: {op: scale, in: u.f, by: 2}\noutputs: [i, z]\n",
        TWO + ROWS_OF_X + ROWS_OF_Y + "  f: {op: mul, in: [a, y]}\noutputs: [f, l]\n",
        2,
    ),
    "one of two results of each layer works for an index at last": (
        DIMS + "inputs: {x: [b, n, d], y: [b, n, d]}\nlayers:\n  u: {use: block, in: [x, y], repeat: L}\n"
        "  i: {op: argmax, in: u.l, over: 2}\n  z: {op: scale, in: u.a, by: 2}\noutputs: [i, z]\n",
        TWO + ROWS_OF_X + ROWS_OF_Y + "outputs: [a, l]\n",
        1,
    ),
    "two of three results are late": (
        DIMS + "inputs: {x: [b, n, d], y: [b, n, d], w: [b, n, d]}\nlayers:\n  u: {use: block, in: [x, y, w], repeat: L}\n"
        "  i: {op: argmax, in: u.l, over: 2}\n  j: {op: argmax, in: u.g, over: 2}\n  z: {op: scale, in: u.f, by: 2}\noutputs: [i, j, z]\n",
        BLOCK + "inputs: {x: [b, n, d], y: [b, n, d], w: [b, n, d]}\nlayers:\n  f: {op: mul, in: [x, y]}\n" + ROWS_OF_Y.replace("l:", "q:")
        + "  l: {op: mul, in: [q, w]}\n  g: {op: linear, in: w, out: [b, n, d]}\noutputs: [f, l, g]\n",
        3,
    ),
    "the last step of a recurrence works for a state that nothing reads": (
        X + "  u: {scan: n, use: block, in: x, carry: {y: [b, d]}}\n  s: {op: scale, in: u.steps, by: 2}\n",
        CELL + "  f: {op: mul, in: [x, y]}\n  k: {op: linear, in: x, out: [b, d]}\n  g: {op: add, in: [y, k]}\noutputs: [f, g]\n",
        1,
    ),
    "a stack inside of a stack": (
        DIMS + "inputs: {x: [b, n, d], y: [b, n, d]}\nlayers:\n  u: {use: outer, in: [x, y], repeat: L}\n"
        "  i: {op: argmax, in: u.u_l, over: 2}\n  z: {op: scale, in: u.u_f, by: 2}\noutputs: [i, z]\n",
        TWO + ROWS_OF_X + ROWS_OF_Y + "  f: {op: mul, in: [a, y]}\noutputs: [f, l]\n",
        2,
    ),
}  # fmt: skip
OUTER = (
    TWO.replace("d: width}", "d: width, M: {is: inner layers, default: 2}}")
    + "  u: {use: block, in: [x, y], repeat: M}\noutputs: [u.f, u.l]\n"
)
LAYERS = (1, 2, 3, 7)


@pytest.fixture(params=FLOWS)
def flow(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Library, int]:
    model, block, least = FLOWS[request.param]
    blocks = {"block": block, "outer": OUTER} if block else {}
    return request.param, Library([write_specs(tmp_path / "mine", model=model, **blocks)]), least


def test_what_is_measured_around_the_backward_pass_is_what_is_derived(flow: tuple[str, Library, int]) -> None:
    _, library, least = flow
    with Workbench(library) as bench:
        conditions = [c.condition for c in bench.compiled("model").sheet.constraints]
        for layers in LAYERS:
            sizes = {"b": 3, "n": 5, "d": 4, "L": layers}
            assert all(evaluate(condition, sizes) for condition in conditions) == (layers >= least)
            if layers >= least:
                case = check_case(bench, "model", sizes)
                assert [check for check in case.checks if not check.equal] == []


def test_the_peak_with_what_has_no_gradient_is_the_measured_one(flow: tuple[str, Library, int]) -> None:
    _, library, least = flow
    with Workbench(library) as bench:
        for layers in LAYERS[:3]:
            if layers >= least:
                peak = compare_peaks(bench, "model", {"b": 3, "n": 5, "d": 4, "L": layers})
                assert peak.is_exact, peak


TURNS = TWO + "  l: {op: linear, in: x, out: [b, n, d]}\n  e: {op: activation, kind: gelu}\noutputs: [y, e]\n"
TAKING_TURNS = (
    DIMS + "inputs: {x: [b, n, d], y: [b, n, d]}\nlayers:\n  u: {use: block, in: [x, y], repeat: L}\n"
    "  i: {op: argmax, in: u.e, over: 2}\n  s: {op: scale, in: u.y, by: 2}\noutputs: [i, s]\n"
)  # fmt: skip


def test_layers_that_take_turns_in_having_a_gradient_need_a_number(tmp_path: Path) -> None:
    with pytest.raises(ProblemsError) as raised:
        compile_spec(Library([write_specs(tmp_path, block=TURNS, model=TAKING_TURNS)]), "model")
    assert "the costs of `block` cannot be written as one formula" in str(raised.value)
    assert "in which of its results get a gradient" in str(raised.value)


@pytest.mark.parametrize("layers", [1, 2, 9, 10])
def test_a_number_of_layers_that_take_turns_is_measured_as_derived(tmp_path: Path, layers: int) -> None:
    model = TAKING_TURNS.replace("repeat: L", f"repeat: {layers}").replace(", L: {is: layers, default: 3}", "")
    with Workbench(Library([write_specs(tmp_path, block=TURNS, model=model)])) as bench:
        case = check_case(bench, "model", {"b": 3, "n": 5, "d": 4})
        assert [check for check in case.checks if not check.equal] == []
