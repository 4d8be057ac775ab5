"""The sheet of crossings, in words."""

from __future__ import annotations

from generator.questions.comparison.result import ComparisonResult, SidePair
from generator.render.comparison.wording import root_text, verdict
from generator.render.texts import Texts
from generator.render.workbook.cells import Page

WIDTHS = (26.0, 42.0, 64.0, 54.0)
FIRST_ROW = 5


def write_crossings(page: Page, result: ComparisonResult, words: Texts) -> None:
    """Write where the sides cross, a line for each measure and pair."""
    page.widths(WIDTHS)
    page.text("A1", words("crossings.title"), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    page.text(page.merged("A2:D2", "Remark"), words("crossings.note"), "Remark")
    page.sheet.row_dimensions[3].height = 6
    heads = [words(f"crossings.{key}") for key in ("measure", "sides", "result")]
    page.row(FIRST_ROW - 1, [*heads, words("crossings.equal", size=result.comparison.axis.size)], "Column head")
    for row, pair in enumerate(result.pairs, start=FIRST_ROW):
        roots = words("crossings.then").join(root_text(pair, i, words) for i in range(len(pair.crossing.roots)))
        roots = roots.replace("**", "^")  # as spreadsheets write powers
        title = pair.measure.words(words.language).title
        texts = (title, _sides(pair, words), verdict(pair, words), roots or words("crossings.nowhere"))
        for column, text, style in zip("ABCD", texts, ("Label", "Words", "Words", "Words"), strict=True):
            page.text(f"{column}{row}", text, style)
        page.height(row, list(zip(texts, (width - 2 for width in WIDTHS), strict=True)))
    if result.pairs:
        page.sheet.auto_filter.ref = f"A{FIRST_ROW - 1}:D{FIRST_ROW + len(result.pairs) - 1}"
    page.sheet.freeze_panes = f"A{FIRST_ROW}"


def _sides(pair: SidePair, words: Texts) -> str:
    if pair.second is None:
        return words("crossings.row", side=words.said(pair.first.label), row=pair.first.row)
    return words("crossings.against", second=words.said(pair.second.label), first=words.said(pair.first.label))
