"""How each quantity is measured while a generated module runs. A quantity that is not measured is not proven, and must not be shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from torch import Tensor

from generator.proof.measure.backward_lines import backward_matmul_kernels
from generator.proof.measure.macs import macs_kernels
from generator.proof.measure.matmul_flops import matmul_kernels
from generator.proof.measure.parameters import UsedParameters, parameters
from generator.proof.measure.saved import saved
from generator.proof.measure.together import MeasuredForward, MeasuredStep
from generator.proof.measure.traffic import traffic
from generator.proof.measure.vector import vector_flops
from generator.proof.measure.visible_flops import VisibleFlops
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import Counter, RowDifference, first_difference
from generator.proof.verify.row_weights import wrong_weights
from generator.proof.verify.state import copied, elements
from generator.quantities import (
    ACTIVE_PARAMS,
    BACKWARD_MATMUL_FLOPS,
    MACS,
    MATMUL_FLOPS,
    PARAMS,
    QUANTITIES,
    SAVED_ELEMENTS,
    STATE_ELEMENTS,
    TRAFFIC_ELEMENTS,
    TRAINABLE_PARAMS,
    VECTOR_FLOPS,
    VISIBLE_BACKWARD_MATMUL_FLOPS,
    VISIBLE_MATMUL_FLOPS,
)
from generator.sheet.sheet import SheetRow


class UnmeasuredError(ValueError):
    """A quantity is declared, but nothing says how it is measured."""


@dataclass(frozen=True)
class Observed:
    """One instance while it ran.

    Args:
        instance: what ran.
        run: its forward pass.
        counted: the same where fused attention is one kernel.
        trained: its forward and backward pass; what is kept is that where fused attention is one kernel.
        used: the parameters that the forward pass read or returned.
        visible: its contractions without what masks hide; None where the instance is too large for tensors that have values.
    """

    instance: Instance
    run: MeasuredForward
    counted: MeasuredForward
    trained: MeasuredStep
    used: UsedParameters
    visible: VisibleFlops | None = None


@dataclass(frozen=True)
class Measurement:
    """How one quantity is measured.

    Args:
        how: for people.
        of: what was measured; None where it is not measured at such sizes.
        by_lines: the same by the lines of the generated module, where it can be told.
        is_fused: whether it is measured where fused attention is one kernel.
        of_step: what was measured, of a quantity that depends on which inputs need a gradient.
        counts: how much of each parameter counts, of a quantity of weights; None for other quantities.
    """

    how: str
    of: Callable[[Observed], int | Fraction | None]
    by_lines: Counter | None = None
    is_fused: bool = False
    of_step: Callable[[MeasuredStep], int] | None = None
    counts: Callable[[Observed, Tensor], Fraction] | None = None

    def locate(self, quantity: str, seen: Observed) -> RowDifference | None:
        """Return the first row of which the measured count differs; None where rows cannot be told apart."""
        counts = self.counts
        if counts is not None:
            return wrong_weights(seen.instance, quantity, lambda parameter: counts(seen, parameter))
        return self.first_difference(quantity, seen.instance, seen.instance.sheet.rows)

    def first_difference(self, quantity: str, own: Instance, rows: Sequence[SheetRow]) -> RowDifference | None:
        """Return the first of some rows whose measured count differs; None where rows cannot be told apart."""
        return first_difference(quantity, own.where_fused if self.is_fused else own, self.by_lines, rows) if self.by_lines else None


def require_measurements() -> None:
    """Raise UnmeasuredError unless every quantity has a measurement."""
    missing = [quantity.key for quantity in QUANTITIES if quantity.key not in MEASUREMENTS]
    if missing:
        raise UnmeasuredError(f"{', '.join(missing)}: declared as a quantity, but {__name__} does not say how it is measured")


def _state(seen: Observed) -> int:
    """What the module keeps after this step."""
    instance = seen.instance
    if instance.state is None:
        return 0
    kept = copied(instance.state)
    with instance.mode:
        instance.module(*instance.inputs, kept)
    return elements(kept)


MEASUREMENTS: Mapping[str, Measurement] = {
    PARAMS.key: Measurement(
        "its parameters, each once however many names it has",
        lambda seen: parameters(seen.instance.module).all,
        counts=lambda _seen, _parameter: Fraction(1),
    ),
    TRAINABLE_PARAMS.key: Measurement(
        "those of its parameters that require a gradient",
        lambda seen: parameters(seen.instance.module).trainable,
        counts=lambda _seen, parameter: Fraction(parameter.requires_grad),
    ),
    ACTIVE_PARAMS.key: Measurement(
        "its parameters, each for the share of the tokens for which an operation of the forward pass reads it",
        lambda seen: seen.used.scalars,
        counts=lambda seen, parameter: seen.used.share(parameter),
    ),
    MACS.key: Measurement(
        "a dispatch mode over the tensors of each contraction: elements of the result by the length of what is summed",
        lambda seen: seen.run.macs,
        lambda own, source: macs_kernels(own.runner(), *own.inputs, source=source).by_lines(),
    ),
    MATMUL_FLOPS.key: Measurement(
        "PyTorch's FlopCounterMode, where it is wrong corrected (grouped convolutions, fused attention on CPU)",
        lambda seen: seen.run.matmul_flops,
        lambda own, source: matmul_kernels(own.runner(), *own.inputs, source=source).by_lines(),
    ),
    BACKWARD_MATMUL_FLOPS.key: Measurement(
        "the same around the backward pass: with gradients on the inputs as the spec declares them, on all float inputs, and on none",
        lambda seen: seen.trained.backward_matmul_flops,
        lambda own, source: backward_matmul_kernels(own.on_leaves(), [], False, source=source).by_lines(),
        of_step=lambda trained: trained.backward_matmul_flops,
    ),
    VISIBLE_MATMUL_FLOPS.key: Measurement(
        "the masks of the module while it runs on numbers, at small sizes: what is filled with -infinity is followed to the products that "
        "make it and that read it",
        lambda seen: None if seen.visible is None else seen.visible.forward,
    ),
    VISIBLE_BACKWARD_MATMUL_FLOPS.key: Measurement(
        "the same in the backward pass", lambda seen: None if seen.visible is None else seen.visible.backward
    ),
    VECTOR_FLOPS.key: Measurement(
        "a dispatch mode over PyTorch's own decompositions: one for each primitive operation and element",
        lambda seen: seen.counted.vector_flops,
        lambda own, source: vector_flops(own.runner(), *own.inputs, source=source).by_lines(),
        is_fused=True,
    ),
    SAVED_ELEMENTS.key: Measurement(
        "saved-tensor hooks: each storage once, parameters excluded; with gradients on the inputs as above",
        lambda seen: seen.trained.saved.elements,
        lambda own, source: saved(own.runner(), *own.leaves(), source=source).by_lines(),
        is_fused=True,
        of_step=lambda trained: trained.saved.elements,
    ),
    TRAFFIC_ELEMENTS.key: Measurement(
        "a dispatch mode over what each unfused operation reads and writes",
        lambda seen: seen.counted.traffic.elements,
        lambda own, source: traffic(own.runner(), *own.inputs, source=source).count.by_lines(),
        is_fused=True,
    ),
    STATE_ELEMENTS.key: Measurement("the state that the module keeps after a decoding step", _state),
}
