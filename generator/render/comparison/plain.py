"""A comparison as plain data, for scripts: JSON and CSV, with exact numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sympy import Expr, Symbol

from generator.formulas.text import to_text
from generator.questions.comparison.result import ComparisonResult, MeasureTable, SidePair, Value
from generator.questions.growth.crossing import Root
from generator.render.comparison.wording import closed_text, verdict


def to_dict(result: ComparisonResult) -> dict[str, Any]:
    """Return everything as JSON can hold it. Numbers that are not whole are given as `numerator/denominator`."""
    comparison = result.comparison
    return {
        "comparison": comparison.name or None,
        "view": comparison.view,
        "size": comparison.axis.size or None,
        "sides": [
            {"label": one.label, "spec": one.sheet.name, "preset": one.preset or None, "row": one.row or None, "sizes": _sizes(one.sizes)}
            for one in comparison.subjects
        ],
        "at": list(comparison.axis.values) if comparison.axis.size else [],
        "values": {table.measure.key: _columns(result, table) for table in result.tables},
        "crossings": [_pair(pair) for pair in result.pairs] if comparison.axis.size else [],
    }


def to_csv(result: ComparisonResult) -> str:
    """Return one line for each value of the swept size and each side."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    size = result.comparison.axis.size
    writer.writerow([*([size] if size else []), "side", *(table.measure.key for table in result.tables)])
    for i, at in enumerate(result.comparison.axis.values):
        for j, subject in enumerate(result.comparison.subjects):
            writer.writerow([*([at] if size else []), subject.label, *(_number(table.values[i][j]) for table in result.tables)])
    return out.getvalue()


def _sizes(known: Mapping[Symbol, Expr]) -> dict[str, Any]:
    """Return each size that is known: as a number, or as an expression of the swept one."""
    return {name.name: int(value) if value.is_Integer else to_text(value) for name, value in known.items() if value != name}


def _columns(result: ComparisonResult, table: MeasureTable) -> dict[str, Any]:
    labels = [subject.label for subject in result.comparison.subjects]
    return {label: [_number(row[j]) for row in table.values] for j, label in enumerate(labels)}


def _number(value: Value | None) -> Any:
    return str(value) if isinstance(value, Fraction) else value


def _pair(pair: SidePair) -> dict[str, Any]:
    return {
        "measure": pair.measure.key,
        "first": pair.first.label,
        "second": pair.second.label if pair.second else None,
        "ratio": _number(pair.ratio.numerator if pair.ratio.denominator == 1 else pair.ratio),
        "says": verdict(pair),
        "signs": list(pair.crossing.signs),
        "closed_form": closed_text(pair) or None,
        "roots": [_root(root) for root in pair.crossing.roots],
    }


def _root(root: Root) -> dict[str, Any]:
    exact = str(root.value) if root.value is not None and root.value.is_Rational else None
    return {"exact": exact, "near": root.near, "between": [root.low, root.high]}
