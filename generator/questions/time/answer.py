"""How long a model takes on a device, whether it fits, and what a run costs: what `gen time` and `load(...).time(...)` answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from generator.errors import SizeError
from generator.questions.hardware.device import Price
from generator.questions.memory.fits import LargestSize, MemorySetting, largest, needs_of
from generator.questions.time.bound import Bound, TimeSetting, bound_of
from generator.questions.time.crossing import compute_bound_from
from generator.questions.time.rows import RowTime, row_times
from generator.questions.time.serving import Serving, prompt_of, serving_of, step_cost
from generator.questions.time.training import TrainingRun, Utilisation, training_run, utilisations
from generator.questions.time.work import forward_work, items_of, step_size, training_work
from generator.sheet.costing import Cost, cost_of
from generator.sheet.presets import held
from generator.sheet.sheet import Sheet
from generator.sheet.sizing import by_entry, preset_sizes


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
    """

    cost: Cost
    question: TimeQuestion
    forward: Bound | None = None
    training: Bound | None = None
    serving: Serving | None = None
    run: TrainingRun | None = None
    rooms: tuple[Room, ...] = ()
    compute_bound_from: Mapping[str, int | None] = field(default_factory=dict)
    utilisation: tuple[Utilisation, ...] = ()

    @cached_property
    def rows(self) -> tuple[RowTime, ...]:
        """The rows of a forward pass on their own: unfused, an estimate."""
        return row_times(self.cost, self.question.setting)

    @property
    def measured_bound(self) -> Bound | None:
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
        return said


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
        utilisations(cost, question.setting, seconds, trains=trains) if seconds else (),
    )


def _inference(question: TimeQuestion) -> MemorySetting:
    return MemorySetting(question.memory.dtype, question.memory.weights, question.memory.cache)


def _crossings(sheet: Sheet, preset: str | None, given: Mapping[str, Any], question: TimeQuestion, cost: Cost) -> dict[str, int | None]:
    """Return from which batch on the step that comes most often is bound by compute; of other passes also from how many tokens on."""
    setting, base = question.setting, {**held(cost.sheet.sizes, preset_sizes(cost.sheet, preset), cost.sheet.families)}
    if question.generated:
        memory, length = _inference(question), int(cost_of(sheet, preset, given).dims[step_size(sheet)])
        last = step_cost(sheet, preset, given, memory, length + max(question.generated - 2, 0))
        fixed = {size.name: last.dims[size.name] for size in sheet.sizes if size.kind != "derived"}
        at = partial(_with_size, fixed)
        work_of = partial(forward_work, setting=memory)
        return {size: compute_bound_from(last, partial(at, size), work_of, setting) for size in _batches(sheet, preset)}
    base |= by_entry(given, cost.sheet.families)
    work = training_work if question.memory.optimiser else forward_work
    found: dict[str, int | None] = {}
    for size in dict.fromkeys((*_batches(cost.sheet, preset), *(str(growth.new.name) for growth in cost.sheet.growths))):
        if size in given:
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


def _batches(sheet: Sheet, preset: str | None) -> list[str]:
    """Return the size that counts the samples of a batch, if there is one: the first axis of the first input."""
    first = next(iter(sheet.inputs.values()), ())
    is_free = bool(first) and first[0].is_Symbol and first[0].name not in preset_sizes(sheet, preset)
    return [str(first[0].name)] if is_free else []


def _rooms(
    sheet: Sheet, used: Sheet, preset: str | None, given: Mapping[str, Any], question: TimeQuestion, serving: Serving | None
) -> tuple[Room, ...]:
    there, memory = question.setting.device.memory, question.memory
    found = []
    if serving is not None:
        plain = _inference(question)
        step = step_cost(sheet, preset, given, plain, serving.prompt + max(serving.generated - 2, 0))
        sizes = {size.name: step.dims[size.name] for size in sheet.sizes if size.kind != "derived" and size.name in step.dims}
        found.append(_room("step", "the last step", step, preset, sizes, plain, there, _batches(sheet, preset)))
        whole = prompt_of(sheet, preset, given, plain)
        sizes = {size.name: whole.dims[size.name] for size in sheet.sizes if size.kind != "derived" and size.name in whole.dims}
        chunk = [growth.new.name for growth in sheet.growths][:1]
        found.append(_room("prompt", "the prompt in one pass, with results of all positions", whole, preset, sizes, plain, there, chunk))
    if memory.optimiser or serving is None:
        cost = cost_of(used, preset, given, memory.dtype)
        title = f"a training step with {memory.optimiser}" if memory.optimiser else "a forward pass"
        key = "training_step" if memory.optimiser else "forward_pass"
        found.append(_room(key, title, cost, preset, given, memory, there, [one for one in _batches(used, preset) if one in given]))
    return tuple(found)


def _room(
    key: str, title: str, cost: Cost, preset: str | None, given: Mapping[str, Any], memory: MemorySetting, there: int, sizes: list[str]
) -> Room:
    needed = needs_of(cost, memory).total
    if needed is None or not sizes:
        return Room(key, title, needed, there)
    own = {name: value for name, value in given.items() if name not in preset_sizes(cost.sheet, preset) or name in sizes}
    return Room(key, title, needed, there, sizes[0], largest(cost.sheet, preset, own, memory, there, sizes[0]))
