"""The peak of memory of other passes than a training step: without gradients, and with the gradients of weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.proof.measure.peak import forward_peak
from generator.proof.measure.peak import peak as measured_peak
from generator.proof.verify.built import Instance
from generator.proof.verify.checks import Check
from generator.proof.verify.state import copied, without_past
from generator.proof.verify.variants import FORMATS, WideStatistics
from generator.quantities import FORWARD_PEAK_BYTES, STEP_PEAK_BYTES
from generator.sheet.peak import Pass

KEYS = {Pass.FORWARD: FORWARD_PEAK_BYTES.key, Pass.GRADIENTS: STEP_PEAK_BYTES.key}


def pass_checks(instance: Instance, passes: Sequence[Pass] = (Pass.GRADIENTS,)) -> Iterator[Check]:
    """Compare the peaks of passes in each number format.

    That of a forward pass without gradients is not among those of `gen verify`: it is exact for every op, but not yet for every spec.
    """
    bench, name = instance.bench, instance.name
    training = bench.compiled(name).sheet.peak
    if training is None:
        return
    for what, key in ((one, KEYS[one]) for one in passes):
        peak = training.of(what)
        if peak.is_unknown:
            continue
        sizes = dict(instance.sizes) if peak.has_caches else without_past(bench, name, instance.sizes)
        for dtype, torch_dtype in FORMATS.items():
            derived = peak.bytes_at(dtype, sizes)
            if derived is None:  # too many rows to be replayed
                continue
            own = Instance.of(bench, name, sizes, dtype=torch_dtype).where_fused
            with own.mode, WideStatistics():
                if what is Pass.GRADIENTS:
                    measured = measured_peak(own.module, own.leaves(), input_gradients=None, counts_gradients=True).bytes
                else:
                    state = copied(own.state) if own.state is not None and peak.has_caches else None
                    measured = forward_peak(own.module, own.inputs, state)

            def fixed(numbers: Mapping[str, int], what: Pass = what, dtype: str = dtype, sizes: Mapping[str, int] = sizes) -> Any:
                return bench.fixed(name, None, numbers).peak.of(what).bytes_at(dtype, sizes)

            yield Check(f"{key}, {dtype}", derived, measured, fixed=fixed)
