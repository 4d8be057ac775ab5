"""Binds the sizes, options and slots of a spec that another spec uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Mod, Pow, S, floor
from sympy.logic.boolalg import Boolean

from generator.formulas.logarithm import Log2
from generator.formulas.symbols import Facts, symbol
from generator.resolve.any_rank import named_axes, other_axes
from generator.resolve.architecture import Architecture, Requirement
from generator.resolve.declared_sizes import (
    MAX_TERMS,
    Unresolved,
    as_size_error,
    evaluated,
    refuse_huge,
    size_problem,
    whole_condition,
)
from generator.resolve.requirements import Asker, Needs
from generator.resolve.shape_text import show_size
from generator.spec.model import Condition, Dim, Expression, Option, Spec, Use
from generator.text.expressions import ExpressionError, expression_problem, names, symbolic
from generator.text.problems import Problems
from generator.text.spec_values import as_written
from generator.text.suggest import did_you_mean, listed
from generator.trace.tensor import Shape, Tensor, product


def bind_sizes(child: Spec, given: Mapping[str, Expr], flow: Mapping[str, Expr], inputs: Mapping[str, Tensor]) -> dict[str, Expr]:
    """Return the free sizes of a used spec: given under `with`, flowing by name, or read off the inputs."""
    bound: dict[str, Expr] = {}
    for name, dim in child.dims.items():
        if dim.kind == "derived":
            continue
        if name == child.rest:
            axes = other_axes(child, inputs)
            bound |= {} if axes is None else {name: product(axes)}
        elif name in given:
            bound[name] = given[name]
        elif name in flow:
            bound[name] = flow[name]
        elif (read := _read_off(child, name, inputs)) is not None:
            bound[name] = read
    return bound


def _read_off(child: Spec, name: str, inputs: Mapping[str, Tensor]) -> Expr | None:
    for input_name, tensor in inputs.items():
        for expression, size in named_axes(child, child.inputs[input_name].shape, tensor.shape):
            if expression.text == name:
                return size
    return None


def known_sizes(spec: Spec, given: Mapping[str, Expr], needs: Needs, problems: Problems) -> dict[str, Expr]:
    """Return all sizes of a spec that have a value, and learn what its conditions say.

    Args:
        given: its free sizes. Defaults and derived ones follow, in the order in which the spec lists them.
    """
    known = _Known(spec, dict(given), needs, problems)
    for dim in spec.dims.values():
        if dim.value is not None and known.sizes.keys() >= {*names(dim.value.ast)}:  # else an error only where it is asked for
            if dim.kind == "derived" or dim.name not in known.sizes:
                known.fill(dim, dim.value)
            else:
                known.check_default(dim, dim.value)
    for condition in spec.where:
        known.require(condition)
    return known.sizes


def default_conditions(arch: Architecture, name: str) -> list[Requirement]:
    """Return what must hold of the other sizes of a spec, beside its conditions, for the default of a size to be a size, if it has one."""
    dim = arch.spec.dims[name]
    needs = Needs(arch.spec.name, Facts(arch.tracer.facts.conditions))
    if dim.value is not None:
        _Known(arch.spec, dict(arch.sizes), needs, Problems()).fill(dim, dim.value)
    return needs.found


@dataclass(frozen=True)
class _Known:
    """The sizes of a spec that have a value so far."""

    spec: Spec
    sizes: dict[str, Expr]
    needs: Needs
    problems: Problems

    def fill(self, dim: Dim, formula: Expression) -> None:
        """Add a derived size or one with a default; nothing where it is wrong, which is among the problems then."""
        facts = self.needs.facts
        try:
            for condition in self.spec.where:  # a condition may be what makes the quotient whole
                if set(names(condition.ast)) <= set(self.sizes):
                    refuse_huge(condition.ast, self.sizes, MAX_TERMS)
                    _learn(symbolic(condition.ast, self.sizes), facts)
        except ExpressionError:
            pass  # reported where the conditions are required
        try:
            value = evaluated(formula, self.sizes, facts, self.problems)
        except Unresolved:
            return
        if self._is_never_a_size(dim, formula, value):
            return
        asker = Asker(self.spec.name if dim.kind == "derived" else "")
        if not facts.is_whole(value):
            self.needs.value([value], formula.span, asker)
            self._add(Requirement(f"{formula.text} is whole", whole_condition(value), formula.span, asker.owner))
            # A root or logarithm is not seen to be whole, its floor is.
            value = facts.simplify(value) if value.is_rational_function() else floor(value)
        self.needs.value([value], formula.span, asker)
        self.needs.positive(value, formula.span, asker)
        self.sizes[dim.name] = value

    def check_default(self, dim: Dim, formula: Expression) -> None:
        """Refuse a default that can never be a size, although another value is in force here: for none of its sizes."""
        own = {name: symbol(name) for name in self.spec.dims}
        try:
            value = evaluated(formula, own, self.needs.facts, self.problems)
        except Unresolved:
            return
        self._is_never_a_size(dim, formula, value)

    def require(self, condition: Condition) -> None:
        """Learn a condition of the spec, and hand it up as a requirement on the outermost sizes."""
        if any(name in self.spec.dims and name not in self.sizes for name in names(condition.ast)):
            return  # about a size that nothing binds or asks for here
        try:
            refuse_huge(condition.ast, self.sizes, MAX_TERMS)
            value = symbolic(condition.ast, self.sizes)
        except ExpressionError as error:
            self.problems.extend([expression_problem(as_size_error(error, self.sizes), condition.span)])
            return
        self.needs.value(value.atoms(Mod, Pow, Log2), condition.span, Asker(self.spec.name, stated=True))
        self._add(Requirement(condition.text, value, condition.span, self.spec.name, stated=True))

    def _is_never_a_size(self, dim: Dim, formula: Expression, value: Expr) -> bool:
        """Say whether a value is no size for any sizes, and report it. Whether it is whole may depend on them."""
        may_be = value.free_symbols and not value.is_nonpositive
        wrong = () if may_be else size_problem(value, formula.text, self.sizes, self.needs.facts)
        if wrong:
            self.problems.add(f"size `{dim.name}`: {wrong[0]}", formula.span, *wrong[1:])
        return bool(wrong)

    def _add(self, requirement: Requirement) -> None:
        if requirement.condition == S.false:
            notes = _values(self.sizes, requirement.text)
            self.problems.add(f"`{requirement.text}` never holds", requirement.span, *notes)
        elif requirement.condition != S.true:
            self.needs.facts.learn(requirement.condition)
            self.needs.found.append(requirement)


def _learn(condition: Boolean, facts: Facts) -> None:
    if condition not in (S.true, S.false):
        facts.learn(condition)


def _values(sizes: Mapping[str, Expr], text: str) -> Iterator[str]:
    """Say what the sizes are that a condition names, where they are not just themselves."""
    for name in sizes:
        shown = show_size(sizes[name], {other: x for other, x in sizes.items() if other != name})
        if shown != name and re.search(rf"\b{name}\b", text):
            yield f"{name} is {shown}"


def bind_options(child: Spec, use: Use, caller: Mapping[str, Any], problems: Problems) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options in force in a used spec, and which of the caller's options each came from.

    In place of a value that does not fit stands the default, so that the mistake is reported once.
    """
    options: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, option in child.options.items():
        if name in use.options:
            value = use.options[name]
            if isinstance(value, str) and value in caller and value not in option.choices:
                sources[name], value = value, caller[value]
            options[name] = value
        elif name in caller:
            options[name], sources[name] = caller[name], name
        else:
            options[name] = option.default
        wrong = option_problem(child, option, options[name])
        if wrong:
            problems.add(wrong[0], use.where(f"options.{name}"), *wrong[1:])
            options[name] = option.default
            sources.pop(name, None)
    for name in use.options:
        if name not in child.options:
            problems.add(
                f"`{use.spec}` has no option `{name}`",
                use.named(f"options.{name}"),
                *did_you_mean(name, child.options),
                f"its options: {listed(child.options) or 'none'}",
            )
    return options, sources


