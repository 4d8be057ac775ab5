"""What the heaviest device of a split holds, and what it sends in a training step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, prod
from typing import Any

from generator.errors import SizeError
from generator.formulas.evaluate import evaluate
from generator.quantities import MACS, PARAMS, TRAINABLE_PARAMS, VISIBLE_BACKWARD_MATMUL_FLOPS, VISIBLE_MATMUL_FLOPS
from generator.questions.memory.fits import MemoryNeeds, MemoryPart, MemorySetting
from generator.questions.memory.optimisers import copies_of
from generator.questions.parallel.placing import Placement, Placing, placing
from generator.questions.parallel.splits import DeviceSplit
from generator.questions.parallel.stages import Stage, layers, stages
from generator.sheet.costing import Cost, RowCost
from generator.sheet.number_formats import ITEM_BYTES


@dataclass(frozen=True)
class DeviceShare:
    """What one device has of a training step.

    Args:
        stage: of the pipeline, counted from 0.
        parameters: that it works with, of all kinds.
        needs: bytes by what they are.
        sent: bytes that it sends in a step, by collective; rings are taken for all of them.
        flops: of its contractions in a step, hidden scores left out.
    """

    stage: int
    parameters: int
    needs: MemoryNeeds
    sent: Mapping[str, int]
    flops: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        parts = {part.key: part.bytes for part in self.needs.parts}
        said = {"stage": self.stage, "parameters": self.parameters, **parts, "total_bytes": self.needs.total}
        return {**said, "sent_bytes": dict(self.sent), "matmul_flops": self.flops}


class Splitting:
    """A model at sizes of one microbatch on one replica, of which splits are asked for.

    Raises:
        SizeError: without an optimiser nothing trains; blocks that run once more are not asked for together with a split.
    """

    def __init__(self, cost: Cost, setting: MemorySetting) -> None:
        if not setting.optimiser:
            raise SizeError("a split is one of a training step", "name the optimiser too, such as --train adamw")
        if setting.recompute is not None:
            raise SizeError("what blocks that run once more keep on each device of a split is not known", "ask for one of both")
        cost.require_all()
        self.cost, self.setting = cost, setting
        self.places: Placing = placing(cost.sheet)
        self.item = ITEM_BYTES[setting.dtype]
        self._stages: dict[tuple[int, int], list[Stage]] = {}

    @cached_property
    def rows(self) -> tuple[_Row, ...]:
        """The leaf rows in numbers."""
        peak, sizes = self.cost.sheet.peak, self.cost.dims
        kept = {} if peak is None else peak.kept_by_row(self.setting.dtype)
        return tuple(_Row.of(row, self.places, int(evaluate(kept.get(row.row.path, 0), sizes)) if kept else 0) for row in self.cost.rows)

    @cached_property
    def layers(self) -> Mapping[str, int]:
        """How many layers each row of the spec itself stands for."""
        return layers(self.cost)

    @cached_property
    def beside(self) -> int | None:
        """The bytes alive at the highest moment of both passes beside what is kept for the backward pass; None where it is not replayed."""
        peak = self.cost.sheet.peak
        highest = None if peak is None else peak.bytes_at(self.setting.dtype, self.cost.dims)
        return None if highest is None else max(0, highest - sum(row.kept for row in self.rows))

    def heaviest(self, split: DeviceSplit) -> DeviceShare:
        """Return the device that needs most; of several the first. Raises SizeError for a split that the model does not allow."""
        return max(self.shares(split), key=lambda share: share.needs.total or 0)

    def shares(self, split: DeviceSplit) -> list[DeviceShare]:
        """Return one device of each stage. Raises SizeError as `heaviest`."""
        self._check(split)
        key = split.pipeline, split.interleave
        if key not in self._stages:
            self._stages[key] = stages(self.cost, *key)
        return [self._share(split, number, stage) for number, stage in enumerate(self._stages[key])]

    def _check(self, split: DeviceSplit) -> None:
        if split.expert > 1 and not self.places.experts:
            raise SizeError(f"`{self.cost.spec}` has no experts to divide")
        for row in self.rows:
            if split.tensor > 1 and row.place is Placement.COLUMN and row.width % split.tensor:
                raise SizeError(f"the {row.width:,} results of `{row.path}` cannot be divided among {split.tensor} devices")
            if row.is_expert and split.expert > 1 and row.experts % split.expert:
                raise SizeError(f"{row.experts:,} experts cannot be divided among {split.expert} devices")

    def _share(self, split: DeviceSplit, number: int, stage: Stage) -> DeviceShare:
        own = [(row, stage.of(row.path)) for row in self.rows if stage.of(row.path)]
        weights, learned = (_by_kind(split, own, count) for count in (_Row.parameters, _Row.learned))
        replicas, copies = (split.data, split.data // split.expert), copies_of(self.setting.optimiser)

        def held(both: tuple[Fraction, Fraction], each: int, from_zero: int) -> int:
            divided = replicas if split.zero >= from_zero else (1, 1)
            return sum(ceil(count / among) for count, among in zip(both, divided, strict=True)) * each

        kept = sum((part * row.kept_on(split) for row, part in own), Fraction(0)) * Fraction(split.in_flight(number), split.interleave)
        parts: tuple[MemoryPart, ...] = (
            MemoryPart("weight_bytes", "Weights", held(weights, self.item, 3), "exact where shares are even"),
            MemoryPart("gradient_bytes", "Gradients", held(learned, self.item, 2), "exact where shares are even"),
            MemoryPart(
                "optimiser_bytes",
                f"States of {self.setting.optimiser}",
                held(learned, copies * self.item, 1),
                "exact where shares are even",
            ),
            MemoryPart("kept_bytes", "Kept for the backward pass", ceil(kept), f"an estimate: of {split.in_flight(number)} microbatches"),
        )
        if split.zero == 3:
            how = "the weights of the largest layer, while it runs: an estimate, as more may be gathered ahead"
            parts += (MemoryPart("gathered_bytes", "Gathered weights", ceil(self._largest(split, own)) * self.item, how),)
        if number == split.pipeline - 1 and self.beside is not None:
            how = "an estimate: what is alive beside that at the highest moment of an undivided model, by its part"
            parts += (MemoryPart("beside_bytes", "Alive beside that", ceil(Fraction(self.beside, split.tensor)), how),)
        sent = {name: ceil(size) for name, size in self._sent(split, number, own) if size}
        flops = sum((part * row.flops_on(split) for row, part in own), Fraction(0)) * split.micro
        return DeviceShare(number, ceil(sum(weights)), MemoryNeeds(parts), sent, float(flops))

    def _sent(self, split: DeviceSplit, number: int, own: list[tuple[_Row, Fraction]]) -> Iterator[tuple[str, Fraction]]:
        """Yield the bytes that a device sends in a step, by collective: of a ring of k devices (k - 1) / k of what is gathered."""
        ring, steps = Fraction(split.data - 1, split.data), split.micro
        plain, experts = (count * self.item for count in _by_kind(split, own, _Row.parameters))
        among = split.data // split.expert
        divided = ring * plain + Fraction(among - 1, among) * experts
        yield "gradients, summed over replicas", divided * (2, 1, steps, steps)[split.zero]
        yield "weights, gathered from replicas", divided * (0, 1, 1, 2 * steps)[split.zero]
        summed = sum((part * row.summed for row, part in own), Fraction(0))
        read = sum((part * row.read for row, part in own), Fraction(0))
        # Divided by tokens, what is read is gathered, in the backward pass again, and its gradient scattered; else all is summed.
        numbers = 2 * summed + 3 * read if split.sequence else 2 * summed + 2 * read
        yield "activations, within tensor parallel groups", Fraction(split.tensor - 1, split.tensor) * numbers * self.item * steps
        if split.pipeline > 1:
            boundary = Fraction(self._handed_on() * self.item * split.micro, split.tensor if split.sequence else 1)
            ends = (number > 0) + (number < split.pipeline - 1)
            inner = split.interleave - 1 if number in (0, split.pipeline - 1) else 0
            yield "activations and their gradients, to other stages", boundary * (ends * split.interleave + inner)
        tokens = sum((part * row.results for row, part in own if row.is_expert and row.place is Placement.ROW), Fraction(0))
        to_others = tokens * self.item * split.micro * Fraction(split.expert - 1, split.expert)
        yield "tokens, to experts and back", 4 * to_others / (split.tensor if split.sequence else 1)

    def _largest(self, split: DeviceSplit, own: list[tuple[_Row, Fraction]]) -> Fraction:
        """Return the parameters of the largest layer, or row of the spec itself, of a stage on one device of a tensor parallel group."""
        found: dict[str, Fraction] = {}
        for row, _ in own:
            name = row.path.partition(".")[0]
            each = row.parameters(split.tensor) / self.layers[name] / (split.expert if row.is_expert else 1)
            found[name] = found.get(name, Fraction(0)) + each
        return max(found.values())

    def _handed_on(self) -> int:
        """Return the numbers that a layer hands to the next: the results of the first stack."""
        stack = next(row for row in self.cost.sheet.rows if row.depth == 0 and row.is_group and (row.repeat != 1 or row.op == "pattern"))
        return sum(prod(int(evaluate(axis, self.cost.dims)) for axis in shape) for _, shape in stack.shapes)


@dataclass(frozen=True)
class _Row:
    """A leaf row in numbers, all layers together.

    Args:
        width: the last axis of its result.
        matrix: parameters that tensor parallelism divides.
        vector: those that it does not: of a row parallel layer the bias, of others all.
        summed: numbers of its results that are sums over a tensor parallel group.
        read: numbers that it reads and that are the same for a whole tensor parallel group.
        results: numbers of its results.
        experts: how many experts each layer has, of a row of theirs.
    """

    path: str
    place: Placement
    is_expert: bool
    summed: int
    read: int
    width: int
    matrix: int
    vector: int
    learns: bool
    kept: int
    results: int
    flops: int
    experts: int

    @classmethod
    def of(cls, row: RowCost, places: Placing, kept: int) -> _Row:
        place, sheet_row, cost = places.of(row.row.path), row.row, row.cost
        params, repeat = int(row.value(PARAMS.key)), Fraction(evaluate(sheet_row.repeat, cost.dims))
        shape = [Fraction(evaluate(axis, cost.dims)) for axis in sheet_row.shapes[0][1]] or [Fraction(1)]
        results, width = prod(shape) * repeat, int(shape[-1])
        is_divided = place in (Placement.COLUMN, Placement.ROW, Placement.WORDS)
        matrix = params if is_divided else 0
        if place is Placement.ROW and results:
            inputs = Fraction(int(row.value(MACS.key))) / results
            matrix = int(inputs * width * repeat)
        is_expert = places.is_expert(sheet_row.path)
        flops = int(row.value(VISIBLE_MATMUL_FLOPS.key)) + int(row.value(VISIBLE_BACKWARD_MATMUL_FLOPS.key))
        experts = int(evaluate(places.experts_of(sheet_row.path), cost.dims)) if is_expert else 1
        return cls(
            sheet_row.path,
            place,
            is_expert,
            int(results) if place is Placement.ROW or (place is Placement.WORDS and sheet_row.op == "embedding") else 0,
            int(Fraction(int(row.value(MACS.key))) / width) if places.is_entry(sheet_row) else 0,
            width,
            matrix,
            params - matrix,
            bool(row.value(TRAINABLE_PARAMS.key)),
            kept,
            int(results),
            flops,
            experts,
        )

    def parameters(self, tensor: int) -> Fraction:
        """Return how many a device of a tensor parallel group has, of all layers."""
        return Fraction(self.matrix, tensor) + self.vector

    def learned(self, tensor: int) -> Fraction:
        """Return how many of them learn."""
        return self.parameters(tensor) if self.learns else Fraction(0)

    def kept_on(self, split: DeviceSplit) -> Fraction:
        """Return the bytes that a device keeps of a microbatch: what lies between matrices divided, the rest by tokens or whole."""
        is_divided = self.place in (Placement.BETWEEN, Placement.ROW) or split.sequence
        return Fraction(self.kept, split.tensor if is_divided else 1)

    def flops_on(self, split: DeviceSplit) -> Fraction:
        """Return the FLOPs of a device of a tensor parallel group for a microbatch."""
        return Fraction(self.flops, 1 if self.place is Placement.WHOLE and not split.sequence else split.tensor)


def _by_kind(split: DeviceSplit, own: Sequence[tuple[_Row, Fraction]], count: Callable[[_Row, int], Fraction]) -> tuple[Fraction, Fraction]:
    """Return what a device has of rows, each with the part that is its stage's: of those of no experts, and of those of experts."""
    both = [sum((part * count(row, split.tensor) for row, part in own if row.is_expert is kind), Fraction(0)) for kind in (False, True)]
    return both[0], both[1] / split.expert
