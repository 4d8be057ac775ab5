"""Crossings in words: "linear_attention costs less from n = 65 on"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from sympy import Expr

from generator.formulas.text import TextDialect
from generator.questions.comparison.comparison import Comparison
from generator.questions.comparison.result import SidePair
from generator.questions.growth.crossing import Crossing, Root
from generator.render.texts import Texts, texts

LONGEST_CLOSED = 80
# What is said where the first side costs more than the second, less, and the same.
_COST = {1: "less", -1: "more", 0: "same"}
_FACTOR = {1: "saves", -1: "saves_less", 0: "factor"}
_PART = {1: "part_more", -1: "part_less", 0: "part_half"}


def axis_title(comparison: Comparison, said: Callable[[str], str] = str) -> str:
    """Return the swept size and what it means, as `said` has it in a language: `n (sequence length)`."""
    name = comparison.axis.size
    meanings = (size.meaning for subject in comparison.subjects for size in subject.sheet.sizes if size.name == name)
    meaning = comparison.axis.meaning or next(meanings, "")
    return f"{name} ({said(meaning)})" if meaning else name


def verdict(pair: SidePair, words: Texts | None = None) -> str:
    """Return in one phrase how the second side compares with the first, or from where on a row is the greater part of its whole.

    Args:
        words: the texts of a language; English without it.
    """
    said = words or texts()
    keys = _PART if pair.second is None else _COST if pair.ratio == 1 else _FACTOR
    name = (pair.first.row or said("crossings.it")) if pair.second is None else said.said(pair.second.label)
    times = ratio_text(pair.ratio)
    phrases = {sign: said(f"crossings.{key}", name=name, times=times) for sign, key in keys.items()}
    return _phrase(pair.crossing, phrases, said)


def root_text(pair: SidePair, index: int = 0, words: Texts | None = None) -> str:
    """Return where both are equal: `n = d/h + 1/2 = 64.5`; where one jumps over the other, the whole sizes around."""
    root = pair.crossing.roots[index]
    closed = closed_text(pair) if len(pair.crossing.roots) == 1 else ""
    return f"{pair.crossing.size} = {closed}{' = ' if closed else ''}{number_text(root, words)}"


def closed_text(pair: SidePair) -> str:
    """Return the closed form of a crossing in the sizes of the specs; nothing where there is none that is short."""
    form = closed_root(pair)
    if form is None:
        return ""
    text = TextDialect([size.name for size in pair.first.sheet.sizes]).joined(form).text  # with one fraction bar at most
    return text if len(text) <= LONGEST_CLOSED else ""


def closed_root(pair: SidePair) -> Expr | None:
    """Return the closed form of a single crossing."""
    form = pair.closed
    has_form = form is not None and form.verdict == "crosses" and len(pair.crossing.roots) == 1
    return form.roots[0] if has_form and form is not None and form.roots[0].free_symbols else None


def number_text(root: Root, words: Texts | None = None) -> str:
    """Return a root as a number: whole, to two decimals (marked ≈), or as a bracket where it is a jump."""
    if root.is_whole:
        return f"{root.low:,}"
    if root.value is None:
        return (words or texts())("crossings.between", low=f"{root.low:,}", high=f"{root.high:,}")
    if root.value.is_Rational and 100 % int(root.value.q) == 0:
        return f"{float(root.value):,.10g}"
    return f"{root.near:,.2f}…"


def ratio_text(ratio: Fraction) -> str:
    """Return a factor as people write it."""
    return f"{float(ratio):g}" if 100 % ratio.denominator == 0 else str(ratio)


def _phrase(found: Crossing, phrases: Mapping[int, str], words: Texts) -> str:
    size = found.size
    if not found.roots:
        return words("crossings.everywhere", what=phrases[found.signs[0]], size=size)
    parts = []
    if len(found.roots) > 1:
        parts.append(words("crossings.up_to", what=phrases[found.signs[0]], size=size, end=f"{_last(found.roots[0]):,}"))
    for i in range(1, len(found.signs)):
        key = "crossings.from_to" if i < len(found.roots) else "crossings.from_on"
        end = f"{_last(found.roots[i]):,}" if i < len(found.roots) else ""
        parts.append(words(key, what=phrases[found.signs[i]], size=size, start=f"{found.first_whole(i - 1):,}", end=end))
    return words("crossings.then").join(parts)


def _last(root: Root) -> int:
    return root.low - 1 if root.is_whole else root.low
