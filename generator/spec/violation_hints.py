"""What may help where a file breaks the schema: the notes below the errors of `validation`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from generator.spec.suggest import near

_TOP = {
    "title": "title is the sheet's heading: `title: Multi-head self-attention`",
    "dims": "dims gives each size a meaning: `n: sequence length`",
    "inputs": "inputs gives each tensor its shape: `x: [b, n, d]`",
    "layers": "layers holds one row per layer: `q: {op: linear, out: [b, n, d]}`",
}
_MISSING = {
    "out": "the op's result has the shape that `out` says",
    "set": "the sizes stand under `set`: `bert-base: {set: {d: 768, L: 12}}`",
    "equals": "a claim is a quantity and its formula: `{of: macs, equals: 4*b*n*d**2}`",
    "of": "a claim is a quantity and its formula: `{of: macs, equals: 4*b*n*d**2}`",
}
_KINDS = ("op", "use", "slot")
_OF_USE = ("with", "options", "slots")
_OF_BLOCKS = ("repeat", "scan", "carry")
_HOLD_ENTRIES = ("with", "options", "slots", "carry")
_OF_ROWS = ("in", "out", "when", "note")
_MEANINGS = {
    "repeat": "a stack of equal layers is `repeat: L`",
    "scan": "a cell is run step after step along an axis by `scan: n`",
    "carry": "what a cell hands on from step to step is `carry: {state: [b, d]}`",
    "with": "sizes of the used spec stand there: `with: {n: m}`",
    "options": "options of the used spec stand there: `options: {bias: true}`",
    "in": "the rows and inputs that it reads: `in: x`, or `in: [x, y]`",
    "out": "the shape of its result: `out: [b, n, d]`",
    "when": "the name of an option without which the row is skipped: `when: residual`",
    "note": "a remark for people: `note: as in the paper`",
}
# what other libraries and languages call the keys of a row
_OTHER_WORDS = {
    "repeat": ("times", "layers", "depth", "stack", "n_layers", "num_layers", "copies", "loop"),
    "scan": ("steps", "unroll", "recurrent", "recurrence", "loop_over"),
    "carry": ("state", "states", "hidden", "memory"),
    "with": ("dims", "sizes", "args", "params", "parameters"),
    "options": ("kwargs", "settings", "flags", "config"),
    "in": ("input", "inputs", "from", "reads"),
    "out": ("output", "outputs", "shape", "to_shape"),
    "when": ("if", "condition", "enabled", "only_if"),
    "note": ("comment", "description", "doc", "notes"),
}
_WORDS = re.compile(r"[A-Za-z0-9_*/+]+(?:[ ,]+[A-Za-z0-9_*/+]+)*")


def missing_hint(key: str, path: Sequence[Any]) -> tuple[str, ...]:
    """Say what a missing key is for."""
    hints = _TOP if not path else _MISSING
    return (hints[key],) if key in hints else ()


def unknown_key_hint(key: str, path: Sequence[Any], value: Mapping[str, Any]) -> tuple[str, ...]:
    """Say where a key belongs that is known elsewhere; an empty tuple leaves it to near names."""
    if len(path) != 2 or path[0] != "layers":
        return ()
    meant = next((word for word, others in _OTHER_WORDS.items() if key.lower() in others and word not in value), None)
    if meant in _OF_ROWS or (meant and "op" not in value):
        return (f"did you mean `{meant}`?", _MEANINGS[meant])
    if key in _KINDS:
        return ("a row has one of `op`, `use` and `slot`",)
    if "op" in value:
        return _in_an_op(key)
    known = (*_KINDS, *_OF_USE, *_OF_BLOCKS, *_OF_ROWS)
    if near(key, known if isinstance(value[key], Mapping) else [word for word in known if word not in _HOLD_ENTRIES]):
        return ()
    return _of_a_used_spec(key, value[key])


def _of_a_used_spec(key: str, value: Any) -> tuple[str, ...]:
    """Show where the sizes and options of a used spec stand."""
    if isinstance(value, bool):
        return (f"an option of the used spec stands under `options`: {{{key}: {str(value).lower()}}}",)
    if isinstance(value, int):
        return (f"a size of the used spec stands under `with`: {{{key}: {value}}}",)
    return ("sizes of a used spec are given under `with`, its options under `options`",)


def _in_an_op(key: str) -> tuple[str, ...]:
    if key in _OF_USE:
        return (f"`{key}` belongs to a row with `use`",)
    if key in _OF_BLOCKS:
        return (f"`{key}` belongs to a row with `use` or `slot`; make the layers a spec of their own and use that",)
    return ()


def type_hint(types: Sequence[str], value: Any, path: Sequence[Any]) -> tuple[str, ...]:
    """Show how a value of the right type is written."""
    if list(path) == ["layers"] or (len(path) == 1 and path[0] in ("dims", "inputs")):
        return (_TOP[str(path[0])],)
    if not path:
        return ("a spec begins with `title:`, and has `dims:`, `inputs:` and `layers:`",)
    if "array" in types and "string" not in types and isinstance(value, str) and _WORDS.fullmatch(value):
        return (f"did you mean [{', '.join(re.split(r'[ ,]+', value))}]?",)
    if len(path) == 2 and path[0] == "layers" and isinstance(value, str):
        return _row_hint(value)
    return ()


def _row_hint(word: str) -> tuple[str, ...]:
    """Show the row that a single word may have been meant to be."""
    from generator.ops.registry import ops  # here, because it imports sympy, which comparisons are checked without

    meant = word if word in ops() else next(iter(near(word, ops())), None)
    if meant:
        return (f"did you mean {{op: {meant}}}?",)
    return ("a row says what it does: `{op: linear, out: [b, n, d]}`, or `{use: mlp}` for another spec",)
