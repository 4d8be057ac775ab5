"""The lines of a stack of layers of several kinds: which kind stands in which place, and how each runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from sympy import Expr, Integer

from generator.render.module.python_names import safe
from generator.render.module.signature import SizePrinter
from generator.render.module.wrapping import LONGEST, wrapped
from generator.resolve.architecture import BlockRow
from generator.spec.model import Expression, Layers
from generator.text.expressions import symbolic


def pattern_init(bound: BlockRow, attribute: str, printer: SizePrinter, made: Mapping[str, str]) -> list[str]:
    """Return the lines that build the layers.

    Args:
        made: for each kind of layer, the Python that builds one.
    """
    spec = printer.arch.spec
    index = safe("i", {*spec.dims, *spec.options, *spec.slots, *printer.variables.values()})
    row, sizes = bound.row, printer.arch.sizes

    def size(expression: Expression | None) -> Expr:
        return Integer(1) if expression is None else symbolic(expression.ast, sizes)

    def times(layers: Layers | None) -> Expr:
        return Integer(0) if layers is None else size(layers.times)

    total, first, last = size(row.repeat), times(row.first), times(row.last)
    places = [("first", f"{index} < {printer.built(first)}")] if row.first is not None else []
    if row.last is not None:
        places.append(("last", f"{index} >= {printer.built(total - last)}"))
    ends = [*accumulate(times(kind) for kind in row.kinds.values())]
    counted = index if first == 0 else f"({index} - {printer.built_operand(first)})"
    for name, end in zip([*row.kinds][:-1], ends, strict=False):
        within = "== 0" if end == 1 else f"< {printer.built(end)}"
        places.append((name, f"{counted} % {printer.built_operand(ends[-1])} {within}"))
    places.append(([*row.kinds][-1], ""))
    return _short(places, attribute, made, index, printer.built(total)) or _long(places, attribute, made, index, printer.built(total))


def _short(places: Sequence[tuple[str, str]], attribute: str, made: Mapping[str, str], index: str, total: str) -> list[str]:
    """Return one expression for two kinds of layers; nothing where it is too long."""
    if len(places) != 2:
        return []
    (one, condition), (other, _) = places
    choice = f"    {made[one]} if {condition} else {made[other]}"
    whole = f"self.{attribute} = nn.ModuleList({choice.strip()} for {index} in range({total}))"
    if len(whole) <= LONGEST:
        return [whole]
    if len(choice) > LONGEST:
        return []
    return [f"self.{attribute} = nn.ModuleList(", choice, f"    for {index} in range({total})", ")"]


def _long(places: Sequence[tuple[str, str]], attribute: str, made: Mapping[str, str], index: str, total: str) -> list[str]:
    lines = [f"self.{attribute} = nn.ModuleList()", f"for {index} in range({total}):"]
    word = "if"
    for name, condition in places:
        lines.append(f"    {word} {condition}:" if condition else "    else:")
        lines += _appended(attribute, made[name])
        word = "elif"
    return lines


def _appended(attribute: str, construction: str) -> list[str]:
    line = f"        self.{attribute}.append({construction})"
    if len(line) <= LONGEST:
        return [line]
    return [f"        self.{attribute}.append(", *wrapped(f"            {construction}"), "        )"]
