"""What becomes of a crossing at a preset, in English: for the page and the terminal."""

from __future__ import annotations

from generator.formulas.human import exact
from generator.questions.growth.growth_summary import AtPreset
from generator.questions.growth.inner_crossings import InsideCrossing


def preset_words(value: AtPreset, one: InsideCrossing) -> str:
    """Return where the sides of a crossing change places at a preset, and who is above beyond it where that is not the same everywhere.

    Returns:
        `1,536`, `1,536 (excluded: n <= P)`, `always` or `never`.
    """
    if value.met is None:
        return "always" if value.is_first_more else "never"
    number = exact(int(value.root)) if value.root.is_Integer else f"{float(value.root):,.1f}"
    notes = [] if one.certainty != "depends" else [f"{value.met.large.words} above"]
    notes += [f"excluded: {value.met.excluded.text}"] if value.met.excluded else []
    return f"{number} ({'; '.join(notes)})" if notes else number
