"""Sizes filled in, and presets with the totals that are expected of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.stored_formula import is_size, size_names, text_of
from generator.sheet.sheet import Sheet, SheetClaim, SheetPreset, Size
from generator.text.suggest import listed

if TYPE_CHECKING:
    from sympy import Expr

    from generator.spec.model import Preset
    from generator.text.problems import Problems


def complete(sizes: Sequence[Size], given: Mapping[str, int]) -> dict[str, int | None]:
    """Return all sizes with defaults and derived ones filled in; None for those that cannot be. Raises EvaluationError."""
    values: dict[str, int | None] = {}
    for size in sizes:
        if size.name in given and size.kind != "derived":
            values[size.name] = given[size.name]
        elif size.value is None:
            values[size.name] = None
        else:
            needed = {name: values.get(name) for name in size_names(size.value)}
            known = {name: value for name, value in needed.items() if value is not None}
            values[size.name] = _at(size.value, known) if len(known) == len(needed) else None
    return values


def _at(formula: Expr, known: Mapping[str, Any]) -> Any:
    """Return the value of a formula. Of another size's name it is that size's own array: conditions on the two are then known to hold."""
    [alone] = known.values() if len(known) == 1 else [None]
    return alone if getattr(alone, "ndim", 0) and is_size(formula) else evaluate(formula, known)


def following(sizes: Sequence[Size], published: Mapping[str, int], families: Mapping[str, Sequence[str]]) -> dict[str, Expr]:
    """Return the formula of each size that a preset gives the value of its own default: f = 3072 where f is 4*d by default and d is 768.

    Such a size goes on to follow the others where these are changed; in the preset it is only written out. The entries of a size with
    several follow together or not at all.
    """
    found = {}
    with suppress(EvaluationError):
        values = complete(sizes, published)
        for size in sizes:
            needed = {name: values.get(name) for name in size_names(size.value)} if size.kind == "default" else {}
            known = {name: value for name, value in needed.items() if value is not None}
            if size.name in published and known and len(known) == len(needed) and evaluate(size.value, known) == published[size.name]:
                found[size.name] = size.value
    apart = {name for members in families.values() if not {*members} <= found.keys() for name in members}
    return {name: formula for name, formula in found.items() if name not in apart}


def held(sizes: Sequence[Size], published: Mapping[str, int], families: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the sizes that a preset holds, whatever is made of the others: all but those of `following`."""
    follow = following(sizes, published, families)
    return {name: value for name, value in published.items() if name not in follow}


def sheet_presets(
    presets: Iterable[Preset],
    sizes: Sequence[Size],
    totals: Mapping[str, Expr],
    conditions: Sequence[tuple[str, object]],
    problems: Problems,
    doubts: Problems,
) -> tuple[SheetPreset, ...]:
    """Return the presets; wrong sizes and broken conditions are problems, missed expectations are doubts."""
    return tuple(sheet_preset(preset, sizes, totals, conditions, problems, doubts) for preset in presets)


def sheet_preset(
    preset: Preset,
    sizes: Sequence[Size],
    totals: Mapping[str, Expr],
    conditions: Sequence[tuple[str, object]],
    problems: Problems,
    doubts: Problems,
) -> SheetPreset:
    """Return a preset at sizes and totals that hold under its options."""
    try:
        if _check_sizes(preset, sizes, conditions, problems):
            values = _known(sizes, preset)
            for key, expected in preset.expect.items():
                _check_expectation(preset, key, expected, totals[key], values, doubts)
    except EvaluationError as error:
        problems.add(f"preset `{preset.name}` cannot be worked out: {error}", preset.span)
    other = preset.implementation
    counted = (other.model, other.cite) if other is not None else None
    return SheetPreset(preset.name, dict(preset.sizes), dict(preset.expect), preset.cite, preset.note, counted)


