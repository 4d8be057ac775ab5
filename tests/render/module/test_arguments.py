"""Names that sizes have in the code of modules, beside their letters."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from generator import load
from generator.proof.verify.instance import Workbench
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.small_specs import write_specs

NAMED = """\
title: Named
dims:
  b: batch size
  n: {is: length, arg: length}
  d: {is: width, arg: embed_dim}
  h: {is: heads, arg: num_heads}
  e: {is: head width, value: d / h, arg: head_dim}
  f: {is: inner width, default: 2*d, arg: mlp_dim}
inputs: {x: [b, n, d]}
layers:
  split: {op: rearrange, to: b n (h e) -> b h n e}
  scaled: {op: scale, by: n*e}
  joined: {op: rearrange, to: b h n e -> b n (h e)}
  embed_dim: {op: linear, out: [b, n, f]}
  up: {use: inner, with: {k: f}}
presets: {small: {set: {d: 6, h: 3}}}
"""
INNER = """\
title: Inner
dims: {b: batch, n: length, k: {is: width, arg: features}}
inputs: {x: [b, n, k]}
layers:
  y: {op: linear, out: [b, n, k]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_specs(tmp_path, named=NAMED, inner=INNER)


def test_arguments_and_attributes_have_the_names_of_the_code_and_rows_give_way(folder: Path) -> None:
    with Workbench(Library([folder])) as bench:
        built = bench.module_class("named")
        module = built(embed_dim=6, num_heads=3)
        x = torch.randn(2, 4, 6)
        assert torch.equal(module(x), module.up.y(module.embed_dim_(8 * x)))  # n*e = 4 * 2
        assert (module.num_heads, module.head_dim) == (3, 2)
        assert (module.up.y.in_features, built(embed_dim=6, num_heads=3, mlp_dim=5).up.y.in_features) == (12, 5)
        with pytest.raises(ValueError, match=r"embed_dim % num_heads == 0 must hold; found embed_dim = 5, num_heads = 2"):
            built(embed_dim=5, num_heads=2)


def test_presets_take_letters_and_names(folder: Path) -> None:
    with Workbench(Library([folder])) as bench:
        built = bench.module_class("named")
        assert built.PRESETS == {"small": {"embed_dim": 6, "num_heads": 3}}
        assert [built.from_preset("small", **{size: 9}).embed_dim_.in_features for size in ("d", "embed_dim")] == [9, 9]


def test_a_loaded_spec_takes_letters_and_names(folder: Path) -> None:
    named = load("named", folder)
    assert named.module("small", f=4).up.y.in_features == named.module("small", mlp_dim=4).up.y.in_features == 4
    assert named.cost("small", n=1, b=1).params == 6 * 12 + 12 + 12 * 12 + 12


@pytest.mark.parametrize(
    ("arg", "said"),
    [
        ("h", "`h` cannot be the argument of size `d`: it is a size"),
        ("x", "`x` cannot be the argument of size `d`: it is an input"),
        ("forward", "`forward` cannot be the argument of size `d`: every PyTorch module has an attribute of that name"),
        ("lambda", "`lambda` cannot be the argument of size `d`: it is a word of Python or PyTorch"),
        ("num_heads", "`num_heads` cannot be the argument of size `h`: it is the argument of size `d`"),
    ],
)
def test_an_argument_that_is_something_else_is_refused_where_it_stands(arg: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ProblemsError) as caught:
        Library([write_specs(tmp_path, inner=INNER, named=NAMED.replace("arg: embed_dim", f"arg: {arg}"))]).spec("named")
    (problem,) = caught.value.problems
    assert problem.message == said
    assert problem.span is not None
    assert problem.span.line == (5 if arg != "num_heads" else 6)
