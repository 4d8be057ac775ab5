"""What a spec's import makes of a configuration: sizes, options, and what it cannot say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from generator.importing.config import Config
from generator.spec.import_mappings import Import, ImportedOption, reached
from generator.spec.keys import MAX_SIZE
from generator.spec.model import Preset, Spec
from generator.spec.option_values import check_option
from generator.text.errors import SizeError
from generator.text.expressions import Ast, ExpressionError, evaluate_number, names, unparse
from generator.text.problems import Problem
from generator.text.source import Span
from generator.text.suggest import listed

DERIVED = "auto"  # what some libraries write for null
LONGEST_SHOWN = 60  # characters of a value


@dataclass
class Mapped:
    """What an import makes of a configuration.

    Args:
        sizes: by name, in the order of the import.
        options: those that are other than the spec's defaults.
        places: where the value that a size or option follows from stands: `set.d`, `options.tied`.
        used: what each key of the file gives, in words.
        assumed: the keys that are absent, and what stands in for them.
        misfits: conditions that the file does not meet.
        problems: values that are missing or wrong.
    """

    spec: Spec
    rule: Import
    config: Config
    sizes: dict[str, int] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    used: dict[str, list[str]] = field(default_factory=dict)
    assumed: dict[str, str] = field(default_factory=dict)
    misfits: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def wrong(self) -> list[Problem]:
        """All that stands against taking the file for a model of the spec."""
        return [*self.misfits, *self.problems]

    def preset(self, name: str) -> Preset:
        """Return the preset that the file makes, whose places are those of the file."""
        places = {f"set.{size}": self.places[f"set.{size}"] for size in self.sizes}
        places |= {f"options.{option}": self.places[f"options.{option}"] for option in self.options}
        origins = {size: unparse(self.rule.sizes[size].ast) for size in self.sizes}
        return Preset(name, self.config.tree.span, sizes=self.sizes, options=self.options, spans=places, origins=origins)


class _MissingError(Exception):
    """A key that a formula names has no number; what is wrong with it is said already, or goes without saying."""


def mapped(spec: Spec, rule: Import, config: Config) -> Mapped:
    """Return what an import of a spec makes of a configuration; what is wrong is in the result."""
    reader = _ConfigReader(Mapped(spec, rule, config))
    for name, expression in rule.sizes.items():
        reader.size(name, expression.ast)
    for name, option in rule.options.items():
        reader.option(name, option)
    for key, allowed in rule.only.items():
        reader.only(key, allowed)
    for key, excluded in rule.unless.items():
        reader.unless(key, excluded)
    for key, words in rule.cycles.items():
        reader.cycle(key, words)
    return reader.found


class _ConfigReader:
    def __init__(self, found: Mapped) -> None:
        self.found, self.rule, self.config = found, found.rule, found.config
        self.flat = found.config.flat
        self.said: set[str] = set()  # keys of which it is said that they are missing or no numbers

    def value(self, key: str) -> Any:
        """Return the value of a key, or what stands in for it. Raises _MissingError."""
        known = self.flat.get(key)
        default = self.rule.defaults.get(key)
        formula = self.rule.formula(default)
        if known is not None and (formula is None or known[0] not in (None, DERIVED)):
            return known[0]
        if formula is not None:
            result = evaluated(formula, {name: self.number(name) for name in names(formula)})
            self.found.assumed.setdefault(key, f"{written(result)} = {unparse(formula)}")
            for name in names(formula):
                self.use(name, f"{key} follows from it")
            return result
        if default is None:
            raise _MissingError
        self.found.assumed.setdefault(key, written(default))
        return default

    def number(self, key: str) -> int | Fraction:
        """Return the value of a key that must be a number. Raises _MissingError after saying what is wrong."""
        try:
            value = self.value(key)
        except _MissingError:
            self.say(key, f"`{key}` is missing, and {self.needs(key)}")
            raise
        value = one_for_all(value)
        if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
            self.say(key, f"`{key}` is {written(value)}, where a number is needed: {self.needs(key)}")
            raise _MissingError
        return Fraction(str(value)) if isinstance(value, float) else value

    def needs(self, key: str) -> str:
        """Say what a key is needed for."""
        sizes = [name for name, one in self.rule.sizes.items() if key in names(one.ast)]
        if sizes:
            return f"`{self.found.spec.name}` takes {listed(sizes)} from it"
        return f"{listed(name for name in self.rule.defaults if key in self.rule.behind(name))} follows from it"

    def say(self, key: str, message: str, *notes: str) -> None:
        if key not in self.said:
            self.found.problems.append(Problem(message, self.config.place(key), notes))
        self.said.add(key)

    def size(self, name: str, ast: Ast) -> None:
        values: dict[str, int | Fraction] = {}
        for key in names(ast):
            try:
                values[key] = self.number(key)
            except _MissingError:
                continue
        if len(values) < len(names(ast)):
            return
        result = evaluated(ast, values)
        place = self.place_of(ast)
        if not isinstance(result, int) or not 1 <= result <= MAX_SIZE:
            text = unparse(ast)
            key = next(iter(names(ast)), name)
            why = (self.found.assumed.get(key, "") or f"`{name}`") if text == key else f"`{name}` is {text}"
            message = f"`{key}` comes to {written(result)}, where a whole number of at least 1 is needed ({why})"
            self.found.problems.append(Problem(message, place, _shown(self.behind(values))))
            return
        self.found.sizes[name] = result
        self.found.places[f"set.{name}"] = place
        for key in values:
            self.use(key, f"{name} = {result:,}" if unparse(ast) == key else f"{name} = {unparse(ast)} = {result:,}")

    def behind(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return numbers with those of the keys that they follow from."""
        found = dict(values)
        for key in values:
            if key in self.found.assumed:
                found |= {name: self.value(name) for name in self.rule.behind(key)}
        return found

    def place_of(self, ast: Ast) -> Span:
        """Return the place of the first key of a formula that stands in the file, also behind defaults."""
        for key in reached(names(ast), self.rule.behind):
            if key in self.flat and self.flat[key][0] is not None:
                return self.flat[key][1]
        return self.config.tree.span

    def use(self, key: str, words: str) -> None:
        said = self.found.used.setdefault(self.flat[key][2], []) if key in self.flat else []
        if words not in said:
            said.append(words)

    def option(self, name: str, option: ImportedOption) -> None:
        try:
            value = self.value(option.source)
        except _MissingError:
            return  # as the spec has it by default
        place, declared = self.config.place(option.source), self.found.spec.options[name]
        if option.words and str(value) not in option.words:
            self.misfit(option.source, value, f"it may be {listed(option.words, 'or')}")
            return
        try:
            chosen = check_option(declared, option.words.get(str(value), value))
        except SizeError as error:
            self.misfit(option.source, value, *error.notes)
            return
        if chosen != declared.default:
            self.found.options[name] = chosen
            self.found.places[f"options.{name}"] = place
        self.use(option.source, f"{name} = {written(chosen)}")

    def misfit(self, key: str, value: Any, *notes: str) -> None:
        message = f"`{self.found.spec.name}` has nothing for `{key}`: {written(value)}"
        self.found.misfits.append(Problem(message, self.config.place(key), notes))

    def only(self, key: str, allowed: tuple[Any, ...]) -> None:
        known = self.flat.get(key)
        if known is None and key not in self.rule.defaults:
            return  # as the library has it where nothing is said
        try:
            value = self.value(key)
        except _MissingError:
            value = None
        value = one_for_all(value)
        formula = self.rule.formula(allowed[0]) if len(allowed) == 1 else None
        if formula is not None:
            self.equal(key, value, formula)
        elif not any(_same(value, one) for one in allowed):
            self.misfit(key, value, f"it stands for {' or '.join(written(one) for one in allowed)} alone")
        self.use(key, "as the spec has it")

    def equal(self, key: str, value: Any, formula: Ast) -> None:
        """Compare the value of a key with what a formula of others comes to; null says nothing."""
        try:
            numbers = {name: self.number(name) for name in names(formula)}
        except _MissingError:
            return
        expected = evaluated(formula, numbers)
        if value is not None and not _same(value, expected):
            self.misfit(key, value, f"it stands for {unparse(formula)} = {written(expected)} alone", *_shown(numbers))

    def unless(self, key: str, excluded: tuple[Any, ...]) -> None:
        try:
            value = one_for_all(self.value(key))
            formula = self.rule.formula(excluded[0]) if len(excluded) == 1 else None
            numbers = {} if formula is None else {name: self.number(name) for name in names(formula)}
        except _MissingError:
            return
        without = excluded if formula is None else (evaluated(formula, numbers),)
        if any(_same(value, one) for one in without):
            said = "" if formula is None else f"{unparse(formula)} = "
            self.misfit(key, value, f"it does not stand for {said}{' or '.join(written(one) for one in without)}")
        self.use(key, "as the spec has it")

    def cycle(self, key: str, words: tuple[str, ...]) -> None:
        known = self.flat.get(key)
        if known is None or known[0] is None:
            return
        self.use(key, "as the spec has it")
        layers = known[0] if isinstance(known[0], list) else [known[0]]
        for at, layer in enumerate(layers):
            if layer != words[at % len(words)]:
                place = self.config.place(f"{key}_{at + 1}")
                message = f"`{self.found.spec.name}` has nothing for `{key}` whose layer {at + 1} is {written(layer)}"
                note = f"its layers are {', '.join(words)}" + (", over and over again" if len(words) > 1 else "")
                self.found.misfits.append(Problem(message, place, (note,)))
                return


def evaluated(ast: Ast, values: Mapping[str, int | Fraction]) -> int | Fraction | float | None:
    """Return the value of a formula of keys; None where it has none."""
    try:
        found = evaluate_number(ast, values)
    except ExpressionError:
        return None
    return found


def written(value: Any) -> str:
    """Return a value as JSON has it, cut where it is long."""
    if isinstance(value, Fraction | float) and not isinstance(value, bool):
        return f"{float(value):g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def _same(value: Any, other: Any) -> bool:
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


def one_for_all(value: Any) -> Any:
    """Return the value of a list with one for each layer, where these are all alike; other words of a list with `|` between them."""
    if not isinstance(value, list) or not value:
        return value
    if all(_same(one, value[0]) for one in value):
        return value[0]
    return "|".join(value) if all(isinstance(one, str) for one in value) else value


def _shown(values: Mapping[str, Any]) -> tuple[str, ...]:
    return (", ".join(f"{key} is {written(value)}" for key, value in values.items()),)
