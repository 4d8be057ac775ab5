"""What only the workbook works out (shares, ratios, bytes, intensity, units, the greatest layer) against numbers worked out by hand.

The model: attention scores of n positions in width d (n^2 d multiply-accumulates) and one widening (4 n d^2), at n = 64, d = 32:
131,072 and 262,144 multiply-accumulates, so 786,432 FLOP. Each formula is also broken once, and must be found out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from inspect import getsource
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from generator import quantities
from generator.quantities import QUANTITIES
from generator.render.texts import texts
from generator.render.workbook import build_workbook, cost_shares, layers, live, presets, results, scaling, sentences, unit_scale
from generator.render.workbook.sheet_plan import DOUBLING_ROW, FIRST_LAYER_ROW, FIRST_STEP_ROW, Plan, make_plan
from generator.sheet.saved_bytes import SavedMemory
from generator.sheet.sheet import Sheet, SheetPreset, Size

from .calculator import Job, calculated, needs_uno, same, stored
from .libreoffice import Cell
from .sheets import d, grouped, n, row, sums

ROWS = grouped(
    [
        row("mix", "use attention", (n, d)),
        row("mix.scores", "einsum", (n, n), macs=n**2 * d, saved_elements=n**2, traffic_elements=n * d + n**2, state_elements=2 * n * d),
        row("net", "use mlp", (n, d)),
        row(
            "net.up", "linear", (n, 4 * d), macs=4 * n * d**2, params=4 * d**2, vector_flops=n * d, saved_elements=n * d,
            traffic_elements=n * d + 4 * d**2,
        ),
    ]
)  # fmt: skip
SHEET = Sheet(
    "hand", "By hand", "", "hand.yaml", "0" * 64,
    (Size("n", "sequence length", "free"), Size("d", "model width", "free")), {}, {"x": (n, d)}, {}, (), ROWS, sums(ROWS),
    (SheetPreset("narrow", {"n": 64, "d": 32}, {"params": 4096}), SheetPreset("wide", {"n": 64, "d": 64}, {"params": 16000})),
    saved=SavedMemory({"float": n**2 + n * d}),
)  # fmt: skip
FLOAT16 = {"param_bytes": 8192, "saved_bytes": 12288, "state_bytes": 8192, "traffic_bytes": 24576}


def truth(plan: Plan) -> dict[Cell, Any]:
    """Return what cells must hold; every number is worked out from the description above."""
    total, memory, part = plan.total_rows, plan.memory_rows, plan.first_part_row
    assert [one.name for one in plan.parts] == ["attention", "mlp"]
    found: dict[Cell, Any] = {}
    for key, exact, rounded, unit in (
        ("params", 4096, 4.096, "k scalars"),
        ("macs", 393216, 393.216, "kMAC"),
        ("matmul_flops", 786432, 786.432, "kFLOP"),
        ("vector_flops", 2048, 2.048, "kFLOP"),
        ("saved_elements", 6144, 6.144, "k elements"),
        ("state_elements", 4096, 4.096, "k elements"),
        ("traffic_elements", 12288, 12.288, "k elements"),
    ):
        found |= {("Summary", f"{column}{total[key]}"): value for column, value in zip("BCD", (rounded, unit, exact), strict=True)}
    for key, kib in (("param_bytes", 16), ("saved_bytes", 24), ("state_bytes", 16), ("traffic_bytes", 48)):
        found |= {("Summary", f"{column}{memory[key]}"): value for column, value in zip("BCD", (kib, "KiB", kib * 1024), strict=True)}
    found["Summary", f"B{memory['arithmetic_intensity']}"] = Fraction(786432 + 2048, 4 * 12288)
    shares = {
        "B": (0, 1),
        "C": (Fraction(1, 3), Fraction(2, 3)),
        "D": (Fraction(2, 3), Fraction(1, 3)),
        "E": (Fraction(1, 2), Fraction(1, 2)),
    }
    found |= {("Summary", f"{column}{part + i}"): share for column, both in shares.items() for i, share in enumerate(both)}
    found["Summary", "A3"] = "4.1 thousand parameters, 786.4 kFLOP in the contractions of one forward pass"
    found["Summary", "A4"] = "At these sizes attention is 33% of the matmul FLOPs and mlp 67%; attention overtakes mlp beyond n = 128."
    found["Summary", "A5"] = "Doubling n multiplies the matmul FLOPs by 2.67 and the activation memory by 3.33."
    found["Summary", "A6"] = "The most expensive layer is up (mlp): 67% of the matmul FLOPs."
    ratios = {
        "params": 1,
        "macs": Fraction(8, 3),
        "saved_elements": Fraction(10, 3),
        "traffic_elements": Fraction(7, 3),
        "state_elements": 2,
    }
    found |= {("Scaling", f"{plan.scaled_columns[key]}{DOUBLING_ROW + 2}"): ratio for key, ratio in ratios.items()}
    found["Scaling", f"A{FIRST_STEP_ROW}"] = 8  # an eighth of n
    found["Scaling", f"{plan.scaled_columns['matmul_flops']}{FIRST_STEP_ROW}"] = 2 * (8**2 * 32 + 4 * 8 * 32**2)
    found["Scaling", f"{plan.scaled_columns['matmul_flops']}{FIRST_STEP_ROW + 1}"] = 2 * (16**2 * 32 + 4 * 16 * 32**2)
    share_column = chr(ord(plan.quantity_column(QUANTITIES[-1])) + 1)
    found |= {("Layers", f"{share_column}{FIRST_LAYER_ROW + i}"): Fraction(1 + i // 2, 3) for i in range(4)}
    wide = plan.columns[1].letter
    found["Presets", f"{wide}{plan.preset_total_rows['params']}"] = 16384
    found["Presets", f"{wide}{plan.preset_total_rows['matmul_flops']}"] = 2 * (64**2 * 64 + 4 * 64 * 64**2)
    found["Presets", f"{wide}{plan.expected_rows['params'] + 1}"] = 384  # computed minus published
    return found


def wrong(plan: Plan, values: Mapping[Cell, Any]) -> dict[Cell, Any]:
    return {cell: (value, values.get(cell)) for cell, value in truth(plan).items() if not _same(value, values.get(cell))}


def _same(expected: Any, found: Any) -> bool:
    if found is None or isinstance(expected, str) != isinstance(found, str):
        return False
    return same(expected, found)


def plan_of(sheet: Sheet = SHEET) -> Plan:
    return make_plan(sheet, texts("en"))


def written(folder: Path, name: str = "hand") -> Path:
    file = folder / f"{name}.xlsx"
    file.write_bytes(build_workbook(SHEET))
    return file


def test_stored_values_are_those_worked_out_by_hand(tmp_path: Path) -> None:
    assert wrong(plan_of(), stored(written(tmp_path)).values) == {}


# ---- each formula broken once ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """A function of the renderer in which one text is another."""

    name: str
    function: Any
    old: str
    new: str


# What is stored beside a formula.
VALUES = [
    Mutant("intensity inverted", Sheet.ratio, "ratio.of.key) / below", "ratio.of.key) * below"),
    Mutant("pointwise FLOPs left out", quantities.cost_formula, "for other in others)", "for other in others[1:])"),
    Mutant("bytes doubled", Sheet.in_bytes, "ITEM_BYTES[dtype] *", "2 * ITEM_BYTES[dtype] *"),
    Mutant("a share of the part", cost_shares._write_share, "Fraction(part) / Fraction(whole)", "Fraction(whole) / Fraction(part or 1)"),
    Mutant("halving instead of doubling", scaling.Scaling.ratio, "(after) / Fraction(before)", "(before) / Fraction(after)"),
    Mutant("the cheapest layer", sentences._largest_layer, "most = max(costs", "most = min(costs"),
    Mutant("presets at the sizes of the first", presets._write_total, "sizes=column.values", "sizes=plan.in_use"),
    Mutant("published minus computed", presets._difference, "found - expected\n", "expected - found\n"),
    Mutant("thousands too far", unit_scale.UnitScale.scaled, "self.base**step", "self.base ** (step + 1)"),
    Mutant("percent of nothing", live.percent, "Fraction(value) * 100", "Fraction(value) * 10"),
]  # fmt: skip
# What the spreadsheet calculates.
FORMULAS = [
    Mutant("intensity inverted", results._write_ratio, "({above})/$D$", "({above})*$D$"),
    Mutant("pointwise FLOPs left out", results._write_ratio, "in ratio.of.sum_of or", "in ratio.of.sum_of[:1] or"),
    Mutant("bytes divided", results._write_amount, "{counted}*{plan.item_bytes_cell}", "{counted}/{plan.item_bytes_cell}"),
    Mutant("a share of the part", cost_shares._write_share, "{costs})/{total})", "{costs}))"),
    Mutant("halving instead of doubling", scaling._Lines.write_ratio, "{row - 1}/{column}{row - 2}", "{row - 2}/{column}{row - 1}"),
    Mutant("first value", scaling._write_inputs, "MAX(1,INT({used}/{places.STEPS_BEFORE}))", "MAX(1,INT({used}*{places.STEPS_BEFORE}))"),
    Mutant("presets at the sizes of the first", presets._write_total, "=cells_of(plan, column)", "=cells_of(plan, plan.columns[0])"),
    Mutant("published minus computed", presets._write_expected, "{found}-{published}", "{published}-{found}"),
    Mutant("thousands too far", unit_scale.UnitScale.scaled_formula, "{cell}/{self.base}^", "{cell}*{self.base}^"),
    Mutant("the next unit", unit_scale.UnitScale.unit_formula, "CHOOSE(1+", "CHOOSE(2+"),
    Mutant("the cheapest layer", sentences._Largest.__init__, "SUMPRODUCT(MAX(({self.parts}<>\"\")*{self.values}))", "SUM({self.values})"),
    Mutant("percent of nothing", live.percent, "ROUND(100*{cell},0)", "ROUND(10*{cell},0)"),
    Mutant("shares of layers", layers._write_shares, "/{", "*{"),
]  # fmt: skip


@contextmanager
def broken(mutant: Mutant) -> Iterator[None]:
    """Run the renderer with a mutant in the place of its function, for all who have imported it."""
    function: FunctionType = mutant.function
    source = textwrap.dedent(getsource(function))
    assert mutant.old in source, f"{mutant.name}: the formula is written otherwise now"
    namespace: dict[str, Any] = {}
    code = compile(f"from __future__ import annotations\n{source.replace(mutant.old, mutant.new)}", "mutant", "exec")
    exec(code, function.__globals__, namespace)  # noqa: S102 - the renderer's own source
    good = function.__code__
    function.__code__ = namespace[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = good


@pytest.mark.parametrize("mutant", VALUES, ids=lambda mutant: mutant.name)
def test_a_wrong_value_is_found(mutant: Mutant, tmp_path: Path) -> None:
    with broken(mutant):
        file = written(tmp_path)
    assert wrong(plan_of(), stored(file).values) != {}


@pytest.mark.slow
@needs_uno
def test_wrong_formulas_are_found_when_everything_is_calculated_anew(tmp_path: Path) -> None:
    plan = plan_of()
    files = [written(tmp_path)]
    for i, mutant in enumerate(FORMULAS):
        with broken(mutant):
            files.append(written(tmp_path, f"mutant-{i}"))
    reads = [(title, cells) for title, cells in stored(files[0]).extents.items() if title in ("Summary", "Scaling", "Layers", "Presets")]
    half = {("Summary", f"B{plan.format_row}"): "float16"}
    jobs = [Job(files[0], [{}, half], reads), *(Job(file, [{}], reads) for file in files[1:])]
    (good, halved), *others = calculated(jobs, tmp_path)
    assert wrong(plan, good.values) == {}
    for key, bytes_ in FLOAT16.items():
        assert halved.values["Summary", f"D{plan.memory_rows[key]}"] == bytes_
    assert halved.values["Summary", f"B{plan.memory_rows['arithmetic_intensity']}"] == pytest.approx(788480 / 24576, rel=1e-15)
    unseen = [mutant.name for mutant, (answer,) in zip(FORMULAS, others, strict=True) if wrong(plan, answer.values) == {}]
    assert unseen == []
