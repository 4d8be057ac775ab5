"""What people ask about: a spec, or a preset by its name, with sizes, options and slots of it and of what it uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.formulas.numerals import NotANumberError, whole_number
from generator.importing.named_model import locate
from generator.sheet.compiled import Compiled, derive
from generator.sheet.sizing import by_entry
from generator.spec.choices import Choices
from generator.spec.library import Library
from generator.spec.model import Expression, Spec, Use
from generator.spec.option_values import check_option
from generator.text.errors import SizeError
from generator.text.expressions import parse_expression
from generator.text.problems import Problem, ProblemsError
from generator.text.source import Source, Span
from generator.text.suggest import did_you_mean, near


@dataclass(frozen=True)
class Asked:
    """A spec with what was chosen for it.

    Args:
        library: where it is found, as it is with these choices.
        preset: that which was named; empty for none.
        given: sizes, and what nothing has, which is said where sizes are checked.
        chosen: options and slots, as they are in force.
    """

    library: Library
    name: str
    preset: str
    given: Mapping[str, Any]
    chosen: Mapping[str, Any]

    def derive(self) -> tuple[Compiled, tuple[Problem, ...]]:
        """Return the sheet, and the claims that do not hold: none where anything was chosen, as they speak of the defaults."""
        return derive(self.library, self.name)


def asked(target: str, settings: Mapping[str, Any], specs: Sequence[Path] = (), preset: str | None = None) -> Asked:
    """Return what is asked about.

    Args:
        target: a spec by name or file, a preset by name, or `bert@bert-large`.
        settings: sizes, options and slots by name. Those of the spec itself come first, then those of the specs that it uses.
        preset: wins over that of the target.

    Raises:
        ProblemsError: there is no such spec, or it has mistakes.
        SizeError: an option that cannot be so, or a list of sizes that is too long or short.
    """
    library, name, own = locate(target, specs)
    spec = library.spec(name)
    given = by_entry(settings, spec.entries)
    words = options_of(spec, preset or own) | {key: value for key, value in given.items() if key not in spec.dims}
    library, chosen = with_choices(library, name, words, preset or own)
    for key in given:
        if key in spec.dims or key in chosen or near(key, [*spec.dims, *spec.options]):
            continue  # what is wrong with it is said where sizes are checked
        if likely := did_you_mean(key, choosable(library, spec)):
            raise SizeError(f"`{key}` is no size of `{name}`, and no option or slot of it or of what it uses", *likely)
    return Asked(library, name, preset or own, {key: value for key, value in given.items() if key not in chosen}, chosen)


def options_of(spec: Spec, preset: str | None) -> dict[str, Any]:
    """Return the options that go with a preset, other than the defaults."""
    found = spec.presets.get(preset or "")
    options = found.options if found is not None else {}
    return {name: value for name, value in options.items() if name in spec.options and spec.options[name].default != value}


def with_choices(library: Library, name: str, settings: Mapping[str, Any], preset: str = "") -> tuple[Library, dict[str, Any]]:
    """Return a library in which options and slots of a spec, or else of the specs that it uses, are as given; and those that there are.

    A block that is chosen for a slot has those of the sizes given that no other spec knows.

    Raises:
        ProblemsError: there is no such spec for a slot.
        SizeError: an option that cannot be so.
    """
    spec, inside = library.spec(name), [library.spec(used) for used in library.closure(name)[1:]] if settings else []
    own = {key: check_option(spec.options[key], value) for key, value in settings.items() if key in spec.options}
    rest = {key: str(value) for key, value in settings.items() if key not in own}
    filled = {slot: block for slot, block in rest.items() if any(slot in one.slots for one in (spec, *inside))}
    for slot, block in filled.items():
        if block not in library.files:
            message = f"there is no spec named `{block}` to stand in slot `{slot}`"
            raise ProblemsError([Problem(message, _place(slot, block), did_you_mean(block, library.names))])
        inside += [library.spec(used) for used in library.closure(block)]
    options = {key: found for key, value in rest.items() if key not in filled and (found := _values(inside, key, value)) is not None}
    numbers = {key: number for key, value in rest.items() if key not in (*filled, *options) and (number := _whole(value))}
    slots = {slot: _use(library.spec(block), slot, block, numbers) for slot, block in filled.items()}
    named = spec.presets.get(preset)
    of_preset = {slot: use for slot, use in named.slots.items() if slot in spec.slots and slot not in slots} if named is not None else {}
    if not own and not options and not slots and not of_preset:
        return library, {}
    sizes = {size: int(numbers[size]) for use in slots.values() for size in use.sizes}
    blocks = {slot: use.spec for slot, use in of_preset.items()}
    kept = _filled_by_all(library, name, slots)
    return library.chosen(Choices(name, own, options, slots, preset, of_preset, kept)), {**own, **options, **blocks, **filled, **sizes}


def _filled_by_all(library: Library, name: str, slots: Iterable[str]) -> frozenset[tuple[str, str]]:
    """Return the slots of these names, by their specs, in which nothing stands by default: whoever uses the spec fills them."""
    inside = library.closure(name)
    uses = [use for one in inside for use in library.spec(one).uses()]
    return frozenset(
        (used, slot)
        for used in inside[1:]
        for slot in slots
        if slot in library.spec(used).slots and all(slot in use.slots for use in uses if use.spec == used)
    )


def _whole(text: str) -> str:
    """Return a whole number in plain digits; an empty text for what is none."""
    try:
        return str(whole_number(text))
    except NotANumberError:
        return ""


def _values(inside: Iterable[Spec], key: str, value: str) -> Any:
    """Return the value of an option that some specs have; None if none has it. Raises SizeError where one of them cannot take it."""
    return next(iter([check_option(one.options[key], value) for one in inside if key in one.options]), None)


def _use(block: Spec, slot: str, name: str, numbers: Mapping[str, str]) -> Use:
    """Return what stands in a slot, with those sizes that it has and that are given."""
    span = _place(slot, name)
    sizes = {size: value for size, value in numbers.items() if size in block.dims and block.dims[size].kind != "derived"}
    written = {size: Expression(value, parse_expression(value), _place(size, value)) for size, value in sizes.items()}
    return Use(name, span, spec=name, sizes=written)


def _place(name: str, value: str) -> Span:
    return Span(Source("command line", f"{name}={value}"), 1, len(name) + 2, len(value))


def choosable(library: Library, spec: Spec) -> list[str]:
    """Return the names of all options and slots of a spec and of what it uses."""
    every = [spec, *(library.spec(used) for used in library.closure(spec.name)[1:])]
    return list(dict.fromkeys(key for one in every for key in (*one.options, *one.slots)))
