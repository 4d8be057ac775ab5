"""One panel of a chart: the lines of one measure."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from generator.questions.comparison.result import ComparisonResult, MeasureTable
from generator.render.comparison.chart.curves import Curve, Mark, curves_of, marks_of
from generator.render.comparison.chart.label_places import Box, free_place, spread
from generator.render.comparison.chart.palette import DASHES, GRID, INK, MARKERS, MUTED, PAPER, line_colour
from generator.render.comparison.wording import axis_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_TITLE = 90  # characters that stand below a panel
_MOST_TICKS = 14
_PREFIXES = {0: "", 3: " k", 6: " M", 9: " G", 12: " T", 15: " P", 18: " E", 21: " Z", 24: " Y"}


def draw_panel(figure: Figure, axes: Axes, result: ComparisonResult, table: MeasureTable) -> None:
    """Draw the lines of one measure, with a label at the end of each and the crossings marked."""
    curves = curves_of(result, table)
    is_share = result.comparison.view == "share"
    what = f"Share of {table.measure.title}" if is_share else f"{table.measure.title} ({table.measure.unit})"
    axes.set_title(what, loc="left", fontsize=10, fontweight="bold", color=INK, pad=8)
    numbers = {subject.label: i for i, subject in enumerate(result.comparison.subjects)}
    for curve in curves:
        _draw_curve(axes, curve, numbers[curve.label])
    _set_up_axes(axes, result, is_share=is_share)
    _label_lines(figure, axes, curves, numbers)
    _mark_crossings(figure, axes, marks_of(result, table), curves)


def _draw_curve(axes: Axes, curve: Curve, number: int) -> None:
    colour = line_colour(number)
    dashes = DASHES[number % len(DASHES)]
    style: Any = (0, dashes) if dashes else "solid"
    axes.plot(*zip(*curve.line, strict=True), color=colour, linewidth=1.8, linestyle=style, solid_capstyle="round", zorder=3)
    axes.plot(
        *zip(*curve.points, strict=True),
        color=colour,
        linestyle="none",
        marker=MARKERS[number % len(MARKERS)],
        markersize=4.2,
        markeredgecolor=PAPER,
        markeredgewidth=0.6,
        zorder=4,
    )


def _set_up_axes(axes: Axes, result: ComparisonResult, *, is_share: bool) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    values = list(result.comparison.axis.values)
    axes.set_xscale("log")
    if is_share:
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        axes.axhline(0.5, color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)), zorder=2)
    else:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: power_text(value)))
        axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlim(values[0] / 1.08, values[-1] * 1.08)
    axes.xaxis.set_major_locator(FixedLocator(_ticks(axes, values)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(shorten(axis_title(result.comparison), LONGEST_TITLE, placeholder=" …"), color=MUTED, fontsize=9)
    axes.set_facecolor(PAPER)
    axes.grid(visible=True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=MUTED, labelsize=8, length=0)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(MUTED)


def _ticks(axes: Axes, values: list[int]) -> list[float]:
    """Return as many of the swept values as can be written side by side; evenly taken, or from the left to where there is room."""
    step = -(-len(values) // _MOST_TICKS)
    found: list[float] = []
    scale = 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]  # an axis belongs to a figure
    free = float("-inf")
    for value in values[::step]:
        centre = axes.transData.transform((value, 1))[0] * scale
        half = 2.7 * len(f"{value:,}")  # points that half the label takes
        if centre - half > free:
            found.append(float(value))
            free = centre + half + 3
    return found


def power_text(value: float) -> str:
    """Return a power of ten with its prefix: 100 M; nothing below 1."""
    if value < 1:
        return f"{value:g}"
    exponent = len(f"{round(value)}") - 1
    step = min(exponent // 3 * 3, 24)
    return f"{value / 10**step:g}{_PREFIXES[step]}"


def _label_lines(figure: Figure, axes: Axes, curves: list[Curve], numbers: dict[str, int]) -> None:
    """Write each line's name at its end, moved apart where lines end close to each other."""
    to_page = axes.transData.transform
    ends = [to_page(curve.line[-1]) for curve in curves]
    box = axes.get_window_extent()
    gap = 9.0 * figure.dpi / 72 * 1.25
    heights = spread([float(end[1]) for end in ends], gap, box.y0, box.y1)
    from_page = _from_page(axes)
    x = box.x1 + 0.12 * figure.dpi
    for curve, end, height in zip(curves, ends, heights, strict=True):
        colour = line_colour(numbers[curve.label])
        axes.annotate(
            curve.label,
            xy=from_page(end),
            xytext=from_page((x, height)),
            color=colour,
            fontsize=9,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5)},
        )


def _mark_crossings(figure: Figure, axes: Axes, marks: list[Mark], curves: list[Curve]) -> None:
    """Ring each crossing and write the size beside it, where no line and no other label is. Rings that would touch become one."""
    to_page, from_page = axes.transData.transform, _from_page(axes)
    obstacles = [_around(to_page(point)) for curve in curves for point in (*curve.line, *curve.points)]
    area = axes.get_window_extent()
    bounds = Box(area.x0, area.y0, area.width, area.height)
    scale = figure.dpi / 72
    for group in _close_together(marks, [to_page((mark.x, mark.y)) for mark in marks], 9 * scale):
        mark, text = group[0], " – ".join(dict.fromkeys((group[0].text, group[-1].text)))
        axes.plot(
            [mark.x], [mark.y], marker="o", linestyle="none", color=INK, markersize=8, markerfacecolor="none", markeredgewidth=1.1, zorder=5
        )
        page = to_page((mark.x, mark.y))
        width, height = (5.0 * len(text) + 4) * scale, 10.0 * scale
        place = free_place((float(page[0]), float(page[1])), width, height, obstacles, bounds)
        if place is None:
            continue
        obstacles.append(place)
        axes.annotate(
            text,
            xy=(mark.x, mark.y),
            xytext=from_page((place.left, place.bottom + height / 2)),
            color=INK,
            fontsize=8,
            va="center",
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4},
            zorder=6,
        )


def _close_together(marks: list[Mark], places: list[Any], distance: float) -> list[list[Mark]]:
    """Return the marks from left to right, those in one list that are closer than a distance to the first of it."""
    groups: list[tuple[Any, list[Mark]]] = []
    for mark, place in sorted(zip(marks, places, strict=True), key=lambda pair: pair[0].x):
        near = next((group for start, group in groups if abs(place[0] - start[0]) < distance and abs(place[1] - start[1]) < distance), None)
        if near is None:
            groups.append((place, [mark]))
        else:
            near.append(mark)
    return [group for _, group in groups]


def _from_page(axes: Axes) -> Callable[[Any], tuple[float, float]]:
    """Return what turns a place on the page into one in the data."""
    inverse = axes.transData.inverted()

    def place(point: Any) -> tuple[float, float]:
        x, y = inverse.transform(point)
        return float(x), float(y)

    return place


def _around(point: Any) -> Box:
    x, y = float(point[0]), float(point[1])
    return Box(x - 2, y - 2, 4, 4)
