"""A sheet as plain data and back: what `gen cost` and `gen show` say of it, without sympy.

Claims, but for what sources print of presets, references and whatever else only other outputs show are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from generator.formulas.stored_formula import StoredFormula
from generator.sheet.number_formats import ITEM_BYTES
from generator.sheet.sheet import Constraint, OptionFlow, Sheet, SheetClaim, SheetPreset, SheetRow, Size

if TYPE_CHECKING:
    from sympy import Expr

    from generator.sheet.saved_bytes import SavedMemory


@dataclass(frozen=True)
class StoredMemory:
    """What is kept for the backward pass by number format; see `generator.sheet.saved_bytes.SavedMemory`."""

    by_kind: Mapping[str, Mapping[str, Any]]
    in_bytes: Mapping[str, Any]

    @property
    def full(self) -> Mapping[str, Any]:
        """The elements by kind in a model of float32."""
        return self.by_kind["float32"]

    def kinds(self, dtype: str) -> Mapping[str, Any]:
        """Return the elements by kind in a model of this format."""
        return self.by_kind[dtype]

    def bytes(self, dtype: str) -> Any:
        """Return the bytes in a model of this format. Raises KeyError for an unknown one."""
        return self.in_bytes[dtype]


def sheet_to_data(sheet: Sheet) -> dict[str, Any]:
    """Return a sheet as plain data. Raises FormulaDataError where one of its formulas has no such form."""
    order = [size.name for size in sheet.sizes]
    table = _Table(order)
    return {
        "name": sheet.name,
        "title": sheet.title,
        "sizes": [[size.name, size.meaning, size.kind, None if size.value is None else table.put(size.value)] for size in sheet.sizes],
        "options": dict(sheet.options),
        "constraints": [[one.text, table.put(one.condition)] for one in sheet.constraints],
        "rows": [
            [
                [row.path, row.name, row.depth, row.op, row.is_group],
                [[part, [table.put(axis) for axis in axes]] for part, axes in row.shapes],
                table.put(row.repeat),
                {key: table.put(cost) for key, cost in row.costs.items()},
            ]
            for row in sheet.rows
        ],
        "averages": sorted({table.put(axis) for row in sheet.rows for _, axes in row.shapes for axis in axes if sheet.is_average(axis)}),
        "totals": {key: table.put(total) for key, total in sheet.totals.items()},
        "presets": [[preset.name, dict(preset.sizes), dict(preset.expect), preset.implementation] for preset in sheet.presets],
        "other_presets": [[preset.name, dict(preset.sizes), preset.choices] for preset in sheet.other_presets],
        "printed": [
            [
                [one.of_preset, one.quantity, one.text, one.verdict, one.cite, one.note, one.erratum],
                list(one.ignored),
                [table.put(one.claimed), table.put(one.derived)],
            ]
            for one in sheet.claims
            if one.of_preset
        ],
        "flows": [[one.option, one.spec, one.value, one.source, one.giver] for one in sheet.flows],
        "saved": {dtype: {kind: table.put(count) for kind, count in sheet.saved.kinds(dtype).items()} for dtype in ITEM_BYTES},
        "saved_bytes": {dtype: table.put(sheet.saved.bytes(dtype)) for dtype in ITEM_BYTES},
        "formulas": table.formulas,
    }


def sheet_from_data(data: Mapping[str, Any]) -> Sheet:
    """Return the sheet, as far as it was kept. Raises KeyError, TypeError, ValueError and IndexError for data that is none of ours."""
    order = tuple(name for name, *_ in data["sizes"])
    formulas = [StoredFormula(formula, order, text) for formula, text in data["formulas"]]

    def get(place: int | str) -> Any:
        return formulas[place] if isinstance(place, int) else int(place)

    def all_of(places: Mapping[str, int | str]) -> dict[str, Any]:
        return {key: get(place) for key, place in places.items()}

    return Sheet(
        name=data["name"],
        title=data["title"],
        description="",
        source="",
        source_hash="",
        sizes=tuple(Size(name, meaning, kind, None if value is None else get(value)) for name, meaning, kind, value in data["sizes"]),
        options=data["options"],
        inputs={},
        outputs={},
        constraints=tuple(Constraint(text, get(condition)) for text, condition in data["constraints"]),
        rows=tuple(
            SheetRow(
                path, name, depth, op, (), tuple((part, tuple(map(get, axes))) for part, axes in shapes), get(repeat), group, all_of(costs)
            )
            for (path, name, depth, op, group), shapes, repeat, costs in data["rows"]
        ),
        averages=tuple(map(get, data["averages"])),
        totals=all_of(data["totals"]),
        presets=tuple(
            SheetPreset(name, sizes, expect, implementation=(other[0], other[1]) if other else None)
            for name, sizes, expect, other in data["presets"]
        ),
        other_presets=tuple(SheetPreset(name, sizes, {}, options=options) for name, sizes, options in data["other_presets"]),
        claims=tuple(
            SheetClaim(
                text=text,
                quantity=of,
                scope="",
                claimed=get(claimed),
                derived=get(derived),
                verdict=verdict,
                difference=cast("Expr", get(claimed) - get(derived)),
                cite=cite,
                note=note,
                erratum=erratum,
                ignored=tuple(ignored),
                of_preset=preset,
            )
            for (preset, of, text, verdict, cite, note, erratum), ignored, (claimed, derived) in data["printed"]
        ),
        flows=tuple(OptionFlow(*flow) for flow in data["flows"]),
        saved=cast(
            "SavedMemory",
            StoredMemory({dtype: all_of(kinds) for dtype, kinds in data["saved"].items()}, all_of(data["saved_bytes"])),
        ),
    )


class _Table:
    """Each formula of a sheet once: rows hold its number, or a number as text."""

    def __init__(self, order: list[str]) -> None:
        self.formulas: list[list[Any]] = []
        self._order = order
        self._places: dict[Any, int] = {}

    def put(self, formula: Any) -> int | str:
        """Return what stands for a formula. Raises FormulaDataError."""
        from generator.formulas.formula_data import to_data
        from generator.formulas.text import to_text

        if formula.is_Integer:
            return str(formula)
        if formula not in self._places:
            self._places[formula] = len(self.formulas)
            self.formulas.append([to_data(formula), to_text(formula, self._order)])
        return self._places[formula]
