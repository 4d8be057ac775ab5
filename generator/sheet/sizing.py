"""From what a user gives (sizes, a preset, options) to complete and checked sizes of a sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.stored_formula import size_names, text_of
from generator.sheet.preset_totals import complete, following, held
from generator.sheet.sheet import Sheet, Size
from generator.text.errors import MissingSizeError, SizeError
from generator.text.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from sympy import Expr


def sized(sheet: Sheet, preset: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every size of a sheet that is known, with defaults and derived sizes filled in, in the order of the spec.

    Args:
        preset: the name of a preset of the sheet; sizes given win over it, and sizes that it leaves at their default follow them.
        given: whole numbers, or numpy arrays of them, by size.

    Raises:
        SizeError: an unknown preset or size, a number that is no size, or sizes that break a condition of the spec.
    """
    given = by_entry(given, sheet.families)
    values = held(sheet.sizes, preset_sizes(sheet, preset), sheet.families)
    values |= {name: _checked(sheet, name, value) for name, value in given.items()}
    try:
        known = {name: value for name, value in complete(sheet.sizes, values).items() if value is not None}
        _check_conditions(sheet, known)
    except EvaluationError as error:
        _refuse_broken_condition(sheet, values)
        raise SizeError(str(error)) from error
    for size in sheet.sizes:
        if size.name in known and size.value is not None:
            _check_filled(sheet, size.name, size.value, known)
    return known


