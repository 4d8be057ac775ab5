"""Measures one instance and compares every quantity with its formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from generator.formulas.evaluate import evaluate
from generator.proof.measure.kernel import Observer
from generator.proof.measure.parameters import UsedParameters
from generator.proof.measure.together import MeasuredForward, forward
from generator.proof.measure.visible_flops import HidesWatch
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import RowDifference
from generator.proof.verify.masked_instances import measured_visible
from generator.proof.verify.measurements import MEASUREMENTS, Measurement, Observed
from generator.proof.verify.row_shapes import LocalsWatch, wrong_shapes
from generator.quantities import QUANTITIES
from generator.resolve.decoding_sizes import growths
from generator.resolve.once import keeps_once


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
    locate: Callable[[], RowDifference | None] | None = field(default=None, repr=False, compare=False)
    fixed: Callable[[Mapping[str, int]], Any] | None = field(default=None, repr=False, compare=False)
    where: str = ""
    general: Any = None

    @property
    def equal(self) -> bool:
        """Whether they agree exactly."""
        return bool(self.derived == self.measured)

    def difference(self) -> RowDifference | None:
        """Return the first row that differs, if it can be told."""
        return None if self.equal or self.locate is None else self.locate()

    def settled(self) -> Check:
        """Return what came of it alone, which no longer holds the module that was measured and can go from one process to another."""
        return replace(self, locate=None, fixed=None)


def check_instance(instance: Instance) -> list[Check]:
    """Return the comparisons of every quantity, with gradients on the inputs as the spec declares them."""
    watch, used, hides = LocalsWatch(instance), UsedParameters(instance.module), HidesWatch()
    if instance.state and keeps_once(instance.bench.compiled(instance.name).architecture):
        _run_first_step(instance, used)
    with watch:
        run = run_forward(instance, [used, hides])
    used.returned(run.result)
    counted = run if instance.fused is None else run_forward(instance.fused)
    trained = instance.trained
    visible = measured_visible(instance, run, trained, hides=hides.hides or instance.fused is not None)
    seen = Observed(instance, run, counted, trained, used, visible)
    quantities = [_check(seen, quantity.key, MEASUREMENTS[quantity.key]) for quantity in QUANTITIES]
    return [*_shapes(instance, run.result, watch), *(check for check in quantities if check is not None)]


def _run_first_step(instance: Instance, used: UsedParameters) -> None:
    """Run the step that makes what is kept once: the parameters that it uses are used for all later tokens too."""
    sizes = dict(instance.sizes)
    for pair in growths(instance.bench.compiled(instance.name).architecture):
        sizes |= pair.at(0, sizes[pair.new.name])
    first = Instance.of(instance.bench, instance.name, sizes)
    seen = UsedParameters(first.module)
    run_forward(replace(first, state={}), [seen])
    used.include(zip(instance.module.parameters(), first.module.parameters(), strict=True), seen)


def run_forward(instance: Instance, observers: Sequence[Observer] = ()) -> MeasuredForward:
    """Run the instance once, counting what it computes and moves."""
    with instance.mode:
        return forward(instance.runner(), *instance.inputs, observers=observers)


def _shapes(instance: Instance, result: Any, watch: LocalsWatch) -> Iterator[Check]:
    tensors = list(result) if isinstance(result, tuple) else [result]
    for (name, axes), x in zip(instance.sheet.outputs.items(), tensors, strict=True):
        yield Check(f"shape of {name}", [evaluate(axis, instance.sizes) for axis in axes], list(x.shape))
    count, wrong = wrong_shapes(instance, watch.found)
    yield Check("rows of the right shape", count, count - len(wrong), lambda: wrong[0] if wrong else None)


def _check(seen: Observed, quantity: str, measurement: Measurement) -> Check | None:
    """Return the comparison of one quantity; None where it is not measured at such sizes."""
    instance, measured = seen.instance, measurement.of(seen)
    if measured is None:
        return None

    def fixed(numbers: Mapping[str, int]) -> Any:
        return evaluate(instance.bench.fixed(instance.name, None, numbers).totals[quantity], instance.sizes)

    def locate() -> RowDifference | None:
        return measurement.locate(quantity, seen)

    return Check(quantity, instance.derived(quantity), measured, locate, fixed)
