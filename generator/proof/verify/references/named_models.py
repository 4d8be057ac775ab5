"""Public models that a spec names itself, under `checkpoint`: timm or transformers builds them with the settings that it gives."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.formulas.evaluate import evaluate
from generator.formulas.symbols import symbol
from generator.proof.verify.instance import Workbench
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.in_double import precise
from generator.proof.verify.references.timm_models import import_timm
from generator.proof.verify.sample_sizes import sample
from generator.spec.checkpoint import Checkpoint
from generator.text.expressions import ExpressionError, names, parse_expression, symbolic

SPREAD = 0.1  # of what is added to weights, so that none is what it starts as, such as a zero


def named_models(bench: Workbench, spec: str) -> Iterator[PublicModel]:
    """Yield the public models that a spec says how to build."""
    for layout, given in bench.library.spec(spec).checkpoints.items():
        if given.is_built and layout in _BUILDERS:
            yield PublicModel(
                spec, layout, layout, given.model, partial(_small, bench, spec, given, layout), partial(_full, bench, spec, given, layout)
            )


def _small(bench: Workbench, spec: str, given: Checkpoint, layout: str, dtype: torch.dtype) -> Small:
    """Return a model in the sizes that the spec gives, or in random ones, after `eval()`."""
    sheet = bench.compiled(spec).sheet
    sizes = sample(sheet, random.Random(spec), fixed=given.at or None)  # noqa: S311  sizes to try, not secrets
    with precise(dtype):
        other = _scattered(_BUILDERS[layout](given.model, _settings(given, sizes)).to(dtype)).eval()
    inputs = bench.inputs(spec, sizes, dtype=dtype)
    arguments = [given.inputs.get(name) for name in bench.library.spec(spec).inputs]
    by_place = [x for name, x in zip(arguments, inputs, strict=True) if name is None]
    by_name = {name: x for name, x in zip(arguments, inputs, strict=True) if name is not None}

    def run() -> Sequence[Tensor]:
        with precise(dtype):
            return _results(other(*by_place, **by_name), given.outputs)

    return Small(sizes, other, tuple(inputs), run, is_evaluated=True)


def _full(bench: Workbench, spec: str, given: Checkpoint, layout: str) -> Sequence[FullSize]:
    """Return the presets, of which parameters are compared; none where the spec says at which sizes it is compared."""
    if given.at:
        return ()
    sheet = bench.compiled(spec).sheet
    rng = random.Random(spec)  # noqa: S311  as above
    drawn = {preset.name: sample(sheet, rng, fixed=preset.sizes) for preset in sheet.presets}
    return [FullSize(preset, {}, partial(_BUILDERS[layout], given.model, _settings(given, sizes)), None) for preset, sizes in drawn.items()]


def _settings(given: Checkpoint, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Return the settings in given sizes; `text_config.hidden_size` is a setting inside of another."""
    found: dict[str, Any] = {}
    for name, value in given.build.items():
        *outer, last = name.split(".")
        inside = found
        for part in outer:
            inside = inside.setdefault(part, {})
        each = [_value(one, sizes) for one in value] if isinstance(value, list) else _value(value, sizes)
        inside[last] = None if each == [None] else each
    return found


def _value(value: Any, sizes: Mapping[str, int]) -> Any:
    """Return what a formula of sizes comes to, a whole number where it is one; any other word or value as it is."""
    if not isinstance(value, str):
        return value
    try:
        ast = parse_expression(value)
    except ExpressionError:
        return value
    if not set(names(ast)) <= sizes.keys():
        return value
    number = evaluate(symbolic(ast, {name: symbol(name) for name in sizes}), sizes)
    return int(number) if number == int(number) else float(number)


def _scattered(model: nn.Module) -> nn.Module:
    """Return a model none of whose weights and statistics is what it starts as: zeros and ones would hide a wrong result."""
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(SPREAD * torch.randn_like(weight))
        for name, buffer in model.named_buffers():
            if name.endswith(("running_mean", "running_var")):
                buffer.add_(SPREAD * torch.rand_like(buffer))
    return model


def _results(found: Any, wanted: Sequence[str]) -> Sequence[Tensor]:
    """Return the results that are ours, in order: by name, or all of a tuple, or the first."""
    if wanted:
        return [getattr(found, name) for name in wanted]
    if isinstance(found, Tensor):
        return [found]
    return [one for one in found if isinstance(one, Tensor)] if type(found) is tuple else [next(iter(found.values()))]


def _of_timm(model: str, settings: Mapping[str, Any]) -> nn.Module:
    """Return a model of a name, such as `mixer_b16_224`, or of a class, such as `MlpMixer`, which takes all sizes."""
    timm: Any = import_timm()
    made: nn.Module = timm.create_model(model, **settings) if timm.is_model(model) else getattr(timm.models, model)(**settings)
    return made


def _of_transformers(model: str, settings: Mapping[str, Any]) -> nn.Module:
    """Return a model of a class, with its configuration, or the one without a head of a `model_type`."""
    import transformers

    auto: Any = transformers.AutoModel
    kind: Any = getattr(transformers, model, None)
    made: nn.Module
    if model in transformers.CONFIG_MAPPING:
        made = auto.from_config(transformers.CONFIG_MAPPING[model](**settings))
    elif kind is not None:
        made = kind(kind.config_class(**settings))
    else:
        raise LookupError(f"transformers has neither a class nor a `model_type` called {model}")
    return made


_BUILDERS = {"timm": _of_timm, "transformers": _of_transformers}
