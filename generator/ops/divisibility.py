"""What several ops say where one size must divide another."""

from __future__ import annotations

from sympy import Expr

from generator.ops.base import OpError, RowScope
from generator.text.suggest import add_condition
from generator.trace.tensor import Tensor


def suggested_condition(row: RowScope, dividend: Expr, divisor: Expr) -> tuple[str, ...]:
    """Return the note that suggests a condition of divisibility; nothing where both are numbers."""
    if not dividend.free_symbols | divisor.free_symbols:
        return ()
    sides = [row.text(one) if one.is_Atom else f"({row.text(one)})" for one in (dividend, divisor)]
    return (add_condition(f"{sides[0]} % {sides[1]} == 0"),)


def check_groups(
    row: RowScope, x: Tensor, channels: Expr, groups: Expr, *, whose: str = "", kind: str = "groups", at: str = "groups"
) -> None:
    """Raise OpError unless channels split evenly into groups.

    Args:
        x: the first input, whose channels are axis 1.
        channels: of x, or of the result; `whose` says which, where there are both.
        kind: what the groups are called.
    """
    if row.t.facts.divisible(channels, groups):
        return
    total, count = map(row.text, (channels, groups))
    split = f"the {total} channels {whose}" if whose else f"{total} channels"
    raise OpError(
        f"`{row.name}` splits {split} into {count} {kind}, which does not always divide evenly",
        f"{row.input_names[0]} is {row.show(x.shape)}; its channels are axis 1",
        *suggested_condition(row, channels, groups),
        at=at,
    )
