"""The generated modules of ops that deal with positions, hashes and orders compute what their definitions say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

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


def turned(x: Tensor, first: int, second: int, angle: float) -> Tensor:
    """A copy of a vector with two of its elements turned, as a rotation of the plane is defined."""
    y = x.clone()
    c, s = torch.tensor(angle, dtype=x.dtype).cos(), torch.tensor(angle, dtype=x.dtype).sin()
    y[first], y[second] = c * x[first] - s * x[second], s * x[first] + c * x[second]
    return y


def rotated(x: Tensor, pairs: list[tuple[int, int]], width: int) -> Tensor:
    """Each vector of x [b, h, n, e], pair i at position p turned by p / 10000^(2i/width)."""
    y = x.clone()
    for b in range(x.shape[0]):
        for h in range(x.shape[1]):
            for p in range(x.shape[2]):
                for i, (first, second) in enumerate(pairs):
                    y[b, h, p] = turned(y[b, h, p], first, second, p / 10000 ** (2 * i / width))
    return y


def test_rotary_turns_neighbours_halves_or_a_part(bench: Workbench) -> None:
    module, (x,) = built(bench, "rotary", b=2, n=5, h=2, e=8, P=7)
    part, few = module(x)
    heads = x.unflatten(-1, (2, 8)).transpose(1, 2)
    neighbours = rotated(heads, [(0, 1), (2, 3), (4, 5), (6, 7)], 8)
    halves = rotated(neighbours, [(0, 4), (1, 5), (2, 6), (3, 7)], 8)
    torch.testing.assert_close(part, rotated(halves, [(0, 2), (1, 3)], 4))
    torch.testing.assert_close(few, rotated(heads, [(0, 1), (2, 3)], 4))


def test_rotary_of_new_tokens_turns_on_from_the_earlier_ones(bench: Workbench) -> None:
    module, (x,) = built(bench, "rotary_behind_earlier_tokens", b=2, n=7, m=7, h=2, e=4, P=9)
    state: dict[str, Any] = {}
    for piece in x.split((3, 1, 3), 2):
        stepwise = module(piece, state)
    torch.testing.assert_close(stepwise, module(x))
    with pytest.raises(ValueError, match="10 tokens, but positions for 9 only"):
        module(x[:, :, :3], state)


def test_hide_hides_what_the_condition_says(bench: Workbench) -> None:
    c, w = 3, 2
    module, (scores,) = built(bench, "hide", b=2, h=2, c=c, w=w)
    expected = scores.clone()
    for block in range(c):
        for i in range(w):
            for j in range(3 * w):
                conditions = (
                    j > i + 2 * w and j <= 3 * w,
                    (block - 1) * w + j < 0 or (block - 1) * w + j >= c * w,
                    (i + j) % 2 == 1 or 3 - j < -w * block - i,
                    j // 2 != j % w,
                )
                if any(conditions):
                    expected[:, :, block, i, j] = -torch.inf
    torch.testing.assert_close(module(scores), expected.softmax(-1), equal_nan=True)


def test_l2_normalise_gives_vectors_of_length_one(bench: Workbench) -> None:
    module, (x,) = built(bench, "l2_normalise", b=2, n=3, h=2, e=4)
    heads = x.unflatten(-1, (2, 4)).transpose(1, 2)
    scores = torch.einsum("bhie,bhje->bhij", heads / heads.norm(dim=-1, keepdim=True), heads / heads.norm(dim=2, keepdim=True))
    torch.testing.assert_close(module(x), scores / scores.norm(dim=1, keepdim=True))


def test_shift_adds_numbers_made_of_sizes(bench: Workbench) -> None:
    module, (x,) = built(bench, "shift", b=2, n=3, d=4)
    torch.testing.assert_close(module(x), (x + 1 + 12 - 2).mT)


def test_lsh_buckets_are_the_nearest_of_the_axes_and_their_opposites(bench: Workbench) -> None:
    b, n, h, e, rounds, k = 2, 5, 2, 3, 3, 4
    module, (x,) = built(bench, "lsh_buckets", b=b, n=n, h=h, e=e, r=rounds, k=k)
    heads = x.unflatten(-1, (h, e)).transpose(1, 2)
    result = module(x)
    for i in range(b):
        for head in range(h):
            numbers = []
            for step in range(rounds):
                for p in range(n):
                    products = [float(heads[i, head, p] @ module.buckets[head, :, step, c]) for c in range(k // 2)]
                    signed = products + [-product for product in products]
                    numbers.append((step * k + signed.index(max(signed)), len(numbers)))
            places = [place % n for _, place in sorted(numbers)]
            assert torch.equal(result[i, head], heads[i, head, places])


def test_argsort_applied_twice_leads_back(bench: Workbench) -> None:
    module, (ids, x) = built(bench, "argsort", b=2, n=6, d=3, V=4)
    back, _ = module(ids, x)
    assert torch.equal(back, x)


def test_logsumexp_is_the_logarithm_of_the_sum_of_exponentials(bench: Workbench) -> None:
    module, (x,) = built(bench, "logsumexp", b=2, n=3, d=4)
    shares = x.exp() / x.exp().sum(-1, keepdim=True)
    torch.testing.assert_close(module(x), shares.exp().sum(1).log().exp().sum(-1).log())


def test_hide_equal_overwrites_pairs_of_one_number(bench: Workbench) -> None:
    module, (scores, i, j) = built(bench, "hide_equal", b=2, h=2, n=4, m=5)
    expected = scores.clone()
    expected[i[..., :, None] == j[..., None, :]] = -1000.0  # the second value; the first, -1e5, has been overwritten
    torch.testing.assert_close(module(scores, i, j), expected.mT.softmax(-1))
