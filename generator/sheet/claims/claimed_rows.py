"""What a claim speaks of: the rows that it names, without what its source leaves out.

Everything is a sum over leaf rows (rows without parts), whose costs add up to the totals. What can be left out, exactly:

- `bias`: weights named `bias`, those of normalisations among them. It takes part in parameters only; additions of a bias are vector
  work and traffic of the row that they belong to, and cannot be told apart there.
- a kind of work (`norm`, `positional`, `mask`) or an op (`softmax`, `embedding`, `activation`, ...): all rows of these ops.
- a row by its path: it and its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Integer, expand, sympify

from generator.in_bytes import SAVED_BYTES
from generator.ops.attention import Attention
from generator.ops.registry import ops
from generator.quantities import BY_KEY, Quantity, cost_formula, summands
from generator.resolve.architecture import Architecture, BlockRow
from generator.resolve.declared_sizes import Unresolved
from generator.sheet.saved_bytes import storage_bytes
from generator.sheet.sheet import SheetRow
from generator.spec.model import Claim
from generator.text.problems import Problems
from generator.text.source import Span
from generator.text.suggest import did_you_mean, listed
from generator.trace.tiles import tiled_traffic

KINDS: Mapping[str, tuple[str, ...]] = {
    "norm": ("batch_norm", "group_norm", "l2_normalise", "layer_norm", "rms_norm"),
    "positional": ("positional", "relative_bias", "relative_positions", "rotary", "rotations"),
    "mask": ("hide", "hide_equal", "mask", "window_mask"),
}
BIAS = "bias"


@dataclass(frozen=True)
class Costs:
    """The costs of all rows, and what the sheet does not keep of them.

    Args:
        arch: the traced spec.
        half: traces it in half precision.
    """

    rows: Sequence[SheetRow]
    arch: Architecture
    half: Callable[[], Architecture]

    def of(self, row: SheetRow, claim: Claim) -> Expr:
        """Return what the claim counts of one leaf row."""
        if claim.of != SAVED_BYTES.key:
            return cost_formula(row.costs, claim.of)
        tracer = self._traced(claim.dtype).tracer
        kept = [storage for storage in tracer.storages if storage.saved_by == row.path]
        return expand(sum((storage_bytes(storage, claim.dtype or "float32") for storage in kept), Integer(0)))

    def bias(self, row: SheetRow, claim: Claim) -> Expr:
        """Return how much of that is biases."""
        tracer = self.arch.tracer
        tally = tracer.tallies.get(row.path)
        biases = [quantity.bias(tally) for quantity in _counted(claim) if tally is not None and quantity.bias is not None]
        return sum(map(sympify, biases), Integer(0))

    def _traced(self, dtype: str) -> Architecture:
        depends = self.arch.tracer.depends_on_precision
        return self.half() if depends and dtype in ("bfloat16", "float16") else self.arch


def _counted(claim: Claim) -> tuple[Quantity, ...]:
    """Return the quantities whose elements a claim counts, in bytes or not."""
    return (SAVED_BYTES.of,) if claim.of == SAVED_BYTES.key else tuple(BY_KEY[key] for key in summands(claim.of))


@dataclass(frozen=True)
class Part:
    """The leaf rows that a claim speaks of, each with what it counts of them."""

    costs: Mapping[str, Expr]

    @property
    def total(self) -> Expr:
        """Their sum."""
        return expand(sum(self.costs.values(), Integer(0)))


def part(claim: Claim, rows: Mapping[str, Span], costs: Costs, problems: Problems, tile: Expr | None = None) -> Part:
    """Return what a claim speaks of.

    Args:
        rows: the rows it names; all where there are none.
        tile: keys in a block of fused attention, whose traffic is counted in tiles then.

    Raises:
        Unresolved: it names a row or something to leave out that there is not, which is among the problems then.
    """
    scope = _leaves(rows, costs, problems) if rows else [row for row in costs.rows if not row.is_group]
    ignored, without_bias = _ignored(claim, costs, problems)
    found = {}
    for row in scope:
        if row.path not in ignored:
            bias = costs.bias(row, claim) if without_bias else Integer(0)
            found[row.path] = expand(costs.of(row, claim) - bias)
    if tile is not None:
        found |= _in_tiles(claim, [row for row in scope if row.path in found], tile, costs, problems)
    return Part(found)


def _in_tiles(claim: Claim, rows: Sequence[SheetRow], tile: Expr, costs: Costs, problems: Problems) -> dict[str, Expr]:
    """Return the traffic of the rows of fused attention, as their tiled loop has it. Raises Unresolved where there are none."""
    shapes = dict(_shapes(costs.arch))
    fused = [row for row in rows if row.op == Attention.name]
    if not fused:
        problems.add("`tile` is said of no row with `op: attention`", claim.where("tile"), "all others are counted as they are")
        raise Unresolved
    found = {}
    for row in fused:
        q, k, v, *_ = shapes[row.path]
        found[row.path] = expand(row.repeat * tiled_traffic(q, k, v, tile))
    return found


def _shapes(arch: Architecture) -> Iterator[tuple[str, tuple[tuple[Expr, ...], ...]]]:
    """Yield the path of each row of an op and of those inside blocks, with the shapes of its inputs."""
    for row in arch.rows:
        if isinstance(row, BlockRow):
            yield from _shapes(row.child)
        else:
            yield row.path, tuple(one.shape for one in row.inputs)


def _leaves(rows: Mapping[str, Span], costs: Costs, problems: Problems) -> list[SheetRow]:
    paths = [row.path for row in costs.rows]
    unknown = [name for name in rows if name not in paths]
    for name in unknown:
        notes = (*did_you_mean(name, paths), f"rows: {listed(paths)}")
        problems.add(f"there is no row `{name}`, which the claim is about", rows[name], *notes)
    if unknown:
        raise Unresolved
    return [row for row in costs.rows if not row.is_group and any(_is_in(row.path, name) for name in rows)]


def _is_in(path: str, row: str) -> bool:
    return path == row or path.startswith(f"{row}.")


def _ignored(claim: Claim, costs: Costs, problems: Problems) -> tuple[set[str], bool]:
    """Return the paths of the leaf rows to leave out, and whether biases are left out too."""
    leaves = [row for row in costs.rows if not row.is_group]
    found: set[str] = set()
    before = len(problems)
    for name, span in claim.ignore.items():
        if name == BIAS:
            _check_bias(claim, span, problems)
        elif name in KINDS or name in ops():
            found |= {row.path for row in leaves if row.op in KINDS.get(name, (name,))}
        elif name in (row.path for row in costs.rows):
            found |= {row.path for row in leaves if _is_in(row.path, name)}
        else:
            known = [BIAS, *KINDS, *ops(), *(row.path for row in costs.rows)]
            notes = (
                *did_you_mean(name, known),
                f"the kinds are {listed([BIAS, *KINDS])}; a row inside a block is named by its path, such as `blocks.attention`",
            )
            problems.add(f"`ignore` names `{name}`, which is no op, no row and none of the kinds", span, *notes)
    if len(problems) > before:
        raise Unresolved
    return found, BIAS in claim.ignore


def _check_bias(claim: Claim, span: Span, problems: Problems) -> None:
    if any(quantity.bias is None for quantity in _counted(claim)):
        note = "the addition of a bias is not told apart from the other work of its row; ignore rows or ops instead"
        problems.add(f"`ignore: bias` cannot be taken out of {claim.of}", span, note)
