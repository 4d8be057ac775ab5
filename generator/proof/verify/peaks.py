"""The most memory of a forward and backward pass: simulated from the trace, and measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Integer

from generator.proof.measure.peak import peak
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.resolve.decoding import growths
from generator.resolve.resolver import Resolver
from generator.trace.backward import simulated_peak
from generator.trace.diary import Diary
from generator.trace.liveness import run_forward


@dataclass(frozen=True)
class PeakComparison:
    """Bytes in float32, alive at the end of the forward pass and at the highest point of both passes.

    Args:
        at: the operation after which the measured peak was reached.
    """

    sizes: Mapping[str, int]
    forward_predicted: int
    forward_measured: int
    peak_predicted: int
    peak_measured: int
    at: str

    @property
    def is_exact(self) -> bool:
        """Whether both predictions are what was measured."""
        return self.forward_predicted == self.forward_measured and self.peak_predicted == self.peak_measured

    @property
    def ratio(self) -> float:
        """The predicted peak over the measured one."""
        return self.peak_predicted / self.peak_measured


def compare_peaks(bench: Workbench, name: str, sizes: Mapping[str, int]) -> PeakComparison:
    """Simulate and measure one instance as in training: without a state, and with gradients on all float inputs."""
    pairs = growths(bench.compiled(name).architecture)
    same: dict[str, Expr] = {one.other.name: Integer(0) if one.is_past else one.new for one in pairs}
    sizes = {**sizes, **{size: value for one in pairs for size, value in one.at(0, sizes[one.new.name]).items()}}
    simulated = _simulated(bench, name, sizes, same)
    own = Instance.of(bench, name, sizes).where_fused
    with own.mode:
        measured = peak(own.module, own.inputs)
    return PeakComparison(sizes, simulated["forward"], measured.forward_bytes, simulated["peak"], measured.bytes, measured.at)


def _simulated(bench: Workbench, name: str, sizes: Mapping[str, int], bound: Mapping[str, Expr]) -> Mapping[str, int]:
    diary = Diary(sizes)
    arch = Resolver(bench.library, True, bound=bound, diary=diary).architecture(bench.library.spec(name))
    forward = run_forward(diary, list(arch.inputs.values()), list(arch.outputs.values()))
    return simulated_peak(forward, arch.tracer.facts)
