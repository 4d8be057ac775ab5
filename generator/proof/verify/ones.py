"""Axes of one, where PyTorch skips copies and multiplies element by element: there a count of its own is derived and compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from generator.formulas.evaluate import evaluate
from generator.formulas.symbols import symbol
from generator.proof.verify.instance_checks import Check
from generator.sheet.sheet import Sheet


def at_sizes_of_one(checks: Iterable[Check], sheet: Sheet, sizes: Mapping[str, int]) -> tuple[Check, ...]:
    """Return comparisons where those that differ, at axes of one, are held against what is derived for just these axes.

    The formulas are those of axes of at least two. Where one is one, the tracer is given that number in the place of the size, and must
    come to exactly what is measured; otherwise the comparison stays as it was, and differs.
    """
    numbers = sizes_of_one(sheet, sizes)
    return tuple(_apart(check, numbers) if numbers and not check.equal else check for check in checks)


def sizes_of_one(sheet: Sheet, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the sizes that are one, or that make an axis one, in the order of the spec."""
    ones = [axis for axis in sheet.axes if evaluate(axis, sizes) == 1]
    # Those that are one may be factors and no axes; only a derived one follows from others, where a default is given like any other.
    ones += [size.value if size.kind == "derived" else symbol(size.name) for size in sheet.sizes if sizes[size.name] == 1]
    names = {one.name for value in ones for one in value.free_symbols}
    return {size.name: sizes[size.name] for size in sheet.sizes if size.name in names and size.kind != "derived"}


def _apart(check: Check, numbers: Mapping[str, int]) -> Check:
    if check.fixed is None:
        return check
    derived = check.fixed(numbers)
    if derived != check.measured:
        return check
    where = ", ".join(f"{name} = {value}" for name, value in numbers.items())
    return replace(check, derived=derived, where=where, general=check.derived)
