"""What may help where a file breaks the schema: the notes below the errors of `validation`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from generator.formulas.numerals import digit_notes
from generator.ops.registry import ops
from generator.spec.keys import Key, keys_of
from generator.spec.model import Claim, Leaning, Preset, Row, Spec, Use
from generator.text.suggest import near

_OF_SPECS = {one.name: one for one in keys_of(Spec)}
_OF_ROWS = {one.name: one for one in keys_of(Row) if one.name != "op"}
_MISSING = {
    "out": "the op's result has the shape that `out` says",
    "set": "the sizes stand under `set`: `bert-base: {set: {d: 768, L: 12}}`",
    "equals": "a claim is a quantity and its formula: `{of: macs, equals: 4*b*n*d**2}`",
    "of": "a claim is a quantity and its formula: `{of: macs, equals: 4*b*n*d**2}`",
}
_KINDS = ("op", "use", "slot")
_OF_USE = tuple(one.name for one in keys_of(Use) if one.name != "use")
_OF_BLOCKS = tuple(name for name, one in _OF_ROWS.items() if one.of_blocks and name != "slot")
_HOLD_ENTRIES = {one.name: one.example for kind in (Row, Preset, Claim) for one in keys_of(kind) if one.example.startswith("{")}
_OF_FILES = (*keys_of(Spec), *keys_of(Leaning))
_OF_VARIANTS = {one.name: one for one in keys_of(Leaning) if one.name in ("without", "follows")}
_OF_PATTERNS = ("pattern", "first", "last")
_YES_OR_NO = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_OF_ANY_ROW = tuple(name for name, one in _OF_ROWS.items() if not one.of_blocks and name not in ("use", *_OF_USE))
# what PyTorch calls the parameters of ops
_OF_PYTORCH = {
    "dim": ("over", "axis"),
    "dims": ("axes", "over"),
    "axis": ("over",),
    "out_features": ("out",),
    "out_channels": ("channels",),
    "kernel_size": ("kernel",),
    "scale_factor": ("scale",),
    "output_size": ("to",),
    "upscale_factor": ("by",),
    "downscale_factor": ("by",),
    "num_embeddings": ("count",),
    "embedding_dim": ("width",),
    "num_groups": ("groups",),
    "equation": ("eq",),
    "pattern": ("to", "eq"),
    "chunks": ("into",),
    "approximate": ("kind",),
    "p": ("rate",),
}
_FOLLOWS = ("in_features", "in_channels", "num_features", "normalized_shape", "num_channels")
_WORDS = re.compile(r"[A-Za-z0-9_*/+]+(?:[ ,]+[A-Za-z0-9_*/+]+)*")


def missing_hint(key: str, path: Sequence[Any]) -> tuple[str, ...]:
    """Say what a missing key is for."""
    if not path and key in _OF_SPECS:
        return _explained(_OF_SPECS[key])
    return (_MISSING[key],) if key in _MISSING else ()


def _explained(key: Key) -> tuple[str, ...]:
    return (f"{key.help}: `{key.name}: {key.example}`",)


def meant_parameter(key: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the parameter of an op that PyTorch calls by another name, as a tuple of one or none."""
    return next(((word,) for word in _OF_PYTORCH.get(key, ()) if word in known), ())


def op_hint(name: str) -> tuple[str, ...]:
    """Return how a row is written for what PyTorch calls by this name, as a tuple of one or none."""
    plain = name.lower().replace("_", "").removeprefix("nn.").removeprefix("f.")
    found = next(((op.name, op.called[plain]) for op in ops().values() if plain in op.called), None)
    if found is None:
        return ()
    op, settings = found
    return (f"PyTorch's {name} is `op: {op}`{f', with {settings}' if settings else ''}",)


