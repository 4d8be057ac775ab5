"""Crossings in words: "linear_attention costs less from n = 65 on"."""

from __future__ import annotations

from fractions import Fraction

from sympy import Expr

from generator.comparison.model import Comparison
from generator.comparison.result import Pair
from generator.growth.crossing import Crossing, Root
from generator.printing.text import TextDialect

LONGEST_CLOSED = 80


def axis_title(comparison: Comparison) -> str:
    """Return the swept size and what it means: `n (sequence length)`."""
    name = comparison.axis.size
    meanings = (size.meaning for subject in comparison.subjects for size in subject.sheet.sizes if size.name == name)
    meaning = comparison.axis.meaning or next(meanings, "")
    return f"{name} ({meaning})" if meaning else name


def verdict(pair: Pair) -> str:
    """Return in one phrase how the second side compares with the first, or from where on a row is the greater part of its whole."""
    if pair.second is None:
        return _part_verdict(pair)
    name = pair.second.label
    if pair.ratio == 1:
        less, more, same = f"{name} costs less", f"{name} costs more", f"{name} costs the same"
    else:
        times = ratio_text(pair.ratio)
        less, more, same = (
            f"{name} saves a factor of {times} or more",
            f"{name} saves less than a factor of {times}",
            f"the factor is {times}",
        )
    return _phrase(pair.crossing, {1: less, -1: more, 0: same})


def root_text(pair: Pair, index: int = 0) -> str:
    """Return where both are equal: `n = d/h + 1/2 = 64.5`; where one jumps over the other, the whole sizes around."""
    root = pair.crossing.roots[index]
    closed = closed_text(pair) if len(pair.crossing.roots) == 1 else ""
    return f"{pair.crossing.size} = {closed}{' = ' if closed else ''}{number_text(root)}"


def closed_text(pair: Pair) -> str:
    """Return the closed form of a crossing in the sizes of the specs; nothing where there is none that is short."""
    form = closed_root(pair)
    if form is None:
        return ""
    text = TextDialect([size.name for size in pair.first.sheet.sizes]).joined(form).text  # with one fraction bar at most
    return text if len(text) <= LONGEST_CLOSED else ""


def closed_root(pair: Pair) -> Expr | None:
    """Return the closed form of a single crossing."""
    form = pair.closed
    has_form = form is not None and form.verdict == "crosses" and len(pair.crossing.roots) == 1
    return form.roots[0] if has_form and form is not None and form.roots[0].free_symbols else None


def number_text(root: Root) -> str:
    """Return a root as a number: whole, to two decimals (marked ≈), or as a bracket where it is a jump."""
    if root.is_whole:
        return f"{root.low:,}"
    if root.value is None:
        return f"between {root.low:,} and {root.high:,}"
    if root.value.is_Rational and 100 % int(root.value.q) == 0:
        return f"{float(root.value):,.10g}"
    return f"{root.near:,.2f}…"


def ratio_text(ratio: Fraction) -> str:
    """Return a factor as people write it."""
    return f"{float(ratio):g}" if 100 % ratio.denominator == 0 else str(ratio)


def _phrase(found: Crossing, words: dict[int, str]) -> str:
    size = found.size
    if not found.roots:
        return f"{words[found.signs[0]]} at every {size}"
    parts = [f"{words[found.signs[0]]} up to {size} = {_last(found.roots[0]):,}"] if len(found.roots) > 1 else []
    for i in range(1, len(found.signs)):
        start = found.first_whole(i - 1)
        end = f" up to {_last(found.roots[i]):,}" if i < len(found.roots) else ""
        parts.append(f"{words[found.signs[i]]} from {size} = {start:,}{end or ' on'}")
    return "; ".join(parts)


def _last(root: Root) -> int:
    return root.low - 1 if root.is_whole else root.low


def _part_verdict(pair: Pair) -> str:
    row = pair.first.row or "it"
    return _phrase(pair.crossing, {1: f"{row} is more than half", -1: f"{row} is less than half", 0: f"{row} is half"})
