"""The generated modules of ops that join, cut, mask, keep and reduce compute what their definitions say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from generator.proof.verify.instance import Workbench
from generator.sheet.preset_totals import complete
from tests.support.builtin import ops_library


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(ops_library()) as open_bench:
        yield open_bench


def built(bench: Workbench, name: str, **sizes: int) -> tuple[Any, list[Tensor]]:
    """Return a fixture's module and random inputs in float64."""
    torch.manual_seed(0)
    whole: dict[str, Any] = dict(complete(bench.compiled(name).sheet.sizes, sizes))
    return bench.build(name, whole, dtype=torch.float64), bench.inputs(name, whole, dtype=torch.float64)


def test_concat_joins_along_the_named_axis_and_stretches_axes_of_one(bench: Workbench) -> None:
    module, (x, y, t) = built(bench, "concat", b=2, n=3, m=4, d=5)
    tokens, longer, padded = module(x, y, t)
    assert torch.equal(tokens, torch.cat((module.token.repeat(2, 1, 1), x, y), 1))
    assert torch.equal(longer, torch.cat((x, t.mT), -1).repeat(3, 1, 1))
    assert torch.equal(padded, torch.cat((y, module.end.repeat(2, 1, 1)), 1))


def test_split_cuts_given_sizes_and_equal_parts(bench: Workbench) -> None:
    module, (x, y) = built(bench, "split", b=2, n=3, p=4, r=5, h=2)
    product, activated, second = module(x, y)
    first = x[..., :4] @ module.first.weight.T + module.first.bias
    assert torch.equal(product, y[:, :3] * y[:, 3:])
    torch.testing.assert_close(activated, nn.functional.gelu(first[..., 4:]))
    assert torch.equal(second, x[..., 4:])


def test_split_of_a_fused_projection_gives_queries_keys_and_values(bench: Workbench) -> None:
    module, (x,) = built(bench, "split_of_fused_heads", b=2, n=3, d=8, h=2)
    q, k, v = (
        (x @ w.T + bias).view(2, 3, 2, 4).transpose(1, 2)
        for w, bias in zip(module.qkv.weight.split(8), module.qkv.bias.split(8), strict=True)
    )
    expected = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(2, 3, 8)
    torch.testing.assert_close(module(x), expected)


def test_a_causal_mask_hides_the_keys_after_each_of_the_last_queries(bench: Workbench) -> None:
    module, (scores, square, turned) = built(bench, "mask_causal", b=2, h=2, n=3, p=2)
    weights, fixed, flipped = module(scores, square, turned)
    for i in range(3):
        torch.testing.assert_close(weights[..., i, : 2 + i + 1], scores[..., i, : 2 + i + 1].softmax(-1))
        assert not weights[..., i, 2 + i + 1 :].any()
        torch.testing.assert_close(fixed[i, : i + 1], square[i, : i + 1].softmax(-1))
        torch.testing.assert_close(flipped[..., i, : i + 1], turned.mT[..., i, : i + 1].softmax(-1))


def test_a_padding_mask_hides_the_marked_keys_from_all_heads_and_queries(bench: Workbench) -> None:
    module, (scores, hidden, pairs, same) = built(bench, "mask_padding", b=2, h=3, n=4, m=6)
    hidden[1, 3:] = True
    pairs[0, 0, 2, 0] = True
    same[1] = True
    weights = module(scores, hidden, pairs, same)
    for batch in range(2):
        for query in range(4):
            seen = [k for k in range(6) if not hidden[batch, k] and not pairs[batch, 0, query, k] and not same[k] and k <= query + 2]
            expected = torch.zeros(3, 6, dtype=torch.float64)
            expected[:, seen] = scores[batch, :, query, seen].softmax(-1)
            torch.testing.assert_close(weights[batch, :, query], expected)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("cache", {}), ("cache_in_a_stack", {"L": 2}), ("positional_of_later_steps", {"P": 9}), ("attention_with_a_cache", {})],
)
@pytest.mark.parametrize("steps", [[1] * 7, [3, 1, 2, 1], [7]])
def test_decoding_step_by_step_gives_the_full_forward_pass(bench: Workbench, name: str, sizes: dict[str, int], steps: list[int]) -> None:
    module, (x,) = built(bench, name, b=2, n=7, d=8, h=2, **sizes)
    state: dict[str, Any] = {}
    parts = [module(part, state) for part in x.split(steps, 1)]
    torch.testing.assert_close(torch.cat(parts, 1), module(x))


