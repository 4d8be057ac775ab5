"""A sweep in parts that are worked out by themselves, each by whoever has time for it, and once more where that one is lost.

Only what goes to a worker of a cluster and what it does there stands here; `cluster` hands the parts out.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from sympy import Expr

from generator.questions.sweep import grid as grids
from generator.questions.sweep.best import best
from generator.questions.sweep.sweep_chunks import Chunk, Sweep
from generator.questions.sweep.writers import ParquetWriter
from generator.sheet.sheet import Constraint, Size

CHUNKS = 32  # of which a part consists: two million points, about a second's work
TEMPORARY = ".tmp"  # how the name of a file ends that is not whole yet; it begins with a dot, so that no reader of Parquet takes it
_MOST_PARTS = 20_000  # a grid of more points has longer parts: whoever hands them out looks at each


@dataclass(frozen=True)
class GridPart:
    """The points of a grid from the one with the number `first` on, and before `end`."""

    number: int
    first: int
    end: int


@dataclass(frozen=True)
class KeptPoints:
    """What comes back of a part in place of all its points: the best `top` by a column, or the first ones where no column is named."""

    top: int
    key: str = ""
    greatest: bool = False

    def of(self, chunks: Iterator[Chunk]) -> Chunk:
        """Return the points that remain. Those that passed are counted where the first ones are asked for."""
        if self.key:
            return best(chunks, self.key, self.top, greatest=self.greatest)
        return _first(chunks, self.top)


@dataclass(frozen=True)
class _Formulas:
    """What of a sheet a worker needs; the whole sheet would take a megabyte."""

    name: str
    sizes: tuple[Size, ...]
    constraints: tuple[Constraint, ...]
    totals: Mapping[str, Expr]


def parts_of(sweep: Sweep, chunks: int = CHUNKS) -> list[GridPart]:
    """Return the parts of a sweep, in the order of its grid."""
    count = sweep.grid.count
    length = grids.CHUNK * max(chunks, -(-count // (grids.CHUNK * _MOST_PARTS)))
    return [GridPart(number, first, min(first + length, count)) for number, first in enumerate(range(0, count, length))]


def packed(sweep: Sweep) -> bytes:
    """Return a sweep as it is sent to workers."""
    sheet = sweep.sheet
    formulas = _Formulas(sheet.name, sheet.sizes, sheet.constraints, dict(sheet.totals))
    return pickle.dumps(Sweep(formulas, sweep.grid, sweep.measures, sweep.where))


@lru_cache(maxsize=4)
def _unpacked(sent: bytes) -> Sweep:
    found = pickle.loads(sent)  # noqa: S301 - by `packed`, over the connection over which the worker takes its code too
    assert isinstance(found, Sweep)
    return found


def reduced(sent: bytes, part: GridPart, reduction: KeptPoints) -> Chunk:
    """Return what remains of a part. Raises SizeError."""
    return reduction.of(_unpacked(sent).chunks(part.first, part.end))


def all_points(sent: bytes, part: GridPart) -> list[Chunk]:
    """Return the points of a part that pass. Raises SizeError."""
    return list(_unpacked(sent).chunks(part.first, part.end))


def written(sent: bytes, part: GridPart, file: Path) -> Chunk:
    """Write the points of a part that pass into a file, whole or not at all, and return how many there are.

    Raises:
        SizeError: a value has no exact form in Parquet, or none at all.
        OSError: the file cannot be written; the folder has to be there.
    """
    sweep = _unpacked(sent)
    count = left_out = filtered = 0
    temporary = file.with_name(f".{file.name}.{os.getpid()}{TEMPORARY}")
    try:
        writer = ParquetWriter(temporary, sweep.names, sweep.bounds())
        for chunk in sweep.chunks(part.first, part.end):
            writer.write(chunk)
            count, left_out, filtered = count + chunk.count, left_out + chunk.left_out, filtered + chunk.filtered
        writer.close()
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
    return Chunk({}, count, left_out, filtered)


def _first(chunks: Iterator[Chunk], most: int) -> Chunk:
    """Return the first points, with the numbers of all."""
    columns: dict[str, np.ndarray] = {}
    count = left_out = filtered = 0
    for chunk in chunks:
        if chunk.count and count < most:
            columns = {
                name: np.concatenate([columns[name], values])[:most] if columns else values[:most] for name, values in chunk.columns.items()
            }
        count, left_out, filtered = count + chunk.count, left_out + chunk.left_out, filtered + chunk.filtered
    return Chunk(columns, count, left_out, filtered)
