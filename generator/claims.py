"""Published formulas and expected totals, held against the derived ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Integer, expand, factor

from generator.printing.evaluate import evaluate
from generator.printing.text import to_text
from generator.resolve.sizes import Unresolved, evaluated
from generator.sheet import SheetClaim, SheetPreset, SheetRow, Size
from generator.spec.model import Claim, Preset, Spec
from generator.spec.problems import Problems
from generator.spec.suggest import did_you_mean, listed
from generator.symbols import Facts


def sheet_claims(
    spec: Spec, rows: Sequence[SheetRow], totals: Mapping[str, Expr], sizes: Mapping[str, Expr], facts: Facts, problems: Problems
) -> tuple[SheetClaim, ...]:
    """Return each claim with its verdict; an unexpected difference (or an erratum that is none) is a problem."""
    found = []
    for claim in spec.claims:
        try:
            found.append(_checked(claim, spec, rows, totals, sizes, facts, problems))
        except Unresolved:
            continue
    return tuple(found)


def _checked(
    claim: Claim,
    spec: Spec,
    rows: Sequence[SheetRow],
    totals: Mapping[str, Expr],
    sizes: Mapping[str, Expr],
    facts: Facts,
    problems: Problems,
) -> SheetClaim:
    derived = totals[claim.of] if not claim.row else _row_cost(claim, rows, problems)
    claimed = evaluated(claim.equals, sizes, facts, problems, spec)
    difference = expand(facts.simplify(claimed - derived))
    equal = facts.equal(difference, Integer(0))
    order = tuple(spec.dims)
    if not equal and not claim.erratum:
        scope = f" of `{claim.row}`" if claim.row else ""
        problems.add(
            f"this claim does not hold: {claim.of}{scope} is not {claim.equals.text}",
            claim.equals.span,
            f"derived: {to_text(derived, order)}",
            f"claimed - derived: {to_text(factor(difference), order)}",
            "if the source is wrong, say why under `erratum`",
        )
    if equal and claim.erratum:
        problems.add(f"this claim holds, so it is no erratum: {claim.of} is {to_text(derived, order)}", claim.equals.span)
    verdict = "equal" if equal else "differs"
    shown = Integer(0) if equal else factor(difference)
    return SheetClaim(claim.equals.text, claim.of, claim.row, claimed, derived, verdict, shown, claim.cite, claim.erratum or claim.note)


def _row_cost(claim: Claim, rows: Sequence[SheetRow], problems: Problems) -> Expr:
    for row in rows:
        if row.path == claim.row:
            return row.costs[claim.of]
    paths = [row.path for row in rows]
    problems.add(
        f"the claim speaks of `{claim.row}`, but there is no such row",
        claim.row_span,
        *did_you_mean(claim.row, paths),
        f"rows: {listed(paths)}",
    )
    raise Unresolved


def complete(sizes: Sequence[Size], given: Mapping[str, int]) -> dict[str, int | None]:
    """Return all sizes with defaults and derived ones filled in; None for those that cannot be."""
    values: dict[str, int | None] = {}
    for size in sizes:
        if size.name in given and size.kind != "derived":
            values[size.name] = given[size.name]
        elif size.value is None:
            values[size.name] = None
        else:
            needed = {s.name: values.get(s.name) for s in size.value.free_symbols}
            known = {name: value for name, value in needed.items() if value is not None}
            values[size.name] = evaluate(size.value, known) if len(known) == len(needed) else None
    return values


def sheet_presets(
    spec: Spec, sizes: Sequence[Size], totals: Mapping[str, Expr], conditions: Sequence[tuple[str, object]], problems: Problems
) -> tuple[SheetPreset, ...]:
    """Return the presets; wrong sizes, broken conditions and missed expectations are problems."""
    return tuple(_preset(preset, spec, sizes, totals, conditions, problems) for preset in spec.presets.values())


def _preset(
    preset: Preset,
    spec: Spec,
    sizes: Sequence[Size],
    totals: Mapping[str, Expr],
    conditions: Sequence[tuple[str, object]],
    problems: Problems,
) -> SheetPreset:
    values = {name: value for name, value in complete(sizes, preset.sizes).items() if value is not None}
    for text, condition in conditions:
        names = {s.name for s in condition.free_symbols}  # type: ignore[attr-defined]  # a sympy Boolean
        if names <= values.keys() and not evaluate(condition, values):
            problems.add(
                f"preset `{preset.name}` breaks `{text}`",
                preset.span,
                ", ".join(f"{name} is {values[name]}" for name in values if name in names),
            )
    for key, expected in preset.expect.items():
        _check_expectation(preset, key, expected, totals[key], values, problems)
    return SheetPreset(preset.name, dict(preset.sizes), dict(preset.expect), preset.cite, preset.note)


def _check_expectation(preset: Preset, key: str, expected: int, total: Expr, values: Mapping[str, int], problems: Problems) -> None:
    missing = sorted(s.name for s in total.free_symbols if s.name not in values)
    if missing:
        problems.add(
            f"preset `{preset.name}` expects {key}, which depends on {listed(missing)}; the preset does not set that", preset.expect_spans[key]
        )
        return
    found = evaluate(total, values)
    if found != expected:
        problems.add(
            f"preset `{preset.name}` expects {key} to be {expected:,}, but it is {found:,}",
            preset.expect_spans[key],
            f"the difference is {found - expected:+,}",
        )
