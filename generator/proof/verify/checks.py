"""Measures one instance and compares every quantity with its formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from generator.formulas.evaluate import evaluate
from generator.proof.measure.kernel import Observer
from generator.proof.measure.parameters import UsedParameters
from generator.proof.measure.saved import saved
from generator.proof.measure.together import MeasuredForward, MeasuredStep, forward, step
from generator.proof.verify.built import Instance
from generator.proof.verify.measurements import MEASUREMENTS, Measurement, Observed
from generator.proof.verify.row_shapes import LocalsWatch, wrong_shapes
from generator.proof.verify.rows import RowDifference
from generator.quantities import QUANTITIES


@dataclass(frozen=True)
class Check:
    """One comparison: what the formula says and what was measured.

    Args:
        locate: finds the first row that differs, if it can be told.
        fixed: derives the same once more where some sizes are the numbers given; None where a number is not derived.
        where: the sizes of one for which it was derived apart, such as `h = 1`, where PyTorch works otherwise than at greater ones.
        general: what the formula for all greater sizes says there.
    """

    quantity: str
    derived: Any
    measured: Any
    locate: Callable[[], RowDifference | None] = field(default=lambda: None, repr=False, compare=False)
    fixed: Callable[[Mapping[str, int]], Any] | None = field(default=None, repr=False, compare=False)
    where: str = ""
    general: Any = None

    @property
    def equal(self) -> bool:
        """Whether they agree exactly."""
        return bool(self.derived == self.measured)


def check_instance(instance: Instance) -> list[Check]:
    """Return the comparisons of every quantity, with gradients on the inputs as the spec declares them."""
    watch, used = LocalsWatch(instance), UsedParameters(instance.module)
    with watch:
        run = run_forward(instance, [used])
    counted = run if instance.fused is None else run_forward(instance.fused)
    seen = Observed(instance, run, counted, run_step(instance), used)
    quantities = [_check(seen, quantity.key, MEASUREMENTS[quantity.key]) for quantity in QUANTITIES]
    return [*_shapes(instance, run.result, watch), *quantities]


def run_forward(instance: Instance, observers: Sequence[Observer] = ()) -> MeasuredForward:
    """Run the instance once, counting what it computes and moves."""
    with instance.mode:
        return forward(instance.runner(), *instance.inputs, observers=observers)


def run_step(instance: Instance) -> MeasuredStep:
    """Run the instance and its backward pass; what is kept is measured where fused attention is fused."""
    with instance.mode:
        trained = step(instance.runner(), instance.leaves())
    if instance.fused is None:
        return trained
    with instance.fused.mode:
        return replace(trained, saved=saved(instance.fused.runner(), *instance.fused.leaves()))


def _shapes(instance: Instance, result: Any, watch: LocalsWatch) -> Iterator[Check]:
    tensors = list(result) if isinstance(result, tuple) else [result]
    for (name, axes), x in zip(instance.sheet.outputs.items(), tensors, strict=True):
        yield Check(f"shape of {name}", [evaluate(axis, instance.sizes) for axis in axes], list(x.shape))
    count, wrong = wrong_shapes(instance, watch.found)
    yield Check("rows of the right shape", count, count - len(wrong), lambda: wrong[0] if wrong else None)


def _check(seen: Observed, quantity: str, measurement: Measurement) -> Check:
    instance = seen.instance

    def fixed(numbers: Mapping[str, int]) -> Any:
        return evaluate(instance.bench.fixed(instance.name, None, numbers).totals[quantity], instance.sizes)

    def locate() -> RowDifference | None:
        return measurement.locate(quantity, seen)

    return Check(quantity, instance.derived(quantity), measurement.of(seen), locate, fixed)
