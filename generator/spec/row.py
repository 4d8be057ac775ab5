"""The rows of a spec, what they use, and the slots that others may fill.

Keys are declared as in `model`, which these belong to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from generator.spec.initial_words import INITIAL, Initial
from generator.spec.keys import (
    EACH,
    EXPRESSION,
    FLAG,
    FLAG_OR_OPTION,
    MEANING,
    REFERENCE,
    REFERENCES,
    SHAPE,
    TEXT,
    VALUE,
    WORD,
    SpecPart,
    entries,
    group,
    key,
    layers,
    named_or_listed,
    part,
    per_stage,
)
from generator.spec.values import Expression, Ref
from generator.text.problems import Problem


@dataclass(frozen=True)
class Use(SpecPart):
    """A reference to another spec: sizes and options rebound, slots filled."""

    spec: str = key(WORD, "the name of another spec", "use", example="mlp")
    sizes: Mapping[str, Expression] = key(
        entries(per_stage(EXPRESSION)),
        "sizes of the used spec in terms of this one; sizes of the same name flow through",
        "with",
        example="{n: m}",
        others="dims sizes args params parameters",
    )
    options: Mapping[str, Any] = key(
        entries(per_stage(VALUE)), "options of the used spec", example="{bias: true}", others="kwargs settings flags config"
    )
    slots: Mapping[str, Use] = key(
        entries(part(lambda: Use, "fill")), "what fills the slots of the used spec", example="{attention: multi_head_attention}"
    )
    own: Mapping[str, str] = field(default_factory=dict)  # of one of several stages: a size with several entries, and the stage's own
    short: ClassVar[str] = "use"
    place: ClassVar[str] = "use"

    def mistakes(self) -> Iterator[Problem]:
        """Sizes, options and slots are those of some spec."""
        if not self.spec and "use" not in self.spans:
            yield Problem("`use` is missing: the name of the block that stands here", self.span)


@dataclass(frozen=True)
class Slot(SpecPart):
    """A place that the user of the spec may fill with another block; `state`: one that keeps a state between decoding steps, too."""

    default: Use = group(Use, needed=True)
    meaning: str = key(MEANING, "what belongs here", "is")
    state: bool = key(FLAG, "whether a block that keeps a state between decoding steps may stand here")
    short: ClassVar[str] = "use"


@dataclass(frozen=True)
class Layers(SpecPart):
    """Equal layers that follow each other in a stack of several kinds."""

    use: Use = group(Use, needed=True)
    times: Expression | None = key(EXPRESSION, "how many of them follow each other; one by default", example="5", others="repeat count")
    share: bool = key(
        FLAG,
        "whether all layers of this kind have the same weights: one layer, applied in each of its places",
        example="true",
        others="shared weight_sharing share_weights universal",
    )
    tie: str = key(
        WORD, "the row above, with the same `use`, whose weights all layers of this kind have", example="shared_block", others="tied tie_to"
    )
    short: ClassVar[str] = "use"

    def mistakes(self) -> Iterator[Problem]:
        """A kind has weights of its own, of one layer or of many, or those of a row."""
        yield from super().mistakes()
        if self.share and self.tie:
            note = "layers with the weights of another row share them anyway"
            yield Problem("layers of a pattern have both `tie` and `share`", self.named("share"), (note,))


@dataclass(frozen=True)
class Row(SpecPart):
    """One line of the sheet: exactly one of `op`, `use` and `slot` says what it does.

    Args:
        params: the settings of the op, parsed by their kinds.
        scan: the axis (a size's name) over which a cell is run, step after step; `carry` gives the state's shape.
    """

    op: str = key(WORD, "the operation", example="linear")
    use: Use | None = group(Use, needed=False)
    slot: str = key(WORD, "the slot of this spec that stands here", of_blocks=True, example="attention")
    repeat: Expression | None = key(
        EXPRESSION,
        "how many equal layers are stacked, each with its own weights; its results are the first inputs of the next",
        of_blocks=True,
        example="L",
        others="times layers depth stack n_layers num_layers copies loop",
    )
    share: bool = key(
        FLAG,
        "whether the layers of the stack have the same weights: one layer, applied again and again",
        of_blocks=True,
        example="true",
        others="shared weight_sharing share_weights universal",
    )
    scan: str = key(
        WORD,
        "the size of the axis over which the block runs step after step",
        of_blocks=True,
        example="n",
        others="steps unroll recurrent recurrence loop_over",
    )
    carry: Mapping[str, tuple[Expression, ...]] = key(
        entries(SHAPE),
        "the state handed from step to step: name and shape",
        of_blocks=True,
        example="{state: [b, d]}",
        others="state states hidden memory",
    )
    experts: Expression | None = key(
        EXPRESSION,
        "how many sets of weights the block has; each is run on the tokens that choose it",
        of_blocks=True,
        example="E",
        others="n_experts num_experts mixture moe",
    )
    by: Ref | None = key(
        REFERENCE, "the row that says which experts each token chooses: [..., k]", of_blocks=True, example="chosen.indices"
    )
    weights: Ref | None = key(
        REFERENCE, "the row that says how much the result of each counts: [..., k]; 1 by default", of_blocks=True, example="chosen.values"
    )
    capacity: Expression | None = key(
        EXPRESSION,
        "how many tokens an expert takes at most, the first ones; it makes nothing of others; no limit by default",
        of_blocks=True,
        example="c",
    )
    inputs: tuple[Ref, ...] | None = key(
        REFERENCES,
        "the row or input it reads, `row.part` for one of several results, a list for several; the row above by default",
        "in",
        default=None,
        example="[x, y]",
        others="input inputs from reads",
    )
    out: tuple[Expression, ...] | None = key(
        SHAPE,
        "the shape of the result: required where it decides something, checked always",
        default=None,
        example="[b, n, d]",
        others="output outputs shape to_shape",
    )
    when: str = key(
        WORD,
        "the option that must be true; otherwise the row hands its first input through",
        example="residual",
        others="if condition enabled only_if",
    )
    otherwise: Ref | None = key(
        REFERENCE, "beside `when`, the row or input that stands in its place where the option is false", "else", example="x"
    )
    tie: str = key(
        WORD, "the row above whose weights it uses instead of its own", example="token_embedding", others="tied weights_of tie_to"
    )
    tie_when: str = key(
        WORD,
        "beside `tie`, the option without which the row has weights of its own",
        example="tied",
        others="tie_if tied_if tied_when",
    )
    frozen: bool | str | None = key(
        FLAG_OR_OPTION,
        "whether training leaves its weights as they are, or the option that says so; false also inside a frozen block",
        example="true",
        others="freeze requires_grad trainable fixed",
    )
    init: Mapping[str, Initial] = key(
        INITIAL,
        "what its weight starts as: a number, zeros, ones, normal(std), truncated(std), uniform(bound), xavier, kaiming; or each by name",
        example="normal(0.02)",
        others="initializer initial initialization init_value weight_init initializer_range",
    )
    meaning: str = key(MEANING, "what the row is, beside its name", "is", example="queries", told=True)
    note: str = key(TEXT, "a remark for the reader", example="as in the paper", others="comment description doc notes", told=True)
    each: str = key(EACH, "the numbers of the stages that the row stands for; they are rows of their own", example="1..4")
    pattern: Mapping[str, Layers] = key(
        named_or_listed(part(lambda: Layers, "layers"), lambda one: one.use.spec),
        "layers of several kinds, over and over again until there are as many as `repeat` says: in order, each with how often",
        of_blocks=True,
        example="[{use: local_block, times: 5}, global_block]",
        others="cycle alternate alternating interleave",
    )
    first: Layers | None = key(
        layers(lambda: Layers),
        "beside `repeat`, the layers that stand before the others and count with them; beside `each`, what differs in the first stage",
        of_blocks=True,
        example="{use: dense_block, times: 3}",
    )
    last: Layers | None = key(
        layers(lambda: Layers),
        "likewise the last layers, and what differs in the last stage",
        of_blocks=True,
        example="{use: dense_block}",
    )
    params: Mapping[str, Any] = field(default_factory=dict)
    loose: str = ""  # the row that it would be tied to if its option were on
    broken: bool = False  # it is among the spec's problems; what reads it is skipped

    @property
    def is_varied(self) -> bool:
        """Whether it is a stack of layers of several kinds."""
        return bool(self.pattern or self.first or self.last)

    @property
    def kinds(self) -> Mapping[str, Layers]:
        """The kinds of layers that come in turn, by name; in a stack without a pattern it is one."""
        if self.pattern or self.use is None:
            return self.pattern
        return {self.use.spec: Layers(self.use.spec, self.span, use=self.use)}

    @property
    def tied_to(self) -> tuple[str, ...]:
        """The rows above whose weights it uses, all or some kinds of its layers."""
        return tuple(name for name in (self.tie, *(kind.tie for _, kind in self.layers())) if name)

    def layers(self) -> Iterator[tuple[str, Layers]]:
        """Yield all kinds of layers, the first and the last ones too, by name."""
        if self.first is not None:
            yield "first", self.first
        yield from self.kinds.items()
        if self.last is not None:
            yield "last", self.last

    def _of_patterns(self) -> Iterator[Problem]:
        if not self.is_varied:
            return
        word = next(name for name in ("pattern", "first", "last") if name in self.spans)
        if "repeat" not in self.spans:
            note = "the number of all layers is `repeat: L`" + ("" if self.pattern else "; stages are `each: 1..4`")
            yield Problem(f"row `{self.name}` has `{word}` without `repeat`", self.named(word), (note,))
        for other, note in (
            ("slot", "each kind of layers is a block of its own: `pattern: [{use: ...}, {use: ...}]`"),
            ("tie", "layers of several kinds have the weights of several blocks; a kind says it: `pattern: [{use: ..., tie: ...}]`"),
        ):
            if other in self.spans:
                yield Problem(f"row `{self.name}` has both `{word}` and `{other}`", self.named(other), (note,))
        for _, kind in self.layers() if self.frozen is not None else ():
            if kind.tie:
                note = f"say it of `{kind.tie}`, which the weights belong to, or of the blocks of other kinds"
                yield Problem(
                    f"row `{self.name}` has layers with the weights of another, so `frozen` does not belong here",
                    self.named("frozen"),
                    (note,),
                )
        for other in ("use", "with", "options", "slots") if self.pattern else ():
            if other in self.spans:
                yield Problem(
                    f"row `{self.name}` has both `pattern` and `{other}`", self.named(other), ("what is used stands in the pattern",)
                )
        for name in ("first", "last"):
            if name in self.pattern:
                yield Problem(f"layers in a pattern cannot be called `{name}`", self.pattern[name].span)

    def _of_options(self) -> Iterator[Problem]:
        if "else" in self.spans and "when" not in self.spans:
            note = "it says what stands in the place of a row that an option switches off: `when: residual`"
            yield Problem(f"row `{self.name}` has `else` without `when`", self.named("else"), (note,))

    def _of_ties(self) -> Iterator[Problem]:
        if "tie_when" in self.spans and "tie" not in self.spans:
            note = "it names the option that decides about it: `tie: token_embedding, tie_when: tied`"
            yield Problem(f"row `{self.name}` has `tie_when` without `tie`", self.named("tie_when"), (note,))
        elif "tie_when" in self.spans and "op" not in self.spans:
            note = "an option may decide about the weights of a single op"
            yield Problem(f"row `{self.name}` is a block, which an option cannot tie", self.named("tie_when"), (note,))
        if "tie" in self.spans and "frozen" in self.spans:
            note = "say it of the row that the weights belong to"
            yield Problem(f"row `{self.name}` has the weights of another, so `frozen` does not belong here", self.named("frozen"), (note,))
        if "tie" in self.spans and "slot" in self.spans:
            note = "what fills a slot is one module; a row with `use` can be tied to another that uses the same spec"
            yield Problem(f"row `{self.name}` fills a slot, so it cannot be tied to another row", self.named("tie"), (note,))

    def mistakes(self) -> Iterator[Problem]:
        """Some keys go together or exclude each other."""
        yield from self._of_patterns()
        yield from self._of_options()
        kinds = [kind for kind in ("op", "use", "slot") if kind in self.spans]
        if len(kinds) != 1 and not ("pattern" in self.spans and not kinds):
            found = " and ".join(f"`{kind}`" for kind in kinds) or "none"
            yield Problem(f"row `{self.name}` needs exactly one of `op`, `use` and `slot`; found {found}", self.span)
        for name in ("with", "options", "slots"):
            if name in self.spans and "use" not in self.spans and "slot" in self.spans:
                note = "what fills a slot is given where the slot is declared, under `slots`, or by the spec that uses this one"
                yield Problem(f"row `{self.name}` fills a slot, so `{name}` does not belong here", self.named(name), (note,))
        if "share" in self.spans and "repeat" not in self.spans:
            note = "it lets the layers of a stack have the same weights; a row that uses those of another says `tie`"
            yield Problem(f"row `{self.name}` has `share` without `repeat`", self.named("share"), (note,))
        yield from self._expert_mistakes()
        for initial in self.init.values():
            yield from initial.mistakes()
        if "init" in self.spans and "op" not in self.spans:
            yield Problem(
                f"row `{self.name}` has no op, so `init` does not belong here", self.named("init"), ("say it of rows of the block",)
            )
        yield from self._of_ties()
        if "repeat" in self.spans and "scan" in self.spans:
            note = "use a spec that repeats within one that scans"
            yield Problem(f"row `{self.name}` has both `repeat` and `scan`", self.named("scan"), (note,))
        elif "carry" in self.spans and "scan" not in self.spans:
            yield Problem(f"row `{self.name}` has `carry` without `scan`", self.named("carry"))
        elif "scan" in self.spans and "carry" not in self.spans:
            note = "carry names the state and its shape: `carry: {state: [b, d]}`"
            yield Problem(f"row `{self.name}` has `scan` without `carry`", self.named("scan"), (note,))

    def _expert_mistakes(self) -> Iterator[Problem]:
        example = "`{use: gated_mlp, in: x, experts: E, by: chosen.indices, weights: chosen.values}`"
        blocks = "op" not in self.spans  # ops may have settings of these names
        if "experts" in self.spans and "by" not in self.spans:
            note = f"`by` names the row that chooses, such as a top_k: {example}"
            yield Problem(f"row `{self.name}` has `experts` without `by`", self.named("experts"), (note,))
        for name in ("by", "weights", "capacity"):
            if blocks and name in self.spans and "experts" not in self.spans:
                yield Problem(f"row `{self.name}` has `{name}` without `experts`", self.named(name), (f"a mixture of experts: {example}",))
        for name in ("repeat", "scan"):
            if name in self.spans and "experts" in self.spans:
                note = f"use a spec that has the experts within one that {name}s"
                yield Problem(f"row `{self.name}` has both `{name}` and `experts`", self.named("experts"), (note,))

    @property
    def counted_by(self) -> str:
        """The key that says how often the block of a row is run."""
        return "scan" if self.scan else "repeat" if self.experts is None else "experts"
