"""Attention in tiles, run as Dao et al. (2022) print it (algorithm 1), with every element counted that slow memory gives or takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch
from sympy import Integer
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from archsheet import load
from generator.formulas.evaluate import evaluate
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import SheetClaim
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from generator.trace.tiles import tiled_traffic

# queries, keys, widths of keys and of values, then keys and queries in a block; the last blocks may be shorter
SIZES = [(12, 12, 4, 4, 3, 2), (12, 12, 4, 4, 12, 12), (13, 13, 4, 4, 5, 3), (7, 11, 2, 6, 4, 7), (9, 9, 8, 8, 1, 1), (9, 9, 8, 8, 40, 40)]


@dataclass
class SlowMemory:
    """Tensors that a loop may touch by slices only, which it counts."""

    tensors: dict[str, Tensor]
    moved: int = 0
    largest: int = field(default=0)  # slice

    def load(self, name: str, rows: slice) -> Tensor:
        return self._count(self.tensors[name][rows].clone())

    def store(self, name: str, rows: slice, value: Tensor) -> None:
        self.tensors[name][rows] = self._count(value)

    def _count(self, value: Tensor) -> Tensor:
        self.moved += value.numel()
        self.largest = max(self.largest, value.numel())
        return value


def blocks(length: int, size: int) -> Iterator[slice]:
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


def attend(memory: SlowMemory, n: int, m: int, e: int, width: int, keys: int, queries: int) -> None:
    """The result in `o`, from `q`, `k` and `v`, one head: lines 2 to 15 of algorithm 1."""
    memory.store("o", slice(0, n), torch.zeros(n, width))
    memory.store("sum", slice(0, n), torch.zeros(n))
    memory.store("max", slice(0, n), torch.full((n,), -torch.inf))
    for j in blocks(m, keys):
        k, v = memory.load("k", j), memory.load("v", j)
        for i in blocks(n, queries):
            q, o, before, top = (memory.load(name, i) for name in ("q", "o", "sum", "max"))
            scores = q @ k.T * e**-0.5
            new_top = torch.maximum(top, scores.amax(-1))
            weights = torch.exp(scores - new_top[:, None])
            old = before * torch.exp(top - new_top)
            total = old + weights.sum(-1)
            memory.store("o", i, (old[:, None] * o + weights @ v) / total[:, None])
            memory.store("sum", i, total)
            memory.store("max", i, new_top)


@pytest.mark.parametrize(("n", "m", "e", "width", "keys", "queries"), SIZES)
def test_the_loop_computes_attention_and_moves_what_is_derived(n: int, m: int, e: int, width: int, keys: int, queries: int) -> None:
    torch.manual_seed(0)
    q, k, v = (torch.randn(*shape, dtype=torch.float64) for shape in ((n, e), (m, e), (m, width)))
    empty = {name: torch.full((n, width)[:rank], torch.nan, dtype=torch.float64) for name, rank in (("o", 2), ("sum", 1), ("max", 1))}
    memory = SlowMemory({"q": q, "k": k, "v": v, **empty})
    attend(memory, n, m, e, width, keys, queries)
    expected = scaled_dot_product_attention(q[None, None], k[None, None], v[None, None])[0, 0]
    assert (memory.tensors["o"] - expected).abs().max().item() < 1e-12
    one, shapes = Integer(1), ((n, e), (m, e), (m, width))
    q_shape, k_shape, v_shape = ((one, one, *map(Integer, shape)) for shape in shapes)
    assert memory.moved == tiled_traffic(q_shape, k_shape, v_shape, Integer(keys))


def claim_with(tile: str) -> SheetClaim:
    (found,) = [claim for claim in load("flash_attention").sheet.claims if f"tile = {tile}" in claim.conditions]
    return found


@pytest.mark.parametrize(("b", "h", "n", "e", "c"), [(2, 3, 12, 4, 4), (1, 2, 10, 6, 3)])
def test_the_claim_of_a_spec_is_what_the_loop_moves_for_all_its_heads(b: int, h: int, n: int, e: int, c: int) -> None:
    derived = claim_with("c").derived
    memory = SlowMemory({name: torch.randn(n, e) for name in "qkvo"} | {name: torch.zeros(n) for name in ("sum", "max")})
    for _ in range(b * h):
        attend(memory, n, n, e, e, c, 2)
    assert evaluate(derived, {"b": b, "h": h, "n": n, "d": h * e, "c": c}) == memory.moved


def test_blocks_of_the_papers_size_fit_and_take_fewer_accesses_the_larger_the_fast_memory_is() -> None:
    claim, n, e = claim_with("M/(4*e)"), 64, 8
    assert (claim.verdict, claim.kind) == ("same order", "order")
    moved = {}
    for fast in (128, 256, 512, 1024):  # elements; blocks of M/4e keys and at most e queries, as line 1 has it
        memory = SlowMemory({name: torch.randn(n, e) for name in "qkvo"} | {name: torch.zeros(n) for name in ("sum", "max")})
        keys = fast // (4 * e)
        attend(memory, n, n, e, e, keys, min(keys, e))
        moved[fast] = memory.moved
        assert 4 * keys * e <= fast  # keys, values, queries and result of a block
        assert memory.moved == evaluate(claim.derived, {"b": 1, "h": 1, "n": n, "d": e, "M": fast})
    assert list(moved.values()) == sorted(moved.values(), reverse=True)
    # Scores and weights that are written and read take 4n^2 + 4ne a head, whatever the fast memory is (algorithm 0).
    assert moved[1024] < 4 * n**2 + 4 * n * e


BAD = """\
title: Bad
dims: {b: batch, n: length, d: width}
inputs: {x: [b, n, d]}
layers: {y: {op: linear, out: [b, n, d]}}
claims:
"""


def test_a_tile_is_refused_where_it_changes_nothing(tmp_path: Path) -> None:
    lines = ["{of: macs, tile: c, equals: b*n*d**2}", "{of: traffic_elements, tile: c, equals: 2*b*n*d + d**2 + d}"]
    (tmp_path / "bad.yaml").write_text(BAD + "".join(f"  - {line}\n" for line in lines), encoding="utf-8")
    with pytest.raises(ProblemsError) as raised:
        compile_spec(Library([tmp_path]), "bad")
    assert [problem.message for problem in raised.value.problems] == [
        "`tile` belongs to a claim of `traffic_elements`; it changes no other count",
        "`tile` is said of no row with `op: attention`",
    ]
