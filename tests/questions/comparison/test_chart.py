"""Charts: the same bytes each time, readable in light and dark, nothing on top of something else."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.dom import minidom

import pytest

from generator.api import load
from generator.questions.comparison.comparison import Comparison
from generator.questions.comparison.result import ComparisonResult, compared
from generator.questions.growth.axes import Axis
from generator.questions.growth.subject import Subject
from generator.render.comparison.chart.label_places import Box, free_place, spread
from generator.render.comparison.chart.palette import INK, LINES, PAPER, dark

pytest.importorskip("matplotlib")
from generator.render.comparison.chart.draw import ChartError, draw
from generator.render.comparison.chart.panel import power_text


def result(view="cost", measures=("macs", "saved_elements")) -> ComparisonResult:
    given = {"b": 1, "d": 768, "h": 12}
    sides = [Subject(name, load(name).sheet, given) for name in ("multi_head_attention", "linear_attention")]
    if view == "share":
        sides = [Subject("block", load("pre_norm_block").sheet, given, "attention")]
    return compared(Comparison("x", "A <title> & more", tuple(sides), Axis("n", (16, 64, 256, 1024)), measures, view=view))


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", [*LINES, INK])
def test_colours_can_be_read_on_white_and_on_dark(colour) -> None:
    """4.5 is what WCAG 2.2 asks of text."""
    assert contrast(colour, PAPER) >= 4.5
    assert contrast(dark(colour), dark(PAPER)) >= 4.5


def test_the_same_comparison_gives_the_same_bytes_and_no_date() -> None:
    first = draw(result())
    assert first == draw(result())
    assert not re.search(rb"20\d\d-\d\d-\d\d|dc:date", first)


def test_the_svg_is_well_formed_named_and_marked() -> None:
    svg = draw(result()).decode()
    root = minidom.parseString(svg).documentElement  # noqa: S318 - our own
    assert root.getAttribute("aria-label") == "A <title> & more"
    assert "Made by `gen build`" in svg[:200]
    assert "prefers-color-scheme: dark" in svg


def test_every_colour_of_the_drawing_has_a_dark_counterpart() -> None:
    svg = draw(result()).decode()
    body = svg.partition("</style>")[2]
    for colour in set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", body)):
        assert f'{colour}"]' in svg.partition("</style>")[0], colour


def test_a_share_is_drawn_and_other_files_are_refused() -> None:
    assert draw(result("share", ("macs",)), ".png").startswith(b"\x89PNG")
    with pytest.raises(ChartError, match=r"not `\.gif`"):
        draw(result(), ".gif")
    with pytest.raises(ChartError, match="nothing above zero"):
        draw(result(measures=("state_elements",)))


def test_labels_are_spread_and_keep_their_order() -> None:
    placed = spread([10.0, 11.0, 10.5, 90.0], 8.0, 0.0, 100.0)
    ordered = sorted(placed)
    assert all(b - a >= 8 - 1e-3 for a, b in pairwise(ordered))
    assert sorted(range(4), key=lambda i: placed[i]) == [0, 2, 1, 3]
    assert min(placed) >= 0
    assert max(placed) <= 100


def test_a_label_finds_a_free_place_or_none() -> None:
    bounds = Box(0, 0, 100, 100)
    place = free_place((50, 50), 20, 10, [Box(50, 30, 40, 20)], bounds)
    assert place is not None
    assert not place.overlaps(Box(50, 30, 40, 20))
    assert free_place((50, 50), 20, 10, [bounds], bounds) is None


@pytest.mark.parametrize(("value", "text"), [(1, "1"), (100, "100"), (1000, "1 k"), (10**8, "100 M"), (10**13, "10 T"), (0.1, "0.1")])
def test_powers_of_ten_have_prefixes(value, text) -> None:
    assert power_text(value) == text
