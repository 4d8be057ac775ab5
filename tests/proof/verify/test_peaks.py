"""The simulated peak of a forward and backward pass, against arithmetic on paper and against what is measured."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.formulas.evaluate import evaluate
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.passes import pass_checks
from generator.proof.verify.peaks import compare_peaks
from generator.proof.verify.sample_sizes import sample
from generator.proof.verify.variants import byte_checks
from generator.sheet.pass_peak import Pass
from generator.spec.library import Library, spec_files
from generator.trace.diary import RUNS
from generator.trace.peak_moments import ReplayStep
from tests.support.builtin import builtin_library, ops_library
from tests.support.small_specs import write_specs

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ops"
OF_OPS = sorted(file.stem for file in spec_files(FIXTURES))
FEW = [
    "mlp",
    "gated_mlp",
    "multi_head_attention",
    "causal_attention",
    "pre_norm_block",
    "rnn",
    "rms_norm",
    "performer_attention",
    "mixture_of_experts",
    "llama",
]
TWO_LAYERS = """\
title: Two layers
dims: {b: rows, k: width in, f: inner width}
inputs: {x: [b, k]}
layers:
  up:   {op: linear, out: [b, f]}
  bent: {op: activation, kind: relu}
  down: {op: linear, out: [b, k]}
"""
STACK = """\
title: A stack of them
dims: {b: rows, k: width in, f: inner width, L: layers}
inputs: {x: [b, k]}
layers:
  y: {use: two_layers, repeat: L}
"""
CELL = """\
title: A cell
dims: {b: rows, k: width}
inputs: {x: [b, k], h: [b, k]}
layers:
  a: {op: linear, in: x, out: [b, k]}
  c: {op: linear, in: h, out: [b, k]}
  s: {op: add, in: [a, c]}
  y: {op: activation, kind: tanh}
"""
REDUCED = """\
title: A recurrence of which one number in each row goes on
dims: {b: rows, k: width, L: steps}
inputs: {x: [b, L, k]}
layers:
  y: {use: adding, scan: L, carry: {h: [b, k]}}
  m: {op: max, over: 1}
"""
ADDING = """\
title: A cell that adds up
dims: {b: rows, k: width}
inputs: {x: [b, k], h: [b, k]}
layers:
  a: {op: linear, in: x, out: [b, k]}
  y: {op: add, in: [h, a]}
"""
FADING = """\
title: A cell that takes in some of what it has
dims: {b: rows, k: width}
inputs: {x: [b, k], h: [b, k], g: [b, k]}
layers:
  y:     {op: mul, in: [x, h]}
  share: {op: activation, in: x, kind: sigmoid}
  kept:  {op: mul, in: [share, h]}
  h_new: {op: add, in: [kept, g]}
  g_new: {op: sub, in: [g, kept]}
outputs: [y, h_new, g_new]
"""
LEFT = """\
title: A recurrence whose last states nothing reads, and whose step still keeps what they were made of
dims: {b: rows, k: width, L: steps}
inputs: {x: [b, L, k]}
layers:
  said: {use: fading, scan: L, carry: {h: [b, k], g: [b, k]}}
  y: {op: linear, in: said.steps, out: [b, L, k]}
"""
RECURRENCE = """\
title: A recurrence of it
dims: {b: rows, k: width, L: steps}
inputs: {x: [b, L, k]}
layers:
  y: {use: cell, scan: L, carry: {h: [b, k]}}
