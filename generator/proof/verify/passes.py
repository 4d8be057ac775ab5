"""The peak of memory of other passes than a training step: without gradients, and with the gradients of weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.proof.verify.built import Instance
from generator.proof.verify.instance_checks import Check
from generator.proof.verify.variants import FORMATS, in_format, peak_checks
from generator.sheet.pass_peak import Pass


def pass_checks(instance: Instance, passes: Sequence[Pass] = (Pass.GRADIENTS,)) -> Iterator[Check]:
    """Compare the peaks of passes in each number format.

    That of a forward pass without gradients is not among those of `gen verify`: it is exact for every op, but not yet for every spec.
    """
    training = instance.bench.compiled(instance.name).sheet.peak
    if training is None:
        return
    for dtype in FORMATS:
        built = in_format(instance, dtype)
        for what in passes:
            yield from peak_checks(built, training.of(what), dtype)
