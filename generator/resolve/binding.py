"""Binds the sizes, options and slots of a spec that another spec uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Eq, Expr, Mod, S, fraction, together
from sympy.logic.boolalg import Boolean

from generator.architecture import Architecture, Requirement
from generator.spec.expressions import ExpressionError, evaluate, expression_problem, names
from generator.spec.model import Condition, Dim, Expression, Spec, Use
from generator.spec.problems import Problems
from generator.spec.source import Span
from generator.spec.suggest import did_you_mean, listed
from generator.symbols import Facts
from generator.trace.tensor import Shape, Tensor


class Unresolved(Exception):
    """Something went wrong and is already among the problems; what depends on it is skipped."""


def evaluated(expression: Expression, sizes: Mapping[str, Expr], facts: Facts, problems: Problems, spec: Spec) -> Expr:
    """Return the value of an expression, simplified. Raises Unresolved after reporting."""
    missing = [name for name in names(expression.ast) if name in spec.dims and name not in sizes]
    if missing:
        problems.add(
            f"size `{missing[0]}` of `{spec.name}` has no value here",
            expression.span,
            "give it under `with`, or add a size of that name to the spec that uses it",
        )
        raise Unresolved
    try:
        value = evaluate(expression.ast, sizes)
    except ExpressionError as error:
        problems.extend([expression_problem(_as_size_error(error), expression.span)])
        raise Unresolved from None
    simplified: Expr = facts.simplify(value)
    return simplified


def _as_size_error(error: ExpressionError) -> ExpressionError:
    """Say `size` where the expression parser says `name`."""
    message = error.message.replace("unknown name", "unknown size")
    notes = tuple(note.replace("known names", "sizes of this spec") for note in error.notes)
    return ExpressionError(message, error.offset, error.length, notes)


def bind_sizes(child: Spec, use: Use, given: Mapping[str, Expr], flow: Mapping[str, Expr], inputs: Mapping[str, Tensor]) -> dict[str, Expr]:
    """Return the free sizes of a used spec: given under `with`, flowing by name, or read off the inputs."""
    bound: dict[str, Expr] = {}
    for name, dim in child.dims.items():
        if dim.kind == "derived":
            continue
        if name in given:
            bound[name] = given[name]
        elif name in flow:
            bound[name] = flow[name]
        elif (read := _read_off(child, name, inputs)) is not None:
            bound[name] = read
    return bound


def _read_off(child: Spec, name: str, inputs: Mapping[str, Tensor]) -> Expr | None:
    for input_name, tensor in inputs.items():
        declared = child.inputs[input_name].shape
        if len(declared) == tensor.rank:
            for expression, size in zip(declared, tensor.shape, strict=True):
                if expression.text == name:
                    return size
    return None


def complete_sizes(arch: Architecture, facts: Facts, problems: Problems) -> None:
    """Fill in defaults and derived sizes in the order in which the spec lists them, and learn what its conditions say."""
    spec, sizes = arch.spec, arch.sizes
    for name, dim in spec.dims.items():
        if dim.kind == "derived" or (dim.kind == "default" and name not in sizes):
            _fill(arch, dim, facts, problems)
    for condition in spec.where:
        require(arch, condition, facts, problems)


def _fill(arch: Architecture, dim: Dim, facts: Facts, problems: Problems) -> None:
    assert dim.value is not None
    needed = [name for name in names(dim.value.ast) if name in arch.spec.dims and name not in arch.sizes]
    if needed:
        later = [name for name in needed if list(arch.spec.dims).index(name) >= list(arch.spec.dims).index(dim.name)]
        if later:
            problems.add(
                f"size `{dim.name}` is defined by `{later[0]}`, which stands below it",
                dim.value.span,
                "list sizes in the order in which they are defined",
            )
        return  # otherwise only an error where the size is asked for
    try:
        for condition in arch.spec.where:  # a condition may be what makes the quotient whole
            if set(names(condition.ast)) <= set(arch.sizes):
                facts.learn(evaluate(condition.ast, arch.sizes))
        value = evaluated(dim.value, arch.sizes, facts, problems, arch.spec)
    except (Unresolved, ExpressionError):
        return
    if not facts.is_whole(value):
        numerator, denominator = fraction(together(value))
        condition = Eq(Mod(numerator, denominator), 0)
        _add_requirement(arch, f"{dim.value.text} is whole", condition, facts, problems, dim.value.span)
    arch.sizes[dim.name] = value


def require(arch: Architecture, condition: Condition, facts: Facts, problems: Problems) -> None:
    """Learn a condition of a spec, and hand it up as a requirement on the outermost sizes."""
    try:
        value = evaluate(condition.ast, arch.sizes)
    except ExpressionError as error:
        if any(name in arch.spec.dims for name in names(condition.ast) if name not in arch.sizes):
            return  # about a size that nothing binds or asks for here
        problems.extend([expression_problem(_as_size_error(error), condition.span)])
        return
    _add_requirement(arch, condition.text, value, facts, problems, condition.span)


def _add_requirement(arch: Architecture, text: str, value: Boolean, facts: Facts, problems: Problems, span: Span) -> None:
    if value == S.true or value in facts.conditions:
        if value != S.true:
            arch.requirements.append(Requirement(text, value))
        return
    if value == S.false:
        problems.add(f"`{text}` does not hold here", span, *(f"{name} is {size}" for name, size in arch.sizes.items()))
        return
    facts.learn(value)
    arch.requirements.append(Requirement(text, value))


def bind_options(child: Spec, use: Use, caller: Mapping[str, Any], problems: Problems) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options in force in a used spec, and which of the caller's options each came from."""
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
        wrong = _option_problem(child, name, options[name])
        if wrong:
            problems.add(wrong, use.option_spans.get(name, use.span))
    for name in use.options:
        if name not in child.options:
            problems.add(
                f"`{use.spec}` has no option `{name}`",
                use.option_spans[name],
                *did_you_mean(name, child.options),
                f"its options: {listed(child.options) or 'none'}",
            )
    return options, sources


def _option_problem(spec: Spec, name: str, value: Any) -> str | None:
    option = spec.options[name]
    if option.choices and value not in option.choices:
        return f"option `{name}` of `{spec.name}` is {value!r}; it may be {listed(option.choices, 'or')}"
    if isinstance(option.default, bool) != isinstance(value, bool):
        return f"option `{name}` of `{spec.name}` is {value!r}, where {'true or false' if isinstance(option.default, bool) else 'no true or false'} is expected"
    return None


def check_shape(declared: Shape, found: Shape, facts: Facts) -> bool:
    """Say whether a tensor has the declared shape."""
    return len(declared) == len(found) and all(facts.equal(a, b) for a, b in zip(declared, found, strict=True))
