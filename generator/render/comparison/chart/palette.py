"""Colours of the charts, for light and for dark surroundings.

A chart is drawn in the light colours, which print well. An SVG carries a style sheet that exchanges each for its dark counterpart where the
reader prefers dark; whatever does not understand that shows the light one, on its own white ground.
"""

from __future__ import annotations

PAPER = "#ffffff"
INK = "#1f2328"
MUTED = "#59636e"
GRID = "#e4e8ec"
# Lines differ in colour, in dashes and in markers, so that they stay apart in grey and for eyes that do not tell red from green.
LINES = ("#0550ae", "#bc4c00", "#116329", "#8250df", "#7d4e00", "#a40e26", "#1b7c83", "#57606a")
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 2), (2, 1.6), (8, 2, 2, 2), (4, 1.5), (1, 1.4), (10, 3), (5, 1, 1, 1, 1, 1))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

_DARK = {
    PAPER: "#0d1117",
    INK: "#e6edf3",
    MUTED: "#9198a1",
    GRID: "#262c36",
    "#0550ae": "#79c0ff",
    "#bc4c00": "#ffa657",
    "#116329": "#7ee787",
    "#8250df": "#d2a8ff",
    "#7d4e00": "#e3b341",
    "#a40e26": "#ff7b72",
    "#1b7c83": "#56d4dd",
    "#57606a": "#b1bac4",
}


def line_colour(index: int) -> str:
    """Return the colour of a line by its number."""
    return LINES[index % len(LINES)]


def dark(colour: str) -> str:
    """Return what stands for a colour in dark surroundings."""
    return _DARK[colour]


def style_sheet() -> str:
    """Return the CSS that makes a chart dark where the reader prefers that, but for print."""
    rules = [f'[style*="{key}: {light}"]{{{key}:{dark_one}!important}}' for light, dark_one in _DARK.items() for key in ("fill", "stroke")]
    return "@media screen and (prefers-color-scheme: dark){" + "".join(rules) + "}"
