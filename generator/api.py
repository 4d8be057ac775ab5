"""The Python API: `load("bert").cost(preset="bert-base", n=512).params`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from generator.files.regular_file import real
from generator.importing.named_model import locate
from generator.sheet.asked import with_choices
from generator.sheet.compiled import Compiled, derive
from generator.sheet.costing import Cost, RowCost, cost_of, formulas
from generator.sheet.sheet import Sheet, SheetRow
from generator.spec.choices import Choices
from generator.spec.library import Library
from generator.spec.mode import MODES, asked_of
from generator.spec.option_values import check_option
from generator.text.errors import MissingSizeError, SizeError, SpecError
from generator.text.problems import Problem, ProblemsError, headline
from generator.text.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from torch import nn

    from generator.proof.count.count_result import Counted
    from generator.questions.hardware.device import Device
    from generator.questions.memory.memory_answer import MemoryAnswer
    from generator.questions.parallel.splits import DeviceSplit
    from generator.questions.time.time_answer import TimeAnswer

__all__ = ["Cost", "LoadedSpec", "MissingSizeError", "RowCost", "SizeError", "SpecError", "count", "load", "load_from"]


class LoadedSpec:
    """A spec with its formulas.

    Attributes:
        sheet: the rows, sizes, totals and presets, as the renderers see them.
    """

    def __init__(self, compiled: Compiled, library: Library, options: Mapping[str, Any], preset: str = "") -> None:
        self.sheet = compiled.sheet
        self._compiled, self._library, self._options, self._preset = compiled, library, options, preset or None

    @property
    def name(self) -> str:
        """The spec's name."""
        return self.sheet.name

    @property
    def title(self) -> str:
        """The spec's heading."""
        return self.sheet.title

    @property
    def sizes(self) -> dict[str, str]:
        """What each size means, by name."""
        return {size.name: size.meaning for size in self.sheet.sizes}

    @property
    def presets(self) -> dict[str, dict[str, int]]:
        """The published sizes, by the preset's name."""
        return {preset.name: dict(preset.sizes) for preset in self.sheet.every_preset}

    @property
    def formulas(self) -> dict[str, str]:
        """Each quantity as text in the sizes of the spec, such as `4*b*n*d**2 + 2*b*n**2*d`."""
        return formulas(self.sheet)

    @property
    def rows(self) -> tuple[SheetRow, ...]:
        """The rows with symbolic shapes and costs, groups before their parts."""
        return self.sheet.rows

    def cost(self, preset: str | None = None, *, dtype: str = "float32", **sizes: Any) -> Cost:
        """Return the numbers at given sizes.

        Args:
            preset: the name of published sizes; those that `load` was asked for by default.
            dtype: the format of the model's numbers, for `saved_bytes`: float64, float32, bfloat16 or float16.
            sizes: whole numbers, or numpy arrays of them, which broadcast; they win over the preset. Sizes may be left out where the
                quantities that are read do not depend on them.

        Raises:
            SizeError: an unknown preset, size or format, a number that is no size, or sizes that break a condition of the spec.
        """
        preset = preset or self._preset
        return cost_of(self._under(preset)[0].sheet, preset, sizes, dtype)

    def bytes(
        self,
        preset: str | None = None,
        *,
        dtype: str = "bfloat16",
        weights: str | Mapping[str, str] | None = None,
        cache: str | None = None,
        activations: str | None = None,
        **sizes: Any,
    ) -> dict[str, Any]:
        """Return what `gen cost --json` says in bytes: `param_bytes`, `state_bytes`, `saved_bytes`, `traffic_bytes`, `peak_bytes` and more.

        Args:
            preset, sizes: as of `cost`.
            dtype: the format in which it computes.
            weights, cache: the formats in which they are stored, as of `memory`.
            activations: the format in which they are kept for the backward pass; an estimate where it is not `dtype`.

        Raises:
            SizeError: as `cost`; an unknown format, or a part of a rule that there is not.
        """
        from generator.questions.memory.stored_bytes import stored_bytes

        return stored_bytes(self.cost(preset, dtype=dtype, **sizes), weights, cache, activations)

    def memory(  # noqa: PLR0913  one keyword for each option of `gen memory`
        self,
        preset: str | None = None,
        *,
        dtype: str = "bfloat16",
        weights: str | Mapping[str, str] | None = None,
        cache: str | None = None,
        train: str = "",
        recompute: str = "none",
        device: str | None = None,
        device_memory: str | None = None,
        generate: int = 0,
        data: int | None = None,
        zero: int | None = None,
        tensor: int | None = None,
        sequence: bool = True,
        pipeline: int | None = None,
        interleave: int | None = None,
        expert: int | None = None,
        context: int | None = None,
        micro: int | None = None,
        **sizes: Any,
    ) -> MemoryAnswer:
        """Return what memory the model needs, and what fits; as `gen memory`.

        Args:
            preset: as of `cost`.
            dtype: the format in which it computes.
            weights, cache: the formats in which they are stored, such as `q8_0` or `int4:128`; `dtype` by default. Weights may be stored by
                a rule: `vectors=float32,q8_0`, or `{"experts": "mxfp4", "else": "bfloat16"}`.
            train: the optimiser of a training step; without one it is a forward pass.
            recompute: which blocks run once more in the backward pass: `none`, `attention`, `blocks`, or `every:2` for each second one.
            device: the name of a device, such as `h100`, or its file: whether it fits, and the largest sizes that do.
            device_memory: the same of so much memory, `80GB` or `80GiB`.
            generate: tokens of a generation, the size of new tokens being the prompt's length.
            data, zero, tensor, sequence, pipeline, interleave, expert, context, micro: a split of a training step over several devices, as
                the options of these names; the batch is that of a microbatch on one replica.
            sizes: whole numbers; they win over the preset. Sizes and numbers of a split may be arrays, which broadcast: then each number of
                the answer is an array (see `generator.questions.answers.Answers`), and `answer[0]` is one answer.

        Raises:
            SizeError: as `cost`; an unknown format, optimiser or device, a question that does not fit the spec.
            SpecError: the device's file has mistakes.
        """
        from generator.questions.hardware.amounts import memory_amount
        from generator.questions.memory.fits import MemorySetting
        from generator.questions.memory.memory_answer import memory_of

        if device and device_memory:
            raise SizeError("a device and an amount of memory are given", "one of them says what there is")
        preset = preset or self._preset
        setting = MemorySetting.asked(dtype, weights, cache, train, recompute)
        named = _device(device) if device else None
        there = memory_amount(device_memory) if device_memory else None
        parts = _parts(data, zero, tensor, pipeline, interleave, expert, context, micro)
        sheet = self._sheet(preset, trains=bool(train))

        def at(given: dict[str, Any], split: DeviceSplit | None) -> MemoryAnswer:
            return memory_of(sheet, preset, given, replace(setting, split=split), device=named, there=there, generated=generate)

        return cast("MemoryAnswer", _answered(sizes, parts, at, sequence=sequence))

    def time(  # noqa: PLR0913  one keyword for each option of `gen time`
        self,
        preset: str | None = None,
        *,
        device: str,
        dtype: str = "bfloat16",
        compute: str | None = None,
        weights: str | Mapping[str, str] | None = None,
        cache: str | None = None,
        train: str = "",
        recompute: str = "none",
        generate: int = 0,
        tokens: int = 0,
        price: str | None = None,
        efficiency: float = 0.5,
        measured: float | None = None,
        data: int | None = None,
        zero: int | None = None,
        tensor: int | None = None,
        sequence: bool = True,
        pipeline: int | None = None,
        interleave: int | None = None,
        expert: int | None = None,
        context: int | None = None,
        micro: int | None = None,
        **sizes: Any,
    ) -> TimeAnswer:
        """Return how long the model takes on a device, as a bound and an estimate; as `gen time`.

        Args:
            preset, dtype, weights, cache, train, recompute, generate, sizes: as of `memory`; a generation and a step may be asked at once.
            data, zero, tensor, sequence, pipeline, interleave, expert, context, micro: as of `memory`; `split` of the answer has its time.
            device: the name of a device, such as `h100`, or its file.
            compute: the format of products, such as `tf32` or `fp8`; `dtype` by default.
            tokens: tokens (or samples) of a training run.
            price: of an hour on one device, such as `2.50USD`; the device's by default.
            efficiency: the part of the bound's speed that estimates assume, above 0 and at most 1.
            measured: seconds that a pass took, of which `utilisation` tells how much of the peak they use.

        Raises:
            SizeError: as `memory`.
            SpecError: as `memory`.
        """
        from generator.questions.memory.fits import MemorySetting
        from generator.questions.memory.stored_formats import stored_format
        from generator.questions.time.roofline import TimeSetting, efficiency_of
        from generator.questions.time.time_answer import TimeQuestion, time_of
        from generator.questions.time.training import price_of

        preset = preset or self._preset
        setting = TimeSetting(_device(device), stored_format(compute or dtype).key, efficiency_of(str(efficiency)))
        paid = price_of(price) if price else None
        memory = MemorySetting.asked(dtype, weights, cache, train, recompute)
        parts = _parts(data, zero, tensor, pipeline, interleave, expert, context, micro)
        trained = self._sheet(preset, trains=True) if train else None
        sheet = self._sheet(preset, trains=bool(train and not generate))

        def at(given: dict[str, Any], split: DeviceSplit | None) -> TimeAnswer:
            asked = replace(memory, split=split)
            return time_of(sheet, preset, given, TimeQuestion(asked, setting, generate, tokens, paid, measured), trained)

        return cast("TimeAnswer", _answered(sizes, parts, at, sequence=sequence))

    def _sheet(self, preset: str | None, *, trains: bool) -> Sheet:
        """Return the sheet of the module in training, or in inference, whatever the counts of `cost` are those of."""
        compiled, library = self._under(preset)
        if trains == library.is_training:
            return compiled.sheet
        if trains:
            raise SizeError("this spec was loaded in inference", 'load it with mode="training" to ask about a training step')
        return derive(library.in_inference(), self.name, self._options)[0].sheet

    def _under(self, preset: str | None) -> tuple[Compiled, Library]:
        """Return the spec under the options and slots that go with a preset, and the library in which they are the defaults."""
        named = next((one.name for one in self.sheet.other_presets if one.name == preset), None)
        if named is None:
            return self._compiled, self._library
        library = self._library.chosen(Choices.of(self.name, self._compiled.architecture.spec.presets[named]))
        return derive(library, self.name)[0], library

    def module(self, preset: str | None = None, **arguments: Any) -> nn.Module:
        """Return the spec's PyTorch module with new weights.

        Args:
            preset: the name of published sizes; those that `load` was asked for by default.
            arguments: sizes, which win over the preset, options, blocks for slots, `device` and `dtype`; `recompute`, where it has a
                stack of blocks. Sizes that only inputs show may be left out.

        Raises:
            SizeError: an unknown preset, size or option, sizes that are missing or break a condition.
            ImportError: PyTorch is not installed.
        """
        from generator.render.module.loading import build_module

        preset = preset or self._preset
        return build_module(*self._under(preset), preset, {**self._options, **arguments})

    def __repr__(self) -> str:
        presets = f"; presets {', '.join(self.presets)}" if self.presets else ""
        return f"<spec {self.name}: {self.title}; sizes {', '.join(self.sizes)}{presets}>"


