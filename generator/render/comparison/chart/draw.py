"""Draws a comparison with matplotlib: logarithmic axes, labels at the lines, crossings marked. The same comparison gives the same bytes."""

from __future__ import annotations

import io
import re
import warnings
from html import escape
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from generator.questions.comparison.result import ComparisonResult
from generator.render.comparison.chart.palette import INK, PAPER, style_sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDE, HIGH = 8.6, 4.6  # inches of a single panel
PANEL_WIDE, PANEL_HIGH = 6.2, 3.9  # of one among several
SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "archsheet",  # identifiers in the file depend on nothing else
    "svg.fonttype": "path",  # looks the same whatever fonts the reader has
    "font.family": ["DejaVu Sans"],  # comes with matplotlib
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.unicode_minus": True,
    "path.simplify": False,
    "text.parse_math": False,  # labels are texts; a dollar sign is one
}


class ChartError(Exception):
    """A chart cannot be drawn; `notes` say what to do."""

    def __init__(self, message: str, *notes: str) -> None:
        super().__init__(message)
        self.notes = notes


def mark() -> str:
    """Return the comment at the head of an SVG: what made it, as another version draws other bytes."""
    return f"<!-- Made by `gen build` or `gen compare` with matplotlib {version('matplotlib')}; do not edit. -->"


def can_draw() -> bool:
    """Say whether matplotlib is there."""
    return find_spec("matplotlib") is not None


def draw(result: ComparisonResult, suffix: str = ".svg") -> bytes:
    """Return the chart of a comparison as an SVG or PNG file.

    Raises:
        ChartError: matplotlib is not installed, or another kind of file is asked for.
    """
    if suffix not in (".svg", ".png"):
        raise ChartError(f"a chart is a .svg or a .png file, not `{suffix}`")
    if not can_draw():
        raise ChartError("charts are drawn by matplotlib, which is not installed", "install it with: pip install 'archsheet[plot]'")
    import matplotlib as mpl

    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **SETTINGS}  # whatever the reader's own settings are
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # such a character is shown as a box
        figure = _figure(result)
        out = io.BytesIO()
        if suffix == ".png":
            figure.savefig(out, format="png", dpi=144, facecolor=PAPER, metadata={"Software": None})
            return out.getvalue()
        figure.savefig(out, format="svg", facecolor=PAPER, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _finished(out.getvalue().decode("utf-8"), result).encode("utf-8")


def _figure(result: ComparisonResult) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from generator.render.comparison.chart.panel import draw_panel

    tables = [table for table in result.tables if any(value for row in table.values for value in row)]
    if not tables:
        raise ChartError("there is nothing above zero to draw")
    columns = 1 if len(tables) == 1 else 2
    rows = -(-len(tables) // columns)
    size = (WIDE, HIGH) if columns == 1 else (columns * PANEL_WIDE, rows * PANEL_HIGH)
    figure = Figure(figsize=size, facecolor=PAPER)
    FigureCanvasAgg(figure)  # measures text, so that labels can be placed
    grid = figure.add_gridspec(rows, columns, **_margins(result, columns, size))
    for i, table in enumerate(tables):
        draw_panel(figure, figure.add_subplot(grid[divmod(i, columns)]), result, table)
    return figure


def _margins(result: ComparisonResult, columns: int, size: tuple[float, float]) -> dict[str, float]:
    """Return the room around the panels: on the right as much as the longest label needs."""
    longest = max(len(subject.label) for subject in result.comparison.subjects)
    label_inches = min(0.35 + 0.077 * longest, 2.6)
    width, height = size
    panel = (width - 0.75) / columns
    gap = (label_inches + 0.75) / max(panel - label_inches - 0.75, 0.5) if columns > 1 else 0.0
    return {
        "left": 0.75 / width,
        "right": 1 - label_inches / width,
        "top": 1 - 0.42 / height,
        "bottom": 0.55 / height,
        "wspace": gap,
        "hspace": 0.34,
    }


def _finished(svg: str, result: ComparisonResult) -> str:
    """Return the SVG with its mark, a title for those who cannot see it, and colours for dark surroundings."""
    comparison = result.comparison
    title = escape(comparison.title)
    svg = re.sub(r"<!DOCTYPE.*?>\n?", "", svg, count=1, flags=re.DOTALL)
    svg = svg.replace("?>\n", f"?>\n{mark()}\n", 1)
    head = f' role="img" aria-label="{title}">\n <title>{title}</title>\n <style>{style_sheet()}</style>'
    svg = re.sub(r"(<svg [^>]*)>", lambda start: start[1] + head, svg, count=1)
    return re.sub(r" <metadata>.*?</metadata>\n", "", svg, count=1, flags=re.DOTALL)
