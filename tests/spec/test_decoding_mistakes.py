"""Beside a cache, a row that looks at earlier tokens must keep them: what is refused would indeed come out otherwise in steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cli import main
from generator.ops.base import Op
from generator.ops.registry import ops
from generator.proof.verify.instance import Workbench
from generator.proof.verify.stepwise import Decoding, check_decoding
from generator.proof.verify.verification import verify
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.builtin import builtin_library
from tests.support.small_specs import write_specs

HEAD = """\
title: One head and a row
dims: {b: batch size, n: new tokens, m: {is: tokens so far, default: n}, d: width, P: places}
inputs: {x: [b, n, d]}
where: [m >= n, m <= P, d % 2 == 0]
layers:
  keys: {op: cache, axis: 1, to: m}
  scores: {op: einsum, in: [x, keys], eq: "b i d, b j d -> b i j"}
  masked: {op: mask, kind: causal}
  weights: {op: softmax}
  mixed: {op: einsum, in: [weights, keys], eq: "b i j, b j d -> b i d"}
"""
TURNED = "  t: {op: rearrange, in: mixed, to: b n d -> b d n}\n"
ADDED = "  z: {op: add, in: [mixed, r]}\n"
LOOKS = "`r` looks at earlier tokens, and keeps nothing of them between decoding steps"
COUNTS = "`r` numbers the tokens of every decoding step from 0, though earlier steps have gone before"

# Rows that read `mixed`; `r` is the one at fault, `z` a result.
MIXING = {
    "a convolution": TURNED + "  r: {op: conv1d, channels: d, kernel: 3, padding: same}\n",
    "a causal convolution": TURNED + "  r: {op: conv1d, channels: d, kernel: 4, padding: 3}\n  z: {op: slice, axis: 2, size: n}\n",
    "a pool": TURNED + "  r: {op: pool, kind: max, kernel: 3, stride: 1, padding: 1}\n",
    "a running sum": "  r: {op: cumsum, in: mixed, over: 1}\n",
    "a softmax": "  r: {op: softmax, in: mixed, over: n}\n",
    "a sum of exponentials": "  r: {op: logsumexp, in: mixed, over: 1, keep: true}\n" + ADDED,
    "a mean": "  r: {op: mean, in: mixed, over: 1, keep: true}\n" + ADDED,
    "a maximum": "  r: {op: max, in: mixed, over: [1], keep: true}\n" + ADDED,
    "a length": "  r: {op: l2_normalise, in: mixed, over: 1}\n",
    "a norm over positions": TURNED + "  r: {op: group_norm, groups: 1}\n",
    "a roll": "  r: {op: roll, in: mixed, axes: [1], shifts: [1]}\n",
    "zeros in front": "  r: {op: pad, in: mixed, axis: 1, before: 1}\n  z: {op: slice, axis: 1, size: n}\n",
    "windows": "  r: {op: unfold, in: mixed, axis: 1, size: 3, step: 1, pad: [2, 0]}\n  z: {op: mean, over: 2}\n",
    "a sum by einsum": '  r: {op: einsum, in: [mixed, x], eq: "b i d, b i e -> b d e"}\n',
    "scores of new tokens alone": (
        '  own: {op: einsum, in: [mixed, mixed], eq: "b i d, b j d -> b i j"}\n  hidden: {op: mask, kind: causal}\n'
        '  r: {op: softmax}\n  z: {op: einsum, in: [r, mixed], eq: "b i j, b j d -> b i d"}\n'
    ),
    "fused attention without a cache": (
        "  q: {op: rearrange, in: mixed, to: b n d -> b 1 n d}\n  r: {op: attention, in: [q, q, q], causal: true}\n"
    ),
    "a token in front": (
        "  p: {op: parameter, out: [1, 1, d]}\n  r: {op: concat, in: [p, mixed], axis: 1}\n  z: {op: slice, axis: 1, size: n}\n"
    ),
    "the first token": "  r: {op: select, in: mixed, axis: 1, index: 0}\n",
    "the first tokens": "  r: {op: slice, in: mixed, axis: 1, size: 1}\n",
    "a roll of two axes": "  r: {op: roll, in: mixed, axes: [2, 1], shifts: [1, 1]}\n",
}  # fmt: skip
COUNTING = {
    "positions": "  r: {op: positional, in: mixed, kind: sinusoidal, length: P}\n" + ADDED,
    "rotations": "  r: {op: rotations, in: mixed, length: P}\n  z: {op: rotary, in: [mixed, r.cos, r.sin]}\n",
    "a condition on positions": (
        '  r: {op: hide, in: scores, axes: b i j, where: j > i}\n  w: {op: softmax}\n'
        '  z: {op: einsum, in: [w, keys], eq: "b i j, b j d -> b i d"}\n'
    ),
}  # fmt: skip
ALONE = {
    "a linear layer": "  z: {op: linear, in: mixed, out: [b, n, 3]}\n",
    "a function": "  z: {op: activation, in: mixed, kind: gelu}\n",
    "sums and products": "  s: {op: mul, in: [mixed, x]}\n  u: {op: scale, by: 1/d}\n  z: {op: shift, by: d}\n",
    "norms of a token": "  s: {op: layer_norm, in: mixed}\n  u: {op: rms_norm}\n  z: {op: l2_normalise}\n",
    "a batch norm": TURNED + "  z: {op: batch_norm}\n",
    "a convolution of one": TURNED + "  z: {op: conv1d, channels: 3, kernel: 1}\n",
    "the last token": "  z: {op: select, in: mixed, axis: 1, index: -1}\n",
    "the last tokens": "  z: {op: slice, in: mixed, axis: 1, start: n - 1, size: 1}\n",
    "tokens of all sequences in a row": (
        "  s: {op: rearrange, in: mixed, to: b n d -> (b n) d}\n  u: {op: linear, out: [b*n, d]}\n"
        "  z: {op: rearrange, to: (b n) d -> b n d}\n"
    ),
    "a choice and its embedding": "  s: {op: argmax, in: mixed}\n  z: {op: embedding, count: d, width: 5}\n",
    "the greatest": "  s: {op: top_k, in: mixed, k: 2}\n  z: {op: softmax, in: s.values}\n",
    "dropping": "  z: {op: dropout, in: mixed, p: 0.5}\n",
    "other axes": (
        "  s: {op: cumsum, in: mixed, over: -1}\n  u: {op: roll, axes: [-1], shifts: [1]}\n  v: {op: pad, axis: -1, before: 1, after: 1}\n"
        "  z: {op: concat, in: [v, mixed], axis: -1}\n"
    ),
    "positions behind earlier ones": "  r: {op: positional, in: mixed, kind: learned, length: P, offset: m - n}\n" + ADDED,
    "positions of all tokens": (
        "  r: {op: rotations, in: keys, length: P}\n  turned: {op: rotary, in: [keys, r.cos, r.sin]}\n"
        '  s: {op: einsum, in: [mixed, turned], eq: "b i d, b j d -> b i j"}\n  u: {op: mask, kind: causal}\n  z: {op: softmax}\n'
    ),
    "a condition behind earlier ones": (
        "  r: {op: hide, in: scores, axes: b i j, where: j > i + m - n or i + m - n - j >= 3}\n  w: {op: softmax}\n"
        '  z: {op: einsum, in: [w, keys], eq: "b i j, b j d -> b i d"}\n'
    ),
    "a convolution over all tokens": (
        "  t: {op: rearrange, in: keys, to: b m d -> b d m}\n  c: {op: conv1d, channels: d, kernel: 4, padding: 3}\n"
        "  z: {op: slice, axis: 2, start: m - n, size: n}\n"
    ),
}  # fmt: skip
RECURRENCE = """\
title: A row and a recurrence
dims: {b: batch size, n: tokens, d: width, P: places}
inputs: {x: [b, n, d]}
where: n <= P
layers:
"""
CELL = "use: rnn_cell, carry: {state: [b, d]}}\n"
BEFORE = {
    "a row that mixes": ("  r: {op: cumsum, over: 1}\n  y: {scan: n, " + CELL, LOOKS),
    "a row that counts": ("  r: {op: positional, kind: sinusoidal, length: P}\n  s: {op: add, in: [x, r]}\n  y: {scan: n, " + CELL, COUNTS),
    "a row between two": ("  s: {scan: n, " + CELL + "  r: {op: pad, axis: 1, before: 1}\n  t: {op: slice, axis: 1, size: n}\n"
                          "  y: {scan: n, " + CELL, LOOKS),
    "a convolution with all zeros in front": (
        "  t: {op: rearrange, to: b n d -> b d n}\n  r: {op: conv1d, channels: d, kernel: 4, padding: 3}\n"
        "  s: {op: slice, axis: 2, size: n}\n"
        "  u: {op: rearrange, to: b d n -> b n d}\n  y: {scan: n, " + CELL, LOOKS),
    "attention to earlier tokens": (
        "  q: {op: rearrange, to: b n d -> b 1 n d}\n  r: {op: attention, in: [q, q, q], causal: true}\n"
        "  s: {op: rearrange, to: b 1 n d -> b n d}\n  y: {scan: n, " + CELL, LOOKS),
    "a row beside": ("  r: {op: cumsum, over: 1}\n  said: {scan: n, in: x, " + CELL + "  y: {op: add, in: [r, said]}\n", LOOKS),
    "a row behind": ("  s: {scan: n, " + CELL + "  r: {op: cumsum, over: 1}\n", LOOKS),
    "a row of each token": ("  r: {op: layer_norm}\n  y: {scan: n, " + CELL, ""),
}  # fmt: skip
BEHIND = {
    "a mean": "  said: {scan: n, " + CELL + "  y: {op: mean, over: 1}\n",
    "a row beside, and a mean": "  beside: {op: cumsum, over: 1}\n  said: {scan: n, in: x, " + CELL
    + "  both: {op: add, in: [x, said]}\n  y: {op: mean, over: 1}\noutputs: [y, beside]\n",
}  # fmt: skip
WHOLE = {  # `r` mixes tokens
    "a convolution": (
        "  t: {op: rearrange, to: b n d -> b d n}\n  r: {op: conv1d, channels: d, kernel: 3, padding: same}\n"
        "  u: {op: rearrange, to: b d n -> b n d}\n  y: {scan: n, " + CELL
    ),
    "another norm between two": "  s: {scan: n, " + CELL + "  r: {op: softmax, over: 1}\n  y: {scan: n, " + CELL,
    "attention to all tokens": (
        "  q: {op: rearrange, to: b n d -> b 1 n d}\n  r: {op: attention, in: [q, q, q]}\n"
        "  s: {op: rearrange, to: b 1 n d -> b n d}\n  y: {scan: n, " + CELL
    ),
    "in front of a causal convolution": (
        "  r: {op: roll, axes: [1], shifts: [1]}\n  t: {op: rearrange, to: b n d -> b d n}\n"
        "  y: {op: conv1d, channels: d, kernel: 3, causal: true}\n"
    ),
}  # fmt: skip
CASES = {**dict.fromkeys(MIXING, LOOKS), **dict.fromkeys(COUNTING, COUNTS), **dict.fromkeys(ALONE, "")}
ROWS = {**MIXING, **COUNTING, **ALONE}


def spec(rows: str) -> str:
    last = rows.strip().splitlines()[-1].strip().partition(":")[0]
    return HEAD + rows + f"outputs: [mixed, {last}]\n"


def decoded(folder: Path) -> Decoding:
    with Workbench(Library([folder])) as bench:
        found = check_decoding(bench, "net")
    assert found is not None
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_row_is_refused_where_and_only_where_it_comes_out_otherwise_in_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = write_specs(tmp_path / "mine", net=spec(ROWS[name]))
    if CASES[name]:
        with pytest.raises(ProblemsError) as error:
            compile_spec(Library([folder]), "net")
        (problem,) = error.value.problems
        assert problem.message == CASES[name]
        assert problem.span is not None
        assert problem.span.source.line(problem.span.line).lstrip().startswith("r: ")
    # What the modules come to, whatever the check says.
    monkeypatch.setattr("generator.resolve.resolver.decoding_problems", lambda _: [])
    found = decoded(folder)
    comes_to_the_same = found.equal and not found.reason
    assert comes_to_the_same == (not CASES[name])


@pytest.mark.parametrize("name", BEFORE)
def test_a_row_that_a_recurrence_reads_is_refused_where_and_only_where_its_state_comes_out_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rows, message = BEFORE[name]
    folder = write_specs(tmp_path / "mine", net=RECURRENCE + rows)
    if message:
        with pytest.raises(ProblemsError) as error:
            compile_spec(Library([folder]), "net")
        (problem,) = error.value.problems
        assert problem.message == message
        assert any(f"`{keeper}` (" in note for note in problem.notes for keeper in ("y", "s", "said"))
    monkeypatch.setattr("generator.resolve.resolver.decoding_problems", lambda _: [])
    found = decoded(folder)
    assert (found.equal and not found.reason) == (not message)


@pytest.mark.parametrize("rows", BEHIND.values(), ids=BEHIND)
def test_where_a_result_is_of_all_tokens_what_no_recurrence_reads_may_look_at_them_too(tmp_path: Path, rows: str) -> None:
    compile_spec(Library([write_specs(tmp_path / "mine", net=RECURRENCE + rows)]), "net")


@pytest.mark.parametrize("rows", WHOLE.values(), ids=WHOLE)
def test_what_reads_whole_sequences_is_not_refused_and_keeps_no_state(tmp_path: Path, rows: str) -> None:
    """A recurrence behind rows that look at later tokens too is part of an encoder: no step could come to the same."""
    folder = write_specs(tmp_path / "mine", net=RECURRENCE + rows)
    compiled = compile_spec(Library([folder]), "net")
    assert compiled.sheet.totals["state_elements"] == 0
    with Workbench(Library([folder])) as bench:
        assert not bench.modules.view("net").takes_state
        result = verify(bench, "net", samples=1)
    assert result.equal
    assert result.decoding is not None
    assert result.decoding.reason == "no state is kept: `r`, in front of one that could keep it, mixes tokens and keeps none of them"


def test_a_block_that_decodes_alone_keeps_nothing_behind_what_reads_whole_sequences(tmp_path: Path) -> None:
    block = RECURRENCE + "  y: {scan: n, " + CELL
    net = RECURRENCE + TURNED.replace("mixed", "x") + "  r: {op: conv1d, channels: d, kernel: 3, padding: 1}\n"
    net += "  u: {op: rearrange, to: b d n -> b n d}\n  y: {use: block, repeat: 2}\n"
    folder = write_specs(tmp_path / "mine", net=net, block=block)
    with Workbench(Library([folder])) as bench:
        assert (bench.modules.view("block").takes_state, bench.modules.view("net").takes_state) == (True, False)
        assert verify(bench, "net", samples=1).equal


def test_what_looks_back_is_told_what_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_specs(tmp_path, net=RECURRENCE + BEFORE["a convolution with all zeros in front"][0])
    assert main(["check", str(folder / "net.yaml")]) == 1
    assert "  a convolution with `causal: true`, and no padding, keeps its last inputs\n" in capsys.readouterr().err


def test_a_recurrence_over_what_is_no_axis_of_an_input_is_not_for_decoding(tmp_path: Path) -> None:
    """The places of a picture, read one after another, do not come one by one."""
    text = (
        "title: Columns of a picture\ndims: {b: batch, w: width, d: channels}\ninputs: {x: [b, d, 2*w]}\nlayers:\n"
        "  near: {op: conv1d, channels: d, kernel: 2, stride: 2}\n  turned: {op: rearrange, to: b d w -> b w d}\n  y: {scan: w, " + CELL
    )
    compile_spec(Library([write_specs(tmp_path / "mine", net=text)]), "net")


def test_every_op_says_what_it_does_along_an_axis_or_is_taken_to_mix() -> None:
    silent = {name for name, op in ops().items() if not op.pointwise and op.along is Op.along}
    assert silent == {"parameter", "random_projection", "relative_bias", "table", "window_mask"}  # four read nothing; one whole windows
    assert all(not op.pointwise for name, op in ops().items() if name in silent)


def test_the_place_the_axis_and_what_keeps_a_state_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_specs(tmp_path, net=spec(MIXING["a mean"]))
    assert main(["check", str(folder / "net.yaml")]) == 1
    shown = capsys.readouterr().err
    assert f"net.yaml:11:11: error: {LOOKS}\n" in shown
    assert "  mixed is [b, n, d]: axis 1 has the n tokens of a step alone\n" in shown
    assert "net.yaml:6) keeps a state, so that each step brings n new tokens\n" in shown


def test_a_row_that_counts_from_zero_is_told_the_offset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_specs(tmp_path, net=spec(COUNTING["positions"]))
    assert main(["check", str(folder / "net.yaml")]) == 1
    assert "  did you mean offset: m - n?\n" in capsys.readouterr().err


def test_a_block_is_right_alone_and_refused_beside_a_state(tmp_path: Path) -> None:
    block = "title: A mean\ndims: {b: batch, n: tokens, d: width}\ninputs: {x: [b, n, d]}\nlayers:\n  r: {op: mean, over: 1, keep: true}\n"
    used = spec("  r: {use: pooled, in: mixed}\n" + ADDED)
    library = Library([write_specs(tmp_path / "mine", pooled=block, net=used)])
    compile_spec(library, "pooled")
    with pytest.raises(ProblemsError) as error:
        compile_spec(library, "net")
    (problem,) = error.value.problems
    assert (problem.message, problem.span and problem.span.line) == (LOOKS, 11)
    assert any("it is the row `r.r`" in note and "pooled.yaml:5)" in note for note in problem.notes)


def test_each_row_at_fault_is_reported_and_none_that_reads_one(tmp_path: Path) -> None:
    rows = "  r: {op: cumsum, in: mixed, over: 1}\n  s: {op: cumsum, over: 1}\n  u: {op: softmax, in: x, over: 1}\n"
    rows += "  z: {op: add, in: [s, u]}\n"
    with pytest.raises(ProblemsError) as error:
        compile_spec(Library([write_specs(tmp_path / "mine", net=spec(rows))]), "net")
    assert [problem.span.line for problem in error.value.problems if problem.span] == [11, 13]


def test_a_cache_of_what_grows_along_another_axis_too_is_refused(tmp_path: Path) -> None:
    """Weights [b, n, m] of each step have more columns than those that were kept."""
    with pytest.raises(ProblemsError) as error:
        compile_spec(Library([write_specs(tmp_path / "mine", net=spec("  r: {op: cache, in: weights, axis: 1, to: m}\n"))]), "net")
    (problem,) = error.value.problems
    assert problem.message == "axis 2 of what `r` keeps grows from step to step too, so that earlier steps do not fit to later ones"
    assert problem.notes[0] == "weights is [b, n, m]"


@pytest.mark.parametrize(
    ("to", "message"),
    [
        ('"min(m, w)"', "`keys` grows to min(m, w) tokens, where `to` says how many there are so far, those that are dropped included"),
        ("2*n", "`keys` grows from n to 2*n, which is not the same size with more tokens"),
    ],
)
def test_a_cache_that_does_not_grow_to_all_tokens_is_refused(tmp_path: Path, to: str, message: str) -> None:
    text = (
        "title: A cache of at most w tokens\ndims: {b: batch, n: new tokens, m: {is: all, default: n}, w: window, d: width}\n"
        "inputs: {x: [b, n, d]}\nwhere: [m >= n, w >= n]\n"
        f"layers:\n  keys: {{op: cache, in: x, axis: 1, to: {to}}}\n  y: {{op: mean, over: 1}}\n"
    )
    with pytest.raises(ProblemsError) as error:
        compile_spec(Library([write_specs(tmp_path / "mine", net=text)]), "net")
    (problem,) = error.value.problems
    assert problem.message == message
    assert problem.span is not None
    assert problem.span.column == 41


@pytest.mark.slow
def test_no_built_in_spec_is_refused() -> None:
    library = builtin_library()
    for name in library.names:
        compile_spec(library, name)


def test_the_name_of_an_axis_means_what_it_means_in_the_spec_that_writes_it(tmp_path: Path) -> None:
    """Used with two sizes of one value, beside a recurrence: `b` is still the axis behind `d`."""
    sorter = "title: Places in order\ndims: {b: rows, n: new tokens, d: sets}\ninputs: {x: {shape: [d, b, n], dtype: int}}\n"
    sorter += "layers:\n  y: {op: argsort, over: b}\n"
    user = "title: Both\ndims: {b: rows, n: new tokens}\ninputs: {x: [b, n, b], places: {shape: [b, b, n], dtype: int}}\nblocks:\n"
    user += "  cell:\n    inputs: {x: [b, b], h: [b, b]}\n    layers: {y: {op: add, in: [x, h]}}\n"
    user += "layers:\n  sorted: {use: sorter, with: {d: b}, in: places}\n  y: {use: cell, scan: n, in: x, carry: {h: [b, b]}}\n"
    user += "outputs: [sorted, y]\n"
    with Workbench(Library([write_specs(tmp_path, sorter=sorter, user=user)])) as bench:
        assert verify(bench, "user", samples=1).equal
