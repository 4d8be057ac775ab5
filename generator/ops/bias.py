"""Whether a layer has a bias, where it may be that of another one."""

from __future__ import annotations

from typing import Protocol

from generator.ops.base import CodeScope, Op, RowScope
from generator.ops.params import Flag


class WithBias(Protocol):
    """An op with the parameter `bias`."""

    @property
    def bias(self) -> Flag | None:
        """Whether the row says that it has one; None where it does not say."""

    def is_kin(self, other: Op) -> bool:
        """Whether all weights of the other op, its bias included, mean the same to this one."""


def bias_of(op: WithBias, scope: RowScope | CodeScope) -> Flag:
    """Return whether a layer has a bias, and the option that decides it: by default what the layer has that it is tied to."""
    if op.bias is not None:
        return op.bias
    for other in scope.tied_ops:
        if not op.is_kin(other):
            break
        bias: Flag | None = getattr(other, "bias", None)
        if bias is not None:
            return bias
    return Flag(True)


def shares_bias(op: WithBias, scope: RowScope | CodeScope) -> bool:
    """Say whether a layer's bias, if it has one, is that of the layer that it is tied to."""
    return op.bias is None and bool(scope.tied_ops) and op.is_kin(scope.tied_ops[0])