def option_problem(spec: Spec, option: Option, value: Any) -> tuple[str, ...]:
    """Return what is wrong with the value of an option, with notes; an empty tuple where nothing is."""
    if option.choices:
        if value in option.choices:
            return ()
        notes = (*did_you_mean(str(value), option.choices), f"it may be {listed(option.choices, 'or')}")
        return (f"option `{option.name}` of `{spec.name}` cannot be `{as_written(value)}`", *notes)
    kinds = {"true or false": bool, "a word": str, "a number": (int, float)}
    wanted = next(words for words, kind in kinds.items() if isinstance(option.default, kind))  # type: ignore[arg-type]  # a class or classes
    if isinstance(value, kinds[wanted]) and isinstance(value, bool) == isinstance(option.default, bool):  # type: ignore[arg-type]  # as above
        return ()
    return (f"option `{option.name}` of `{spec.name}` is {wanted}; found `{as_written(value)}`", *yes_or_no(value, wanted))


def yes_or_no(value: Any, wanted: str = "true or false") -> tuple[str, ...]:
    """Suggest true or false for the words that people write instead."""
    meant = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}.get(str(value).lower())
    meant = meant or {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}.get(str(value))
    return (f"did you mean {meant}?",) if meant and wanted == "true or false" else ()


def check_shape(declared: Shape, found: Shape, facts: Facts) -> bool:
    """Say whether a tensor has the declared shape."""
    return len(declared) == len(found) and all(facts.equal(a, b) for a, b in zip(declared, found, strict=True))
