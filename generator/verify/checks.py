"""Measures one instance and compares every quantity with its formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.measure.matmul import backward_matmul_flops, matmul_flops
from generator.measure.parameters import parameters
from generator.measure.saved import saved
from generator.measure.traffic import traffic
from generator.measure.vector import vector_flops
from generator.printing.evaluate import evaluate
from generator.verify.built import Instance
from generator.verify.row_shapes import wrong_shapes
from generator.verify.row_weights import wrong_weights
from generator.verify.rows import COUNTERS, RowDifference, first_difference
from generator.verify.state import copied, elements


@dataclass(frozen=True)
class Check:
    """One comparison: what the formula says and what was measured.

    Args:
        locate: finds the first row that differs, if it can be told.
    """

    quantity: str
    derived: Any
    measured: Any
    locate: Callable[[], RowDifference | None] = field(default=lambda: None, repr=False, compare=False)

    @property
    def equal(self) -> bool:
        """Whether they agree exactly."""
        return bool(self.derived == self.measured)


def check_instance(instance: Instance) -> list[Check]:
    """Return the comparisons of every quantity, with gradients on the inputs as the spec declares them."""
    return [*_shapes(instance), _weights(instance), *(_check(instance, quantity) for quantity in MEASURES)]


def _shapes(instance: Instance) -> Iterator[Check]:
    result = instance.runner()(*instance.inputs)
    tensors = list(result) if isinstance(result, tuple) else [result]
    for (name, axes), x in zip(instance.sheet.outputs.items(), tensors, strict=True):
        yield Check(f"shape of {name}", [evaluate(axis, instance.sizes) for axis in axes], list(x.shape))
    count, wrong = wrong_shapes(instance)
    yield Check("rows of the right shape", count, count - len(wrong), lambda: wrong[0] if wrong else None)


def _weights(instance: Instance) -> Check:
    trainable = parameters(instance.module).trainable
    return Check("params", instance.derived("params"), trainable, lambda: wrong_weights(instance))


def _check(instance: Instance, quantity: str) -> Check:
    own = instance.measured_by(quantity)
    with own.mode:
        measured = MEASURES[quantity](own)

    def locate() -> RowDifference | None:
        return first_difference(quantity, own, instance.sheet.rows) if quantity in COUNTERS else None

    return Check(quantity, instance.derived(quantity), measured, locate)


def _state(instance: Instance) -> int:
    """What the module keeps after this step."""
    if instance.state is None:
        return 0
    kept = copied(instance.state)
    instance.module(*instance.inputs, kept)
    return elements(kept)


MEASURES: Mapping[str, Callable[[Instance], int]] = {
    "matmul_flops": lambda i: matmul_flops(i.runner(), *i.inputs),
    "backward_matmul_flops": lambda i: backward_matmul_flops(i.on_leaves(), [], False),
    "vector_flops": lambda i: vector_flops(i.runner(), *i.inputs).total,
    "saved_elements": lambda i: saved(i.runner(), *i.leaves()).elements,
    "traffic_elements": lambda i: traffic(i.runner(), *i.inputs).elements,
    "state_elements": _state,
}
