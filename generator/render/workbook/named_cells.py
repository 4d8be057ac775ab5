"""Names of cells that other workbooks and programs can link to: totals, bytes, results of both scenarios, and inputs.

Each has a dot, which no name of a size has: so names of sizes stay as they are, whatever is named here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import generator.render.workbook.load_choices as choices
from generator.in_bytes import BYTES, INTENSITY, PEAK_BYTES
from generator.quantities import QUANTITIES
from generator.render.workbook.load_sheet import has_load
from generator.render.workbook.sheet_plan import PRESET_CELL, Plan

# Of lines that are shown in a unit: it is a part of the name.
SHOWN_IN = {
    **dict.fromkeys(("weights", "states", "master", "gradients", "all_cache", "activations", "total", "device_memory", "left"), "_gib"),
    "work": "_gflop",
    "moved": "_gb",
}


@dataclass(frozen=True)
class NamedCell:
    """A name, the cell that it stands for, and what Excel's Name Manager says of it."""

    name: str
    cell: str
    comment: str


def named_cells(plan: Plan) -> Iterator[NamedCell]:
    """Yield all names but those of sizes."""
    words = plan.words
    yield NamedCell("input.preset", plan.at("summary", PRESET_CELL), words("summary.preset"))
    yield NamedCell("input.number_format", plan.at("summary", f"$B${plan.format_row}"), words("memory.format"))
    for size in plan.settable:
        cell = plan.at("summary", f"$C${plan.size_rows[size.name]}")
        yield NamedCell(f"input.{plan.names[size.name]}", cell, f"{words('summary.override')}: {size.name}")
    for one in QUANTITIES:
        yield NamedCell(f"total.{one.key}", plan.total_cell(one), f"{plan.title(one)} ({plan.unit(one)})")
    titles = {amount.key: plan.short(amount.of) for amount in BYTES} | {PEAK_BYTES.key: PEAK_BYTES.words(words.language).title}
    for key, title in titles.items():
        yield NamedCell(f"total.{key}", plan.at("summary", f"$D${plan.memory_rows[key]}"), f"{title} ({words('memory.byte')})")
    ratio = plan.at("summary", f"$B${plan.memory_rows[INTENSITY.key]}")
    yield NamedCell(f"total.{INTENSITY.key}", ratio, INTENSITY.words(words.language).title)
    for key, row in plan.inference_rows.items():
        yield NamedCell(f"inference.{key}", plan.at("summary", f"$D${row}"), words("summary.inference")[:250])
    if has_load(plan.sheet):
        yield from _scenarios(plan)


def _scenarios(plan: Plan) -> Iterator[NamedCell]:
    words = plan.words
    for letter, scenario in zip(choices.SCENARIOS, "AB", strict=True):
        said = words("load.scenario", name=scenario)
        for key in choices.CHOICES:
            cell = plan.at("load", f"${letter}${choices.choice_row(key)}")
            yield NamedCell(f"scenario_{scenario.lower()}.input.{key}", cell, f"{said}: {words(f'load.c_{key}')}")
        lines = {key: choices.FIRST_MEMORY_ROW + i for i, key in enumerate(choices.MEMORY)}
        lines |= {key: choices.FIRST_TIME_ROW + i for i, key in enumerate(choices.TIMES)}
        for key, row in lines.items():
            label = words(f"load.{'m' if key in choices.MEMORY else 't'}_{key}", unit=words("load.items"))
            name = f"scenario_{scenario.lower()}.{key}{SHOWN_IN.get(key, '')}"
            yield NamedCell(name, plan.at("load", f"${letter}${row}"), f"{said}: {label}")
