"""The part of a spec that says how public implementations name its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from generator.spec.keys import CLASS, FLAG, MAX_SIZE, WORD, WORDS, KeyKind, SpecPart, entries, key, listed, part, whole
from generator.spec.yaml_nodes import plain

SETTING = KeyKind(lambda: {"type": ["boolean", "string", "number", "array"]}, lambda _reader, _key, node: plain(node))


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

    model: str = key(
        CLASS,
        "the class that has these names; beside `build` also a `model_type`, or what timm calls the model",
        required=True,
        example="BertModel",
    )
    rules: Mapping[str, WeightRule] = key(
        entries(part(lambda: WeightRule), pattern=""),
        "our name: their name; `*` is a layer's number",
        "weights",
        required=True,
        example="{logits: lm_head}",
    )
    ignore: tuple[str, ...] = key(WORDS, "names of theirs that hold no weights of ours")
    build: Mapping[str, Any] = key(
        entries(SETTING, pattern=""),
        "the settings with which timm or transformers builds the model, to compare with it: values, [null], or formulas of sizes",
        example="{embed_dim: d, mlp_ratio: f/d}",
    )
    at: Mapping[str, int] = key(
        entries(whole(minimum=1, maximum=MAX_SIZE)),
        "the sizes at which it is compared; by default they are drawn at random",
        example="{d: 24, L: 2}",
    )
    inputs: Mapping[str, str] = key(entries(WORD), "our input: the argument of theirs; in order by default", example="{tokens: input_ids}")
    outputs: tuple[str, ...] = key(
        WORDS, "the results of theirs that are ours, in order; the first by default", example="[last_hidden_state, pooler_output]"
    )

    @property
    def is_built(self) -> bool:
        """Whether it says how the model is built, or at which sizes it is what the library builds by itself."""
        return bool(self.build or self.at)
