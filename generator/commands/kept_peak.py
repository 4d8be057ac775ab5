"""The highest moments of training steps that were derived before: for any sizes by their formula, else for the sizes that were asked for.

What is kept stands beside the sheet (`generator.commands.kept`), under a key that has its key in it: so it is never out of date either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from generator.files import user_cache
from generator.formulas.evaluate import evaluate, reach
from generator.formulas.stored_formula import StoredFormula

if TYPE_CHECKING:
    from generator.sheet.pass_peak import PeakMemory
    from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class StoredPeak:
    """What `generator.sheet.pass_peak.PeakMemory` says of one number format, without sympy.

    Args:
        formula: bytes at any sizes within the limits; None where no one formula holds.
        within: formulas, and the least that each must come to where the formula holds.
        at_sizes: bytes at the sizes that were asked for, where no formula holds there; None where these are not known either.
    """

    formula: Any
    within: Sequence[tuple[Any, int]]
    at_sizes: int | None = None

    def bytes(self, _: str) -> Any:
        """Return the formula of the format."""
        return self.formula

    def bytes_at(self, _: str, sizes: Mapping[str, int]) -> int | None:
        """Return the bytes at the sizes that were asked for."""
        return int(evaluate(self.formula, sizes)) if self.holds(sizes) else self.at_sizes

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Say whether the formula holds at sizes."""
        return self.formula is not None and reach(self.within, sizes)


def kept_peak(key: str, sheet: Sheet, dtype: str, sizes: Mapping[str, int]) -> PeakMemory | None:
    """Return the highest moment of a kept sheet at sizes; None where it must be derived.

    Args:
        key: under which the sheet is kept.
        dtype: the number format in which it computes.
    """
    data = user_cache.recall(_key(key, dtype))
    if data is None:
        return None
    order = tuple(size.name for size in sheet.sizes)

    def get(formula: Any) -> Any:
        return formula if formula is None or isinstance(formula, int) else StoredFormula(formula[0], order, formula[1])

    try:
        found = StoredPeak(get(data["formula"]), [(get(count), least) for count, least in data["within"]])
        if not found.holds(sizes):
            one = user_cache.recall(_key(key, dtype, sizes))
            if one is None:
                return None
            found = StoredPeak(found.formula, found.within, one["bytes"])
    except (KeyError, TypeError, ValueError, IndexError):
        return None
    return cast("PeakMemory", found)


def keep_peak(key: str, sheet: Sheet, dtype: str, sizes: Mapping[str, int]) -> None:
    """Keep the highest moment of a sheet that is kept under a key; see `kept_peak`."""
    from generator.formulas.formula_data import FormulaDataError, to_data
    from generator.formulas.text import to_text

    if sheet.peak is None:
        return
    order = [size.name for size in sheet.sizes]

    def put(formula: Any) -> Any:
        return int(formula) if formula.is_Integer else [to_data(formula), to_text(formula, order)]

    formula, within = sheet.peak.bytes(dtype), sheet.peak.limits(dtype)
    try:
        kept = None if formula is None else put(formula)
        data = {"formula": kept, "within": [[put(count), least] for count, least in within]}
    except FormulaDataError:
        data = {"formula": None, "within": []}
    user_cache.keep(_key(key, dtype), data)
    if data["formula"] is None or not reach(within, sizes):
        user_cache.keep(_key(key, dtype, sizes), {"bytes": sheet.peak.bytes_at(dtype, sizes)})


def _key(key: str, dtype: str, sizes: Mapping[str, int] | None = None) -> str:
    return json.dumps(["peak", key, dtype, None if sizes is None else sorted(sizes.items())])