def _known(sizes: Sequence[Size], preset: Preset) -> dict[str, int]:
    return {name: value for name, value in complete(sizes, preset.sizes).items() if value is not None}


def _check_sizes(preset: Preset, sizes: Sequence[Size], conditions: Sequence[tuple[str, object]], problems: Problems) -> bool:
    """Say whether the sizes of a preset meet the conditions and lead to sizes; report it where not."""
    before = len(problems)
    try:
        values: Mapping[str, Any] = _known(sizes, preset)
    except EvaluationError:
        # Where a size has no value, a condition is broken as a rule, which says better why: n != 3 for 24/(n - 3).
        _check_conditions(preset, preset.sizes, conditions, problems)
        if len(problems) == before:
            raise
        return False
    _check_conditions(preset, values, conditions, problems)
    for size in sizes if len(problems) == before else ():
        value = values.get(size.name, 1)
        if not isinstance(value, int) or value < 1:
            names = set(size_names(size.value)) if size.value is not None else set()
            text = text_of(size.value, tuple(values)) if size.value is not None else ""
            message = f"preset `{preset.name}` makes `{size.name}` ({text}) {value}; sizes are whole numbers of at least 1"
            problems.add(message, preset.blamed(names), *_values(values, names, preset))
    return len(problems) == before


def _check_conditions(preset: Preset, values: Mapping[str, Any], conditions: Sequence[tuple[str, object]], problems: Problems) -> None:
    before = len(problems)
    for text, condition in conditions:
        names = set(size_names(condition))
        if names <= values.keys() and not _holds(condition, values, is_broken=len(problems) > before):
            problems.add(f"preset `{preset.name}` breaks `{text}`", preset.blamed(names), *_values(values, names, preset))


def _holds(condition: object, values: Mapping[str, Any], *, is_broken: bool) -> bool:
    """Say whether a condition holds. One without a value says nothing where another is broken, which it may presuppose."""
    try:
        return bool(evaluate(condition, values))
    except EvaluationError:
        if is_broken:
            return True
        raise


def _values(values: Mapping[str, Any], names: Collection[str], preset: Preset) -> tuple[str, ...]:
    shown = [f"{preset.said(name)} is {value}" for name, value in values.items() if name in names]
    return (", ".join(shown),) if shown else ()


def _check_expectation(preset: Preset, key: str, expected: int, total: Expr, values: Mapping[str, int], problems: Problems) -> None:
    missing = [name for name in size_names(total) if name not in values]
    if missing:
        them = "it" if len(missing) == 1 else "them"
        message = f"preset `{preset.name}` expects {key}, which depends on {listed(missing)}; the preset does not set {them}"
        problems.add(message, preset.where(f"expect.{key}"))
        return
    found = evaluate(total, values)
    if found != expected:
        problems.add(
            f"preset `{preset.name}` expects {key} to be {expected:,}, but it is {found:,}",
            preset.where(f"expect.{key}"),
            f"the difference is {found - expected:+,}",
        )


def said_by_others(sheet: Sheet, name: str | None) -> dict[str, Any]:
    """Return as plain data what a public implementation comes to at a preset, and what sources print; only what there is."""
    preset = next((one for one in sheet.presets if one.name == name), None)
    printed = [claim for claim in sheet.claims if claim.of_preset == name and name]
    found: dict[str, Any] = {}
    if preset is not None and preset.implementation is not None:
        model, cite = preset.implementation
        found["implementation"] = {"model": model, "cite": cite, **preset.expect}
    if printed:
        found["published"] = [_printed(claim) for claim in printed]
    return found


def _printed(claim: SheetClaim) -> dict[str, Any]:
    optional = {"ignore": list(claim.ignored), "note": claim.note, "erratum": claim.erratum}
    said = {"of": claim.quantity, "prints": claim.text, "derived": int(claim.derived), "verdict": claim.verdict, "cite": claim.cite}
    return said | {key: value for key, value in optional.items() if value}
