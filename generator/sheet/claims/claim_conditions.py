"""The conditions of a claim: what is put in the place of sizes, and what is known about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sympy import And, Basic, Eq, Expr, Ge, Integer, Max, Min, Mod, S, Symbol, expand
from sympy.core.relational import GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import Boolean

from generator.formulas.symbols import Facts, symbol
from generator.formulas.text import to_text
from generator.resolve.contradictions import contradiction, unmet
from generator.resolve.declared_sizes import Unresolved, evaluated
from generator.sheet.claims.substitution import NoValueError, put_in
from generator.spec.model import Claim, Expression, Spec
from generator.text.expressions import ExpressionError, expression_problem, symbolic
from generator.text.problems import Problems
from generator.text.source import Span
from generator.text.suggest import listed

_VACUOUS = "no sizes are left for which the claim says anything, so any formula would pass; correct or remove the condition"
MAX_TERMS = 1000  # of a printed formula, written out as a sum


@dataclass(frozen=True)
class Conditions:
    """What a claim presupposes.

    Args:
        sizes: what each name in its formulas means.
        values: what is put in the place of which size.
        facts: what is known about the sizes.
        texts: the conditions as they are printed.
        requires: the same as conditions on sizes.
    """

    sizes: Mapping[str, Expr]
    facts: Facts
    values: Mapping[Symbol, Expr] = field(default_factory=dict)
    bounds: tuple[tuple[Expr, Expr], ...] = ()  # pairs of which the first is known to be at most the second
    texts: tuple[str, ...] = ()
    requires: tuple[Boolean, ...] = ()

    def apply(self, expr: Expr) -> Expr:
        """Return a formula under the conditions, written out as a sum. Raises NoValueError."""
        known = put_in(self.facts.simplify(_without_extremes(expr, self.bounds)), self.values)
        return expand(self.facts.simplify(_without_extremes(known, self.bounds)))

    def value(self, expression: Expression, problems: Problems) -> Expr:
        """Return a printed formula under the conditions. Raises Unresolved after reporting."""
        printed = evaluated(expression, self.sizes, self.facts, problems, limit=MAX_TERMS)
        return self.applied(printed, expression.text, expression.span, problems)

    def refutation(self, condition: Boolean, given: Collection[str]) -> tuple[Boolean, ...]:
        """Return the conditions under which a further one never holds; nothing where it may hold.

        Args:
            given: the sizes that have a value. Those of a preset are left open: with its table of 512 positions no sequence is longer,
                yet sources say what would be from 1,536 positions on.
        """
        values = {size: value for size, value in self.values.items() if size.name in given}
        known = [_put_in(one, values) for one in self.facts.conditions]
        further = _put_in(condition, values)
        found = contradiction([*known, *_at_least_one(values), further])
        return tuple(one for one in found if one not in {further, *And.make_args(further)})

    def applied(self, expr: Expr, text: str, span: Span, problems: Problems) -> Expr:
        """Return what `apply` does. Raises Unresolved after reporting that a formula has no value under the conditions."""
        try:
            return self.apply(expr)
        except NoValueError:
            _report_no_value(expr, text, span, self.values, problems)
            raise Unresolved from None


def conditions(claim: Claim, spec: Spec, sizes: Mapping[str, Expr], facts: Facts, problems: Problems) -> Conditions:
    """Return the conditions of a claim.

    Args:
        sizes: each size of the spec in terms of the free ones.

    Raises:
        Unresolved: they make no sense, which is among the problems then.
    """
    new = claim.new_names - set(spec.dims)
    known = {**sizes, **{name: symbol(name) for name in sorted(new)}}
    values = {symbol(name): evaluated(value, known, facts, problems) for name, value in claim.given.items()}
    texts = [f"{name} = {value.text}" if value.text != name else f"{name} open" for name, value in claim.given.items()]
    if claim.tile:
        texts.append(f"tile = {claim.tile.text}")
    if claim.preset:
        values = {**_preset_values(claim.preset, spec, known, facts, problems), **values}
        texts.insert(0, f"preset {claim.preset}")
    values = {name: value for name, value in values.items() if value != name}
    _refuse_circles(claim, values, problems)
    _refuse_what_is_no_size(claim, values, problems)
    own = Facts(facts.conditions)
    bounds, further = _learn(claim, known, own, values, problems)
    _refuse_vacuous(claim, [*facts.conditions], own, values, problems)
    requires = (*(Eq(name, value, evaluate=False) for name, value in values.items()), *further)
    return Conditions(known, own, values, bounds, (*texts, *(condition.text for condition in claim.conditions)), requires)


def _preset_values(preset: str, spec: Spec, sizes: Mapping[str, Expr], facts: Facts, problems: Problems) -> dict[Symbol, Expr]:
    """Return the sizes of a preset; those that it leaves open have their default, if they have one."""
    found = {symbol(name): Integer(value) for name, value in spec.presets[preset].sizes.items()}
    for name, dim in spec.dims.items():
        if dim.kind == "default" and dim.value is not None and symbol(name) not in found:
            found[symbol(name)] = evaluated(dim.value, sizes, facts, problems)
    return found


def _refuse_circles(claim: Claim, values: Mapping[Symbol, Expr], problems: Problems) -> None:
    for name in values:
        reached = {name}
        for _ in values:
            reached = {other for one in reached if one in values for other in values[one].free_symbols}
            if name in reached:
                problems.add(f"`{name}` is given in terms of itself", claim.named(f"given.{name.name}"))
                raise Unresolved


def _report_no_value(expr: Basic, text: str, span: Span, values: Mapping[Symbol, Expr], problems: Problems) -> None:
    shown = ", ".join(f"{size.name} is {to_text(value)}" for size, value in values.items() if expr.has(size))
    why = "it divides by zero there, or takes a root or logarithm of what has none"
    problems.add(f"`{text}` has no value at the sizes of this claim", span, *([shown] if shown else []), why)


def _learn(
    claim: Claim, sizes: Mapping[str, Expr], facts: Facts, values: Mapping[Symbol, Expr], problems: Problems
) -> tuple[tuple[tuple[Expr, Expr], ...], tuple[Boolean, ...]]:
    """Learn the conditions of `where`, and return the comparisons among them, and all of them."""
    bounds, learnt = [], []
    for condition in claim.conditions:
        try:
            held = symbolic(condition.ast, sizes)
            put_in(held, values)
        except ExpressionError as error:
            problems.extend([expression_problem(error, condition.span)])
            raise Unresolved from None
        except NoValueError:
            _report_no_value(held, condition.text, condition.span, values, problems)
            raise Unresolved from None
        if isinstance(held, Eq) and not held.has(Mod):
            note = "what a size is equal to is written as `given: {n: H*W}`"
            problems.add(f"`{condition.text}` is an equation; `where` of a claim takes comparisons such as n > 2*d", condition.span, note)
            raise Unresolved
        if held == S.false:
            problems.add(f"`{condition.text}` never holds, as sizes are at least 1", condition.span, _VACUOUS)
            raise Unresolved
        facts.learn(held)
        learnt.append(held)
        bounds += [_ordered(held)] if isinstance(held, LessThan | GreaterThan | StrictLessThan | StrictGreaterThan) else []
    return tuple(bounds), tuple(learnt)


def _refuse_what_is_no_size(claim: Claim, values: Mapping[Symbol, Expr], problems: Problems) -> None:
    for name, given in claim.given.items():
        value = values.get(symbol(name), symbol(name))
        try:
            value = put_in(value, values)
        except NoValueError:
            _report_no_value(value, given.text, given.span, values, problems)
            raise Unresolved from None
        if value.is_nonpositive or (value.is_number and not value.is_integer):
            problems.add(f"`{name}` cannot be given as {given.text}: sizes are whole numbers of at least 1", given.span)
            raise Unresolved


def _refuse_vacuous(claim: Claim, before: Sequence[Boolean], facts: Facts, values: Mapping[Symbol, Expr], problems: Problems) -> None:
    """Refuse a claim about sizes that there are not.

    Args:
        before: the conditions of the spec, to which those of the claim have been added in `facts`.
    """
    held = {condition: _put_in(condition, values) for condition in facts.conditions}
    together = [*held.values(), *_at_least_one(values)]
    broken = next((condition for condition, value in held.items() if value == S.false), None)
    clash = contradiction(together) if broken is None else ()
    if broken is not None and broken not in before:
        message = f"`{to_text(broken, tuple(map(str, values)))}` never holds at the sizes of this claim"
    elif broken is not None:
        message = f"the sizes of this claim break `{to_text(broken)}`, a condition of the spec"
    elif clash:
        texts = (to_text(condition, tuple(map(str, values))) for condition in clash)
        message = f"{unmet(clash)} {listed(texts)}, which this claim assumes"
    else:
        return
    place = claim.where("where" if claim.conditions else "given" if claim.given else "preset")
    shown = [f"{name} is {to_text(value)}" for name, value in values.items() if broken is None or broken.has(name)]
    problems.add(message, place, *([", ".join(shown)] if shown else []), _VACUOUS)
    raise Unresolved


def _at_least_one(values: Mapping[Symbol, Expr]) -> list[Boolean]:
    """Return that what is put in the place of sizes is at least one, where that is not seen."""
    put = [put_in(value, values) for value in values.values()]
    return [Ge(value, 1) for value in put if not value.is_positive]


def _put_in(condition: Boolean, values: Mapping[Symbol, Expr]) -> Boolean:
    """Return a condition at the sizes of a claim; one that has no value there does not hold."""
    try:
        return put_in(condition, values)
    except NoValueError:
        return S.false


def _ordered(held: Relational) -> tuple[Expr, Expr]:
    return held.lts, held.gts


def _without_extremes(expr: Expr, bounds: tuple[tuple[Expr, Expr], ...]) -> Expr:
    """Return a formula with the minima and maxima decided that the bounds decide."""
    if not bounds or not expr.atoms(Min, Max):
        return expr
    decided: Expr = expr.replace(lambda node: isinstance(node, Min | Max), lambda node: _decided(node, bounds))
    return decided


def _decided(node: Expr, bounds: tuple[tuple[Expr, Expr], ...]) -> Expr:
    losing = {greater if isinstance(node, Min) else less for less, greater in bounds if less in node.args and greater in node.args}
    return node.func(*(arg for arg in node.args if arg not in losing))
