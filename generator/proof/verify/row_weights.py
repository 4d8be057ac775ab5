"""Which row of a spec each parameter of the generated module belongs to."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from torch import Tensor

from generator.formulas.evaluate import evaluate
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import RowDifference
from generator.render.module.lines import row_names
from generator.resolve.architecture import BlockRow, BoundRow
from generator.sheet.sheet import SheetRow


def wrong_weights(own: Instance, quantity: str, counts: Callable[[Tensor], Fraction] = lambda _: Fraction(1)) -> RowDifference | None:
    """Return the first leaf row whose parameters are not as many as derived; None if there is none.

    Args:
        quantity: that of all parameters, or of those that count.
        counts: how much of each parameter counts.
    """
    rows = {row.path: row for row in own.sheet.rows}
    measured: dict[str, int | Fraction] = {}
    for parameter_name, parameter in own.module.named_parameters():
        path = _path(own, own.name, parameter_name.split("."), rows)
        measured[path] = measured.get(path, 0) + parameter.numel() * counts(parameter)
    for row in own.sheet.rows:
        derived = evaluate(row.costs[quantity], own.sizes)
        if not row.is_group and derived != measured.get(row.path, 0):
            return RowDifference(row.path, row.op, quantity, derived, measured.get(row.path, 0))
    return None


def _path(own: Instance, spec: str, names: list[str], rows: dict[str, SheetRow]) -> str:
    """Return the path of the row that owns a parameter, by the attributes of nested modules and the numbers of stacked ones."""
    path = ""
    while names:
        attributes = row_names(own.bench.modules.view(spec).arch).attributes
        one_of = "[".join(names[:2]) + "]"  # a stage of several
        row = next((row for row, attribute in attributes.items() if attribute in (names[0], one_of)), names[0])
        names = names[2 if attributes.get(row) == one_of else 1 :]
        path = f"{path}.{row}".lstrip(".")
        if path not in rows or not rows[path].is_group:
            break
        if rows[path].op == "pattern":
            path = f"{path}.{_kind_of_layer(own, path, int(names[0]))}"
        spec = rows[path].op.removeprefix("use ")
        names = names[1:] if names and names[0].isdigit() else names
    return path


def _kind_of_layer(own: Instance, path: str, number: int) -> str:
    """Return which kind of layers a layer of a stack of several kinds belongs to."""
    arch = own.bench.compiled(own.name).architecture
    found: BoundRow | None = None
    for name in path.split("."):
        found = arch.row(name)
        arch = found.child or arch
    assert isinstance(found, BlockRow)
    return found.kind_of_layer(number, lambda size: int(evaluate(size, own.sizes)))