def _parts(*numbers: Any) -> dict[str, Any]:
    """Return the numbers of a split that are given, by name."""
    names = ("data", "zero", "tensor", "pipeline", "interleave", "expert", "context", "micro")
    return {name: number for name, number in zip(names, numbers, strict=True) if number is not None}


def _answered(
    sizes: Mapping[str, Any], parts: Mapping[str, Any], answer: Callable[[dict[str, Any], DeviceSplit | None], Any], *, sequence: bool
) -> Any:
    """Return the answer at sizes and for a split, or those at each of them where some are arrays."""
    from generator.questions.answers import answered_at
    from generator.questions.parallel.splits import DeviceSplit

    def at(given: dict[str, Any]) -> Any:
        split = DeviceSplit.asked({name: given.pop(name) for name in parts}, sequence=sequence)
        return answer(given, split)

    return answered_at({**sizes, **parts}, at)


def _device(name: str) -> Device:
    from generator.questions.hardware.device_names import device_named

    try:
        return device_named(name)
    except ProblemsError as error:
        raise SpecError(error) from error


def load(
    name_or_path: str | PathLike[str],
    specs: str | PathLike[str] | Iterable[str | PathLike[str]] | None = None,
    *,
    mode: str = MODES[0],
    **options: Any,
) -> LoadedSpec:
    """Read a spec and derive its formulas.

    Args:
        name_or_path: a spec's name, or the path of its file; a preset's name, or both as in `bert@bert-large`.
        specs: a folder or file, or several, to look in beside the built-in specs and ./specs.
        mode: `training` (the default), or `inference`: batch norms use running statistics, and nothing is dropped.
        options: values for options of the spec, instead of their defaults; and options and slots of the specs that it uses.

    Raises:
        ValueError: an unknown mode.
        SpecError: there is no such spec, or it has mistakes; the message shows each of them with its line.
        SizeError: an option that neither the spec nor what it uses has, or a value that it cannot take.
    """
    given = [specs] if isinstance(specs, str | PathLike) else list(specs or ())
    folders = [Path(folder) for folder in given]
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; modes: {', '.join(MODES)}")
    target = str(name_or_path) if isinstance(name_or_path, str) else str(real(Path(name_or_path)))
    try:
        _require(folders)
        with asked_of(mode):
            library, name, preset = locate(target, folders)
    except ProblemsError as error:
        raise SpecError(error) from error
    return load_from(library, name, options, preset)


