"""How public implementations name the weights of a module: the file beside it, and the table in a module of one file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from generator.render.module.escape_python import docstring, literal
from generator.spec.checkpoint import Checkpoint, WeightRule
from generator.spec.model import Spec


def render_weights(spec: Spec, origin: str) -> str:
    """Return the file beside a spec's module: by layout the names here with those of the implementation, one a line.

    Args:
        origin: what the file came from, and that it is not to be edited.
    """
    layouts = ",\n".join(f"    {json.dumps(name)}: {_layout(checkpoint)}" for name, checkpoint in spec.checkpoints.items())
    return f'{{\n  "$comment": {json.dumps(origin)},\n  "layouts": {{\n{layouts}\n  }}\n}}\n'


def _layout(checkpoint: Checkpoint) -> str:
    """Return one layout as JSON, which is ASCII whatever the spec calls its weights."""
    names = ",\n".join(f"        {json.dumps(name)}: {json.dumps(_rule(rule))}" for name, rule in checkpoint.rules.items())
    head = f'"model": {json.dumps(checkpoint.model)},\n      "weights": {{\n{names}\n      }}'
    return f'{{\n      {head},\n      "ignore": {json.dumps(list(checkpoint.ignore))}\n    }}'


def table_in_python(checkpoints: Mapping[str, Checkpoint]) -> Iterator[str]:
    """Yield the lines of the same as an attribute of a class, for a file that has nothing beside it."""
    if not checkpoints:
        return
    yield "REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {"
    for name, checkpoint in checkpoints.items():
        yield f"    {literal(name)}: {{"
        yield '        "weights": {'
        yield from (f"            {literal(ours)}: {literal(_rule(rule))}," for ours, rule in checkpoint.rules.items())
        yield "        },"
        yield f'        "ignore": {literal(list(checkpoint.ignore))},'
        yield "    },"
    yield "}"


def layouts_in_words(checkpoints: Mapping[str, Checkpoint]) -> str:
    """Return which implementations' weights can be loaded, as it stands in a docstring."""
    return docstring(", ".join(f"{name} ({checkpoint.model})" for name, checkpoint in checkpoints.items()))


def _rule(rule: WeightRule) -> Any:
    """Return where something comes from, as `load_reference` reads it: a name, or several, or more of them."""
    source: Any = rule.sources[0] if len(rule.sources) == 1 else list(rule.sources)
    more: dict[str, Any] = {"transpose": True} if rule.transpose else {}
    if rule.part:
        more["part"] = list(rule.part)
    if rule.reshape:
        more["reshape"] = True
    return {"from": source, **more} if more else source
