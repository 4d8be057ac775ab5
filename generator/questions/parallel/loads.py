"""What rows come to that one device has, summed up: splits are worked out of these sums, however many rows there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import prod

from generator.formulas.evaluate import evaluate
from generator.quantities import MACS, PARAMS, TRAINABLE_PARAMS, VISIBLE_BACKWARD_MATMUL_FLOPS, VISIBLE_MATMUL_FLOPS
from generator.questions.parallel.placing import Placement, Placing
from generator.questions.parallel.splits import DeviceSplit
from generator.sheet.costing import RowCost

_NONE = Fraction(0)


@dataclass(frozen=True)
class Load:
    """What rows come to, all of their layers together, for one microbatch of one replica.

    Args:
        matrix, vector: parameters that tensor parallelism divides, and those that it does not: of a row parallel layer the bias.
        learned_matrix, learned_vector: those of them that learn.
        kept_between, kept_whole: bytes kept for the backward pass; tensor parallel groups have parts of the former, and of the latter
            where they divide tokens.
        again_between, again_whole: bytes that blocks have back when they run once more, of one layer.
        flops_divided, flops_whole: of contractions forward and backward, hidden scores left out, as what is kept.
        summed, summed_again: numbers that are sums over a tensor parallel group; and those of them that are summed once more.
        read, read_again: numbers that all of a tensor parallel group reads; and those of them that it reads once more.
        routed, routed_again: numbers that experts hand back; and those of them that they hand back once more.
        context, context_again: numbers of keys and values, and those of them that are read once more.
    """

    matrix: Fraction = _NONE
    vector: Fraction = _NONE
    learned_matrix: Fraction = _NONE
    learned_vector: Fraction = _NONE
    kept_between: Fraction = _NONE
    kept_whole: Fraction = _NONE
    again_between: Fraction = _NONE
    again_whole: Fraction = _NONE
    flops_divided: Fraction = _NONE
    flops_whole: Fraction = _NONE
    summed: Fraction = _NONE
    summed_again: Fraction = _NONE
    read: Fraction = _NONE
    read_again: Fraction = _NONE
    routed: Fraction = _NONE
    routed_again: Fraction = _NONE
    context: Fraction = _NONE
    context_again: Fraction = _NONE

    def parameters(self, tensor: int) -> Fraction:
        """Return how many parameters a device of a tensor parallel group has."""
        return self.matrix / tensor + self.vector

    def learned(self, tensor: int) -> Fraction:
        """Return how many of them learn."""
        return self.learned_matrix / tensor + self.learned_vector

    def kept(self, split: DeviceSplit) -> Fraction:
        """Return the bytes that a device keeps of a microbatch."""
        return _on_device(split, self.kept_between, self.kept_whole)

    def again(self, split: DeviceSplit) -> Fraction:
        """Return the bytes that a device has back while a block of a microbatch runs once more."""
        return _on_device(split, self.again_between, self.again_whole)

    def flops(self, split: DeviceSplit) -> Fraction:
        """Return the FLOPs of a device for a microbatch."""
        return _on_device(split, self.flops_divided, self.flops_whole)


def _on_device(split: DeviceSplit, divided: Fraction, whole: Fraction) -> Fraction:
    """Return what a device has of both; tokens are divided among the devices of a context in any case."""
    return (divided / split.tensor + whole / (split.tensor if split.sequence else 1)) / split.context


def total(parts: Iterable[tuple[Fraction, Load]]) -> Load:
    """Return the sum of parts of loads."""
    sums = dict.fromkeys(_FIELDS, _NONE)
    for part, load in parts:
        for name in _FIELDS:
            sums[name] += part * getattr(load, name)
    return Load(**sums)


_FIELDS = tuple(one.name for one in fields(Load))


@dataclass(frozen=True)
class SplitRow:
    """A leaf row in numbers, all layers together.

    Args:
        width: the last axis of its result.
        experts: how many experts each layer has, of a row of theirs; 0 of others.
        is_divided_by_results: whether a tensor parallel group divides it by its results.
    """

    path: str
    width: int
    experts: int
    is_divided_by_results: bool
    load: Load


@dataclass(frozen=True)
class OnceMore:
    """What runs once more in the backward pass, by row.

    Args:
        inside: the part of it that keeps nothing.
        reruns: the part of its contractions that run.
    """

    inside: Mapping[str, Fraction] = field(default_factory=dict)
    reruns: Mapping[str, Fraction] = field(default_factory=dict)

    def around(self, path: str) -> Fraction:
        """Return which part of the contractions runs again of those in the block of a row that run at all; a cache itself has none."""
        block = path.rpartition(".")[0]
        return max((part for row, part in self.reruns.items() if row.startswith(f"{block}.")), default=_NONE)


def split_row(row: RowCost, places: Placing, kept: int, layers: int, again: OnceMore) -> SplitRow:
    """Return a row in numbers.

    Args:
        kept: bytes that derivatives keep of it where nothing runs once more.
        layers: how many there are of the layer that it belongs to.
    """
    sheet_row, sizes = row.row, row.cost.dims
    place, params = places.of(sheet_row.path), int(row.value(PARAMS.key))
    repeat = Fraction(evaluate(sheet_row.repeat, sizes))
    shape = [Fraction(evaluate(axis, sizes)) for axis in sheet_row.shapes[0][1]] or [Fraction(1)]
    results, width, macs = prod(shape) * repeat, int(shape[-1]), Fraction(int(row.value(MACS.key)))
    matrix = Fraction(params if place in (Placement.COLUMN, Placement.ROW, Placement.WORDS) else 0)
    if place is Placement.ROW and results:
        matrix = macs / results * width * repeat
    forward, backward = (int(row.value(key.key)) for key in (VISIBLE_MATMUL_FLOPS, VISIBLE_BACKWARD_MATMUL_FLOPS))
    inside, rerun = again.inside.get(sheet_row.path, _NONE), again.reruns.get(sheet_row.path, _NONE)
    flops = forward + backward + forward * rerun
    is_between, is_expert = place in (Placement.BETWEEN, Placement.ROW), places.is_expert(sheet_row.path)
    summed = results if place is Placement.ROW or (place is Placement.WORDS and sheet_row.op == "embedding") else _NONE
    read = macs / width if places.is_entry(sheet_row) else _NONE
    routed = results if is_expert and place is Placement.ROW else _NONE
    context = results if sheet_row.op == "cache" else _NONE
    learns = bool(row.value(TRAINABLE_PARAMS.key))
    still, back = kept * (1 - inside), Fraction(kept, layers) if inside else _NONE
    load = Load(
        matrix=matrix,
        vector=params - matrix,
        learned_matrix=matrix if learns else _NONE,
        learned_vector=params - matrix if learns else _NONE,
        kept_between=still if is_between else _NONE,
        kept_whole=_NONE if is_between else still,
        again_between=back if is_between else _NONE,
        again_whole=_NONE if is_between else back,
        flops_divided=_NONE if place is Placement.WHOLE else flops,
        flops_whole=flops if place is Placement.WHOLE else _NONE,
        summed=summed,
        summed_again=summed * rerun,
        read=read,
        read_again=read * rerun,
        routed=routed,
        routed_again=routed * rerun,
        context=context,
        context_again=context * again.around(sheet_row.path) if context else _NONE,
    )
    experts = int(evaluate(places.experts_of(sheet_row.path), sizes)) if is_expert else 0
    return SplitRow(sheet_row.path, width, experts, place is Placement.COLUMN, load)
