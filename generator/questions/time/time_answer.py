"""How long a model takes on a device, whether it fits, and what a run costs: what `gen time` and `load(...).time(...)` answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from generator.quantities import MATMUL_FLOPS
from generator.questions.hardware.device import Price
from generator.questions.memory.decoding_passes import batch_size, last_step_cost, step_size
from generator.questions.memory.fits import LargestSize, MemorySetting, require_training
from generator.questions.memory.memory_answer import MemoryAnswer, memory_of
from generator.questions.parallel.heaviest_device import Splitting
from generator.questions.parallel.split_plan import Planned, planned
from generator.questions.time.compute_bound import compute_bound_from
from generator.questions.time.roofline import LeastTime, TimeSetting, bound_of
from generator.questions.time.row_rooflines import RowTime, row_times
from generator.questions.time.serving import Serving, serving_of
from generator.questions.time.training import TrainingRun, Utilisation, training_run, utilisations
from generator.questions.time.work import forward_work, items_of, training_work
from generator.sheet.costing import Cost, cost_of
from generator.sheet.preset_totals import held
from generator.sheet.sheet import Sheet
from generator.sheet.sizing import by_entry, preset_sizes
from generator.text.errors import SizeError


@dataclass(frozen=True)
class TimeQuestion:
    """What is asked beside the sizes.

    Args:
        memory: the number formats; and the optimiser, where a training step is asked for.
        setting: the device, and how it is used.
        generated: tokens that each request gets behind the prompt; 0 where no generation is asked for.
        items: of a training run, in tokens or samples; 0 where none is asked for.
        price: of an hour; the device's by default.
        measured: seconds that somebody measured; of a training step where one is asked for, else of a forward pass.
    """

    memory: MemorySetting
    setting: TimeSetting
    generated: int = 0
    items: int = 0
    price: Price | None = None
    measured: float | None = None


@dataclass(frozen=True)
class Room:
    """Whether something fits.

    Args:
        key: the name used in JSON.
        title: what.
        needed: bytes at its highest moment; None where that is not known.
        there: the device's bytes.
        size: the size of the batch, or of a part of the prompt, of which the largest that fits is told; empty where none is.
        largest: that.
    """

    key: str
    title: str
    needed: int | None
    there: int
    size: str = ""
    largest: LargestSize | None = None

    @property
    def fits(self) -> bool | None:
        """Whether it does; None where that is not known."""
        return None if self.needed is None else self.needed <= self.there

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        most = {} if self.largest is None else {"size": self.size, "largest": self.largest.value}
        return {"needed_bytes": self.needed, "device_bytes": self.there, "fits": self.fits, **most}


@dataclass(frozen=True)
class TimeAnswer:
    """How long it takes. Bounds are least times: nothing is faster. Estimates are those at the efficiency asked for, no measurements.

    Attributes:
        cost: the counts at the sizes asked for.
        question: what was asked.
        forward: a forward pass at these sizes; None where a generation or a training step was asked for.
        training: a training step.
        serving: a generation.
        run: a training run.
        rooms: what fits.
        compute_bound_from: by size, from which value on the pass or step is bound by compute; None where it never is.
        utilisation: how much of the peak the measured time uses, by several conventions.
        split: the step on several devices; None where there is one.
    """

    cost: Cost
    question: TimeQuestion
    forward: LeastTime | None = None
    training: LeastTime | None = None
    serving: Serving | None = None
    run: TrainingRun | None = None
    rooms: tuple[Room, ...] = ()
    compute_bound_from: Mapping[str, int | None] = field(default_factory=dict)
    utilisation: tuple[Utilisation, ...] = ()
    split: Planned | None = None

    @cached_property
    def rows(self) -> tuple[RowTime, ...]:
        """The rows of a forward pass on their own: unfused, an estimate."""
        return row_times(self.cost, self.question.setting)

    @property
    def convolves(self) -> bool:
        """Whether it has convolutions, of which other methods (Winograd's, Fourier transforms) do with less arithmetic."""
        return any(row.op.startswith("conv") and row.row.costs[MATMUL_FLOPS.key] != 0 for row in self.cost.rows)

    @property
    def measured_bound(self) -> LeastTime | None:
        """The bound of what was measured; None where nothing was."""
        return (self.training or self.forward) if self.question.measured else None

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, as `gen time --json` prints it."""
        asked, setting = self.question, self.question.setting
        parts = {"forward_pass": self.forward, "training_step": self.training, "serving": self.serving, "training_run": self.run}
        said: dict[str, Any] = {
            "spec": self.cost.spec,
            "preset": self.cost.preset,
            "dims": dict(self.cost.dims),
            "device": setting.device.name,
            "dtype": asked.memory.dtype,
            "weights": asked.memory.weights.key,
            "cache": asked.memory.cache.key,
            "compute": setting.compute,
            "train": asked.memory.optimiser or None,
            "recompute": None if asked.memory.recompute is None else str(asked.memory.recompute),
            "peak_operations_per_second": setting.peak,
            "bandwidth_bytes_per_second": float(setting.device.bandwidth),
            "efficiency": float(setting.efficiency),
            **{key: part.to_dict() for key, part in parts.items() if part is not None},
            "compute_bound_from": dict(self.compute_bound_from),
            "memory": {room.key: room.to_dict() for room in self.rooms},
            "rows": [row.to_dict() for row in self.rows],
        }
        if asked.measured:
            said["measured_seconds"] = asked.measured
            said["utilisation"] = {one.key: {"flops": one.flops, "part_of_peak": one.part} for one in self.utilisation}
        return said | ({} if self.split is None else {"split": self.split.to_dict()})


def time_of(sheet: Sheet, preset: str | None, given: Mapping[str, Any], question: TimeQuestion, trained: Sheet | None = None) -> TimeAnswer:
    """Return how long a model takes.

    Args:
        sheet: of the model in inference.
        given: sizes by name; where a generation is asked for, that of new tokens is the prompt's length.
        trained: its sheet in training; the same by default.

    Raises:
        SizeError: sizes that are missing or break a condition, what the device's file does not have, a question that does not fit the spec.
    """
    trains = bool(question.memory.optimiser)
    if question.items and not trains:
        raise SizeError("a run of so many tokens is one of training", "name the optimiser too, such as --train adamw")
    require_training(question.memory)
    serving = serving_of(sheet, preset, given, question.generated, _inference(question), question.setting) if question.generated else None
    used = (trained or sheet) if trains else sheet
    cost = cost_of(used, preset, given, question.memory.dtype)
    cost.require_all()
    forward = training = None
    if trains:
        work = training_work(cost, question.memory)
        training = bound_of("training_step", f"a step with {question.memory.optimiser}", items_of(cost), work, question.setting)
    elif serving is None or question.measured:
        forward = bound_of("forward_pass", "a forward pass", items_of(cost), forward_work(cost, question.memory), question.setting)
    run = training_run(training, question.items, question.setting, question.price) if training and question.items else None
    seconds = question.measured
    return TimeAnswer(
        cost,
        question,
        forward,
        training,
        serving,
        run,
        _rooms(sheet, used, preset, given, question, serving),
        _crossings(sheet, preset, given, question, cost),
        utilisations(cost, question.setting, seconds, trains=trains, recompute=question.memory.recompute) if seconds else (),
        None if question.memory.split is None else planned(Splitting(cost, question.memory), question.memory.split, question.setting),
    )


def _inference(question: TimeQuestion) -> MemorySetting:
    return MemorySetting(question.memory.dtype, question.memory.weights, question.memory.cache)


def _crossings(sheet: Sheet, preset: str | None, given: Mapping[str, Any], question: TimeQuestion, cost: Cost) -> dict[str, int | None]:
    """Return from which batch on the step that comes most often is bound by compute; of other passes also from how many tokens on."""
    setting, published, batch = question.setting, preset_sizes(cost.sheet, preset), batch_size(cost.sheet)
    if question.generated:
        memory = _inference(question)
        last = last_step_cost(sheet, preset, given, memory.dtype, question.generated)
        fixed = {size.name: last.dims[size.name] for size in sheet.sizes if size.kind != "derived"}
        at = partial(_with_size, fixed, batch)
        return {batch: compute_bound_from(last, at, partial(forward_work, setting=memory), setting)} if batch in given else {}
    base = {**held(cost.sheet.sizes, published, cost.sheet.families), **by_entry(given, cost.sheet.families)}
    work = training_work if question.memory.optimiser else forward_work
    found: dict[str, int | None] = {}
    for size in dict.fromkeys((batch, *(str(growth.new.name) for growth in cost.sheet.growths))):
        if size in given and size not in published:
            found[size] = compute_bound_from(cost, partial(_sizes_at, cost, base, size), partial(work, setting=question.memory), setting)
    return found


def _with_size(sizes: Mapping[str, Any], size: str, value: int) -> dict[str, Any]:
    return {**sizes, size: value}


def _sizes_at(cost: Cost, base: Mapping[str, Any], size: str, value: int) -> dict[str, Any]:
    """Return the sizes where one has another value: behind as many tokens as there are now, where it counts those of a step."""
    sizes = {**base, size: value}
    for growth in cost.sheet.growths:
        if growth.new.name == size:
            sizes |= growth.at(growth.past(cost.dims), value)
    return sizes


def _rooms(
    sheet: Sheet, used: Sheet, preset: str | None, given: Mapping[str, Any], question: TimeQuestion, serving: Serving | None
) -> tuple[Room, ...]:
    device, memory, found = question.setting.device, question.memory, []
    if serving is not None:
        needs = memory_of(
            sheet, preset, given, _inference(question), device=device, generated=question.generated, asked=[batch_size(sheet)]
        )
        found.append(_room("step", "the last step", needs, device.memory, batch_size(sheet)))
        part, size = serving.cache.largest_part, step_size(sheet)
        found.append(
            Room("prompt", "the prompt at once, with results of all positions", serving.cache.prompt_needed, device.memory, size, part)
        )
    if memory.optimiser or serving is None:
        batch = batch_size(used)
        needs = memory_of(used, preset, given, memory, device=device, asked=[batch])
        title = f"a training step with {memory.optimiser}" if memory.optimiser else "a forward pass"
        found.append(_room("training_step" if memory.optimiser else "forward_pass", title, needs, device.memory, batch))
    return tuple(found)


def _room(key: str, title: str, answer: MemoryAnswer, there: int, size: str) -> Room:
    return Room(key, title, answer.total, there, size, answer.largest.get(size))
