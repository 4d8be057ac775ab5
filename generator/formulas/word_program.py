"""Arithmetic on arrays of int64 as a list of instructions.

It is run on a piece of the arrays at a time, so that what is between stays in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

PIECE = 1 << 14  # numbers that are worked out together: a few such arrays fit into a cache of 1 MB

Array = np.ndarray[Any, Any]


class Instruction(NamedTuple):
    """One step: what is done with which registers, and the register that it fills."""

    do: Callable[..., Any]  # takes the operands, and `out`
    operands: tuple[int, ...]
    into: int
    is_truth: bool  # it yields true and false


@dataclass(frozen=True)
class Program:
    """Instructions in order.

    Args:
        inputs: the register of each array.
        constants: the registers that hold a number, or true or false.
        instructions: each fills a register of its own.
        outputs: registers that are asked for.
        count: of registers.
    """

    inputs: tuple[int, ...]
    constants: dict[int, int | bool]
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]
    count: int

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the outputs at whole numbers that fit into int64, in new arrays of the shape to which those given broadcast."""
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        if any(array.shape != shape for array in arrays):
            values = self._registers([array.astype(np.int64, copy=False) for array in arrays])
            for one in self.instructions:
                values[one.into] = one.do(*(values[place] for place in one.operands))
            return [np.array(np.broadcast_to(values[place], shape)) for place in self.outputs]
        flat = [array.reshape(-1) for array in arrays]
        results = [np.empty(flat[0].size, dtype=self._type_of(place)) for place in self.outputs]
        buffers: dict[bool, list[Array]] = {True: [], False: []}
        for start in range(0, flat[0].size, PIECE):
            here = slice(start, start + PIECE)
            self._piece([array[here].astype(np.int64, copy=False) for array in flat], [result[here] for result in results], buffers)
        return [result.reshape(shape) for result in results]

    def _piece(self, arrays: list[Array], results: list[Array], buffers: dict[bool, list[Array]]) -> None:
        """Fill results. Arrays that are needed for a while are taken from `buffers`, and put back."""
        count = arrays[0].size
        values = self._registers(arrays)
        taken: dict[int, tuple[bool, Array]] = {}
        wanted = dict(zip(self.outputs, results, strict=True))
        for one, done in zip(self.instructions, self._last_used, strict=True):
            out = wanted.get(one.into)
            if out is None:
                free = buffers[one.is_truth]
                buffer = free.pop() if free else np.empty(PIECE, dtype=bool if one.is_truth else np.int64)
                taken[one.into] = one.is_truth, buffer
                out = buffer[:count]
            one.do(*(values[place] for place in one.operands), out=out)
            values[one.into] = out
            for place in done:
                if place in taken:
                    is_truth, buffer = taken.pop(place)
                    buffers[is_truth].append(buffer)
        for place, result in zip(self.outputs, results, strict=True):
            if values[place] is not result:
                result[...] = values[place]

    def _registers(self, arrays: Sequence[Array]) -> list[Any]:
        values: list[Any] = [None] * self.count
        for place, number in self.constants.items():
            values[place] = number if isinstance(number, bool) else np.int64(number)
        for place, array in zip(self.inputs, arrays, strict=True):
            values[place] = array
        return values

    def _type_of(self, place: int) -> Any:
        return bool if place in self._truths else np.int64

    @cached_property
    def _truths(self) -> set[int]:
        found = {one.into for one in self.instructions if one.is_truth}
        return found | {place for place, value in self.constants.items() if isinstance(value, bool)}

    @cached_property
    def _last_used(self) -> list[list[int]]:
        """For each instruction the registers that none reads after it; those of outputs are not among them."""
        found: list[list[int]] = []
        later = set(self.outputs)
        for one in reversed(self.instructions):
            new = {*one.operands, one.into} - later
            found.append(sorted(new))
            later |= new
        return found[::-1]


def select(mask: Array, yes: Any, no: Any, out: Array | None = None) -> Array:
    """Return `yes` where the mask holds and `no` elsewhere."""
    if out is None:
        return np.asarray(np.where(mask, yes, no))
    np.copyto(out, no)
    np.copyto(out, yes, where=mask)
    return out
