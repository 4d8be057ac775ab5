"""What a workbook shows of inference: the numbers that the API gives in that mode, and none that is the same as in training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from generator.api import LoadedSpec, load
from generator.in_bytes import PEAK_BYTES
from generator.quantities import QUANTITIES
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import Plan, make_plan

from .calculator import Job, calculated, needs_uno, same, stored
from .every import has_peak

TRAINED = """\
title: Batch norm and dropout in a stack
dims: {b: batch, d: width, f: inner width, L: layers}
inputs: {x: [b, d]}
blocks:
  layer:
    title: A layer
    dims: {b: batch, d: width, f: inner width}
    inputs: {x: [b, d]}
    layers:
      up:     {op: linear, out: [b, f]}
      norm:   {op: batch_norm}
      active: {op: activation, kind: gelu}
      some:   {op: dropout, p: 0.1}
      down:   {op: linear, out: [b, d]}
      y:      {op: add, in: [x, down]}
layers:
  blocks: {use: layer, repeat: L}
presets:
  small: {set: {b: 6, d: 8, f: 24, L: 3}}
  large: {set: {b: 32, d: 256, f: 1024, L: 5}}
"""
PLAIN = "title: Plain\ndims: {b: batch, d: width}\ninputs: {x: [b, d]}\nlayers:\n  y: {op: linear, in: x, out: [b, 2*d]}\n"
SIZES: list[dict[str, int]] = [{}, {"b": 9}, {"d": 40, "L": 9}]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "trained.yaml").write_text(TRAINED, encoding="utf-8")
    (tmp_path / "plain.yaml").write_text(PLAIN, encoding="utf-8")
    return tmp_path


def opened(files: Path, name: str, language: str = "en") -> tuple[LoadedSpec, Plan, Path]:
    spec = load(files / f"{name}.yaml")
    path = files / f"{name}-{language}.xlsx"
    path.write_bytes(build_workbook(spec.sheet, language))
    return spec, make_plan(spec.sheet, texts(language)), path


def test_only_what_is_another_number_in_inference_has_a_row(files: Path) -> None:
    spec, plan, path = opened(files, "trained")
    used = load(files / "trained.yaml", mode="inference")
    both = [(one.cost(preset="large"), one.cost(preset="small")) for one in (spec, used)]
    other = [q.key for q in QUANTITIES if any(a.value(q.key) != b.value(q.key) for a, b in zip(*both, strict=True))]
    assert [*plan.inference_rows] == [*other, PEAK_BYTES.key]
    assert {"vector_flops", "traffic_elements", "saved_elements"} <= {*other}
    assert "matmul_flops" not in other
    titles = [load_workbook(path)["Summary"][f"A{row}"].value for row in plan.inference_rows.values()]
    assert titles == [*(q.title for q in QUANTITIES if q.key in other), PEAK_BYTES.en.title]


def test_a_spec_that_does_the_same_in_inference_shows_nothing_of_it(files: Path) -> None:
    _, plan, path = opened(files, "plain")
    assert plan.inference_rows == {}
    assert not any("inference" in str(cell) for row in load_workbook(path)["Summary"].iter_rows(values_only=True) for cell in row)


@pytest.mark.slow
@needs_uno
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_numbers_of_inference_follow_the_sizes_as_the_api_does(files: Path, language: str) -> None:
    _, plan, path = opened(files, "trained", language)
    used = load(files / "trained.yaml", mode="inference")
    summary = plan.words("sheets.summary")
    asked: list[tuple[str, dict[str, int], str]] = [
        (preset, sizes, dtype) for preset, dtype in (("small", "float32"), ("large", "float16")) for sizes in SIZES
    ]
    typed: list[dict[Any, Any]] = [
        {(summary, "B2"): preset, (summary, f"B{plan.format_row}"): dtype}
        | {(summary, f"C{plan.size_rows[name]}"): value for name, value in sizes.items()}
        for preset, sizes, dtype in asked
    ]
    ((fresh, *answers),) = calculated([Job(path, [{}, *typed], [(summary, stored(path).extents[summary])])], files)
    rows, now = plan.inference_rows, stored(path).values
    assert all(same(now[summary, f"{column}{row}"], fresh.values[summary, f"{column}{row}"]) for row in rows.values() for column in "BCD")
    for (preset, sizes, dtype), answer in zip(asked, answers, strict=True):
        cost = used.cost(preset=preset, **sizes, dtype=dtype)
        peak = cost.peak_bytes if has_peak(used.sheet, cost.dims, dtype) else "–"
        expected = {key: peak if key == PEAK_BYTES.key else cost.value(key) for key in rows}
        assert {key: answer.values[summary, f"D{row}"] for key, row in rows.items()} == expected, (preset, sizes)
        assert answer.errors == {}
