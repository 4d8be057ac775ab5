"""Which spec stands for a configuration, and what becomes of each of its keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.importing.common_keys import shared
from generator.importing.config import KIND_KEY, Config, read_config
from generator.importing.gguf import gguf_config
from generator.importing.gguf_header import is_gguf
from generator.importing.mapping import Mapped, mapped, one_for_all, written
from generator.spec.import_mappings import Import
from generator.spec.library import Library
from generator.spec.lookup import everything, named_file
from generator.spec.model import Spec
from generator.text.problems import Problem, ProblemsError
from generator.text.suggest import did_you_mean, listed

PRESET = "config"  # what the sizes of a file are called where it has no name of its own
_SILENT: tuple[Any, ...] = (None, False, 0, "", [], {})  # values of a key that nothing is known of which ask for nothing


@dataclass(frozen=True)
class Imported:
    """A configuration as a preset of a spec.

    Args:
        library: that of the spec, in which the preset is one of the spec's.
        without_effect: keys that change no cost, with the reason.
        unknown: keys that nothing is known of.
        warnings: what may make the numbers others than those of the model.
    """

    library: Library
    mapped: Mapped
    preset: str
    without_effect: dict[str, str]
    unknown: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the spec."""
        return self.mapped.spec.name

    @property
    def same(self) -> tuple[str, ...]:
        """The presets of the spec that have these sizes and options."""
        one = self.mapped
        presets = one.spec.presets.values()
        return tuple(own.name for own in presets if own.sizes.items() <= one.sizes.items() and own.options == one.options)


def imported_file(target: str, specs: Sequence[Path] = (), preset: str = "") -> Imported:
    """Read a configuration and find the spec that stands for it.

    Raises:
        NotFoundError: there is no such file.
        ProblemsError: it is no configuration, no spec is for it, or it says what none can say.
    """
    file = named_file(target)
    return imported(gguf_config(file) if is_gguf(file) else read_config(file), everything(specs), preset)


def imported(config: Config, library: Library, preset: str = "") -> Imported:
    """Find the spec that stands for a configuration. Raises ProblemsError."""
    candidates = [mapped(spec, rule, config) for spec, rule in rules(library) if config.kind in rule.model_type]
    if not candidates:
        raise _unknown(config, library)
    best = min(candidates, key=lambda one: (len(one.misfits), len(one.problems)))
    if best.wrong:
        note = f"read as `{best.spec.name}`, the spec for `{KIND_KEY}` {config.kind}"
        raise ProblemsError(Problem(one.message, one.span, (*one.notes, note)) for one in best.wrong)
    also = [one.spec.name for one in candidates if not one.wrong and one is not best]
    if also:
        message = f"{listed([best.spec.name, *also])} each stand for this configuration; `only` in their imports must tell them apart"
        raise ProblemsError([Problem(message, config.place(KIND_KEY))])
    name = preset or PRESET
    without_effect, unknown, warnings = _rest(best)
    added = library.with_added(best.spec.name, best.preset(name))
    return Imported(added, best, name, without_effect, unknown, tuple(warnings))


def rules(library: Library) -> Iterator[tuple[Spec, Import]]:
    """Yield all imports of a library's specs, with the spec; those of broken specs have no say."""
    for name in library.mentioning("imports:"):
        if name not in library.blocks:
            with suppress(ProblemsError):
                spec = library.spec(name)
                yield from ((spec, rule) for rule in spec.imports.values())


def _unknown(config: Config, library: Library) -> ProblemsError:
    kinds = sorted({kind for _, rule in rules(library) for kind in rule.model_type})
    inner = config.values.get("text_config")
    inside = inner.get(KIND_KEY) if isinstance(inner, dict) else None
    known = (
        (f"its `text_config` is of the kind `{inside}`, which is known: save that part as a file of its own",) if inside in kinds else ()
    )
    notes = (*known, *(did_you_mean(config.kind, kinds) if not known else ()), f"known: {listed(kinds, limit=100)}", _HOW)
    return ProblemsError([Problem(f"no spec is for `{KIND_KEY}` {config.kind}", config.place(KIND_KEY), notes)])


_HOW = "a spec says so under `imports`: see docs/import.md"


def _rest(found: Mapped) -> tuple[dict[str, str], tuple[str, ...], list[str]]:
    """Sort the keys that give nothing: those without effect with the reason, those that nothing is known of, and what to warn of."""
    known, rule, own = shared(found.rule.name), found.rule, found.config.without_effect
    reasons: dict[str, str] = {}
    unknown: list[str] = []
    warnings = list(_other_class(found))
    for key, value in found.config.values.items():
        if key in found.used:
            continue
        if key in known.usual and key not in rule.ignore:
            usual, otherwise = known.usual[key]
            is_usual = one_for_all(value) in (usual, None)
            reasons[key] = f"none at {written(usual)}" if is_usual else otherwise
            if not is_usual:
                warnings.append(f"`{key}` is {written(value)}: {otherwise}")
        elif (why := rule.ignore.get(key) or known.ignore.get(key) or own.get(key)) is not None:
            reasons[key] = why
        else:
            unknown.append(key)
    telling = [f"`{key}: {written(found.config.values[key])}`" for key in unknown if found.config.values[key] not in _SILENT]
    if telling:
        them = "it changes" if len(telling) == 1 else "they change"
        warnings.insert(0, f"nothing is known of {', '.join(telling)}; if {them} what is built, the numbers are not those of this model")
    return reasons, tuple(unknown), warnings


def _other_class(found: Mapped) -> Iterator[str]:
    """Warn where the file is of another class than the one that the spec counts, such as one with a head."""
    classes = found.config.values.get("architectures")
    model = found.rule.model
    if isinstance(classes, list) and classes and model and model not in classes:
        yield f"the file is of {' and '.join(map(str, classes))}; `{found.spec.name}` counts {model}, without what the other has beside it"
