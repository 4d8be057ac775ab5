"""The same instance under other conditions: gradients on the inputs or none, and another number format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from generator.formulas.evaluate import evaluate
from generator.in_bytes import FORWARD_PEAK_BYTES, PEAK_BYTES, SAVED_BYTES, STEP_PEAK_BYTES
from generator.proof.measure.peak import forward_peak
from generator.proof.measure.peak import peak as measured_peak
from generator.proof.measure.saved import saved
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import ByLines, RowDifference, first_difference, saved_bytes_by_row
from generator.proof.verify.instance_checks import Check
from generator.proof.verify.measurements import MEASUREMENTS, Measurement
from generator.proof.verify.state import copied, without_past
from generator.sheet.pass_peak import Pass, PeakMemory

GRADIENTS = {True: "all inputs with gradient", False: "no input with gradient"}
FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def gradient_checks(instance: Instance) -> Iterator[Check]:
    """Compare what depends on it with gradients on all float inputs and on none; what the spec itself declares is not repeated."""
    spec = instance.bench.library.spec(instance.name)
    floats = tuple(declared.dtype == "float" for declared in spec.inputs.values())
    for wanted, words in GRADIENTS.items():
        gradients = tuple(wanted and is_float for is_float in floats)
        if gradients == instance.gradients:
            continue
        variant = instance.bench.with_gradients(instance.name, instance.sizes, on_inputs=wanted)
        changed = instance.with_gradients(gradients)
        trained = changed.trained
        for quantity, measurement in MEASUREMENTS.items():
            if measurement.of_step is None:
                continue
            measured = measurement.of_step(trained)

            def locate(
                quantity: str = quantity, one: Measurement = measurement, own: Instance = changed, rows: Any = variant.rows
            ) -> RowDifference | None:
                return one.first_difference(quantity, own, rows)

            def fixed(numbers: Mapping[str, int], quantity: str = quantity, wanted: bool = wanted) -> Any:
                return evaluate(instance.bench.fixed(instance.name, wanted, numbers).totals[quantity], instance.sizes)

            yield Check(f"{quantity}, {words}", evaluate(variant.totals[quantity], instance.sizes), measured, locate, fixed)


def byte_checks(instance: Instance) -> Iterator[Check]:
    """Compare the bytes kept for the backward pass, in each number format."""
    compiled = instance.bench.compiled(instance.name)
    tracer = compiled.architecture.tracer
    for dtype in FORMATS:
        built = in_format(instance, dtype)
        own = built.where_fused
        measured = instance.trained.saved.bytes if built is instance else _saved_bytes(own)

        def locate(dtype: str = dtype, own: Instance = own) -> RowDifference | None:
            with WideStatistics():
                share = saved_bytes_by_row(tracer.storages, dtype)
                return first_difference(SAVED_BYTES.key, own, saved_bytes_by_lines, compiled.sheet.rows, share)

        def fixed(numbers: Mapping[str, int], dtype: str = dtype) -> Any:
            return evaluate(instance.bench.fixed(instance.name, None, numbers).saved.bytes(dtype), instance.sizes)

        yield Check(f"{SAVED_BYTES.key}, {dtype}", evaluate(compiled.sheet.saved.bytes(dtype), instance.sizes), measured, locate, fixed)
        peak = compiled.sheet.peak
        if peak is not None:
            yield from peak_checks(built, peak, dtype)


def in_format(instance: Instance, dtype: str) -> Instance:
    """Return an instance, which is in float32, in one of `FORMATS`: itself, or another one. Raises KeyError for an unknown one."""
    torch_dtype = FORMATS[dtype]
    return instance if torch_dtype == torch.float32 else Instance.of(instance.bench, instance.name, instance.sizes, dtype=torch_dtype)


def _saved_bytes(own: Instance) -> int:
    """Measure the bytes kept for the backward pass; in float32 they are those of the pass in which all else is measured."""
    with own.mode, WideStatistics():
        return saved(own.runner(), *own.leaves()).bytes


def peak_checks(built: Instance, peak: PeakMemory, dtype: str) -> Iterator[Check]:
    """Compare the peak of a pass of an instance in a format, where it can be replayed; without a past, but for what it finds in caches."""
    bench, name, what = built.bench, built.name, peak.what
    sizes = dict(built.sizes) if peak.has_caches else without_past(bench, name, built.sizes)
    derived = None if peak.is_unknown else peak.bytes_at(dtype, sizes)
    if derived is None:
        return
    own = (built if sizes == built.sizes else Instance.of(bench, name, sizes, dtype=FORMATS[dtype])).where_fused
    with own.mode, WideStatistics():
        measured = _measured_peak(own, peak)

    def fixed(numbers: Mapping[str, int]) -> Any:
        return bench.fixed(name, None, numbers).peak.of(what).bytes_at(dtype, sizes)

    yield Check(f"{_PEAKS[what].key}, {dtype}", derived, measured, fixed=fixed)


def _measured_peak(own: Instance, peak: PeakMemory) -> int:
    if peak.what is not Pass.FORWARD:
        counts_gradients = peak.what is Pass.GRADIENTS
        return measured_peak(own.module, own.leaves(), input_gradients=None, counts_gradients=counts_gradients).bytes
    return forward_peak(own.module, own.inputs, copied(own.state) if own.state is not None and peak.has_caches else None)


_PEAKS = {Pass.TRAINING: PEAK_BYTES, Pass.GRADIENTS: STEP_PEAK_BYTES, Pass.FORWARD: FORWARD_PEAK_BYTES}


def saved_bytes_by_lines(own: Instance, source: str) -> ByLines:
    """Measure the bytes kept for the backward pass by the lines of a source file."""
    return saved(own.runner(), *own.leaves(), source=source).bytes_by_lines()


class WideStatistics(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not annotate its mode class
    """Gives the statistics of layer and batch norm in float32, as graphics processors and meta tensors do, on the CPU too."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func not in _WITH_STATISTICS:
            return result
        out, *statistics = result
        return (out, *(x.to(torch.promote_types(x.dtype, torch.float32)) for x in statistics))


_WITH_STATISTICS = (torch.ops.aten.native_layer_norm.default, torch.ops.aten.native_batch_norm.default)
