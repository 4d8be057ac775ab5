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
_WORDS = re.compile(r"[A-Za-z0-9_*/+]+(?:[ ,]+[A-Za-z0-9_*/+]+)*")


def missing_hint(key: str, path: Sequence[Any]) -> tuple[str, ...]:
    """Say what a missing key is for."""
    hints = _TOP if not path else _MISSING
    return (hints[key],) if key in hints else ()


def unknown_key_hint(key: str, path: Sequence[Any], value: Mapping[str, Any]) -> tuple[str, ...]:
    """Say where a key belongs that is known elsewhere; an empty tuple leaves it to near names."""
    if len(path) != 2 or path[0] != "layers":
        return ()
    if key in _KINDS:
        return ("a row has one of `op`, `use` and `slot`",)
    if "op" in value:
        return _in_an_op(key)
    if near(key, (*_KINDS, *_OF_USE, *_OF_BLOCKS, "in", "out", "when", "note")):
        return ()
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
