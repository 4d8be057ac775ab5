"""Reads comparisons: YAML files in the folder `comparisons` of a library of specs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from sympy import Expr, Integer

from generator.files.resources import builtin_specs_dir
from generator.formulas.human import counted
from generator.formulas.symbols import symbol
from generator.questions.comparison.comparison import Comparison
from generator.questions.comparison.comparison_folder import FOLDER
from generator.questions.growth.at_sizes import preset_values
from generator.questions.growth.axes import Axis, parse_values
from generator.questions.growth.named_measures import measure, row_costs
from generator.questions.growth.subject import Subject
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from generator.spec.library import Library, shown
from generator.spec.option_values import check_option
from generator.spec.references import Reference, read_references
from generator.spec.validation import read_held
from generator.spec.yaml_reader import Node, find, load_source, plain
from generator.text.errors import SizeError
from generator.text.expressions import ExpressionError, expression_problem, parse_expression, symbolic
from generator.text.naming import output_name_problem
from generator.text.problems import Problem, Problems, ProblemsError
from generator.text.suggest import did_you_mean, listed
from generator.text.translated import from_plain


def read_comparison(file: Path, library: Library) -> Comparison:
    """Return a comparison.

    Raises:
        ProblemsError: with all that is wrong, each with its line.
    """
    tree = read_held(load_source(file, shown(file)), Path(__file__).with_name("schema.json"))
    wrong = output_name_problem(file.stem, "comparison")
    if wrong:
        raise ProblemsError([Problem(wrong[0], tree.span, wrong[1:])])
    return _ComparisonReader(tree, file, library).comparison()


def _line(text: str | Mapping[str, str]) -> str:
    """Return a text for people in one line, as headings, labels and cells have it."""
    if isinstance(text, str):
        return " ".join(text.split())
    return from_plain({language: " ".join(said.split()) for language, said in text.items()})


class _ComparisonReader:
    """Turns the tree of one file, which the schema allows, into a comparison."""

    def __init__(self, tree: Node, file: Path, library: Library) -> None:
        self.tree, self.file, self.library = tree, file, library
        self.data: Mapping[str, Any] = plain(tree)
        self.problems = Problems()
        self.size = self.data["sweep"]["size"]

    def comparison(self) -> Comparison:
        data = self.data
        axis = self._axis()
        for i, key in enumerate(data["measures"]):
            self._said(("measures", i), lambda key=key: measure(key))
        subjects = [subject for i in range(len(data["compare"])) if (subject := self._subject(i)) is not None]
        sources = self._sources()
        ratios = tuple(self._ratio(i, ratio) for i, ratio in enumerate(data.get("ratios", [1])))
        if axis is None or len(self.problems):
            raise ProblemsError(self.problems)
        return Comparison(
            name=self.file.stem,
            title=_line(data["title"]),
            subjects=tuple(subjects),
            axis=axis,
            measures=tuple(data["measures"]),
            question=_line(data["question"]),
            answer=from_plain(data.get("answer", "")),
            view=data.get("view", "cost"),
            ratios=ratios,
            sources=sources,
            source=f"{FOLDER}/{self.file.name}",
            notes=tuple(map(_line, data.get("notes", ()))),
        )

    def _axis(self) -> Axis | None:
        sweep = self.data["sweep"]
        values = self._said(("sweep", "values"), lambda: parse_values(str(sweep["values"]), self.size))
        return Axis(self.size, values, _line(sweep.get("is", ""))) if values is not None else None

    def _subject(self, index: int) -> Subject | None:
        """Return a side; None where something is wrong with it."""
        at, data = ("compare", index), self.data["compare"][index]
        name = data["spec"]
        if name not in self.library.files:
            self._problem((*at, "spec"), f"there is no spec named `{name}`", *did_you_mean(name, self.library.names))
            return None
        try:
            sheet = self._said((*at, "options"), lambda: compile_spec(self.library, name, self._options(name, data)).sheet)
        except ProblemsError as error:
            self.problems.extend(error.problems)
            return None
        if sheet is None:
            return None
        before = len(self.problems)
        given = self._given(index, sheet)
        self._said((*at, "row"), lambda: row_costs(sheet, data.get("row", "")))
        if len(self.problems) > before:
            return None
        subject = Subject(_line(data.get("label", name)), sheet, given, data.get("row", ""), data.get("preset", ""))
        self._said(at, lambda: subject.sizes)
        return subject

    def _options(self, name: str, data: Mapping[str, Any]) -> dict[str, Any]:
        known = self.library.spec(name).options
        chosen = {}
        for option, value in data.get("options", {}).items():
            if option not in known:
                raise SizeError(f"`{option}` is not an option of `{name}`", *did_you_mean(option, known))
            chosen[option] = check_option(known[option], value)
        return chosen

    def _given(self, index: int, sheet: Sheet) -> dict[str, Expr | int]:
        """Return the sizes of a side: its preset's, those held for all that it knows, and its own, in this order."""
        data = self.data["compare"][index]
        at = ("compare", index)
        settable = {size.name for size in sheet.sizes if size.kind != "derived"}
        given: dict[str, Expr | int] = {}
        if data.get("preset"):
            given |= self._said((*at, "preset"), lambda: preset_values(sheet, data["preset"])) or {}
        families = sheet.families
        settable |= {name for name, members in families.items() if settable & {*members}}
        held = {name: value for name, value in self.data.get("hold", {}).items() if name in settable}
        given |= self._expressions(("hold",), held, families)
        own = data.get("set", {})
        for name in own:
            if name not in settable:
                notes = (*did_you_mean(name, settable), f"sizes: {listed(sorted(settable), limit=20)}")
                self._problem((*at, "set", name), f"`{name}` is not a size of `{sheet.name}` that can be set", *notes, at_key=True)
        given |= self._expressions((*at, "set"), {name: value for name, value in own.items() if name in settable}, families)
        if self.size in settable and self.size not in own:
            given[self.size] = symbol(self.size)  # stays open, even where it has a default
        return given

    def _expressions(self, at: tuple[Any, ...], values: Mapping[str, Any], families: Mapping[str, Sequence[str]]) -> dict[str, Expr | int]:
        """Return the values of sizes; those of a size with several entries one by one, where these are not given apart."""
        found: dict[str, Expr | int] = {}
        for name, value in values.items():
            members = families.get(name, (name,))
            several = value if isinstance(value, list) else [value] * len(members)
            if len(several) != len(members) or (isinstance(value, list) and name not in families):
                self._problem((*at, name), *_miscounted(name, len(several), families))
                continue
            for place, (member, one) in enumerate(zip(members, several, strict=True)):
                path = (*at, name, place) if isinstance(value, list) else (*at, name)
                number = one if isinstance(one, int) else self._expression(path, one)
                if number is not None and (member == name or member not in values):
                    found[member] = number
        return found

    def _expression(self, at: tuple[Any, ...], text: str) -> Expr | int | None:
        """Return an expression of the swept size; None where it is none, which is among the problems then."""
        _, span = find(self.tree, at)
        try:
            expr = symbolic(parse_expression(text), {self.size: symbol(self.size)})
        except ExpressionError as error:
            self.problems.extend([expression_problem(error, span)])
            return None
        return int(expr) if isinstance(expr, Integer) else expr

    def _ratio(self, index: int, value: Any) -> Fraction:
        try:
            ratio = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            ratio = Fraction(0)
        if ratio <= 0:
            self._problem(("ratios", index), f"`{value}` is no factor; write a number above 0, such as 2, 1.5 or 10/9")
        return ratio

    def _sources(self) -> tuple[Reference, ...]:
        known = read_references(dict.fromkeys((builtin_specs_dir(), *self.library.roots)))
        cite = self.data.get("cite", [])
        keys: Sequence[str] = [cite] if isinstance(cite, str) else cite
        for key in keys:
            if key not in known:
                self._problem(("cite",), f"`{key}` is not in references.yaml", *did_you_mean(key, known))
        return tuple(known[key] for key in keys if key in known)

    def _said(self, at: tuple[Any, ...], work: Any) -> Any:
        """Return what some work gives; what is wrong with sizes becomes a problem at a place, and None is returned."""
        try:
            return work()
        except SizeError as error:
            self._problem(at, error.message, *error.notes)
            return None

    def _problem(self, at: tuple[Any, ...], message: str, *notes: str, at_key: bool = False) -> None:
        key, span = find(self.tree, at)
        self.problems.extend([Problem(message, key if at_key and key else span, notes)])


def _miscounted(name: str, given: int, families: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Say how many numbers a size takes."""
    if name not in families:
        return f"`{name}` is one size, and a list of {counted(given, 'number')} is given", f"it is written {name}: 8"
    members = families[name]
    note = f"its entries are {listed(members)}: {name}: [{', '.join('8' for _ in members)}], or one by one: {members[0]}: 8"
    return f"`{name}` has {len(members)} entries, and {counted(given, 'number')} {'is' if given == 1 else 'are'} given", note