def test_causal_attention_with_a_cache_is_causal_attention(bench: Workbench) -> None:
    module, (x,) = built(bench, "cache", b=2, n=5, d=8, h=2)
    q, k, v = (layer(x).view(2, 5, 2, 4).transpose(1, 2) for layer in (module.q, module.k, module.v))
    mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(module(x), module.out(mixed.transpose(1, 2).reshape(2, 5, 8)))


def test_a_decoding_step_beyond_the_last_position_is_refused(bench: Workbench) -> None:
    module, (x,) = built(bench, "positional_of_later_steps", b=2, n=7, d=8, h=2, P=9)
    state: dict[str, Any] = {}
    module(x, state)
    with pytest.raises(ValueError, match="14 tokens, but positions for 9 only"):
        module(x, state)


@pytest.mark.parametrize("width", [6, 7])
def test_positions_are_a_learned_table_or_the_sinusoids_of_2017(bench: Workbench, width: int) -> None:
    module, (x,) = built(bench, "positional", b=2, n=4, d=width, P=5)
    sinusoids = torch.tensor(
        [[(math.cos if i % 2 else math.sin)(p / 10000 ** (2 * (i // 2) / width)) for i in range(width)] for p in range(4)],
        dtype=torch.float64,
    )
    expected = (x + module.learned[:4] + sinusoids) * sinusoids + module.chosen[:4]
    torch.testing.assert_close(module(x), expected)
    assert [name for name, _ in module.named_parameters()] == ["learned", "chosen"]


def test_means_sums_and_maxima_run_over_the_named_axes(bench: Workbench) -> None:
    module, (x,) = built(bench, "mean", b=2, c=3, h=4, w=5)
    pooled, y = module(x)
    torch.testing.assert_close(pooled, x.flatten(1, 2).sum(1) / 20)
    torch.testing.assert_close(y, (x.flatten(1, 2).sum(1) / 20 * x.sum() / x.numel())[..., None, None])
    module, (x, y) = built(bench, "sum", b=2, n=3, d=4)
    expected = torch.stack([sum(x[b, n, i] * x[b, n].sum() for b in range(2) for i in range(4)) * y[n].sum() for n in range(3)])
    torch.testing.assert_close(module(x, y), expected)
    module, (x, y) = built(bench, "max", b=2, n=3, d=4)
    one, greatest = module(x, y)
    assert torch.equal(greatest, torch.stack([torch.stack([max(x[b, :, i]) for i in range(4)]) for b in range(2)]))
    assert one == max(0, *(greatest[b, i] + max(y[:, i]) for b in range(2) for i in range(4)))


def test_dropout_drops_in_training_alone_and_keeps_the_mean(bench: Workbench) -> None:
    module, (x, y) = built(bench, "dropout", b=4, n=50, d=60)
    assert all(torch.equal(a, b) for a, b in zip(module.eval()(x, y), (x.flatten(1), y, x), strict=True))
    on, data, off = module.train()(x, y)
    assert torch.equal(off, x)
    kept = data != 0
    torch.testing.assert_close(data[kept], y[kept] / 0.9)
    assert 0.85 < kept.double().mean() < 0.95
    assert 0.3 < (on != 0).double().mean() < 0.45  # 0.5 * 0.75


def test_rrelu_draws_a_slope_for_each_negative_number_in_training_and_takes_the_mean_otherwise(bench: Workbench) -> None:
    module, (x, data) = built(bench, "rrelu", b=20, n=50, d=60)
    for output, given, low, high in ((0, x, 1 / 8, 1 / 3), (1, x.mT, 0.05, 0.4), (3, data, 1 / 8, 1 / 3)):
        drawn, fixed = module.train()(x, data)[output], module.eval()(x, data)[output]
        torch.testing.assert_close(fixed, torch.where(given > 0, given, given * (low + high) / 2))
        slopes = (drawn / given)[given < 0]
        assert torch.equal(drawn[given > 0], given[given > 0])
        assert low <= slopes.min() < low + 0.02
        assert high - 0.02 < slopes.max() <= high


def attended(q: Tensor, k: Tensor, v: Tensor, scale: float, seen: Tensor | None = None) -> Tensor:
    """Attention written out, with heads of keys repeated for the heads of queries that share them."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.mT * scale
    return (scores if seen is None else scores.masked_fill(~seen, -math.inf)).softmax(-1) @ v


def test_fused_attention_is_softmax_of_scaled_scores_times_values(bench: Workbench) -> None:
    module, (x, k, v, fixed) = built(bench, "attention", b=2, n=4, m=5, h=6, g=3, e=8)
    merged, data, learning = module(x, k, v, fixed)
    q = x.view(2, 4, 6, 8).transpose(1, 2)
    past = torch.ones(4, 4, dtype=torch.bool).tril()
    square = attended(attended(q, k, v.transpose(1, 2), 8**-0.5), fixed, q, 1 / 8)
    torch.testing.assert_close(merged.view(2, 4, 6, 8).transpose(1, 2), attended(fixed, square, fixed, 8**-0.5, past))
    torch.testing.assert_close(data, attended(fixed, fixed, fixed, 8**-0.5, past))
    torch.testing.assert_close(learning, attended(fixed, fixed, attended(fixed, square, fixed, 8**-0.5, past), 8**-0.5))


def test_top_k_argmax_and_gather_choose_by_rank_and_by_place(bench: Workbench) -> None:
    module, (x, y) = built(bench, "top_k", b=2, n=5, E=6, k=3)
    weights, experts, values, tokens, fixed = module(x, y)
    greatest, order = x.sort(-1, descending=True)
    assert torch.equal(experts, order[..., :3])
    torch.testing.assert_close(weights, greatest[..., :3].softmax(-1))
    greatest, order = x.mT.sort(-1, descending=True)
    assert torch.equal(values, greatest[..., :3])
    assert torch.equal(tokens, order[..., :3])
    assert torch.equal(fixed, y.sort(-1, descending=True)[0][:, :3])
    module, (x,) = built(bench, "argmax", b=2, n=3, V=7, d=4)
    words, place = module(x)
    assert torch.equal(words, module.words.weight[x.sort(-1)[1][..., -1]])
    assert torch.equal(place, x.sort(1)[1][:, -1])
    module, (x, places, each, first, data) = built(bench, "gather", b=2, n=5, h=3, e=4, k=2)
    elements, batches, picked = module(x, places, each, first, data)
    for b in range(2):
        assert torch.equal(picked[b], data[b, places[b]])
        rows = x[first[b], places[first[b]]]
        assert torch.equal(batches[b], rows.flatten(1).T)
        for n, h in ((n, h) for n in range(5) for h in range(3)):
            assert torch.equal(elements[b, n, h], x[b, n, h, each[b, n, h]])


def test_running_sums_include_their_own_element(bench: Workbench) -> None:
    module, (x,) = built(bench, "cumsum", b=2, n=4, d=3)
    twice = torch.ones(4, 4, dtype=torch.float64).tril() @ (torch.ones(4, 4, dtype=torch.float64).tril() @ x)
    torch.testing.assert_close(module(x), twice.mT.flatten(1))


def test_rows_named_like_parts_of_other_rows_keep_their_values(bench: Workbench) -> None:
    module, (x,) = built(bench, "names_that_clash", b=2, n=3)
    left = x[..., :3]
    weights = left.masked_fill(torch.ones(3, 3).triu(1).bool(), -math.inf).softmax(-1)
    torch.testing.assert_close(module(x), torch.cat((weights, 3 * x, 5 * x, left), -1))
