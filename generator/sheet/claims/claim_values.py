"""Whether a published formula has a value where the outputs show one: at every preset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import SheetClaim, Size
from generator.spec.model import Claim, Spec
from generator.text.problems import Problems


def check_values(judged: SheetClaim, claim: Claim, spec: Spec, sizes: Sequence[Size], problems: Problems) -> None:
    """Report the first preset at which a formula has no value, or one that no spreadsheet can hold."""
    if judged.kind != "equals" or claim.formula is None:
        return
    names = {size.name for size in judged.claimed.free_symbols}
    for preset in spec.presets.values():
        try:
            known = {name: value for name, value in complete(sizes, preset.sizes).items() if value is not None}
        except EvaluationError:
            continue  # reported where the preset's own sizes are checked
        if not names <= known.keys():
            continue
        wrong = _wrong(judged, known)
        if wrong:
            at = ", ".join(f"{name} is {known[name]}" for name in spec.dims if name in names)
            problems.add(
                f"`{claim.formula.text}` {wrong} at preset `{preset.name}`, where the outputs show it",
                claim.formula.span,
                *([at] if at else []),
            )
            return


def _wrong(judged: SheetClaim, sizes: Mapping[str, int]) -> str:
    try:
        value = evaluate(judged.claimed, sizes)
        is_huge = isinf(float(value))
    except EvaluationError:
        return "has no value"
    except OverflowError:
        is_huge = True
    return "is beyond the numbers of a spreadsheet, which end at 10**308," if is_huge else ""
