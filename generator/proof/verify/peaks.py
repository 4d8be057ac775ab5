"""The memory of a forward and backward pass from beginning to end: replayed from the trace, and measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.formulas.evaluate import evaluate
from generator.proof.measure.peak import peak
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.state import without_past
from generator.proof.verify.variants import FORMATS, WideStatistics
from generator.sheet.number_formats import ITEM_BYTES, item_bytes
from generator.sheet.pass_peak import PeakMemory
from generator.trace.diary import Recompute
from generator.trace.peak_moments import ReplayStep


@dataclass(frozen=True)
class PeakComparison:
    """Bytes alive at the end of the forward pass, at the highest point of both passes, and each time before something is let go.

    Args:
        at: the operation after which the measured peak was reached.
        in_backward: whether that was in the backward pass.
        step: where the replay has its peak.
    """

    sizes: Mapping[str, int]
    forward_predicted: int
    forward_measured: int
    peak_predicted: int
    peak_measured: int
    course_predicted: tuple[int, ...]
    course_measured: tuple[int, ...]
    at: str
    in_backward: bool
    step: ReplayStep

    @property
    def is_exact(self) -> bool:
        """Whether both predictions are what was measured."""
        return self.forward_predicted == self.forward_measured and self.peak_predicted == self.peak_measured

    @property
    def has_same_course(self) -> bool:
        """Whether memory was what was predicted each time before something was let go."""
        return self.is_exact and self.course_predicted == self.course_measured


def compare_peaks(
    bench: Workbench, name: str, sizes: Mapping[str, int], *, dtype: str = "float32", recompute: Recompute | None = None
) -> PeakComparison:
    """Replay and measure one instance as in training: without a past, and with gradients on all float inputs."""
    sizes, item = without_past(bench, name, sizes), item_bytes(ITEM_BYTES[dtype])
    replay = PeakMemory(bench.library, bench.library.spec(name), on_inputs=True, recompute=recompute)
    replayed = replay.replayed(replay.diary(sizes), dtype)
    own = Instance.of(bench, name, sizes, dtype=FORMATS[dtype], recompute=str(recompute or "")).where_fused
    with own.mode, WideStatistics():
        measured = peak(own.module, own.inputs)
    predicted = [int(evaluate(bytes_of(item), sizes)) for bytes_of in (replayed.bytes_after_forward, replayed.bytes)]
    course = tuple(int(evaluate(one, sizes)) for one in replayed.course_in_bytes(item))
    step, _ = max(replayed.summits(item).beside, key=lambda one: int(evaluate(one[1], sizes)))
    found = (measured.at, measured.in_backward, step)
    return PeakComparison(sizes, predicted[0], measured.forward_bytes, predicted[1], measured.bytes, course, measured.course, *found)
