"""The lines of a recurrence: first states, the loop over an axis, the collected steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.resolve.architecture import Architecture, BoundRow

if TYPE_CHECKING:
    from generator.render.module.lines import LineWriter

Line = tuple[str, str]


def scan_lines(writer: LineWriter, bound: BoundRow, attribute: str, inputs: list[str]) -> list[Line]:
    """Return the lines that run a cell along an axis."""
    assert bound.child is not None
    target = writer.variable(bound.name)
    states = list(bound.row.carry)
    local = {name: f"{target}_{name}" for name in bound.child.spec.inputs}
    sliced = [local[name] for name in local if name not in states]
    axis = scan_axis(writer.arch, bound)
    lines = [_first_state(writer, bound, local[name], name, f"{attribute}.{name}", inputs[0]) for name in states]
    lines.append((f"{target}_collected = []", ""))
    slices = [f"{x}.unbind({axis})" for x in inputs]
    over = slices[0] if len(slices) == 1 else f"zip({', '.join(slices)}, strict=True)"
    lines.append((f"for {', '.join(sliced)} in {over}:", ""))
    new = [local[name] for name in states]
    results = [f"{target}_step", *new] if len(bound.child.outputs) > len(states) else new
    lines.append((f"    {', '.join(results)} = self.{attribute}({', '.join(local.values())})", ""))
    lines.append((f"    {target}_collected.append({results[0]})", ""))
    lines += [(f'keep(state, "{attribute}.{name}", {local[name]})', "") for name in states]
    stacked = target if "" in bound.results else f"{target}_steps"
    lines.append((f"{stacked} = torch.stack({target}_collected, {axis})", writer.shape_comment(bound.result.shape)))
    writer.lines.statements["from ._state import keep"] = None
    writer.lines.statements["from ._state import recall"] = None
    return lines


def _first_state(writer: LineWriter, bound: BoundRow, local: str, name: str, key: str, like: str) -> Line:
    """What earlier calls left, or zeros."""
    assert bound.child is not None
    shape = bound.child.inputs[name].shape
    sizes = ", ".join(writer.printer.run(size) for size in shape)
    return f'{local} = recall(state, "{key}", {like}.new_zeros({sizes}))', writer.shape_comment(shape)


def scan_axis(arch: Architecture, bound: BoundRow) -> int:
    """Return the axis of the inputs along which the cell runs."""
    assert arch.tracer is not None
    facts = arch.tracer.facts
    wanted = arch.sizes[bound.row.scan]
    return next(i for i, size in enumerate(bound.inputs[0].shape) if facts.equal(size, wanted))