def unknown_key_hint(key: str, path: Sequence[Any], value: Mapping[str, Any], parameters: Collection[str]) -> tuple[str, ...]:
    """Say where a key belongs that is known elsewhere; an empty tuple leaves it to near names."""
    if key in _OF_VARIANTS:
        return (f"{_OF_VARIANTS[key].help}; this spec is not `like` another",)
    if path[:1] == ("layers",) and len(path) > 2 and path[2] in _OF_PATTERNS and key in ("when", "else"):
        return ("layers stand in their places whatever options say; `when` switches rows inside of their blocks, or the whole stack",)
    if path[:1] == ("presets",) and key in _OF_SPECS:
        return ("a preset sets sizes, options and slots; with other rows it is one of a variant: a spec with `like`",)
    if not path:
        wanted = next((one for one in _OF_FILES if key.lower() in one.others and one.name not in value), None)
        return (f"did you mean `{wanted.name}`?", *_explained(wanted)) if wanted else ()
    return _of_a_row(key, value, parameters) if len(path) == 2 and path[0] == "layers" else ()


def _of_a_row(key: str, value: Mapping[str, Any], parameters: Collection[str]) -> tuple[str, ...]:
    meant = next((word for word, one in _OF_ROWS.items() if key.lower() in one.others and word not in value), None)
    if meant in _OF_ANY_ROW or (meant and "op" not in value):
        return (f"did you mean `{meant}`?", *_explained(_OF_ROWS[meant]))
    if "op" in value and (parameter := meant_parameter(key, parameters)):
        return (f"did you mean `{parameter[0]}`?",)
    if "op" in value and key in _FOLLOWS:
        return ("it follows from the shape of the input",)
    if key in _KINDS:
        return ("a row has one of `op`, `use` and `slot`",)
    if "op" in value:
        return _in_an_op(key)
    known = [word for word in (*_KINDS, *_OF_USE, *_OF_BLOCKS, *_OF_ANY_ROW) if len(word) > 2 or len(key) < 4]  # `bias` is not like `is`
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
        return _explained(_OF_SPECS[str(path[0])])
    if "object" in types and not path:
        return ("a spec begins with `title:`, and has `dims:`, `inputs:` and `layers:`",)
    if len(path) == 2 and path[0] == "dims":
        return ("say what it means, such as `L: number of layers`; its values stand in presets, or as `L: {is: ..., default: 12}`",)
    if list(path) == ["where"] and isinstance(value, Mapping):
        return ("a condition is a text, such as d % h == 0; several are a list",)
    return _of_a_type(types, value, path)


def _of_a_type(types: Sequence[str], value: Any, path: Sequence[Any]) -> tuple[str, ...]:
    if len(path) == 2 and path[0] == "layers" and isinstance(value, str):
        return _row_hint(value)
    if types == ["object"]:
        pairs = re.fullmatch(r"(\w+) *= *([\w*/+]+)", value) if isinstance(value, str) else None
        example = _HOLD_ENTRIES.get(str(path[-1]))
        return (f"did you mean {{{pairs[1]}: {pairs[2]}}}?",) if pairs else (f"it is written {path[-1]}: {example}",) if example else ()
    if "boolean" in types and (meant := _YES_OR_NO.get(str(value).lower())):
        return (f"did you mean {meant}?",)
    if types in (["integer"], ["number"]) and isinstance(value, str) and re.fullmatch("[0-9]+", value):
        return (f"did you mean {value}?",)
    if "array" in types and "string" not in types and isinstance(value, str) and _WORDS.fullmatch(value):
        return (f"did you mean [{', '.join(re.split(r'[ ,]+', value))}]?",)
    return digit_notes(value) if isinstance(value, str) and {"integer", "number"} & {*types} else ()


def _row_hint(word: str) -> tuple[str, ...]:
    """Show the row that a single word may have been meant to be."""
    from generator.ops.registry import ops  # here, because it imports sympy, which comparisons are checked without

    meant = word if word in ops() else next(iter(near(word, ops())), None)
    if meant:
        return (f"did you mean {{op: {meant}}}?",)
    return ("a row says what it does: `{op: linear, out: [b, n, d]}`, or `{use: mlp}` for another spec",)