def by_entry(given: Mapping[str, Any], families: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what is given for sizes with several entries one by one: from a list, from `64,128,320,512`, or the same for all of them.

    Raises:
        SizeError: a list with more or fewer numbers than there are entries.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        members = families.get(name)
        if members is None:
            found[name] = value
            continue
        values = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else [value]
        values = list(values) * len(members) if len(values) == 1 else list(values)
        if len(values) != len(members):
            raise SizeError(
                f"`{name}` has {len(members)} entries, and {len(values)} numbers are given",
                f"its entries are {listed(members)}: {name}={','.join('8' for _ in members)}, or one by one: {members[0]}=8",
            )
        found |= {member: one for member, one in zip(members, values, strict=True) if member not in given}
    return found


def require(sheet: Sheet, known: Mapping[str, Any], needed: Iterable[str], what: str) -> None:
    """Raise MissingSizeError unless all sizes needed are known."""
    wanted = set(needed)
    roots = {name for size in sheet.sizes if size.name in wanted and size.name not in known for name in _roots(sheet, size, known)}
    if not roots:
        return
    sizes = [size for size in sheet.sizes if size.name in roots]
    names = tuple(size.name for size in sizes)
    message = f"{what} needs {listed(names)}, which {'is' if len(names) == 1 else 'are'} not given"
    raise MissingSizeError(message, names, *(f"{size.name}: {size.meaning}" for size in sizes), *_presets_note(sheet))


def _roots(sheet: Sheet, size: Size, known: Mapping[str, Any]) -> set[str]:
    """Return what must be given for a size to be known: itself, or the sizes that it follows from."""
    if size.value is None:
        return {size.name}
    below = set(size_names(size.value))
    return {name for part in sheet.sizes if part.name in below and part.name not in known for name in _roots(sheet, part, known)}


def preset_sizes(sheet: Sheet, name: str | None) -> Mapping[str, int]:
    """Return the sizes of a preset; none without a name. Raises SizeError where there is no such preset."""
    if name is None:
        return {}
    known = {preset.name: preset.sizes for preset in sheet.presets}
    if name not in known:
        notes = (*did_you_mean(name, known), f"presets: {listed(known)}") if known else (f"`{sheet.name}` has no presets",)
        raise SizeError(f"`{sheet.name}` has no preset `{name}`", *notes)
    return known[name]


def followers(sheet: Sheet, preset: str, given: Mapping[str, Any]) -> dict[str, tuple[Expr, int]]:
    """Return the sizes of a preset that change with those given, though nobody gave them: the formula of each, and its published value.

    Args:
        given: sizes by name, in any form; one that is given as the preset has it changes nothing.
    """
    published = preset_sizes(sheet, preset)
    moved = {name for name, value in given.items() if name not in published or not _is(value, published[name])}
    follow = {name: one for name, one in following(sheet.sizes, published, sheet.families).items() if name not in given}
    others = {one.name: one.value for one in sheet.sizes if one.name not in published and one.name not in given}
    formulas = {**others, **follow}
    return {name: (one, published[name]) for name, one in follow.items() if moved & _below(one, formulas)}


def _is(value: Any, published: int) -> bool:
    return isinstance(value, int) and value == published


def _below(formula: Expr, formulas: Mapping[str, Expr | None]) -> set[str]:
    """Return the sizes in a formula, and those that they follow from."""
    names = set(size_names(formula))
    return names.union(*(_below(one, formulas) for name in names if (one := formulas.get(name)) is not None))


def _checked(sheet: Sheet, name: str, value: Any) -> Any:
    size = next((size for size in sheet.sizes if size.name == name), None)
    settable = [size.name for size in sheet.sizes if size.kind != "derived"]
    if size is None:
        near = did_you_mean(name, [*settable, *sheet.options])
        options = (f"options: {listed(sheet.options)}",) if sheet.options else ()
        raise SizeError(f"`{name}` is not a size of `{sheet.name}`", *near, f"sizes: {listed(settable)}", *options)
    if size.kind == "derived":
        raise SizeError(f"`{name}` cannot be given: it is always {_text(sheet, size.value)}")
    return whole(name, value)


def whole(name: str, value: Any) -> Any:
    """Return a size's value as an int, or as a numpy array of ints. Raises SizeError."""
    if isinstance(value, list | tuple | range):
        value = _array(value)
    if getattr(value, "ndim", 0):
        if value.dtype.kind not in "iu":
            raise SizeError(f"size `{name}` must hold whole numbers, not {value.dtype}")
        if value.size and value.min() < 1:
            raise SizeError(f"size `{name}` must be at least 1, not {value.min()}")
        return value
    try:
        number = int(value.__index__())
    except (AttributeError, TypeError):
        number = -1
    if isinstance(value, bool) or (number == -1 and value != -1):
        raise SizeError(f"size `{name}` must be a whole number, not {value!r}")
    if number < 1:
        raise SizeError(f"size `{name}` must be at least 1, not {number}")
    return number


def _array(values: Sequence[int]) -> Any:
    import numpy as np

    return np.asarray(values)


def _check_conditions(sheet: Sheet, known: Mapping[str, Any]) -> None:
    for constraint in sheet.constraints:
        names = set(size_names(constraint.condition))
        if names <= known.keys() and not _all(evaluate(constraint.condition, known)):
            raise SizeError(f"these sizes break `{constraint.text}`", _values(sheet, known, names))


def _refuse_broken_condition(sheet: Sheet, given: Mapping[str, Any]) -> None:
    """Raise SizeError for a condition that sizes break: where a size has no value, it says better why, n != 3 for 24/(n - 3)."""
    with suppress(EvaluationError):
        _check_conditions(sheet, given)


def _check_filled(sheet: Sheet, size: str, formula: Expr, known: Mapping[str, Any]) -> None:
    """A value that a default or a derived size has come to must be a size too."""
    value = known[size]
    fits = value.dtype.kind in "iu" and (value >= 1).all() if getattr(value, "ndim", 0) else isinstance(value, int) and value >= 1
    if not fits:
        names = set(size_names(formula))
        raise SizeError(f"`{size}` ({_text(sheet, formula)}) comes to {value}, which is no size", _values(sheet, known, names))


def _all(condition: Any) -> bool:
    return bool(condition.all()) if getattr(condition, "ndim", 0) else bool(condition)


def _values(sheet: Sheet, known: Mapping[str, Any], names: Iterable[str]) -> str:
    wanted = set(names)
    return ", ".join(f"{size.name} is {known[size.name]}" for size in sheet.sizes if size.name in wanted)


def _text(sheet: Sheet, expr: Any) -> str:
    return text_of(expr, [size.name for size in sheet.sizes])


def _presets_note(sheet: Sheet) -> tuple[str, ...]:
    return (f"presets: {listed(preset.name for preset in sheet.presets)}",) if sheet.presets else ()