def count(module: nn.Module, inputs: Any, *, mode: str | None = None) -> Counted:
    """Run any module of PyTorch under the counters, and return what it comes to, by submodule; see docs/count.md.

    Args:
        module: it is run as it is, and is the same afterwards.
        inputs: a tensor, a sequence of positional arguments, or a mapping of arguments by name; tensors may be nested in them. Gradients
            flow to those that require one. Where tensors are on the meta device, only what needs no numbers is counted.
        mode: `training`, with a backward pass, or `inference`, without gradients; by default as the module is set.

    Raises:
        ValueError: an unknown mode.
        ImportError: PyTorch is not installed.
        Exception: whatever the module raises.
    """
    if mode is not None and mode not in MODES:
        raise ValueError(f"unknown mode {mode!r}; modes: {', '.join(MODES)}")
    from generator.proof.count.counting import count as counted

    return counted(module, inputs, mode or MODES[0 if module.training else 1])


def _require(paths: Iterable[Path]) -> None:
    missing = [Problem(f"{path}: no such file or folder", None) for path in paths if not path.exists()]
    if missing:
        raise ProblemsError(missing)


def load_from(library: Library, name: str, options: dict[str, Any], preset: str = "") -> LoadedSpec:
    """Derive the formulas of a spec of a library. Raises as `load`, and warns of claims that do not hold."""
    try:
        known = library.spec(name).options
        library, inside = with_choices(library, name, {key: value for key, value in options.items() if key not in known})
        for option in options:
            if option not in known and option not in inside:
                note = f"options: {listed(known)}" if known else f"`{name}` has no options"
                raise SizeError(f"`{option}` is not an option of `{name}`", *did_you_mean(option, known), note)
        chosen = {option: check_option(known[option], value) for option, value in options.items() if option in known}
        compiled, doubts = derive(library, name, chosen)
    except ProblemsError as error:
        raise SpecError(error) from error
    for doubt in doubts if not options else ():  # claims speak of the default options
        warnings.warn(f"{headline(doubt)} (the counts are right all the same)", stacklevel=3)
    return LoadedSpec(compiled, library, chosen, preset)