"""


ROWS = {  # whose derivative is the highest point of a spec of one row
    "one bound": "y: {op: clamp, in: x, low: 0}",
    "two bounds": "y: {op: clamp, in: x, low: 0, high: 1}",
    "choice": "y: {op: where, in: [mask, x, x]}",
    "unit length": "y: {op: l2_normalise, in: x, over: n}",
    "one tensor read three times": "y: {op: mul, in: [x, x, x]}",
    "nothing moved": "y: {op: rearrange, in: x, to: b n -> b n}",
    "all rows of a table": "t: {op: positional, in: image, kind: learned, length: b}\n  y: {op: add, in: [image, t]}",
    "running sum along an axis of one": "y: {op: cumsum, in: column, over: 1}",
    "sum over an axis of one": "y: {op: sum, in: column, over: [-1]}",
    "sum over the first of the axes of one": "y: {op: sum, in: row, over: [0]}",
    "sum over an axis of one and another": "y: {op: sum, in: column, over: [0, 1]}",
    "sum over the first axis of products": "wide: {op: linear, in: two, out: [2, b, 3]}\n  y: {op: sum, over: [0]}",
    "sum over the axis between of products": "wide: {op: linear, in: two, out: [2, b, 3]}\n  y: {op: sum, over: [1]}",
    "sum over both axes of products": "wide: {op: linear, in: two, out: [2, b, 3]}\n  y: {op: sum, over: [0, 1]}",
    "spectrum along the first axis": "y: {op: fft, in: x, over: 0}",
    "spectrum of a spectrum": "y: {op: fft, in: pairs, over: 0, complex: true}",
    "numbers of half a spectrum": "y: {op: fft, in: pairs, kind: irfft, over: 0}",
    "half a spectrum of two, which is whole": "y: {op: fft, in: two, kind: rfft, over: 0}",
    "back from half a spectrum that lies otherwise": (
        "t: {op: rearrange, in: two, to: i b n -> i n b}\n  f: {op: fft, kind: rfft, over: [1, 0]}\n"
        "  bent: {op: activation, kind: tanh}\n  g: {op: fft, kind: irfft, over: 2}\n  y: {op: activation, kind: gelu}"
    ),
    "stacked along the last axis": "y: {op: stack, in: [x, x], axis: 2}",
    "bent by what is several kernels on meta tensors": "y: {op: activation, in: x, kind: mish}",
    "weight of a norm of one row": "y: {op: rms_norm, in: row}",
    "bias of one row": "t: {op: parameter, out: [n]}\n  y: {op: add, in: [row, t]}",
    "slopes of what needs no gradient": "y: {op: prelu, channels: true, in: data}",
    "slopes of channels": "y: {op: prelu, channels: true, in: x}",
    # its gradient is a part of that of all rows, which it keeps alive while the other branch goes back
    "weight put before rows": (
        "up: {op: linear, in: x, out: [b, 8*n]}\n  down: {op: linear, out: [b, n]}\n  w: {op: parameter, out: [3, n]}\n"
        "  joined: {op: concat, axis: 0, in: [w, down, down]}\n  bent: {op: activation, kind: gelu}\n  y: {op: activation, kind: gelu}"
    ),
    "weight put before one row": "w: {op: parameter, out: [1, 3]}\n  y: {op: concat, axis: 1, in: [w, row, row]}",
    "places of an image": "y: {op: grid_sample, in: [image, places]}",
}
ALONE = """\
title: One row
dims: {{b: rows, n: columns}}
inputs:
  x: [b, n]
  column: [b, 1]
  row: [1, n]
  two: [2, b, n]
  pairs: [b, n, 2]
  image: [2, 3, b, n]
  places: {{shape: [2, n, b, 2], grad: false}}
  mask: {{shape: [b, n], dtype: bool}}
  data: {{shape: [2, b, n], grad: false}}
layers:
  {rows}
