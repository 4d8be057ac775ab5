"""What stands around an axis: a number, or elements of the axis itself. Shared by the op pad and convolutions."""

from __future__ import annotations

from typing import cast

from sympy import Expr, Ge, Gt

from generator.ops.base import OpError, RowScope
from generator.ops.params import Choice
from generator.trace import moving
from generator.trace.tensor import Shape, Tensor

OWN = ("reflect", "replicate", "circular")  # modes that repeat elements of the axis


def fixed_word(row: RowScope, name: str, choice: Choice) -> str:
    """Return the word of a setting. Raises OpError where an option decides it: then the module would not be the same."""
    if choice.option is not None:
        raise OpError(f"`{name}` of `{row.name}` must be a word itself, such as {choice.value}, not an option", at=name)
    return choice.value


def around(row: RowScope, x: Tensor, before: Shape, after: Shape, mode: str, *, at: str) -> Tensor:
    """Pad the last axes of x with elements of these axes, one number before and one after for each.

    Raises:
        OpError: an axis has too few.
    """
    lengths = x.shape[x.rank - len(before) :]
    for length, sizes in zip(lengths, zip(before, after, strict=True), strict=True):
        for size in sizes:
            _check(row, x, mode, length, size, at)
    return moving.pad_with_own(row.t, x, before, after, cast(moving.Mode, mode))


def _check(row: RowScope, x: Tensor, mode: str, length: Expr, added: Expr, at: str) -> None:
    """Require that an axis is long enough: a reflection leaves its end element out."""
    if mode == "replicate" or added == 0:
        return
    room = length if mode == "circular" else length - 1
    if (added - room).expand().is_positive:
        more, size, has = map(row.text, (added, length, room))
        raise OpError(
            f"`{row.name}` adds {more} elements to an axis of {size}; `{mode}` has at most {has}",
            f"{row.input_names[0]} is {row.show(x.shape)}",
            at=at,
        )
    row.require(Ge(length, added) if mode == "circular" else Gt(length, added))
