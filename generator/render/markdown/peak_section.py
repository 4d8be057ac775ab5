"""The peak of memory on a page: as formulas, folded away, because each is the highest of several moments."""

from __future__ import annotations

from dataclasses import dataclass

from generator.in_bytes import PEAK_BYTES
from generator.render.markdown.escape_markdown import code, text
from generator.render.markdown.formula import LongFormula, PageFormulas, displayed
from generator.render.markdown.table_rows import MarkdownTable, table
from generator.sheet.sheet import Sheet
from generator.trace.peak_moments import ReplayStep, Summits

DTYPES = ("float32", "bfloat16")
_RUNS = {0: "first", 1: "second", 2: "third", 3: "fourth", -3: "last but two", -2: "last but one", -1: "last"}


@dataclass(frozen=True)
class PeakFormula:
    """A formula in one format: what is alive at every moment that may be the highest, and what is alive beside at each of them.

    Args:
        summary: of what is folded away, in HTML.
        shared: lines of a display.
        moments: in words, with what each has beside that; of these the greatest counts.
        long: formulas that are too long for that table.
    """

    summary: str
    shared: tuple[str, ...]
    moments: MarkdownTable
    long: tuple[LongFormula, ...]


@dataclass(frozen=True)
class Peak:
    """What is counted, the formulas, and a sentence where there are none."""

    meaning: str
    formulas: tuple[PeakFormula, ...]
    without: str


def peak_section(sheet: Sheet, formulas: PageFormulas) -> Peak | None:
    """Return the section; None for a sheet of which no peak is shown."""
    if sheet.peak is None:
        return None
    found = {dtype: sheet.peak.summits(dtype) for dtype in DTYPES}
    known = tuple(_formula(dtype, summits, formulas) for dtype, summits in found.items() if summits is not None)
    without = f"No one formula holds for all sizes; {code(f'gen cost {sheet.name}')} gives it at given ones."
    return Peak(text(PEAK_BYTES.en.meaning), known, "" if known else without)


def _formula(dtype: str, summits: Summits, formulas: PageFormulas) -> PeakFormula:
    shared, beside = summits
    rows = [(where(step), formulas.cell(rest, f"{where(step)}, {dtype}")) for step, rest in beside]
    moments = table(("Moment", "Bytes beside that"), rows if len(rows) > 1 else ())
    everything = shared if len(rows) > 1 else shared + beside[0][1]
    return PeakFormula(f"As a formula, in bytes of {dtype}", displayed(everything, formulas.order), moments, formulas.take())


def where(step: ReplayStep) -> str:
    """Return where a moment lies, in words: `backward pass at blocks.attention.scores, in the last run of blocks`."""
    runs = [f"in the {_RUNS[run]} run of {code(row)}" if run in _RUNS else f"in run {run + 1} of {code(row)}" for row, run in step.place]
    passed = "backward pass" if step.is_backward else "forward pass"
    return ", ".join([f"{passed} at {code(step.row)}" if step.row else f"start of the {passed}", *runs])
