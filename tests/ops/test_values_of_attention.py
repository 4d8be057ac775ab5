"""Attention with windows, masks, sinks and caps computes what transformers' models with them do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench
from generator.sheet.compiled import compile_spec
from generator.sheet.preset_totals import complete
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.public import needs_transformers

HEAD = """\
title: Attention
dims: {b: batch, n: queries, m: keys, h: heads, g: heads of keys, e: width, w: window}
inputs: {q: [b, h, n, e], k: [b, g, m, e], v: [b, g, m, e], bias: [h, n, m], hidden: {shape: [b, m], dtype: bool}}
where: [h % g == 0, m >= n]
layers:
"""
SIZES = {"b": 2, "n": 4, "m": 6, "h": 4, "g": 2, "e": 3, "w": 3}


def run(folder: Path, row: str, **given: Tensor) -> tuple[Any, list[Tensor], Tensor]:
    """Return the module of a row, its inputs in float64, and what it comes to."""
    (folder / "mine.yaml").write_text(f"{HEAD}  y: {row}\n", encoding="utf-8")
    with Workbench(Library([folder])) as bench:
        torch.manual_seed(0)
        sizes: dict[str, Any] = dict(complete(bench.compiled("mine").sheet.sizes, SIZES))
        module = bench.build("mine", sizes, dtype=torch.float64)
        names = bench.library.spec("mine").inputs
        inputs = [given.get(name, x) for name, x in zip(names, bench.inputs("mine", sizes, dtype=torch.float64), strict=True)]
        return module, inputs, module(*inputs)


def window() -> Tensor:
    """-infinity where a query sees no key: later ones, and those three or more behind; queries are the last 4 of 6 tokens."""
    return torch.tensor([[0.0 if 0 <= i + 2 - j < 3 else -torch.inf for j in range(6)] for i in range(4)], dtype=torch.float64)


@pytest.mark.slow
@needs_transformers
def test_sinks_and_a_window_as_in_gpt_oss(tmp_path: Path) -> None:
    from transformers.models.gpt_oss import modeling_gpt_oss

    module, (q, k, v, *_), y = run(tmp_path, "{op: attention, in: [q, k, v], causal: true, offset: m - n, window: w, sinks: true}")
    nn.init.normal_(module.y)
    theirs = SimpleNamespace(num_key_value_groups=2, sinks=module.y, training=False)
    expected, _ = modeling_gpt_oss.eager_attention_forward(theirs, q, k, v, window(), scaling=3**-0.5)  # type: ignore[arg-type]
    torch.testing.assert_close(module(q, k, v, *_), expected.transpose(1, 2))
    assert y.shape == q.shape


@pytest.mark.slow
@needs_transformers
def test_a_soft_cap_as_in_gemma_2(tmp_path: Path) -> None:
    from transformers.models.gemma2 import modeling_gemma2

    row = "{op: attention, in: [q, k, v], causal: true, offset: m - n, window: w, soft_cap: 2, scale: 1/e}"
    _, (q, k, v, *_), y = run(tmp_path, row)
    theirs = SimpleNamespace(num_key_value_groups=2, training=False)
    # It computes the softmax in float32.
    expected, _ = modeling_gemma2.eager_attention_forward(theirs, q, k, v, window(), scaling=1 / 3, softcap=2.0)  # type: ignore[arg-type]
    torch.testing.assert_close(y, expected.transpose(1, 2), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("window_too", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_a_mask_that_is_given_hides_keys(tmp_path: Path, biased: bool, window_too: bool) -> None:
    near = ", causal: true, offset: m - n, window: w" if window_too else ""
    hidden = torch.tensor([[False, False, False, True, False, False], [False] * 4 + [True] * 2])
    inputs = "[q, k, v, bias, hidden]" if biased else "[q, k, v, hidden]"
    _, (q, k, v, bias, _), y = run(tmp_path, f"{{op: attention, in: {inputs}{near}}}", hidden=hidden)
    mask = torch.where(hidden[:, None, None], -torch.inf, 0.0).double() + (window() if window_too else 0) + (bias if biased else 0)
    expected = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
    torch.testing.assert_close(y, expected)


def test_a_window_without_causal_sees_both_sides(tmp_path: Path) -> None:
    _, (q, k, v, *_), y = run(tmp_path, "{op: attention, in: [q, k, v], offset: m - n, window: 2}")
    near = torch.tensor([[abs(i + 2 - j) < 2 for j in range(6)] for i in range(4)])
    torch.testing.assert_close(y, nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=near, enable_gqa=True))


@pytest.mark.parametrize("near", ["", ", window: 3", ", soft_cap: 5, window: 3"])
def test_documents_see_their_own_tokens_and_all_pairs_are_counted(tmp_path: Path, near: str) -> None:
    (tmp_path / "mine.yaml").write_text(
        "title: Documents\ndims: {b: batch, h: heads, n: tokens, e: width, w: tokens of a document}\n"
        "inputs: {q: [b, h, n, e], k: [b, h, n, e], v: [b, h, n, e]}\n"
        f"layers: {{y: {{op: attention, in: [q, k, v], causal: true, documents: w{near}}}}}\n",
        encoding="utf-8",
    )
    sizes = {"b": 1, "h": 2, "n": 11, "e": 3, "w": 4}
    seen = torch.tensor([[j <= i and i // 4 == j // 4 and (not near or i - j < 3) for j in range(11)] for i in range(11)])
    with Workbench(Library([tmp_path])) as bench:
        torch.manual_seed(0)
        module = bench.build("mine", sizes, dtype=torch.float64)
        q, k, v = bench.inputs("mine", sizes, dtype=torch.float64)
        compiled = bench.compiled("mine")
    if "cap" not in near:
        torch.testing.assert_close(module(q, k, v), nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen))
    assert compiled.architecture.tracer.hidden.uncounted == []
    assert evaluate(compiled.sheet.totals["visible_matmul_flops"], sizes) == 2 * 2 * 2 * 3 * int(seen.sum())


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{op: attention, in: [q, k, v], window: w}", "`y` has a window, but has n queries for m keys"),
        ("{op: attention, in: [q, k, v], offset: m - n, window: 0}", "`window` of `y` must be greater than 0; it is 0"),
        ("{op: attention, in: [q, k, v], documents: w}", "`y` has documents, but has n queries for m keys"),
        (
            "{op: attention, in: [q, k, v], offset: m - n, documents: w}",
            "`y` has documents, the tokens of which are counted from the first",
        ),
        ("{op: attention, in: [q, k, v], soft_cap: 0}", "`soft_cap` of `y` must be greater than 0; it is 0"),
        ("{op: attention, in: [q, k, v, bias, bias]}", "one of each; bias is another"),
        ("{op: attention, in: [q, k, v, q]}", "`y` cannot add q to its scores: their shapes do not fit"),
        ("{op: attention, in: [q, k, v, hidden], causal: future, offset: m - n}", "beside `hidden`, `causal` of `y` is written out"),
    ],
)
def test_what_does_not_fit_is_said_in_its_place(tmp_path: Path, row: str, said: str) -> None:
    (tmp_path / "mine.yaml").write_text(
        f"{HEAD}  y: {row}\n".replace("where:", "options: {future: {is: hide later tokens, default: true}}\nwhere:"), encoding="utf-8"
    )
    with pytest.raises(ProblemsError) as raised:
        compile_spec(Library([tmp_path]), "mine")
    (problem,) = raised.value.problems
    assert said in problem.message
    assert problem.span is not None
