"""Whether the weights of a generated module start as the spec says: numbers exactly, what is drawn within its sampling error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch
from sympy import Integer
from torch import Tensor, nn

from generator.formulas.symbols import symbol
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import RowDifference
from generator.proof.verify.instance_checks import Check
from generator.proof.verify.submodules import blocks_of
from generator.render.module.lines import row_names
from generator.resolve.architecture import Architecture, BoundRow, InitialValue

ERRORS = 6.0  # so many standard errors a sample may be away: one of 10^9 is farther


def initial_checks(instance: Instance) -> Iterator[Check]:
    """Build the module once more, with numbers, and compare what its weights start as with what the rows say."""
    arch = instance.bench.compiled(instance.name).architecture
    if not _says_something(arch):
        return
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = instance.bench.build(instance.name, instance.sizes)
    weights = list(_weights(arch, module, instance.sizes))
    wrong = [row for row, initial, weight in weights if not is_drawn_so(weight, initial, instance.sizes)]

    def locate() -> RowDifference:
        return RowDifference(wrong[0].path, wrong[0].row.op, "initial values", 0, 1)

    yield Check("weights that start as said", len(weights), len(weights) - len(wrong), locate)


def _says_something(arch: Architecture) -> bool:
    return any(row.initial or (row.child is not None and _says_something(row.child)) for row in arch.rows if row.active)


def _weights(arch: Architecture, module: nn.Module, sizes: Mapping[str, int]) -> Iterator[tuple[BoundRow, InitialValue, Tensor]]:
    """Yield the weights that a row says something of; those of all layers of a stack."""
    attributes = row_names(arch).attributes
    for row in arch.rows:
        if not row.active or row.row.tie:
            continue
        if row.child is not None and _says_something(row.child):
            for inner, block in blocks_of(row, module, attributes[row.name], sizes):
                yield from _weights(inner, block, sizes)
        for name, initial in row.initial.items():
            holder = getattr(module, attributes[row.name])
            if name in row.weights:
                yield row, initial, holder if isinstance(holder, Tensor) else getattr(holder, name)


def is_drawn_so(weight: Tensor, initial: InitialValue, sizes: Mapping[str, int]) -> bool:
    """Say whether a weight is one of those that the words describe, as far as its numbers can tell."""
    number = 0.0
    if initial.number is not None:
        number = float(initial.number.xreplace({symbol(name): Integer(size) for name, size in sizes.items()}))
    values = weight.detach().double()
    if initial.kind in ("zeros", "ones", "constant"):
        wanted = {"zeros": 0.0, "ones": 1.0}.get(initial.kind, number)
        return bool((weight == torch.full_like(weight, wanted)).all())
    deviation, bound, kurtosis = _distribution(initial.kind, number, weight)
    count = values.numel()
    error = deviation * math.sqrt((kurtosis - 1) / (4 * count))
    mean_error = deviation / math.sqrt(count)
    around_zero = abs(float(values.mean())) <= ERRORS * mean_error
    # Of few numbers, the deviation around the known mean, which is zero.
    measured = float(values.square().mean().sqrt())
    return (
        around_zero and abs(measured - deviation) <= ERRORS * error + deviation / count and float(values.abs().max()) <= bound * (1 + 1e-6)
    )


def _distribution(kind: str, number: float, weight: Tensor) -> tuple[float, float, float]:
    """Return standard deviation, greatest absolute value and kurtosis of what is drawn: see torch.nn.init, and its sources there."""
    fan_in = weight[0].numel() if weight.dim() > 1 else 0
    fan_out = weight.shape[0] * (weight[0, 0].numel() if weight.dim() > 2 else 1)
    if kind == "truncated":
        return _truncated(number)
    if kind == "normal":
        return number, math.inf, 3.0
    if kind == "uniform":
        return number / math.sqrt(3), number, 1.8
    deviation = math.sqrt(2 / (fan_in + fan_out)) if kind.startswith("xavier") else math.sqrt(2 / fan_in)
    return (deviation, math.inf, 3.0) if kind.endswith("_normal") else (deviation, deviation * math.sqrt(3), 1.8)


def _truncated(deviation: float) -> tuple[float, float, float]:
    """The normal distribution cut at -2 and 2."""
    edge = 2 / deviation
    density = math.exp(-edge * edge / 2) / math.sqrt(2 * math.pi)
    inside = math.erf(edge / math.sqrt(2))
    variance = 1 - 2 * edge * density / inside
    fourth = 3 - 2 * density * (edge**3 + 3 * edge) / inside
    return deviation * math.sqrt(variance), 2.0, fourth / variance**2