"""


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


@pytest.fixture(scope="module")
def ops_bench() -> Iterator[Workbench]:
    with Workbench(ops_library()) as bench:
        yield bench


def test_two_layers_by_hand(tmp_path: Path) -> None:
    with Workbench(Library([write_specs(tmp_path, two_layers=TWO_LAYERS)])) as bench:
        peak = compare_peaks(bench, "two_layers", {"b": 3, "k": 4, "f": 8})
    # x 12, the output of relu 24, the output 12 (the module's local variables, relu's input among them, are gone)
    assert peak.forward_predicted == 4 * 48
    # then the gradients of the output 12, of relu's output 24 and of its input 24
    assert peak.peak_predicted == 4 * 108
    assert peak.is_exact
    assert (peak.at, peak.step) == ("threshold_backward", ReplayStep(is_backward=True, row="bent", place=()))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", FEW)
def test_memory_is_at_each_moment_what_the_replay_says(bench: Workbench, name: str, dtype: str) -> None:
    sizes = sample(bench.compiled(name).sheet, random.Random(name))
    peak = compare_peaks(bench, name, sizes, dtype=dtype)
    assert peak.has_same_course, peak
    assert peak.step.is_backward == peak.in_backward


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_a_derivative_allocates_at_each_moment_what_the_replay_says(tmp_path: Path, rows: str) -> None:
    with Workbench(Library([write_specs(tmp_path, alone=ALONE.format(rows=rows))])) as bench:
        sizes = {"b": 6, "n": 7}
        peak = compare_peaks(bench, "alone", sizes)
        assert peak.has_same_course, peak
        checks = byte_checks(Instance.of(bench, "alone", sizes))  # with gradients as they are declared
        assert [check for check in checks if not check.equal] == []


@pytest.mark.parametrize("name", ["stack", "recurrence", "reduced"])
def test_one_formula_holds_for_any_number_of_runs(tmp_path: Path, name: str) -> None:
    folder = write_specs(tmp_path, stack=STACK, recurrence=RECURRENCE, reduced=REDUCED, adding=ADDING, two_layers=TWO_LAYERS, cell=CELL)
    with Workbench(Library([folder])) as bench:
        replay, formula = bench.compiled(name).sheet.peak, bench.compiled(name).sheet.peak_bytes("float32")
        for runs in (1, 2, 3, 4, 7, 12, 30) if name == "stack" else (2, 3, 4, 7, 12, 30):  # steps are an axis, and axes of one are apart
            sizes = {"b": 2, "k": 8, "f": 8, "L": runs}
            peak = compare_peaks(bench, name, {size.name: sizes[size.name] for size in bench.compiled(name).sheet.sizes})
            assert (replay.bytes_at("float32", sizes), peak.is_exact) == (peak.peak_measured, True)
            assert runs < RUNS or evaluate(formula, sizes) == peak.peak_measured


@pytest.mark.parametrize("steps", [5, 8])
def test_last_states_that_nothing_reads_stay_with_what_they_were_made_of(tmp_path: Path, steps: int) -> None:
    with Workbench(Library([write_specs(tmp_path, left=LEFT, fading=FADING)])) as bench:
        peak = compare_peaks(bench, "left", {"b": 3, "k": 4, "L": steps})
    assert peak.has_same_course


@pytest.mark.parametrize("which", [pytest.param(0, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", OF_OPS)
def test_the_peak_of_every_op_is_the_measured_one_in_both_formats(ops_bench: Workbench, name: str, which: int) -> None:
    rng = random.Random(name)
    drawn = [sample(ops_bench.compiled(name).sheet, rng) for _ in range(which + 1)]
    instance = Instance.of(ops_bench, name, drawn[which])
    peaks = [check for check in byte_checks(instance) if check.quantity.startswith("peak_bytes")]
    assert {check.quantity for check in peaks} == {"peak_bytes, float32", "peak_bytes, bfloat16"}
    assert [check for check in peaks if not check.equal] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_OPS)
def test_the_peaks_without_gradients_and_with_those_of_weights_are_the_measured_ones_for_every_op(ops_bench: Workbench, name: str) -> None:
    instance = Instance.of(ops_bench, name, sample(ops_bench.compiled(name).sheet, random.Random(name)))
    peaks = [*pass_checks(instance, (Pass.FORWARD, Pass.GRADIENTS))]
    assert "step_peak_bytes, bfloat16" in {check.quantity for check in peaks}
    assert [check for check in peaks if not check.equal] == []


FEW_TOKENS: dict[str, list[dict[str, int]]] = {  # of which some experts get none
    "mixture_of_experts": [
        {"b": 1, "n": 1, "d": 8, "f": 16, "E": 4, "k": 2},
        {"b": 1, "n": 1, "d": 32, "f": 16, "E": 7, "k": 2},
        {"b": 1, "n": 3, "d": 8, "f": 64, "E": 16, "k": 2},
    ],
    "mixtral": [{"b": 1, "n": 1, "m": 5, "d": 16, "L": 2, "h": 4, "g": 2, "e": 4, "f": 24, "V": 32, "P": 8, "E": 4, "k": 2}],
    "gpt_oss": [{"b": 1, "n": 1, "m": 5, "d": 16, "L": 4, "h": 4, "f": 24, "V": 32, "P": 8, "g": 2, "e": 4, "w": 3, "E": 4, "k": 2}],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW_TOKENS)
def test_the_peak_is_the_measured_one_where_some_experts_get_no_token(name: str) -> None:
    with Workbench(builtin_library()) as bench:
        for sizes in FEW_TOKENS[name]:
            checks = [*pass_checks(Instance.of(bench, name, sizes), (Pass.FORWARD,))]
            assert [check.quantity for check in checks] == ["forward_peak_bytes, float32", "forward_peak_bytes, bfloat16"]
            assert [check for check in checks if not check.equal] == []


@pytest.mark.slow
def test_the_formula_does_not_depend_on_the_order_of_hashes() -> None:
    program = "from generator import load; print(load('mistral').sheet.peak_bytes('float32'))"
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("5", "6")
    }
    assert len(said) == 1
