"""The most memory of a forward and backward pass: simulated from the trace, and measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.measure.peak import peak
from generator.resolve.resolver import Resolver
from generator.trace.backward import simulated_peak
from generator.trace.diary import Diary
from generator.trace.liveness import run_forward
from generator.verify.built import Instance
from generator.verify.instance import Workbench


@dataclass(frozen=True)
class PeakComparison:
    """Bytes alive at the end of the forward pass and at the highest point of both passes, in float32."""

    sizes: Mapping[str, int]
    forward_predicted: int
    forward_measured: int
    peak_predicted: int
    peak_measured: int
    at: str  # the operation after which the measured peak was reached

    @property
    def ratio(self) -> float:
        """The predicted peak over the measured one."""
        return self.peak_predicted / self.peak_measured


def compare_peaks(bench: Workbench, name: str, sizes: Mapping[str, int]) -> PeakComparison:
    """Simulate and measure one instance, as in training: without a state, and with gradients on all float inputs."""
    diary = Diary(sizes)
    resolver = Resolver(bench.library, input_gradients=True)
    resolver.tracer.diary = diary
    arch = resolver.architecture(bench.library.spec(name))
    forward = run_forward(diary, list(arch.inputs.values()), list(arch.outputs.values()))
    simulated = simulated_peak(forward, resolver.facts)
    own = Instance.of(bench, name, sizes).measured_by("saved_elements")
    with own.mode:
        measured = peak(own.module, own.inputs)
    return PeakComparison(dict(sizes), simulated["forward"], measured.forward_bytes, simulated["peak"], measured.bytes, measured.at)
