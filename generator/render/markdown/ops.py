"""The page of all ops: what each does, its parameters, and what each operation costs in pointwise FLOPs."""

from __future__ import annotations

from typing import Any

from generator.files.docstrings import docstring
from generator.ops.base import Op
from generator.ops.params import ChoiceKind
from generator.ops.registry import ops
from generator.render.environment import environment
from generator.text.spec_values import as_written
from generator.trace.kernels import published
from generator.trace.vector_table import PRIMITIVES, RULES


def render_ops() -> str:
    """Return the page. Everything in it is read off the op classes and the table that the counter obeys."""
    rules: dict[str, list[str]] = {}
    for name, rule in sorted(PRIMITIVES.items()):
        rules.setdefault(rule, []).append(f"`{name}`")
    return (
        environment()
        .get_template("markdown/ops.md.jinja")
        .render(
            ops=[_entry(op) for op in ops().values()],
            rules=[(RULES[rule], ", ".join(rules[rule])) for rule in RULES if rule in rules],
            composites=[(name, cost) for name, cost in published() if not name.startswith("_scaled")],
        )
    )


def _entry(op: type[Op]) -> dict[str, Any]:
    least, most = op.arity
    most_text = "or more" if most is None else f"to {most}"
    inputs = str(least) if most == least else f"{least} {most_text}"
    return {
        "name": op.name,
        "doc": docstring(op),
        "inputs": inputs,
        "needs_out": op.needs_out,
        "parameters": [_parameter(name, metadata) for name, metadata in op.parameters().items()],
    }


def _parameter(name: str, metadata: Any) -> dict[str, str]:
    default = "required" if metadata["required"] else _default(metadata["default"] if metadata["usually"] is None else metadata["usually"])
    kind = metadata["kind"]
    words = f"; one of {', '.join(f'`{word}`' for word in kind.words)}" if isinstance(kind, ChoiceKind) else ""
    return {"name": name, "meaning": str(metadata["help"]).replace("|", "\\|") + words, "default": default}


def _default(value: Any) -> str:
    if value is None:
        return "none"
    return f"`{as_written(value)}`"
