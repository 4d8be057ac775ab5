"""The verdict on each claim of a spec; what does not hold and was not expected to differ is a problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sympy import Expr, Integer, S, expand
from sympy.core.relational import StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import Boolean

from generator.formulas.algebra import cancel, factor
from generator.formulas.factored import factored_text
from generator.formulas.human import counted
from generator.formulas.order import polynomial, rebuilt
from generator.formulas.symbols import Facts, symbol
from generator.formulas.text import to_text
from generator.in_bytes import SAVED_BYTES
from generator.quantities import cost_formula
from generator.resolve.architecture import Architecture
from generator.resolve.declared_sizes import Unresolved
from generator.sheet.claims.claim_conditions import Conditions, conditions
from generator.sheet.claims.claim_values import check_values
from generator.sheet.claims.claimed_rows import Costs, Part, part
from generator.sheet.claims.counterexample import counterexample
from generator.sheet.claims.same_order import UnjudgedError, compare_orders
from generator.sheet.sheet import ClaimCheck, ClaimTerm, Constraint, SheetClaim, Size
from generator.spec.claim_checks import claim_problems
from generator.spec.model import Claim, Condition, Expression
from generator.text.expressions import ExpressionError, expression_problem, names, symbolic
from generator.text.problems import Problems
from generator.text.source import Span
from generator.text.suggest import listed


def sheet_claims(
    claims: Iterable[Claim],
    arch: Architecture,
    costs: Costs,
    sizes: Sequence[Size],
    constraints: Sequence[Constraint],
    facts: Facts,
    problems: Problems,
) -> tuple[SheetClaim, ...]:
    """Return claims of a spec with their verdicts; an unexpected difference (or an erratum that is none) is a problem."""
    found = []
    for claim in claims:
        before = len(problems)
        try:
            if claim.preset not in arch.spec.broken_presets and not any(
                claim_problems(arch.spec, claim)
            ):  # they are among the problems already
                judged = _Judge(claim, arch, costs, facts, problems).verdict()
                if len(problems) == before:  # a formula that is wrong is not looked at any further
                    check_values(judged, claim, arch.spec, sizes, problems)
                found.append(replace(judged, example=counterexample(judged, tuple(arch.spec.dims), constraints)))
        except Unresolved:
            continue
    return tuple(found)


class _Judge:
    """Judges one claim."""

    def __init__(self, claim: Claim, arch: Architecture, costs: Costs, facts: Facts, problems: Problems) -> None:
        self.claim, self.spec, self.costs, self.problems = claim, arch.spec, costs, problems
        self.sizes, self.facts = arch.sizes, facts

    def verdict(self) -> SheetClaim:
        """Return the claim with its verdict. Raises Unresolved after reporting."""
        claim = self.claim
        if claim.states and claim.formula is not None:
            return self._stated(claim.formula)
        self.under = conditions(self.claim, self.spec, self.sizes, self.facts, self.problems)
        tile = self.under.value(claim.tile, self.problems) if claim.tile is not None else None
        self.part = part(claim, claim.rows, self.costs, self.problems, tile)
        self.derived = self.under.applied(self.part.total, f"the {self.claim.of} of this spec", self.claim.span, self.problems)
        if claim.once is not None:
            return self._exceeds(claim.once)
        if claim.order is not None:
            return self._order(claim.order)
        if claim.equals is not None:
            return self._equals(claim.equals)
        raise Unresolved  # it prints no formula, which is among the mistakes of its file

    # ---- equalities --------------------------------------------------------------------------------------------------

    def _equals(self, printed: Expression) -> SheetClaim:
        claimed = self.under.value(printed, self.problems)
        difference = self._difference(claimed)
        is_equal = difference == 0
        verdict = "equal" if is_equal else "differs"
        self._settle(is_equal, printed.span, f"is not {printed.text}", f"claimed - derived: {self._product(difference)}")
        if self.claim.correct is not None:
            right = self.under.value(self.claim.correct, self.problems)
            if self._difference(right) != 0:
                self._report_correct(self.claim.correct, f"correct - derived: {self._product(self._difference(right))}")
        terms = () if is_equal else tuple(_terms(claimed, self.derived, self.part, self.under))
        framed = self._frame(printed.text, claimed, verdict, factor(difference))
        return replace(framed, terms=terms, check=self._check(printed))

    def _check(self, printed: Expression) -> ClaimCheck:
        """Return what holds the formula against the rows at any sizes."""
        written = symbolic(printed.ast, {name: symbol(name) for name in names(printed.ast)})
        counted = self.part.total
        rows = tuple(self.part.costs) if self.claim.of != SAVED_BYTES.key else ()
        whole = (cost_formula(row.costs, self.claim.of) for row in self.costs.rows if row.path in rows)
        return ClaimCheck(written, self.under.requires, rows, expand(sum(whole, Integer(0)) - counted) if rows else Integer(0), counted)

    def _difference(self, claimed: Expr) -> Expr:
        """Return claimed - derived; zero where they are equal for all sizes, or in all the digits that the source gives."""
        difference = expand(self.under.facts.simplify(claimed - self.derived))
        if self.under.facts.equal(difference, Integer(0)):
            return Integer(0)
        if self.claim.digits:
            open_sizes = sorted(size.name for size in self.derived.free_symbols | claimed.free_symbols)
            if open_sizes:
                self._report_open(open_sizes)
                raise Unresolved
            if _rounded(self.derived, self.claim.digits) == claimed:
                return Integer(0)
        return difference

    def _report_open(self, sizes: list[str]) -> None:
        which = f"{listed(sizes)} {'has' if len(sizes) == 1 else 'have'} no value"
        if self.claim.is_of_preset:
            message = f"a printed number is held against {self.claim.of} of preset `{self.claim.preset}`, but {which}"
            self.problems.add(message, self.claim.where("digits"), "give them under `given`")
        else:
            message = f"`digits` compares numbers, but {which}"
            self.problems.add(message, self.claim.where("digits"), "give them under `given`, or name a `preset`")

    # ---- orders of growth --------------------------------------------------------------------------------------------

    def _order(self, printed: Expression) -> SheetClaim:
        claimed = self.under.value(printed, self.problems)
        known = dict.fromkeys((*self.spec.dims, *self.under.sizes))
        growing = tuple(self.claim.growing) or tuple(name for name in known if symbol(name) in claimed.free_symbols)
        if not growing:
            note = "name the sizes that grow under `in`"
            self.problems.add(f"the order {printed.text} names no size, so nothing grows", printed.span, note)
            raise Unresolved
        missing, unreached = self._compared(printed, claimed, growing)
        is_same = not missing and not unreached
        notes = [f"grows faster than the claimed order: {', '.join(map(self._text, missing))}"] if missing else []
        notes += [f"claimed, but not reached: {', '.join(map(self._text, unreached))}"] if unreached else []
        self._settle(
            is_same,
            printed.span,
            f"does not grow like {printed.text}",
            *notes,
            f"as {_joined(growing)} grow{'s' if len(growing) == 1 else ''}, all other sizes fixed",
        )
        if self.claim.correct is not None:
            right = self.under.value(self.claim.correct, self.problems)
            if any(self._compared(self.claim.correct, right, growing)):
                self._report_correct(self.claim.correct)
        difference = sum((*missing, *(-term for term in unreached)), Integer(0))
        claim = self._frame(printed.text, claimed, "same order" if is_same else "differs", difference)
        return replace(claim, kind="order", is_order=True, growing=growing)

    def _compared(self, printed: Expression, claimed: Expr, growing: tuple[str, ...]) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        try:
            growth = compare_orders(self.derived, claimed, growing)
        except UnjudgedError as error:
            self.problems.add(f"the order of growth cannot be judged: {error}", printed.span, f"derived: {self._text(self.derived)}")
            raise Unresolved from None
        return growth.exceeding, growth.unreached

    # ---- from where on one is greater --------------------------------------------------------------------------------

    def _exceeds(self, once: Condition) -> SheetClaim:
        exceeded = self.claim.exceeds
        if exceeded and exceeded.formula:
            other = self.under.value(exceeded.formula, self.problems)
            against = exceeded.formula.text
        else:
            named = exceeded.rows if exceeded else {}
            rows = part(self.claim, named, self.costs, self.problems)
            against = ", ".join(named)
            other = self.under.applied(rows.total, against, self.claim.where("exceeds"), self.problems)
        margin = self._margin(once)
        difference = expand(self.under.facts.simplify(self.derived - other))
        ratio = cancel(difference / margin) if margin != 0 else Integer(0)
        holds = bool(ratio.is_positive)
        wrong = f"is not greater exactly where {once.text}"
        self._settle(
            holds,
            self.claim.where("once"),
            wrong,
            f"derived - {against}: {self._product(difference)}",
            f"other side: {self._text(other)}",
        )
        claim = self._frame(once.text, other, "holds" if holds else "differs", factor(difference))
        return replace(claim, kind="exceeds", against=against)

    def _margin(self, once: Condition) -> Expr:
        """Return what is positive exactly where the published condition holds."""
        try:
            held = symbolic(once.ast, self.under.sizes)
        except ExpressionError as error:
            self.problems.extend([expression_problem(error, once.span)])
            raise Unresolved from None
        if held in (S.true, S.false):
            self.problems.add(f"`once: {once.text}` {'always' if held == S.true else 'never'} holds, as sizes are at least 1", once.span)
            raise Unresolved
        if not isinstance(held, StrictGreaterThan | StrictLessThan):
            self.problems.add(f"`once` is a comparison with > or <, such as n > 2*d; found `{once.text}`", once.span)
            raise Unresolved
        margin = self.under.applied(held.gts - held.lts, once.text, once.span, self.problems)
        self._refuse_never(once, held)
        return margin

    def _refuse_never(self, once: Condition, held: Boolean) -> None:
        """Refuse a condition of `once` that never holds under the conditions of the claim and of the spec."""
        reasons = self.under.refutation(held, self.claim.given)
        if reasons:
            message = f"`once: {once.text}` never holds where {listed(map(self._text, reasons))}"
            self.problems.add(message, once.span, "so this claim says nothing; from which size on is it greater?")
            raise Unresolved

    # ---- stated ------------------------------------------------------------------------------------------------------

    def _stated(self, printed: Expression) -> SheetClaim:
        try:
            value = symbolic(printed.ast, {**{name: symbol(name) for name in names(printed.ast)}, **self.sizes})
        except ExpressionError as error:
            self.problems.extend([expression_problem(error, printed.span)])
            raise Unresolved from None
        is_order = self.claim.order is not None
        kept = SheetClaim(printed.text, self.claim.states, "", value, value, "stated", Integer(0), self.claim.cite, self.claim.note)
        return replace(kept, kind="stated", id=self.claim.id, because=self.claim.because, is_order=is_order, line=self.claim.span.line)

    # ---- what all have in common -------------------------------------------------------------------------------------

    def _frame(self, text: str, claimed: Expr, verdict: str, difference: Expr) -> SheetClaim:
        claim = self.claim
        return SheetClaim(
            text=text,
            quantity=claim.of,
            scope=", ".join(claim.rows),
            claimed=claimed,
            derived=self.derived,
            verdict=verdict,
            difference=difference,
            cite=claim.cite,
            note=claim.note,
            id=claim.id,
            conditions=self.under.texts,
            ignored=tuple(claim.ignore),
            erratum=claim.erratum,
            correct=claim.correct.text if claim.correct is not None else "",
            digits=claim.digits,
            dtype=claim.dtype or ("float32" if claim.of == SAVED_BYTES.key else ""),
            line=claim.span.line,
            of_preset=claim.preset if claim.is_of_preset else "",
        )

    def _settle(self, holds: bool, span: Span, wrong: str, *why_not: str) -> None:
        """Report an unexpected difference, and an erratum that is none.

        Args:
            wrong: what the quantity is not.
        """
        claim, derived = self.claim, self._text(self.derived)
        scope = f" of {listed(claim.rows)}" if claim.rows else ""
        if not holds and not claim.erratum:
            notes = (f"derived: {derived}", *why_not, *self._presupposed(), "if the source is wrong, say why under `erratum`")
            self.problems.add(f"this claim does not hold: {claim.of}{scope} {wrong}", span, *notes)
        if holds and claim.erratum:
            digits = f", {claim.equals.text} in {counted(claim.digits, 'digit')}" if claim.digits and claim.equals else ""
            self.problems.add(f"this claim holds, so it is no erratum: {claim.of} is {derived}{digits}", span)

    def _presupposed(self) -> tuple[str, ...]:
        parts = [f"with {', '.join(self.under.texts)}"] if self.under.texts else []
        parts += [f"without {', '.join(self.claim.ignore)}"] if self.claim.ignore else []
        return tuple(parts)

    def _report_correct(self, correct: Expression, *notes: str) -> None:
        message = f"`correct` does not hold either: {self.claim.of} is not {correct.text}"
        self.problems.add(message, correct.span, f"derived: {self._text(self.derived)}", *notes)

    def _text(self, expr: Expr) -> str:
        return to_text(expr, tuple(self.spec.dims))

    def _product(self, expr: Expr) -> str:
        return factored_text(expr, tuple(self.spec.dims))


def _terms(claimed: Expr, derived: Expr, of: Part, under: Conditions) -> Iterator[ClaimTerm]:
    """Yield the terms with different coefficients, and the rows in whose cost they are."""
    ours, theirs = polynomial(derived), polynomial(claimed)
    by_row = {path: polynomial(under.apply(cost)) for path, cost in of.costs.items()}
    for monomial in dict.fromkeys((*theirs, *ours)):
        pair = theirs.get(monomial, Integer(0)), ours.get(monomial, Integer(0))
        if pair[0] != pair[1]:
            rows = tuple(path for path, terms in by_row.items() if monomial in terms)
            yield ClaimTerm(rebuilt({monomial: Integer(1)}), *pair, rows)


def _rounded(value: Expr, digits: int) -> Expr:
    """Return a whole number to its first digits, halves away from zero."""
    number = int(value)
    unit = 10 ** max(len(str(abs(number))) - digits, 0)
    return Integer((abs(number) + unit // 2) // unit * unit * (1 if number >= 0 else -1))


def _joined(names_: tuple[str, ...]) -> str:
    return ", ".join(names_)
