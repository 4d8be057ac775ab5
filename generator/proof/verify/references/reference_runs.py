"""Runs the comparisons of a spec with its public implementations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from generator.formulas.evaluate import evaluate
from generator.importing.config import config_of
from generator.importing.found import imported
from generator.proof.measure.parameters import Parameters, parameters
from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.implementations import public_models
from generator.proof.verify.references.module_comparison import LIMITS, Distance, compare
from generator.proof.verify.references.named_models import named_models
from generator.quantities import MATMUL_FLOPS, PARAMS, TRAINABLE_PARAMS
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet
from generator.text.problems import ProblemsError, headline
from generator.text.source import Source
from generator.text.suggest import listed

PARAMETERS, FLOPS, OUTPUTS, GRADIENTS, STEPWISE, IMPORT = KINDS = ("parameters", "FLOPs", "outputs", "gradients", "stepwise", "import")


@dataclass(frozen=True)
class ReferenceCheck:
    """One comparison with a public implementation.

    Args:
        model: the implementation, with its library's version.
        what: what was compared.
        bound: the result that was asked for: `equal`, or `< 1e-09`.
        found: what came out where it was not that; "" otherwise.
        kind: which of KINDS it is; "" where what stopped it came first.
    """

    model: str
    what: str
    bound: str
    found: str = ""
    kind: str = ""

    @property
    def equal(self) -> bool:
        """Whether the comparison came out as asked."""
        return not self.found


def reference_checks(bench: Workbench, name: str) -> tuple[tuple[ReferenceCheck, ...], tuple[str, ...]]:
    """Return the comparisons of a spec with public implementations, and what could not be compared, with the reason."""
    said = tuple(named_models(bench, name))
    models = (*said, *(model for model in public_models().get(name, ()) if model.layout not in {one.layout for one in said}))
    layouts = bench.library.spec(name).checkpoints
    built = {model.layout for model in models}
    missing = [f"{layout} {given.model}: no code here builds it" for layout, given in layouts.items() if layout not in built]
    if not models and not layouts:
        around = [user for user in public_models() if user in bench.library.files and name in bench.library.closure(user)]
        missing.append(f"no public implementation is known{f'; it is compared as part of {listed(around)}' if around else ''}")
    checks: list[ReferenceCheck] = []
    for model in models:
        if model.layout not in layouts:
            missing.append(f"{model.label}: the spec has no `checkpoint` section `{model.layout}`")
        elif not model.is_installed:
            missing.append(f"{model.library} {model.model}: {model.library} is not installed")
        else:
            checks += _of_model(bench, model)
    return tuple(checks), tuple(missing)


def _of_model(bench: Workbench, model: PublicModel) -> Iterator[ReferenceCheck]:
    for dtype in LIMITS:
        yield from _guarded(model, f"small model, {_short(dtype)}", partial(_small, bench, model, dtype))
    yield from _guarded(model, "published sizes", partial(_full, bench, model))


def _guarded(model: PublicModel, what: str, run: Callable[[], Iterator[ReferenceCheck]]) -> Iterator[ReferenceCheck]:
    try:
        yield from run()
    except Exception as error:  # noqa: BLE001  whatever stops a comparison is a finding to report
        yield ReferenceCheck(model.label, what, "no error", f"{type(error).__name__}: {error}")


def _small(bench: Workbench, model: PublicModel, dtype: torch.dtype) -> Iterator[ReferenceCheck]:
    """Compare outputs and gradients on random weights; where there is a state, also outputs step by step."""
    with torch.random.fork_rng(), default_dtype(dtype):
        torch.manual_seed(0)
        small = model.small(dtype)
        own: Any = bench.build(model.spec, small.sizes)
        own.train(not small.is_evaluated)
        own.load_reference(small.other.state_dict(), model.layout)
        outputs, gradients = compare(own, small.other, model.layout, lambda: _listed(own(*small.inputs)), small.run)
        count = sum(1 for _ in own.named_parameters())
        yield _within(model, OUTPUTS, f"outputs, {_short(dtype)}", outputs, dtype)
        yield _within(model, GRADIENTS, f"gradients of {count} parameters, {_short(dtype)}", gradients, dtype)
        if small.steps:
            value = _stepwise(own, small)
            steps = " + ".join(map(str, small.steps))
            yield _within(model, STEPWISE, f"outputs in steps of {steps} tokens, {_short(dtype)}", value, dtype)


def _stepwise(own: nn.Module, small: Small) -> Distance:
    state: dict[str, Any] = {}
    with torch.no_grad():
        steps = zip(*(torch.split(x, list(small.steps), 1) for x in small.inputs), strict=True)
        pieces = [_listed(own(*step, state)) for step in steps]
        joined = [torch.cat(parts, 1) for parts in zip(*pieces, strict=True)]
        return Distance(max((a - b).abs().max().item() for a, b in zip(joined, small.run(), strict=True)), "")


def _full(bench: Workbench, model: PublicModel) -> Iterator[ReferenceCheck]:
    """Compare parameters and matmul FLOPs of published sizes, on meta tensors, and what is read of their configurations."""
    sheet = bench.compiled(model.spec).sheet
    imports = bench.library.spec(model.spec).imports
    read: set[str] = set()
    for full in model.full():
        sizes = _sizes(sheet, full)
        at = ", ".join(f"{name}={value}" for name, value in full.sizes.items())
        with torch.device("meta"):
            other = full.model().eval()
        counted = _counted(sheet, parameters(other))
        if full.arguments is not None:
            counter = FlopCounterMode(display=False)
            with counter, torch.no_grad():
                other(**full.arguments())
            counted[MATMUL_FLOPS.key] = counter.get_total_flops()
        for quantity, measured in counted.items():
            derived = evaluate(sheet.totals[quantity], sizes)
            found = "" if derived == measured else f"derived {derived:,}, theirs {measured:,}"
            what = f"{quantity} of {full.preset}" + (f" at {at}" if at else "")
            yield ReferenceCheck(model.label, what, "equal", found, FLOPS if quantity == MATMUL_FLOPS.key else PARAMETERS)
        if model.layout in imports and full.preset not in read and hasattr(other, "config"):
            read.add(full.preset)
            config: Any = other.config
            found = _misread(bench, model.spec, config.to_json_string(), full.sizes, counted)
            yield ReferenceCheck(model.label, f"{' and '.join(counted)} of the config.json of {full.preset}", "equal", found, IMPORT)


def _misread(bench: Workbench, spec: str, config: str, given: Mapping[str, int], counted: Mapping[str, int]) -> str:
    """Return what comes of a configuration that the library writes where it is not what was counted of the model; "" otherwise.

    Args:
        given: sizes of the spec that a configuration does not say.
        counted: of the public model, by quantity.
    """
    try:
        found = imported(config_of(Source("config.json", config)), bench.library).mapped
    except ProblemsError as error:
        return headline(error.problems[0])
    if found.spec.name != spec:
        return f"read as {found.spec.name}"
    if found.options:
        return f"read with {listed(f'{name} = {value}' for name, value in found.options.items())}"
    sheet = bench.compiled(spec).sheet
    sizes = {name: value for name, value in complete(sheet.sizes, {**given, **found.sizes}).items() if value is not None}
    derived = {quantity: evaluate(sheet.totals[quantity], sizes) for quantity in counted}
    wrong = [f"{quantity} {value:,}, theirs {counted[quantity]:,}" for quantity, value in derived.items() if value != counted[quantity]]
    return f"derived {listed(wrong)}" if wrong else ""


def _counted(sheet: Sheet, theirs: Parameters) -> dict[str, int]:
    """Return what their parameters are compared with; where none of ours is frozen, frozen ones of theirs are tables, buffers here."""
    if sheet.totals[PARAMS.key] == sheet.totals[TRAINABLE_PARAMS.key]:
        return {PARAMS.key: theirs.trainable}
    return {PARAMS.key: theirs.all, TRAINABLE_PARAMS.key: theirs.trainable}


def _sizes(sheet: Sheet, full: FullSize) -> dict[str, int]:
    preset = next(preset for preset in sheet.presets if preset.name == full.preset)
    sizes = complete(sheet.sizes, {**preset.sizes, **full.sizes})
    return {name: value for name, value in sizes.items() if value is not None}


def _within(model: PublicModel, kind: str, what: str, distance: Distance, dtype: torch.dtype) -> ReferenceCheck:
    limit = LIMITS[dtype]
    where = f" in {distance.where}" if distance.where else ""
    found = "" if distance.value < limit else f"differ by {distance.value:g}{where}"
    return ReferenceCheck(model.label, what, f"< {limit:g}", found, kind)


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _listed(result: Any) -> Sequence[Tensor]:
    return list(result) if isinstance(result, tuple) else [result]
