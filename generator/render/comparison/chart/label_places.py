"""Where labels stand so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return heights near the wanted ones, at least `gap` apart and between `low` and `high` as far as there is room; order is kept."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [wanted[i] for i in order]
    for _ in range(200):
        moved = False
        for i in range(1, len(placed)):
            missing = gap - (placed[i] - placed[i - 1])
            if missing > 1e-6:
                placed[i - 1] -= missing / 2
                placed[i] += missing / 2
                moved = True
        shift = max(0.0, low - placed[0]) or min(0.0, high - placed[-1]) if placed else 0.0
        if placed and placed[-1] - placed[0] <= high - low:
            placed = [one + shift for one in placed]
        if not moved and abs(shift) < 1e-6:
            break
    found = [0.0] * len(wanted)
    for place, i in zip(placed, order, strict=True):
        found[i] = place
    return found


@dataclass(frozen=True)
class Box:
    """A rectangle on the page."""

    left: float
    bottom: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        """Say whether two rectangles share some of the page."""
        apart = (
            self.left + self.width <= other.left
            or other.left + other.width <= self.left
            or self.bottom + self.height <= other.bottom
            or other.bottom + other.height <= self.bottom
        )
        return not apart


def free_place(point: tuple[float, float], width: float, height: float, taken: Sequence[Box], bounds: Box) -> Box | None:
    """Return the first free place for a label around a point: right below, left above, then farther away; None if all are taken."""
    x, y = point
    for distance in (7.0, 14.0, 24.0, 36.0, 50.0, 66.0, 84.0):
        for dx, dy in ((1, -1), (-1, 1), (1, 1), (-1, -1), (0, -1), (0, 1)):
            left = x + dx * distance * 0.7 - (width if dx < 0 else width / 2 if dx == 0 else 0)
            bottom = y + dy * distance - (height if dy < 0 else 0)
            box = Box(left, bottom, width, height)
            inside = (
                box.left >= bounds.left
                and box.bottom >= bounds.bottom
                and box.left + width <= bounds.left + bounds.width
                and box.bottom + height <= bounds.bottom + bounds.height
            )
            if inside and not any(box.overlaps(other) for other in taken):
                return box
    return None
