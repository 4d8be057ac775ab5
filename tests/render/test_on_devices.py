"""The table of devices on a page, and rooflines as pictures: against `gen time`."""

from __future__ import annotations

import json
import re
from math import log10
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from generator.cli import main
from generator.questions.hardware.device_names import builtin_devices
from generator.render.markdown.on_devices import on_devices_section
from generator.sheet.compiled import compile_spec
from tests.support.builtin import builtin_library

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("spec", "words"),
    [("gpt2", ("gpt2", "--preset", "gpt2", "b=1", "n=1", "m=1024")), ("bert", ("bert-base", "b=1", "n=128"))],
)
def test_a_page_has_the_times_of_the_command(spec: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    found = on_devices_section(compile_spec(builtin_library(), spec).sheet)
    assert found is not None
    by_device = {row[0]: row for row in found.devices.rows}
    assert [*by_device] == [device.title for device in builtin_devices()]
    assert main(["time", *words, "--device", "a100", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["forward_pass"]
    row = by_device["NVIDIA A100 80 GB (SXM4)"]
    assert row[6] == said["bound_by"]
    number, unit = row[5].split()
    assert float(number) * {"ms": 1e-3, "us": 1e-6}[unit] == pytest.approx(said["bound_seconds"], rel=1e-3)
    assert float(row[7].replace(",", "")) == pytest.approx(said[f"bound_{said['unit']}_per_second"], rel=1e-3)


def test_a_spec_without_published_sizes_has_no_table() -> None:
    assert on_devices_section(compile_spec(builtin_library(), "mlp").sheet) is None


def test_a_roofline_has_each_pass_and_row_on_its_roof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "roofline.svg"
    words = ("gpt2", "--preset", "gpt2", "b=8", "n=256", "--device", "a100", "--measured", "0.01")
    assert main(["time", *words, "--json", "--roofline", str(file)]) == 0
    said = json.loads(capsys.readouterr().out)
    picture = ET.fromstring(file.read_text(encoding="utf-8"))  # noqa: S314 - written by ourselves
    points = {one.findtext(f"{SVG}title", "").partition(":")[0]: one for one in picture.iter(f"{SVG}circle")}
    rows = {row["name"]: row for row in said["rows"]}
    assert len(points) == 1 + 1 + 6
    (roof,) = (one.attrib["points"].split() for one in picture.iter(f"{SVG}polyline"))
    (left, start), (ridge, top), (_, flat) = ([float(number) for number in corner.split(",")] for corner in roof)
    assert top == flat
    for name, point in points.items():
        x, y = (float(point.attrib[key]) for key in ("cx", "cy"))
        on_roof = top if x >= ridge else start + (top - start) * (x - left) / (ridge - left)
        if name.endswith("measured"):
            assert y > on_roof + 1
        else:
            assert y == pytest.approx(on_roof, abs=0.3)
            if name in rows:
                assert rows[name]["bound_by"] == ("compute" if x >= ridge else "memory")
    width = (ridge - left) / log10(312e12 / 2039e9 / 10.0 ** _least_power(picture))
    pass_ = said["forward_pass"]
    intensity = pass_["least_flops"] / pass_["least_bytes"]
    x = float(points["a forward pass"].attrib["cx"])
    assert x == pytest.approx(left + width * (log10(intensity) - _least_power(picture)), abs=0.3)


def _least_power(picture: ET.Element) -> int:
    """Return the power of ten at the left end of the axis."""
    labels = [one for one in picture.iter(f"{SVG}text") if one.attrib["y"] == "418.0" and re.fullmatch(r"[\d.,]+", one.text or "")]
    first = min(labels, key=lambda one: float(one.attrib["x"]))
    return round(log10(float((first.text or "").replace(",", ""))))
