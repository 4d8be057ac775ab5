"""Specs that ought to be valid, drawn and made simpler."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.fuzz.blocks import BLOCKS
from tests.fuzz.draft import Choices, Draft
from tests.fuzz.leaning import leaning
from tests.fuzz.moves import MOVES

# What a spec that is decoded step by step is drawn of: what works token by token.
BY_TOKEN = (
    "cache", "cache", "decode", "decode", "linear", "activation", "layer_norm", "rms_norm", "add", "mul", "sub", "scale",
    "softmax", "dropout", "parameter",
)  # fmt: skip
NAME = "drawn"
CHOICES = 48  # for each row
ROWS = 7


@dataclass(frozen=True)
class Drawn:
    """A spec, with those that it uses written beside it.

    Args:
        files: the text of each spec by name.
    """

    files: Mapping[str, str]

    def __repr__(self) -> str:
        return "\n".join(f"# {name}.yaml\n{text}" for name, text in self.files.items())


def choices_for(rows: int) -> st.SearchStrategy[bytes]:
    """All choices of a spec as one draw: of several draws, hypothesis makes copies, so that most specs would be nearly the same."""
    size = (rows + 1) * CHOICES
    return st.binary(min_size=size, max_size=size)


def spec(data: bytes, known: Collection[str] = (), rows: int = ROWS, only: str = "") -> Drawn:
    """Return the spec that some choices come to; it ought to be valid.

    Args:
        known: classes of faults that are not drawn.
        rows: how many rows are drawn at most (blocks and companions of a row come on top).
        only: an op or kind of block that the first row must be.
    """
    choices = Choices(data, rows + 1)
    d = Draft(choices, known)
    d.decoding = only in ("cache", "decode") or (not only and d.often(1))
    if d.decoding:
        d.dims |= {"b": "batch", "h": "heads", "n": "new tokens", "m": "tokens in all", "e": "head width"}
        d.tokens = ("n", "m")
        d.require("m >= n")
        d.input((("b",), ("h",), ("n",), ("e",)))
    names = BY_TOKEN if d.decoding else (*MOVES, *BLOCKS, *BLOCKS, *BLOCKS)
    shows_more, inside, as_variant = d.often(2), d.often(3), d.often(2)
    for i in range(rows):
        choices.begin(i + 1)
        name = only if only and i == 0 else d.pick((*[""] * (len(names) // 2), *names))
        if name:
            (MOVES | BLOCKS)[name](d)
    if not d.rows or not d.inputs:
        x = d.fresh(2)
        d.op("activation", [x], x.axes, kind="relu")
    outputs = list(dict.fromkeys([*(value.ref for value in d.ends()), *d.must_show]))
    if shows_more:  # a row that others read may be a result too
        outputs = list(dict.fromkeys([*outputs, d.pick([value.ref for value in d.values if value.ref not in d.inputs])]))
    return Drawn(leaning(d, NAME, outputs, inside=inside, as_variant=as_variant))


def simplest(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Return choices that still fail, with as many zeros as can be: whole rows first, then single choices."""
    best, width = bytearray(data), CHOICES
    while width:
        for start in reversed(range(0, len(best), width)):
            part = slice(start, start + width)
            tried = best[:start] + bytes(width) + best[start + width :]
            if any(best[part]) and fails(bytes(tried)):
                best = tried
        width //= 4 if width > 1 else 2
    return bytes(best)
