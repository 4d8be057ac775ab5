"""Arithmetic on the indices of axes, which ends in a mask: kernels on small tensors of integers, none of them floating point."""

from __future__ import annotations

from collections.abc import Mapping

from generator.text.expression_tree import Ast, Name, Unary, fold
from generator.trace.pointwise import broadcast
from generator.trace.tensor import Shape, Tensor
from generator.trace.tracer import Tracer

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "and", "or")


def mask(t: Tracer, condition: Ast, places: Mapping[str, int], shape: Shape) -> Tensor:
    """Return the bool tensor of a condition on indices, with axes of size one where it does not depend on the index.

    Args:
        places: the axis of `shape` that each index in the condition runs along.
    """
    indices = {name: _index(t, place, shape) for name, place in places.items()}
    t.name(**indices)

    def visit(node: Ast, operands: list[Tensor | None]) -> Tensor | None:
        """Return the tensor of a node; None for a number, which is no kernel."""
        if isinstance(node, Name):
            return indices.get(node.id)
        tensors = [x for x in operands if x is not None]
        if not tensors:
            return None
        result_shape = tensors[0].shape if len(tensors) == 1 else broadcast(tensors[0].shape, tensors[1].shape)
        name = "neg" if isinstance(node, Unary) else str(node.op)  # type: ignore[union-attr]  # calls are refused before
        out = t.new(result_shape, kind="bool" if name in COMPARISONS else "index")
        t.kernel("index_arithmetic", tensors, [out])
        return out

    result = fold(condition, visit)
    assert result is not None  # the caller has seen an index in it
    return result


def _index(t: Tracer, place: int, shape: Shape) -> Tensor:
    """0, 1, 2, ... along one axis, as a view that stretches over the axes behind it."""
    out = t.new((shape[place],), kind="index")
    t.kernel("arange", [], [out])
    for _ in range(len(shape) - 1 - place):
        out = out.unsqueeze(-1)
    return out
