"""The look of the workbooks: one named style for each kind of cell, so that a reader can restyle all of them at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from openpyxl.styles import Alignment, Border, Font, NamedStyle, PatternFill, Protection, Side
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.styles.numbers import NumberFormat
from openpyxl.workbook import Workbook

from generator.render.texts import Texts

INK = "000000"
MUTED = "6B7280"
NAVY = "1F3864"
BAND = "D9E2F3"
HEAD = "B4C6E7"  # light, because LibreOffice shows links in dark blue whatever a cell says
GROUP = "EDF2F9"
RULE = "BFC7D5"
INPUT = "0000FF"
INPUT_FILL = "FFF8DC"
LINK = "00612E"
EXAMPLE = "9C4A00"
GOOD, GOOD_FILL = "006100", "C6EFCE"
BAD, BAD_FILL = "9C0006", "FFC7CE"

GENERAL = "General"
WHOLE = "#,##0"
ROUNDED = "0.00"
# In the layer table the air at the right edge comes from the format (`_)`): LibreOffice draws indents unevenly under conditional formats.
SHARE = "0.0%_)"
REPEAT = '"×"0_)'
RATIO = '"×"0.00_)'
FIGURE = "#,##0.000"  # amounts in one unit, which may be below zero
COMPARED = '[<0.1]"×"0.0000_);[<100]"×"0.00_);"×"#,##0_)'
# Formats that a language has for large numbers, by the name of its text; see `look` there.
COUNT = "count"
WORK = "work"


@dataclass(frozen=True)
class Look:
    """A kind of cell."""

    color: str = INK
    fill: str = ""
    bold: bool = False
    italic: bool = False
    size: int = 10
    format: str = GENERAL
    horizontal: str = "general"
    vertical: str = "top"
    wrap: bool = False
    rule: str = RULE  # colour of the line below; empty for none
    heavy: bool = False  # lines above and below, as for totals
    indented: bool = True  # a little air between text and the edge of its column
    locked: bool = True
    underlined: bool = False
    shrinks: bool = False  # to fit into its cell


LOOKS: dict[str, Look] = {
    "Sheet title": Look(NAVY, bold=True, size=18, rule="", vertical="center", horizontal="left"),
    "Prose": Look(wrap=True, rule="", size=11, horizontal="left"),
    "Remark": Look(MUTED, italic=True, rule="", wrap=True, horizontal="left"),
    "Section": Look(NAVY, fill=BAND, bold=True, size=11, rule="", vertical="center", horizontal="left"),
    "Column head": Look(NAVY, fill=HEAD, bold=True, wrap=True, vertical="center", horizontal="left", rule=""),
    "Column head, number": Look(NAVY, fill=HEAD, bold=True, wrap=True, vertical="center", horizontal="right", rule=""),
    "Column head, narrow": Look(NAVY, fill=HEAD, bold=True, vertical="center", horizontal="right", rule="", shrinks=True),
    "Column head, centred": Look(NAVY, fill=HEAD, bold=True, wrap=True, vertical="center", horizontal="center", rule=""),
    "Label": Look(bold=True, horizontal="left", wrap=True),
    "Label, free": Look(bold=True, rule="", vertical="center", horizontal="left", size=11),
    "Words": Look(wrap=True, horizontal="left"),
    "Muted words": Look(MUTED, wrap=True, horizontal="left"),
    "Muted number": Look(MUTED, italic=True, horizontal="right"),
    "Headline": Look(NAVY, bold=True, size=14, rule="", vertical="center", horizontal="left"),
    "Message": Look(rule="", vertical="center", wrap=True, horizontal="left"),
    "Input choice": Look(INPUT, fill=INPUT_FILL, bold=True, size=12, horizontal="center", vertical="center", locked=False, shrinks=True),
    "Input number": Look(INPUT, fill=INPUT_FILL, locked=False, horizontal="right"),
    "Published": Look(INPUT, horizontal="right"),
    "Published, total": Look(INPUT, format=WHOLE, horizontal="right", shrinks=True),
    "Example": Look(EXAMPLE, italic=True, horizontal="right"),
    "Link": Look(LINK, horizontal="right"),
    "Link, total": Look(LINK, format=WHOLE, horizontal="right"),
    "Size in use": Look(bold=True, horizontal="right"),
    "Calculation": Look(horizontal="right"),
    "Muted, free": Look(MUTED, rule="", vertical="center", horizontal="left"),
    "Muted calculation": Look(MUTED, horizontal="right"),
    "Swept value": Look(bold=True, format=WHOLE, horizontal="right"),
    "Scaled number, count": Look(format=COUNT, horizontal="right", indented=False),
    "Scaled number, FLOP": Look(format=WORK, horizontal="right", indented=False),
    "Ratio": Look(bold=True, format=RATIO, horizontal="right", indented=False),
    "Share": Look(format=SHARE, horizontal="right", indented=False),
    "Question": Look(NAVY, bold=True, rule="", wrap=True, size=12, horizontal="left", vertical="center"),
    "Input value": Look(INPUT, fill=INPUT_FILL, locked=False, format=WHOLE, horizontal="right"),
    "Fit": Look(MUTED, horizontal="right", wrap=True),
    "Compared": Look(format=COMPARED, horizontal="right", indented=False),
    "Insight": Look(rule="", size=11, horizontal="left", vertical="center", wrap=True),
    "Link, words": Look(LINK, wrap=True, horizontal="left"),
    "Input words": Look(INPUT, fill=INPUT_FILL, locked=False, horizontal="right", bold=True),
    "Input word": Look(INPUT, fill=INPUT_FILL, locked=False, horizontal="right"),
    "Hyperlink, cell": Look(INPUT, horizontal="left", underlined=True, wrap=True),
    "Whole number": Look(format=WHOLE, horizontal="right", shrinks=True),
    "Figure": Look(format=FIGURE, horizontal="right"),
    "Figure, total": Look(format=FIGURE, horizontal="right", bold=True, heavy=True),
    "Input part": Look(INPUT, fill=INPUT_FILL, locked=False, format="0%", horizontal="right"),
    "Rounded number": Look(bold=True, format=ROUNDED, horizontal="right"),
    "Rounded size": Look(format="#,##0.00", horizontal="right", bold=True),
    "Holds": Look(GOOD, fill=GOOD_FILL, bold=True, horizontal="center"),
    "Fails": Look(BAD, fill=BAD_FILL, bold=True, horizontal="center"),
    "Legend, input": Look(INPUT, fill=INPUT_FILL, horizontal="right"),
    "Verdict": Look(bold=True, horizontal="center"),
    "Verdict, large": Look(bold=True, size=12, horizontal="center", vertical="center"),
}


def _layer_looks() -> dict[str, Look]:
    """Return the looks of the layer table: leaves, groups and the total, each for words and for every kind of number."""
    kinds = {"": GENERAL, ", note": GENERAL, ", count": COUNT, ", FLOP": WORK, ", share": SHARE, ", repeat": REPEAT}
    looks = {}
    for suffix, number in kinds.items():
        is_text = number == GENERAL
        leaf = Look(format=number, horizontal="left" if is_text else "right", indented=is_text, wrap=suffix == ", note")
        looks[f"Layer{suffix}"] = leaf
        looks[f"Group{suffix}"] = replace(leaf, fill=GROUP, bold=True)
        looks[f"Total{suffix}"] = replace(leaf, fill=BAND, bold=True, heavy=True)
    return looks


LOOKS |= _layer_looks()

GOOD_LOOK = DifferentialStyle(font=Font(color=GOOD, bold=True), fill=PatternFill(bgColor=GOOD_FILL, fill_type="solid"))
BAD_LOOK = DifferentialStyle(font=Font(color=BAD, bold=True), fill=PatternFill(bgColor=BAD_FILL, fill_type="solid"))
EXAMPLE_LOOK = DifferentialStyle(font=Font(color=EXAMPLE, italic=True))
EXACT_LOOK = DifferentialStyle(numFmt=NumberFormat(numFmtId=3, formatCode=WHOLE))
WARNING_LOOK = DifferentialStyle(font=Font(color=BAD))
# In place of any value, text too. The number is not one of those that Excel has built in.
DASH_LOOK = DifferentialStyle(font=Font(color="9CA3AF"), numFmt=NumberFormat(numFmtId=200, formatCode='"–";"–";"–";"–"'))
FAINT_LOOK = DifferentialStyle(font=Font(color="9CA3AF"))


def add_styles(book: Workbook, words: Texts) -> None:
    """Register every named style in a workbook, and set its default font, both as the language has them."""
    font = words("look.font")
    registered: Any = book._named_styles  # type: ignore[attr-defined]  # noqa: SLF001 - openpyxl has no other way to the default style
    normal = next(style for style in registered if style.name == "Normal")
    normal.font = Font(name=font, size=10)
    formats = {key: words(f"look.{key}") for key in (COUNT, WORK)}
    for name, look in LOOKS.items():
        book.add_named_style(_style(name, replace(look, format=formats.get(look.format, look.format)), font))


def _style(name: str, look: Look, font: str) -> NamedStyle:
    style = NamedStyle(name=name, number_format=look.format)
    underline: Any = "single" if look.underlined else None
    style.font = Font(name=font, size=look.size, bold=look.bold, italic=look.italic, color=look.color, underline=underline)
    if look.fill:
        style.fill = PatternFill("solid", fgColor=look.fill)
    if look.heavy:
        style.border = Border(top=Side("thin", color=NAVY), bottom=Side("medium", color=NAVY))
    elif look.rule:
        style.border = Border(bottom=Side("hair", color=look.rule))
    indent = 1 if look.indented and look.horizontal in {"left", "right"} else 0
    style.alignment = Alignment(look.horizontal, look.vertical, wrap_text=look.wrap, shrink_to_fit=look.shrinks, indent=indent)
    style.protection = Protection(locked=look.locked)
    return style
