"""Tables made of sizes hold what public implementations compute, and rows that cannot be tables say so."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from generator.proof.verify.instance import Workbench
from generator.proof.verify.references.timm_models import import_timm
from generator.spec.library import Library
from tests.support.bad_specs import HEAD, errors
from tests.support.builtin import builtin_library
from tests.support.public import needs_transformers

TABLE = """\
title: A table
dims: {{b: batch, n: length, m: another, d: width}}
inputs: {{x: [b, n]}}
layers:
  t: {{op: table, axes: {axes}, value: "{value}"{dtype}}}
  y: {{op: shift, in: x, by: 1}}
outputs: [t, y]
"""


def table(folder: Path, axes: str, value: str, *, dtype: str = "", **sizes: int) -> Tensor:
    (folder / "mine.yaml").write_text(TABLE.format(axes=axes, value=value, dtype=f", dtype: {dtype}" if dtype else ""), encoding="utf-8")
    with Workbench(Library([folder])) as bench:
        names = {argument.name for argument in bench.modules.view("mine").arguments}
        found = bench.build("mine", {name: size for name, size in sizes.items() if name in names}).t
    assert isinstance(found, Tensor)
    return found


@pytest.fixture(scope="module")
def bench() -> Workbench:
    with Workbench(builtin_library()) as open_bench:
        yield open_bench


@pytest.mark.slow
@needs_transformers
@pytest.mark.parametrize("heads", [4, 8, 6, 12])
def test_slopes_of_alibi_are_those_of_bloom(bench: Workbench, heads: int) -> None:
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    module = bench.build("alibi_attention", {"d": 2 * heads, "h": heads, "P": 9})
    public = build_alibi_tensor(torch.ones(1, 9), heads, torch.float32).view(heads, 1, 9)
    torch.testing.assert_close(module.slopes, public)
    assert "slopes" not in module.state_dict()


@pytest.mark.slow
@needs_transformers
@pytest.mark.parametrize(("buckets", "reach", "length"), [(32, 128, 200), (16, 40, 70), (8, 3, 12)])
def test_buckets_are_those_of_t5(bench: Workbench, buckets: int, reach: int, length: int) -> None:
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(
        d_model=12, d_kv=3, num_heads=4, relative_attention_num_buckets=buckets, relative_attention_max_distance=reach, dropout_rate=0.0
    )
    public = T5Attention(config, has_relative_attention_bias=True).eval()
    module = bench.build("bucketed_attention", {"n": length, "d": 12, "h": 4, "e": 3, "B": buckets, "D": reach})
    public.relative_attention_bias.weight = module.learned.weight
    for ours, theirs in ((module.q, public.q), (module.k, public.k), (module.v, public.v), (module.out, public.o)):
        theirs.weight = ours.weight
    torch.testing.assert_close(module.learned(module.buckets).permute(2, 0, 1)[None], public.compute_bias(length, length))
    x = torch.randn(2, length, 12)
    torch.testing.assert_close(module(x), public(x)[0], rtol=1e-4, atol=1e-5)


def test_displacements_in_a_window_are_those_of_swin(tmp_path: Path) -> None:
    value = "(i // m - j // m + n - 1)*(2*m - 1) + i % m - j % m + m - 1"
    found = table(tmp_path, "{i: n*m, j: n*m}", value, dtype="int", n=3, m=5)
    assert torch.equal(found, import_timm().models.swin_transformer.get_relative_position_index(3, 5))


def test_waves_in_two_dimensions_are_those_of_vit(tmp_path: Path) -> None:
    axes = "{i: n*m, c: d}"
    angle = "where(c // (d//4) % 2 == 0, i // m, i % m) / 10000**(c % (d//4) / (d/4))"
    value = f"where(c < d//2, sin({angle}), cos({angle}))"
    found = table(tmp_path, axes, value, n=3, m=5, d=16)
    ours = found.view(3, 5, 16)
    theirs = import_timm().layers.build_sincos2d_pos_embed([3, 5], 16, interleave_sin_cos=False).view(3, 5, 16)
    torch.testing.assert_close(ours, theirs)


def test_decays_are_those_of_a_retention(tmp_path: Path) -> None:
    found = table(tmp_path, "{h: m, i: n, j: n}", "where(i >= j, (1 - 2**(-5 - h))**(i - j), 0)", n=6, m=3)
    gamma = 1 - torch.exp2(-5 - torch.arange(3.0))
    n = torch.arange(6.0)
    distance = n[:, None] - n
    torch.testing.assert_close(found, torch.where(distance >= 0, gamma[:, None, None] ** distance.clamp(min=0), 0.0))


MISTAKES = {
    "names that are neither": (
        "{op: table, axes: {i: n, j: n}, value: i - k}",
        """\
mine.yaml:11:45: error: `value` names `k`, which is neither
   11 |   t: {op: table, axes: {i: n, j: n}, value: i - k}
      |                                             ^^^^^
  numbers of the place: `i` and `j`; sizes of this spec: `b`, `n`, `d`, `h` and `e`""",
    ),
    "the name of a size": (
        "{op: table, axes: {h: n}, value: 2**h}",
        """\
mine.yaml:11:24: error: `h` is a size, so it cannot be the number of a place
   11 |   t: {op: table, axes: {h: n}, value: 2**h}
      |                        ^
  call it `h_`""",
    ),
    "no number of a place": (
        "{op: table, axes: {i: n}, value: n/2}",
        """\
mine.yaml:11:39: error: `value` names none of `i`: all places would hold the same
   11 |   t: {op: table, axes: {i: n}, value: n/2}
      |                                       ^^^""",
    ),
    "no condition": (
        '{op: table, axes: {i: n}, value: "where(i, 1, 0)"}',
        """\
mine.yaml:11:46: error: expected a condition; `i` compares nothing
   11 |   t: {op: table, axes: {i: n}, value: "where(i, 1, 0)"}
      |                                              ^
  a choice is written as where(i < j, a, b)""",
    ),
    "an unknown function": (
        "{op: table, axes: {i: n}, value: tan(i)}",
        """\
mine.yaml:11:39: error: unknown function `tan`
   11 |   t: {op: table, axes: {i: n}, value: tan(i)}
      |                                       ^^^
  functions are `ceil`, `floor`, `min`, `max`, `log2`, `sqrt`, `abs`, `exp`, `log`, `sin`, `cos` and `where`; \
to multiply, write tan*(...)""",
    ),
    "too few of where": (
        '{op: table, axes: {i: n}, value: "where(i < 3, 1)"}',
        """\
mine.yaml:11:40: error: `where` takes a condition and two numbers; found 2
   11 |   t: {op: table, axes: {i: n}, value: "where(i < 3, 1)"}
      |                                        ^^^^^""",
    ),
    "axes that are a list": (
        "{op: table, axes: [n, n], value: 3}",
        """\
mine.yaml:11:24: error: expected `key: value` entries in `layers.t.axes`; found a list
   11 |   t: {op: table, axes: [n, n], value: 3}
      |                        ^""",
    ),
    "something read": (
        "{op: table, in: x, axes: {i: n}, value: i}",
        """\
mine.yaml:11:22: error: `table` takes 0 inputs; `t` has 1
   11 |   t: {op: table, in: x, axes: {i: n}, value: i}
      |                      ^
  it reads `x`""",
    ),
}


@pytest.mark.parametrize(("row", "said"), MISTAKES.values(), ids=MISTAKES.keys())
def test_what_is_said_about(row: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert errors(Path(), f"{HEAD}layers:\n  t: {row}\n  y: {{op: add, in: [x, t]}}\n") == said
