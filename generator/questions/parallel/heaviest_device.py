"""What the heaviest device of a split holds, and what it sends in a training step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, prod
from typing import Any

from generator.formulas.evaluate import evaluate
from generator.questions.memory.decoding_passes import step_size
from generator.questions.memory.fits import MemoryNeeds, MemoryPart, MemorySetting
from generator.questions.memory.optimisers import copies_of
from generator.questions.parallel.loads import Load, OnceMore, SplitRow, split_row, total
from generator.questions.parallel.pipeline_stages import Stage, layers, stages
from generator.questions.parallel.placing import Placing, expands_caches, placing
from generator.questions.parallel.splits import DeviceSplit
from generator.sheet.costing import Cost
from generator.sheet.number_formats import ITEM_BYTES, item_bytes
from generator.sheet.pass_peak import Pass
from generator.text.errors import SizeError
from generator.trace.peak_moments import Replayed

_EXACT = "exact where shares are even"


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


@dataclass(frozen=True)
class _Loads:
    """What some rows come to: of no experts, and of experts."""

    plain: Load
    experts: Load

    @cached_property
    def both(self) -> Load:
        """All together."""
        return total(((Fraction(1), self.plain), (Fraction(1), self.experts)))

    def parameters(self, split: DeviceSplit) -> Fraction:
        """Return how many a device works with."""
        return self.plain.parameters(split.tensor) + self.experts.parameters(split.tensor) / split.expert


@dataclass(frozen=True)
class _OnDevice:
    """What one device has of a stage for one microbatch, whatever replicas divide among them.

    Args:
        weights, learned: parameters, and those that learn: of no experts, and of experts.
        largest: parameters of the largest layer, or row of the spec itself.
        kept: bytes kept for the backward pass.
        again: bytes that a block has back while it runs once more.
        flops: of contractions, hidden scores left out.
        within: bytes sent within a tensor parallel group.
        around: bytes sent around a context.
        routed: bytes sent to experts and back.
    """

    weights: tuple[Fraction, Fraction]
    learned: tuple[Fraction, Fraction]
    largest: Fraction
    kept: Fraction
    again: Fraction
    flops: Fraction
    within: Fraction
    around: Fraction
    routed: Fraction


class Splitting:
    """A model at sizes of one microbatch on one replica, of which splits are asked for.

    Rows are summed up once, then once more for each kind of stage: a split is worked out of these sums.

    Raises:
        SizeError: without an optimiser nothing trains; single layers cannot run once more where all share their weights.
    """

    def __init__(self, cost: Cost, setting: MemorySetting) -> None:
        if not setting.optimiser:
            raise SizeError("a split is one of a training step", "name the optimiser too, such as --train adamw")
        cost.require_all()
        self.cost, self.setting = cost, setting
        self.places: Placing = placing(cost.sheet)
        self.item, self._copies = ITEM_BYTES[setting.dtype], copies_of(setting.optimiser)
        self._stages: dict[tuple[int, int], list[Stage]] = {}
        self._summed: dict[Stage, _Loads] = {}
        self._devices: dict[tuple[Stage, int, bool, int, int], _OnDevice] = {}

    @cached_property
    def rows(self) -> tuple[SplitRow, ...]:
        """The leaf rows in numbers."""
        peak, sizes = self.cost.sheet.peak, self.cost.dims
        kept = {} if peak is None else peak.kept_by_row(self.setting.dtype)
        once = OnceMore() if self._once_more is None else OnceMore(self._once_more.inside, self._once_more.reruns)
        return tuple(
            split_row(row, self.places, int(evaluate(kept.get(row.row.path, 0), sizes)), self.layers[_outermost(row.row.path)], once)
            for row in self.cost.rows
        )

    @cached_property
    def layers(self) -> Mapping[str, int]:
        """How many layers each row of the spec itself stands for."""
        return layers(self.cost)

    @cached_property
    def _once_more(self) -> Replayed | None:
        """The pass in which blocks run once more; None where none do. Raises SizeError where that cannot be replayed."""
        rule, peak = self.setting.recompute, self.cost.sheet.peak
        if rule is None:
            return None
        found = None if peak is None else peak.recomputing(rule).at(self.setting.dtype, self.cost.dims)
        if found is None:
            raise SizeError(f"what blocks of `{self.cost.spec}` keep when they run once more is not known")
        return found

    @cached_property
    def kept(self) -> int:
        """The bytes that derivatives keep of a microbatch on one device; of blocks that run once more those of their inputs."""
        if self._once_more is not None:
            return int(evaluate(self._once_more.bytes_kept(item_bytes(self.item)), self.cost.dims))
        return int(sum(row.load.kept_between + row.load.kept_whole for row in self.rows))

    @cached_property
    def beside(self) -> int | None:
        """The bytes alive at the highest moment of both passes beside what is kept for the backward pass; None where it is not replayed."""
        peak, rule = self.cost.sheet.peak, self.setting.recompute
        highest = None if peak is None else peak.recomputing(rule).bytes_at(self.setting.dtype, self.cost.dims)
        return None if highest is None else max(0, highest - self.kept)

    @cached_property
    def loads(self) -> Mapping[str, _Loads]:
        """What each row of the spec itself comes to, all of its layers together."""
        rows: dict[str, list[SplitRow]] = defaultdict(list)
        for row in self.rows:
            rows[_outermost(row.path)].append(row)
        stacks = {
            name: self.layers[name] for name, own in rows.items() if any(row.load.again_between + row.load.again_whole for row in own)
        }
        inputs = max(Fraction(0), self.kept - sum(row.load.kept_between + row.load.kept_whole for row in self.rows))
        found = {}
        for name, own in rows.items():
            loads = [total((Fraction(1), row.load) for row in own if bool(row.experts) is kind) for kind in (False, True)]
            if name in stacks:  # blocks that run once more keep their inputs, which are alike in all layers
                handed = Load(kept_whole=inputs * Fraction(stacks[name], sum(stacks.values())))
                loads[0] = total(((Fraction(1), loads[0]), (Fraction(1), handed)))
            found[name] = _Loads(*loads)
        return found

    def heaviest(self, split: DeviceSplit) -> DeviceShare:
        """Return the device that needs most; of several the first. Raises SizeError for a split that the model does not allow."""
        return max(self.of_each_kind(split), key=lambda share: share.needs.total or 0)

    def shares(self, split: DeviceSplit) -> list[DeviceShare]:
        """Return one device of each stage. Raises SizeError as `heaviest`."""
        self._check(split)
        return [self._share(split, number, stage) for number, stage in enumerate(self._stages_of(split))]

    def of_each_kind(self, split: DeviceSplit) -> list[DeviceShare]:
        """Return one device of each kind of stage: of stages that have the same the first, which keeps most.

        Raises:
            SizeError: as `heaviest`.
        """
        self._check(split)
        kinds: dict[tuple[Stage, bool, bool], int] = {}
        for number, stage in enumerate(self._stages_of(split)):
            kinds.setdefault((stage, number == 0, number == split.pipeline - 1), number)
        return [self._share(split, number, stage) for (stage, _, _), number in kinds.items()]

    def _stages_of(self, split: DeviceSplit) -> list[Stage]:
        key = split.pipeline, split.interleave
        if key not in self._stages:
            self._stages[key] = stages(self.cost, *key)
        return self._stages[key]

    def _on_device(self, split: DeviceSplit, stage: Stage) -> _OnDevice:
        key = stage, split.tensor, split.sequence, split.context, split.expert
        if key not in self._devices:
            self._devices[key] = self._divided(split, stage)
        return self._devices[key]

    def _loads_of(self, stage: Stage) -> _Loads:
        if stage not in self._summed:
            own = [(part, self.loads[name]) for name, part in stage.shares if name in self.loads]
            kinds = ((part, loads.plain) for part, loads in own), ((part, loads.experts) for part, loads in own)
            self._summed[stage] = _Loads(*map(total, kinds))
        return self._summed[stage]

    def _divided(self, split: DeviceSplit, stage: Stage) -> _OnDevice:
        """Return what one device has of a stage."""
        loads, names = self._loads_of(stage), [name for name, _ in stage.shares if name in self.loads]
        load, plain, experts = loads.both, loads.plain, loads.experts
        each, between = Fraction(self.item, split.context), split.tensor if split.sequence else 1
        # Divided by tokens, what is read is gathered, in the backward pass again, and its gradient scattered; else all is summed.
        if split.sequence:
            numbers = 2 * load.summed + 3 * load.read + load.summed_again + load.read_again
        else:
            numbers = 2 * (load.summed + load.read + load.summed_again)
        # Forward a ring hands on keys and values; backward it does so again, and their gradients go on until they are at home.
        rounds = (3 * split.context - 2) * load.context + (split.context - 1) * load.context_again
        return _OnDevice(
            weights=(plain.parameters(split.tensor), experts.parameters(split.tensor) / split.expert),
            learned=(plain.learned(split.tensor), experts.learned(split.tensor) / split.expert),
            largest=max(self.loads[name].parameters(split) / self.layers[name] for name in names),
            kept=load.kept(split),
            again=max(self.loads[name].both.again(split) for name in names),
            flops=load.flops(split),
            within=Fraction(split.tensor - 1, split.tensor) * numbers * each,
            around=rounds * each / split.tensor if split.context > 1 else Fraction(0),
            routed=Fraction(split.expert - 1, split.expert) * (4 * load.routed + 2 * load.routed_again) * each / between,
        )

    def contexts(self, devices: int) -> bool:
        """Say whether so many devices can divide the tokens of a sample among them."""
        return devices == 1 or (self._hands_around and self._tokens % devices == 0)

    @cached_property
    def _widths(self) -> tuple[tuple[int, str], ...]:
        """The results of column parallel rows, each number of them once with the first such row."""
        found: dict[int, str] = {}
        for row in self.rows:
            if row.is_divided_by_results:
                found.setdefault(row.width, row.path)
        return tuple(found.items())

    def _check(self, split: DeviceSplit) -> None:
        if split.expert > 1 and not self.places.experts:
            raise SizeError(f"`{self.cost.spec}` has no experts to divide")
        if split.context > 1:
            self._check_context(split.context)
        for width, path in self._widths if split.tensor > 1 else ():
            if width % split.tensor:
                raise SizeError(f"the {width:,} results of `{path}` cannot be divided among {split.tensor} devices")
        for experts in self._experts if split.expert > 1 else ():
            if experts % split.expert:
                raise SizeError(f"{experts:,} experts cannot be divided among {split.expert} devices")

    @cached_property
    def _experts(self) -> frozenset[int]:
        return frozenset(row.experts for row in self.rows if row.experts)

    def _check_context(self, devices: int) -> None:
        """Raise SizeError unless tokens meet in attention alone, of which keys and values can be handed around."""
        if not self._hands_around:
            raise SizeError(
                f"`{self.cost.spec}` cannot be divided by tokens: keys and values are handed around where all that mixes tokens is "
                "attention with a cache of them"
            )
        if self._tokens % devices:
            raise SizeError(f"{self._tokens:,} tokens cannot be divided among {devices} devices")

    @cached_property
    def _tokens(self) -> int:
        """The tokens of a sample that a step brings."""
        return int(self.cost.dims[step_size(self.cost.sheet)])

    @cached_property
    def _hands_around(self) -> bool:
        peak = self.cost.sheet.peak
        forward = None if peak is None else peak.of(Pass.FORWARD)
        return forward is not None and forward.has_caches and not forward.is_unknown and not expands_caches(self.cost.sheet)

    def _share(self, split: DeviceSplit, number: int, stage: Stage) -> DeviceShare:
        own, in_flight = self._on_device(split, stage), split.in_flight(number)
        replicas = (split.data * split.context, split.data * split.context // split.expert)

        def held(both: tuple[Fraction, Fraction], each: int, from_zero: int) -> int:
            divided = replicas if split.zero >= from_zero else (1, 1)
            return sum(-(-count.numerator // (count.denominator * among)) for count, among in zip(both, divided, strict=True)) * each

        kept = ceil(own.kept * in_flight / split.interleave)
        parts = [
            MemoryPart("weight_bytes", "Weights", held(own.weights, self.item, 3), _EXACT),
            MemoryPart("gradient_bytes", "Gradients", held(own.learned, self.item, 2), _EXACT),
            MemoryPart("optimiser_bytes", f"States of {self.setting.optimiser}", held(own.learned, self._copies * self.item, 1), _EXACT),
            MemoryPart("kept_bytes", "Kept for the backward pass", kept, f"an estimate: of {in_flight} microbatches"),
        ]
        if split.zero == 3:
            how = "the weights of the largest layer, while it runs: an estimate, as more may be gathered ahead"
            parts.append(MemoryPart("gathered_bytes", "Gathered weights", ceil(own.largest) * self.item, how))
        parts += self._beside(split, number, own)
        sent = {name: ceil(size) for name, size in self._sent(split, number, own) if size}
        return DeviceShare(number, ceil(sum(own.weights)), MemoryNeeds(tuple(parts)), sent, float(own.flops * split.micro))

    def _beside(self, split: DeviceSplit, number: int, own: _OnDevice) -> Iterator[MemoryPart]:
        """Yield what is alive beside what is kept for the backward pass: in the last stage, and where a block runs once more."""
        if number == split.pipeline - 1 and self.beside is not None:
            highest = ceil(Fraction(self.beside, split.tensor * split.context))
            if highest >= own.again:
                how = "an estimate: what is alive beside that at the highest moment of an undivided model, by its part"
                yield MemoryPart("beside_bytes", "Alive beside that", highest, how)
                return
        if own.again:
            how = "an estimate: what it keeps until its gradients are there"
            yield MemoryPart("again_bytes", "A block that runs once more", ceil(own.again), how)

    def _sent(self, split: DeviceSplit, number: int, own: _OnDevice) -> Iterator[tuple[str, Fraction]]:
        """Yield the bytes that a device sends in a step, by collective: of a ring of k devices (k - 1) / k of what is gathered."""
        steps, replicas = split.micro, split.data * split.context
        among = replicas // split.expert
        if replicas > 1:
            plain, experts = own.weights
            divided = (Fraction(replicas - 1, replicas) * plain + Fraction(among - 1, among) * experts) * self.item
            yield "gradients, summed over replicas", divided * (2, 1, steps, steps)[split.zero]
            yield "weights, gathered from replicas", divided * (0, 1, 1, 2 * steps)[split.zero]
        yield "activations, within tensor parallel groups", own.within * steps
        yield "keys, values and their gradients, around the context", own.around * steps
        if split.pipeline > 1:
            boundary = Fraction(self._handed_on * self.item * steps, split.context * (split.tensor if split.sequence else 1))
            ends = (number > 0) + (number < split.pipeline - 1)
            inner = split.interleave - 1 if number in (0, split.pipeline - 1) else 0
            yield "activations and their gradients, to other stages", boundary * (ends * split.interleave + inner)
        yield "tokens, to experts and back", own.routed * steps

    @cached_property
    def _handed_on(self) -> int:
        """The numbers that a layer hands to the next: the results of the first stack."""
        stack = next(row for row in self.cost.sheet.rows if row.depth == 0 and row.is_group and (row.repeat != 1 or row.op == "pattern"))
        return sum(prod(int(evaluate(axis, self.cost.dims)) for axis in shape) for _, shape in stack.shapes)


def _outermost(path: str) -> str:
    return path.partition(".")[0]
