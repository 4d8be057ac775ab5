"""Which sizes grow while a model decodes: each step brings n new tokens, and with those of the steps before there are m."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from generator.ops.cache import Cache
from generator.resolve.architecture import Architecture, BoundRow
from generator.resolve.scope import Scope


@dataclass(frozen=True)
class Growth:
    """Two sizes of a spec that go together from step to step.

    Args:
        new: the tokens of a step.
        other: all tokens so far, those of the step included; or, where `is_past`, those of the steps before alone.
    """

    new: Symbol
    other: Symbol
    is_past: bool = False

    def at(self, start: int, length: int) -> dict[str, int]:
        """Return both sizes in a step of `length` tokens behind `start` others."""
        return {self.new.name: length, self.other.name: start if self.is_past else start + length}

    def past(self, sizes: Mapping[str, int]) -> int:
        """Return how many tokens came in earlier steps."""
        return sizes[self.other.name] - (0 if self.is_past else sizes[self.new.name])


@dataclass(frozen=True)
class GrowingCache:
    """A cache that grows from step to step.

    Args:
        arch: the spec in which it stands.
        axis: the axis of tokens; it has `new` of a step, and there are `total` so far.
    """

    row: BoundRow
    arch: Architecture
    axis: int
    new: Expr
    total: Expr

    @property
    def sizes(self) -> Mapping[str, Expr]:
        """The sizes of that spec."""
        return self.arch.sizes

    @property
    def drops(self) -> bool:
        """Whether it keeps the last tokens alone."""
        return isinstance(self.row.op, Cache) and self.row.op.keep is not None


def caches(arch: Architecture) -> Iterator[GrowingCache]:
    """Yield each cache that is to grow, those of nested blocks included."""
    for row in arch.rows:
        if not row.active:
            continue
        if row.child is not None:
            yield from caches(row.child)
        elif isinstance(row.op, Cache) and row.op.to is not None:
            (x,) = row.inputs
            axis = Scope.of(arch.tracer, row, arch.sizes).axis(x, row.op.axis)
            total = arch.tracer.facts.simplify(row.op.to)
            if x.shape[axis] != total:
                yield GrowingCache(row, arch, axis, x.shape[axis], total)


def growth(new: Expr, total: Expr) -> Growth | None:
    """Return the two sizes that make an axis grow from `new` to `total`: n to m, also as 2*n to 2*m, or n to n + p.

    None where there are no two such sizes, such as for n to min(m, w).
    """
    ours, others = new.free_symbols, total.free_symbols
    if len(others - ours) != 1:
        return None
    (other,) = others - ours
    if len(ours - others) == 1:
        (size,) = ours - others
        return Growth(size, other) if (total.xreplace({other: size}) - new).expand() == 0 else None
    if ours - others or (total.xreplace({other: Integer(0)}) - new).expand() != 0:
        return None
    sizes = sorted(ours, key=str)
    return next((Growth(size, other, is_past=True) for size in sizes if (new + new / size * other - total).expand() == 0), None)


def growths(arch: Architecture) -> tuple[Growth, ...]:
    """Return the pairs of sizes by which the caches of a spec grow, each once."""
    found = (growth(kept.new, kept.total) for kept in caches(arch))
    return tuple(dict.fromkeys(one for one in found if one is not None))
