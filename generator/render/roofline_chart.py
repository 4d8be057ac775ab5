"""A roofline as a picture (SVG): what a device can do at most for each byte that is moved, and where passes and rows are on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from xml.sax.saxutils import escape

from generator.questions.hardware.device_line import bandwidth_text, peak_text
from generator.questions.time.time_answer import TimeAnswer

WIDTH, HEIGHT = 1200, 460
LEFT, RIGHT, TOP, BOTTOM = 80, 790, 50, 400
_ROWS = 6  # those that take longest
_COLOURS = {"pass": "#b3261e", "row": "#1f5fa8", "measured": "#2e7d32"}


@dataclass(frozen=True)
class RooflinePoint:
    """A point: FLOP for each byte, and FLOP a second at most; of what was measured, as measured."""

    name: str
    kind: str
    intensity: float
    speed: float


def roofline_points(answer: TimeAnswer) -> list[RooflinePoint]:
    """Return the passes with their least arithmetic and traffic, the rows that take longest, unfused, and what was measured."""
    setting = answer.question.setting
    peak, bandwidth = setting.peak, float(setting.device.bandwidth)
    if peak is None:
        return []
    serving = answer.serving
    passes = [answer.forward, answer.training, *((serving.prefill, serving.last) if serving is not None else ())]
    least = [(one.title, one.flops, sum(one.moved.values())) for one in passes if one is not None and one.flops and one.moved]
    found = [RooflinePoint(name, "pass", flops / moved, min(peak, flops / moved * bandwidth)) for name, flops, moved in least]
    rows = sorted((row for row in answer.rows if row.flops and row.bytes), key=lambda row: -(row.seconds or 0.0))[:_ROWS]
    found += [RooflinePoint(row.name, "row", row.flops / row.bytes, min(peak, row.flops / row.bytes * bandwidth)) for row in rows]
    bound = answer.measured_bound
    if bound is not None and answer.question.measured and bound.moved:
        intensity = bound.flops / sum(bound.moved.values())
        found.append(RooflinePoint(f"{bound.title}, measured", "measured", intensity, bound.flops / answer.question.measured))
    return found


def roofline_svg(answer: TimeAnswer) -> str:
    """Return the picture; axes are logarithmic. Raises SizeError where the device's peak is not known."""
    setting = answer.question.setting
    peak, bandwidth = float(setting.device.require_peak(setting.compute)), float(setting.device.bandwidth)
    points = roofline_points(answer)
    across = _decades([peak / bandwidth / 10, peak / bandwidth * 10, *(one.intensity for one in points)])
    up = _decades([2 * peak, 10.0 ** across[0] * bandwidth, *(one.speed for one in points)])
    return "\n".join(_lines(answer, points, _Axes(*across, *up), peak, bandwidth)) + "\n"


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten around some values."""
    return floor(log10(min(values))), ceil(log10(max(values)))


@dataclass(frozen=True)
class _Axes:
    """Powers of ten at the ends: of FLOP for each byte, and of FLOP a second."""

    left: int
    right: int
    low: int
    high: int

    def x(self, intensity: float) -> float:
        return LEFT + (RIGHT - LEFT) * (log10(intensity) - self.left) / (self.right - self.left)

    def y(self, speed: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (log10(speed) - self.low) / (self.high - self.low)


def _lines(answer: TimeAnswer, points: Sequence[RooflinePoint], axes: _Axes, peak: float, bandwidth: float) -> Iterator[str]:
    device, compute = answer.question.setting.device, answer.question.setting.compute
    named = answer.cost.preset or answer.cost.spec
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">'
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    roof = f"{peak_text(device.peak[compute], compute)} in {compute}, {bandwidth_text(device.bandwidth)}"
    yield _text(LEFT, 24, f"{named} on {device.title}: {roof}", size=15)
    yield _text(LEFT, 40, "passes: least FLOPs and bytes; rows: each alone, unfused; all bounds, but for what was measured")
    for power in range(axes.left, axes.right + 1):
        x = axes.x(10.0**power)
        yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{BOTTOM}" stroke="#ddd"/>'
        yield _text(x, BOTTOM + 18, f"{10.0**power:,g}", anchor="middle")
    for power in range(axes.low, axes.high + 1):
        y = axes.y(10.0**power)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}" stroke="#ddd"/>'
        yield _text(LEFT - 6, y + 4, f"{10.0 ** (power - 12):,g}", anchor="end")
    yield _text((LEFT + RIGHT) / 2, BOTTOM + 40, "FLOP for each byte", anchor="middle")
    yield _text(LEFT - 6, TOP - 8, "TFLOP/s", anchor="end")
    ridge, start = axes.x(peak / bandwidth), axes.y(10.0**axes.left * bandwidth)
    corners = f"{LEFT},{start:.1f} {ridge:.1f},{axes.y(peak):.1f} {RIGHT},{axes.y(peak):.1f}"
    yield f'<polyline points="{corners}" fill="none" stroke="black" stroke-width="2"/>'
    yield _text(ridge, axes.y(peak) - 8, f"{peak / bandwidth:,.0f} FLOP/byte", anchor="middle")
    for number, one in enumerate(sorted(points, key=lambda point: -point.speed)):
        x, y, colour = axes.x(one.intensity), axes.y(one.speed), _COLOURS[one.kind]
        label = f"{one.name}: {_short(one.intensity)} FLOP/byte, {_short(one.speed / 1e12)} TFLOP/s"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"><title>{escape(label)}</title></circle>'
        yield _text(x, y + (20 if number % 2 else -10), str(number + 1), anchor="middle")
        yield _text(RIGHT + 30, TOP + 18 * number + 12, f"{number + 1}  {label}", colour=colour)
    yield "</svg>"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, colour: str = "black") -> str:
    font = "" if size == 12 else f' font-size="{size}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{font} fill="{colour}">{escape(text)}</text>'
