"""What times say about growth."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from generator.proof.bench.plot import plot
from generator.proof.bench.points import Point, fitted_exponent, growth

SQUARE = [Point(value, (value**2 / 1e6,), 10 * value) for value in (10, 20, 40)]


def test_a_square_has_the_exponent_two_and_a_line_one() -> None:
    grown = growth(SQUARE[0], SQUARE[1])
    assert (grown.time_ratio, grown.time_exponent) == (pytest.approx(4), pytest.approx(2))
    assert (grown.flops_ratio, grown.flops_exponent) == (2, pytest.approx(1))
    assert fitted_exponent(SQUARE) == pytest.approx(2)


def test_the_median_ignores_a_run_that_was_disturbed_and_the_spread_the_outer_quarters() -> None:
    point = Point(1, (4.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 100.0), 8)
    assert (point.median, point.rate) == (2.0, 4.0)
    assert point.spread == pytest.approx(0.5)  # from 2 to 3


def test_the_picture_is_xml_with_both_curves_inside_of_it() -> None:
    root = ET.fromstring(plot("Times <of> one & all", "n", SQUARE))  # noqa: S314  our own text
    space = "{http://www.w3.org/2000/svg}"
    curves = {line.get("class"): line.get("points") for line in root.iter(f"{space}polyline")}
    assert set(curves) == {"axis", "time", "flops"}
    corners = [tuple(map(float, pair.split(","))) for points in curves.values() for pair in (points or "").split()]
    assert all(0 <= x <= 640 and 0 <= y <= 420 for x, y in corners)
    assert "Times <of> one & all" in [text.text for text in root.iter(f"{space}text")]
    # Time grows faster than predicted, so that the curve of the prediction lies above it at the left (smaller y) and meets it at the right.
    time, flops = ([tuple(map(float, pair.split(","))) for pair in (curves[name] or "").split()] for name in ("time", "flops"))
    assert flops[0][1] < time[0][1]
    assert flops[-1] == time[-1]
