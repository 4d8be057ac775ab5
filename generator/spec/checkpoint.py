"""The part of a spec that says how public implementations name its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from generator.spec.keys import CLASS, FLAG, WORDS, SpecPart, entries, key, listed, part, whole


@dataclass(frozen=True)
class WeightRule(SpecPart):
    """Where a public implementation keeps what begins with the rule's name here; `*` is the layer's number on both sides."""

    sources: tuple[str, ...] = key(
        WORDS, "their name, or several that are joined along the first axis; `name[*]` is one entry along it", "from", required=True
    )
    transpose: bool = key(FLAG, "their matrices are stored the other way round")
    part: tuple[int, ...] = key(
        listed(whole(), minItems=2, maxItems=2), "[i, n]: part i of n equal parts of the first axis", example="[0, 3]"
    )
    reshape: bool = key(FLAG, "the same numbers in another shape")
    short: ClassVar[str] = "from"


@dataclass(frozen=True)
class Checkpoint(SpecPart):
    """How a public implementation names the weights of this spec; its own name is that of the layout."""

    model: str = key(CLASS, "the class that has these names", required=True, example="BertModel")
    rules: Mapping[str, WeightRule] = key(
        entries(part(lambda: WeightRule), pattern=""),
        "our name: their name; `*` is a layer's number",
        "weights",
        required=True,
        example="{logits: lm_head}",
    )
    ignore: tuple[str, ...] = key(WORDS, "names of theirs that hold no weights of ours")
