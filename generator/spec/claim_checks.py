"""What can be said about claims without deriving anything: which keys go together, and which names they use."""

from __future__ import annotations

from collections.abc import Iterator

from generator.in_bytes import SAVED_BYTES
from generator.quantities import TRAFFIC_ELEMENTS
from generator.spec.model import Claim, Spec
from generator.spec.name_checks import size_notes, unknown_sizes
from generator.text.problems import Problem
from generator.text.suggest import did_you_mean, listed

_FORMS = ("equals", "order", "exceeds")
_ONLY_WITH = {"in": "order", "once": "exceeds", "because": "states", "correct": "erratum", "digits": "equals"}
_NOT_OF_STATED = ("of", "row", "ignore", "preset", "where", "correct", "digits", "dtype", "exceeds", "erratum", "tile")


def check_claims(spec: Spec) -> Iterator[Problem]:
    """Yield what is wrong with the claims of a spec."""
    seen: dict[str, int] = {}
    for claim in spec.all_claims:
        yield from claim_problems(spec, claim)
        if claim.id and claim.id in seen:
            note = f"the first is on line {seen[claim.id]}"
            yield Problem(f"two claims have the id `{claim.id}`", claim.where("id"), (note,))
        seen.setdefault(claim.id, claim.span.line)


def claim_problems(spec: Spec, claim: Claim) -> Iterator[Problem]:
    """Yield what is wrong with one claim; nothing can be said about whether it holds then."""
    yield from _form(claim)
    yield from _names(spec, claim)


def _form(claim: Claim) -> Iterator[Problem]:
    present = claim.spans
    if claim.states:
        yield from _stated(claim)
        return
    forms = [key for key in _FORMS if key in present]
    example = "a claim is a quantity and its formula: `{of: macs, equals: 4*b*n*d**2}`"
    if "of" not in present:
        yield Problem("`of` is missing in `claims`", claim.span, (example,))
    if not forms:
        yield Problem("`equals` is missing in `claims`", claim.span, (example, "or `order`, or `exceeds` and `once`"))
    if len(forms) > 1:
        yield Problem(f"a claim has one of {listed(_FORMS, 'or')}; found {listed(forms)}", present[forms[1]])
    if "exceeds" in forms and claim.once is None:
        note = "`once` is the condition under which it does: `{of: macs, row: attention, exceeds: {row: mlp}, once: n > 2*d}`"
        yield Problem("`exceeds` needs `once`", present["exceeds"], (note,))
    for key, other in _ONLY_WITH.items():
        if key in present and other not in present:
            yield Problem(f"`{key}` belongs to a claim with `{other}`", present[key])
    if "correct" in present and "exceeds" in forms:
        yield Problem("`correct` is a formula; it belongs to a claim with `equals` or `order`", present["correct"])
    if claim.tile and claim.of != TRAFFIC_ELEMENTS.key:
        yield Problem(f"`tile` belongs to a claim of `{TRAFFIC_ELEMENTS.key}`; it changes no other count", present["tile"])
    if claim.dtype and claim.of != SAVED_BYTES.key:
        yield Problem(
            f"`dtype` belongs to a claim of `{SAVED_BYTES.key}`; all other quantities count elements and operations", present["dtype"]
        )


def _stated(claim: Claim) -> Iterator[Problem]:
    present = claim.spans
    for key in _NOT_OF_STATED:
        if key in present:
            yield Problem(f"a claim with `states` is not derived, so `{key}` does not belong here", present[key])
    if claim.formula is None or ("equals" in present and "order" in present):
        yield Problem("a claim with `states` needs one of `equals` and `order`", claim.span)
    if not claim.because:
        note = "because: no position waits for the result of another"
        yield Problem("a claim with `states` needs `because`: the derivation in words", claim.span, (f"such as `{note}`",))


def _names(spec: Spec, claim: Claim) -> Iterator[Problem]:
    if claim.states:
        return  # its formula may speak of what is no size here, such as the size of a fast memory
    yield from _given(spec, claim)
    new = claim.new_names - set(spec.dims)
    exceeded = claim.exceeds.formula if claim.exceeds else None
    for part in (claim.equals, claim.order, exceeded, claim.correct, claim.once, *claim.conditions):
        if part is not None:
            yield from unknown_sizes(part.ast, part.span, [*spec.dims, *sorted(new)])
    for name, span in claim.growing.items():
        if name not in spec.dims and name not in new:
            yield Problem(f"unknown size `{name}`", span, size_notes(name, spec.dims))
    if claim.preset and claim.preset not in (*spec.presets, *spec.broken_presets):
        notes = (*did_you_mean(claim.preset, spec.presets), f"presets: {listed(spec.presets) or 'none'}")
        yield Problem(f"there is no preset `{claim.preset}`", claim.where("preset"), notes)


def _given(spec: Spec, claim: Claim) -> Iterator[Problem]:
    for name in claim.given:
        span = claim.named(f"given.{name}")
        dim = spec.dims.get(name)
        if dim is None:
            yield Problem(f"`given` replaces `{name}`, which is not a size of `{spec.name}`", span, size_notes(name, spec.dims))
        elif dim.kind == "derived" and dim.value is not None:
            yield Problem(f"`given` replaces `{name}`, which is always {dim.value.text}", span, ("replace the sizes that it follows from",))
