"""A picture of times and predictions on logarithmic axes, as SVG text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import floor, log10

from generator.proof.bench.points import Point

WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 20, 50, 60
_TIME, _FLOPS = "#0b5fa5", "#c2570c"
_STYLE = (
    "text{font:13px sans-serif;fill:#222}.grid{stroke:#ddd}.axis{stroke:#444;fill:none}"
    f".time{{fill:none;stroke:{_TIME}}}.flops{{fill:none;stroke:{_FLOPS}}}"
)


def plot(title: str, size: str, points: Sequence[Point]) -> str:
    """Return the picture: the median times, and where they would lie if all grew as the predicted FLOPs do from the last point.

    Args:
        title: a heading.
        size: the name of the size that is varied.
        points: at least two.
    """
    last = points[-1]
    predicted = [last.median * point.flops / last.flops for point in points]
    milliseconds = [1000 * point.median for point in points]
    expected = [1000 * seconds for seconds in predicted]
    x = _scale([point.value for point in points], LEFT, WIDTH - RIGHT)
    y = _scale([*milliseconds, *expected], HEIGHT - BOTTOM, TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-weight="bold">{escape(title)}</text>',
    ]
    for value in _ticks([*milliseconds, *expected]):
        at = y(value)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{value:g} ms</text>')
    below = HEIGHT - BOTTOM + 20
    lines += [f'<text x="{x(point.value):.1f}" y="{below}" text-anchor="middle">{point.value:,}</text>' for point in points]
    lines.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 12}" text-anchor="middle">{escape(size)}</text>')
    corner = f"{LEFT},{TOP} {LEFT},{HEIGHT - BOTTOM} {WIDTH - RIGHT},{HEIGHT - BOTTOM}"
    lines.append(f'<polyline class="axis" points="{corner}"/>')
    for name, values, legend in (("flops", expected, "as the predicted FLOPs grow"), ("time", milliseconds, "measured, median")):
        drawn = " ".join(f"{x(point.value):.1f},{y(value):.1f}" for point, value in zip(points, values, strict=True))
        dashes = ' stroke-dasharray="6 4"' if name == "flops" else ""
        lines.append(f'<polyline class="{name}" stroke-width="2"{dashes} points="{drawn}"><title>{legend}</title></polyline>')
    lines.append(f'<text x="{LEFT + 12}" y="{TOP + 18}" style="fill:{_TIME}">measured (median)</text>')
    lines.append(f'<text x="{LEFT + 12}" y="{TOP + 36}" style="fill:{_FLOPS}">if time grew as the predicted FLOPs</text>')
    return "\n".join([*lines, "</svg>", ""])


def _scale(values: Sequence[float], low: float, high: float) -> Callable[[float], float]:
    """Return the map of values onto a stretch of the picture, logarithmic, with a little room at both ends."""
    first, last = log10(min(values)), log10(max(values))
    room = 0.05 * (last - first) or 0.5
    first, last = first - room, last + room
    return lambda value: low + (high - low) * (log10(value) - first) / (last - first)


def _ticks(values: Sequence[float]) -> list[float]:
    """Return round numbers 1, 2 and 5 between the least and the greatest value; the nearest one below where there is none."""
    low, high = min(values), max(values)
    steps = [float(f"{digit}e{power}") for power in range(floor(log10(low)) - 1, floor(log10(high)) + 2) for digit in (1, 2, 5)]
    found = [step for step in steps if low <= step <= high]
    return found or [max(step for step in steps if step <= low)]
