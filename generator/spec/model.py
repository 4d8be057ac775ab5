"""A parsed spec: one frozen dataclass a concept, each with its place in the file. Nothing is known about other specs yet.

A field declared with `key` is a key of the language: the schema, the reader and the docs follow from it (`keys`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from generator.spec.checkpoint import Checkpoint
from generator.spec.claim import Claim
from generator.spec.initial import INITIAL, Initial
from generator.spec.keys import (
    A_NAME,
    CITE,
    CONDITIONS,
    COUNTS,
    EACH,
    EXPRESSION,
    FLAG,
    FLAG_OR_OPTION,
    MAX_ROWS,
    MAX_SIZE,
    MAX_TITLE,
    MEANING,
    REFERENCE,
    REFERENCES,
    SHAPE,
    TEXT,
    VALUE,
    WORD,
    KeyKind,
    SpecPart,
    entries,
    group,
    key,
    layers,
    listed,
    named_or_listed,
    one_of,
    one_or_more,
    part,
    per_stage,
    text,
    whole,
)
from generator.spec.stages import Family
from generator.spec.values import Condition, Expression, Ref
from generator.text.naming import LABEL
from generator.text.problems import Problem
from generator.text.source import Source, Span

__all__ = ["Checkpoint", "Claim", "Condition", "Dim", "Expression", "Input", "Option", "Preset", "Ref", "Row", "Slot", "Spec", "Use"]


@dataclass(frozen=True)
class Dim(SpecPart):
    """A size. `derived` sizes always equal `value`; `default` sizes fall back to it. `arg`: its name in the code of the module."""

    meaning: str = key(MEANING, "what the size means", "is")
    fixed: Expression | None = key(
        per_stage(EXPRESSION), "a derived size: always this expression, which must come out whole", "value", example="d / h"
    )
    otherwise: Expression | None = key(per_stage(EXPRESSION), "the value where none is given", "default", example="4*d")
    each: str = key(EACH, "the numbers of its entries, where it has one for each of several stages", example="1..4")
    arg: str = key(A_NAME, "the name of the size in the code of the module", example="embed_dim")
    broken: bool = False  # it is among the spec's problems
    short: ClassVar[str] = "is"

    @property
    def value(self) -> Expression | None:
        """What the size is, always or by default."""
        return self.fixed or self.otherwise

    @property
    def kind(self) -> Literal["free", "default", "derived"]:
        """Whether the size always follows from others, or where it is not given, or never."""
        return "derived" if self.fixed else "default" if self.otherwise else "free"

    @property
    def variable(self) -> str:
        """The name of the size in the code of modules: `arg`, or the letter."""
        return self.arg or self.name

    def mistakes(self) -> Iterator[Problem]:
        """A size follows always or by default."""
        if self.fixed and self.otherwise:
            note = "`value` always holds; `default` may be overridden"
            yield Problem(f"size `{self.name}` has both a value and a default", self.span, (note,))


@dataclass(frozen=True)
class Input(SpecPart):
    """An input of the spec. `grad`: whether a gradient flows back into it (data has none)."""

    shape: tuple[Expression, ...] = key(SHAPE, "the axes", example="[b, n, d]")
    meaning: str = key(MEANING, "what the input means", "is")
    dtype: Literal["float", "int", "bool"] = key(
        one_of(lambda: ["float", "int", "bool"]), "float (the default), int (token ids, indices) or bool (masks)", default="float"
    )
    below: Expression | None = key(EXPRESSION, "values of an int input lie below this size", example="V")
    wants: bool | None = key(FLAG, "whether a gradient flows back into it; false for data such as images", "grad", default=None)
    broken: bool = False  # it is among the spec's problems; what reads it is skipped
    short: ClassVar[str] = "shape"

    @property
    def grad(self) -> bool:
        """Whether a gradient flows back into it."""
        return self.dtype == "float" if self.wants is None else self.wants

    def mistakes(self) -> Iterator[Problem]:
        """The shape may stand alone, but never be missing."""
        if "shape" not in self.spans:
            yield Problem(f"`shape` is missing in `inputs.{self.name}`", self.span)


@dataclass(frozen=True)
class Option(SpecPart):
    """A choice that changes what is built: a yes or no, a word, or a number."""

    meaning: str = key(MEANING, "what the option means", "is", required=True)
    default: bool | str | int | float = key(VALUE, "true or false, a word, or a number", required=True)
    choices: tuple[str, ...] = key(listed(WORD), "the words allowed", example="[relu, gelu]")

    def mistakes(self) -> Iterator[Problem]:
        """The default is what it seems to be, and allowed."""
        meant = {"yes": True, "on": True, "no": False, "off": False}.get(str(self.default).lower())
        if meant is not None and not self.choices:
            message = f"option `{self.name}` has the default `{self.default}`, which YAML reads as a word"
            yield Problem(message, self.where("default"), (f"did you mean {str(meant).lower()}?",))
        if self.choices and self.default not in self.choices:
            message = f"the default `{self.default}` of option `{self.name}` is not among its choices"
            yield Problem(message, self.span, (f"choices: {', '.join(self.choices)}",))


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
    short: ClassVar[str] = "use"


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
    note: str = key(TEXT, "a remark for the reader", example="as in the paper", others="comment description doc notes")
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
        for other in ("slot", "share", "tie", "when"):
            if other in self.spans:
                yield Problem(f"row `{self.name}` has both `{word}` and `{other}`", self.named(other))
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

    def mistakes(self) -> Iterator[Problem]:
        """Some keys go together or exclude each other."""
        yield from self._of_patterns()
        yield from self._of_options()
        kinds = [kind for kind in ("op", "use", "slot") if kind in self.spans]
        if len(kinds) != 1 and not (self.pattern and not kinds):
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
        if "tie" in self.spans and "frozen" in self.spans:
            note = "say it of the row that the weights belong to"
            yield Problem(f"row `{self.name}` has the weights of another, so `frozen` does not belong here", self.named("frozen"), (note,))
        if "tie" in self.spans and "slot" in self.spans:
            note = "what fills a slot is one module; a row with `use` can be tied to another that uses the same spec"
            yield Problem(f"row `{self.name}` fills a slot, so it cannot be tied to another row", self.named("tie"), (note,))
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
        for name in ("by", "weights"):
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


@dataclass(frozen=True)
class Preset(SpecPart):
    """A published set of sizes and what the totals must come to."""

    sizes: Mapping[str, int] = key(
        entries(per_stage(whole(minimum=1, maximum=MAX_SIZE))), "sizes", "set", required=True, example="{d: 768, L: 12}"
    )
    options: Mapping[str, Any] = key(entries(VALUE), "options of the spec that go with these sizes", example="{bias: false}")
    expect: Mapping[str, int] = key(COUNTS, "what the totals must come to, exactly", example="{params: 109482240}")
    cites: Mapping[str, Span] = key(CITE, "keys of references.yaml", "cite", example="devlin2019")
    note: str = key(TEXT, "a remark for the reader")

    @property
    def cite(self) -> str:
        """The sources, separated by spaces."""
        return " ".join(self.cites)


@dataclass(frozen=True)
class Leaning(SpecPart):
    """What a file says of other specs, which is put into its tree before that is read (`assemble`)."""

    like: str = key(
        WORD,
        "the spec of which this one is a variant: what is not said here is as there",
        example="llama",
        others="extends inherits base parent variant_of based_on",
    )
    without: tuple[str, ...] = key(
        listed(WORD), "rows, sizes, inputs, options and slots of that spec that are left out", example="[pooler, pooled]"
    )
    follows: str = key(WORD, "in a new row of a variant: the row that it stands behind; else it is the last", example="token_embedding")
    blocks: Mapping[str, Any] = key(
        entries(KeyKind(lambda: {"$ref": "#/$defs/block"}, lambda _reader, _key, _node: None)),
        "specs for this file's own use; one without `dims` has those sizes of the file that it needs",
        example="{cell: {inputs: ..., layers: ...}}",
        others="components modules submodules definitions defs macros templates specs",
    )
    sizes_of: tuple[str, ...] = key(
        one_or_more(WORD), "under `dims`: a block whose sizes are declared here as there", "from", example="llama_block"
    )


@dataclass(frozen=True)
class Spec:
    """One file.

    Args:
        sources: the files in which its parts stand.
        problems: what is wrong in parts that the rest does not depend on; the parts are left out, or marked as broken.
        outputs: none stand for the last row.
    """

    name: str
    source: Source
    span: Span
    title: str = key(text(maxLength=MAX_TITLE), "a heading", required=True, example="Multi-head self-attention")
    description: str = key(TEXT, "one paragraph")
    cites: Mapping[str, Span] = key(CITE, "keys of references.yaml", "cite", example="devlin2019")
    dims: Mapping[str, Dim] = key(
        entries(part(lambda: Dim), least=1),
        "the sizes, each with its meaning, in the order in which formulas print them",
        required=True,
        example="{n: sequence length}",
        others="sizes symbols dimensions axes",
    )
    options: Mapping[str, Option] = key(
        entries(part(lambda: Option)),
        "choices that change what is built",
        example="{bias: {is: biases, default: true}}",
        others="flags settings config hyperparameters",
    )
    inputs: Mapping[str, Input] = key(
        entries(part(lambda: Input), least=1),
        "the tensors that come in, each with its shape",
        required=True,
        example="{x: [b, n, d]}",
        others="input arguments args",
    )
    slots: Mapping[str, Slot] = key(entries(part(lambda: Slot)), "places that a user of this spec may fill with another block")
    rows: Mapping[str, Row] = key(
        entries(part(lambda: Row, "row"), least=1, most=MAX_ROWS),
        "one row per layer, in order of computation",
        "layers",
        required=True,
        example="{q: {op: linear, out: [b, n, d]}}",
        others="rows nodes ops body forward layer",
    )
    frozen: bool = key(FLAG, "whether training leaves all weights as they are, but those of rows that say `frozen: false`")
    outputs: tuple[Ref, ...] = key(
        REFERENCES, "the rows that are the result; the last row by default", example="[left, right]", others="output returns results"
    )
    where: tuple[Condition, ...] = key(
        CONDITIONS, "conditions on the sizes", example="d % h == 0", others="constraints conditions requires assert"
    )
    presets: Mapping[str, Preset] = key(
        entries(part(lambda: Preset), LABEL),
        "published sizes",
        example="{bert-base: {set: {d: 768}}}",
        others="configs configurations published",
    )
    checkpoints: Mapping[str, Checkpoint] = key(
        entries(part(lambda: Checkpoint), LABEL), "how public implementations name the weights, by library", "checkpoint"
    )
    claims: tuple[Claim, ...] = key(listed(part(lambda: Claim)), "published formulas, checked against the derived ones")
    sources: tuple[Source, ...] = ()
    problems: tuple[Problem, ...] = ()
    broken_presets: tuple[str, ...] = ()  # the names of those that are among the problems
    families: Mapping[str, Family] = field(default_factory=dict)  # sizes with several entries
    stages: Mapping[str, Family] = field(default_factory=dict)  # rows for several stages

    @property
    def cite(self) -> tuple[str, ...]:
        """The sources."""
        return tuple(self.cites)

    @property
    def entries(self) -> dict[str, tuple[str, ...]]:
        """The sizes with several entries: the sizes that these are."""
        return {name: family.members for name, family in self.families.items()}

    @property
    def is_broken(self) -> bool:
        """Whether some row or input could not be read, so that the whole cannot be traced."""
        return any(part.broken for parts in (self.inputs, self.rows) for part in parts.values())

    def uses(self) -> tuple[Use, ...]:
        """Return every reference to another spec, in order, those inside slots included."""
        found: list[Use] = []

        def visit(use: Use) -> None:
            found.append(use)
            for inner in use.slots.values():
                visit(inner)

        for slot in self.slots.values():
            visit(slot.default)
        for row in self.rows.values():
            if row.use is not None:
                visit(row.use)
            for _, kind in row.layers() if row.is_varied else ():
                if kind.use is not row.use:
                    visit(kind.use)
        return tuple(found)
