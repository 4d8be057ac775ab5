"""A parsed spec: one frozen dataclass a concept, each with its place in the file. Nothing is known about other specs yet.

A field declared with `key` is a key of the language: the schema, the reader and the docs follow from it (`keys`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from generator.spec.checkpoint import Checkpoint
from generator.spec.claim import Claim
from generator.spec.import_mappings import Import
from generator.spec.keys import (
    A_NAME,
    CITE,
    CONDITIONS,
    COUNTS,
    EACH,
    EXPRESSION,
    FLAG,
    MAX_ROWS,
    MAX_SIZE,
    MAX_TITLE,
    MEANING,
    REFERENCES,
    SHAPE,
    TEXT,
    VALUE,
    WORD,
    KeyKind,
    SpecPart,
    entries,
    key,
    listed,
    one_of,
    one_or_more,
    one_or_several,
    part,
    per_stage,
    text,
    whole,
)
from generator.spec.published import Implementation, Published
from generator.spec.row import Layers, Row, Slot, Use
from generator.spec.stages import Family
from generator.spec.values import Condition, Expression, Ref
from generator.text.naming import LABEL
from generator.text.problems import Problem
from generator.text.source import Source, Span

__all__ = [
    "Checkpoint",
    "Claim",
    "Condition",
    "Dim",
    "Expression",
    "Implementation",
    "Input",
    "Layers",
    "Option",
    "Preset",
    "Published",
    "Ref",
    "Row",
    "Slot",
    "Spec",
    "Use",
]


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
class Preset(SpecPart):
    """A published set of sizes and what the totals must come to."""

    sizes: Mapping[str, int] = key(
        entries(per_stage(whole(minimum=1, maximum=MAX_SIZE))), "sizes", "set", required=True, example="{d: 768, L: 12}"
    )
    options: Mapping[str, Any] = key(entries(VALUE), "options of the spec that go with these sizes", example="{bias: false}")
    slots: Mapping[str, Use] = key(
        entries(part(lambda: Use, "fill")), "what fills slots of the spec with these sizes", example="{attention: linear_attention}"
    )
    expect: Mapping[str, int] = key(COUNTS, "what the totals must come to, exactly", example="{params: 109482240}")
    implementation: Implementation | None = key(
        part(lambda: Implementation),
        "the public implementation that has the totals of `expect`",
        example="{model: BertModel, cite: transformers}",
    )
    published: tuple[Published, ...] = key(
        one_or_several(part(lambda: Published)), "what sources print of it, one or a list", example="{prints: 110M, cite: devlin2019}"
    )
    cites: Mapping[str, Span] = key(CITE, "keys of references.yaml", "cite", example="devlin2019")
    note: str = key(TEXT, "a remark for the reader")
    origins: Mapping[str, str] = field(default_factory=dict)  # of one from a configuration: what each size is there

    def blamed(self, sizes: Iterable[str]) -> Span:
        """Return the place of a mistake in some sizes: that of the last of them in a configuration, else that of the preset."""
        places = [self.spans[f"set.{name}"] for name in self.sizes if name in self.origins and name in set(sizes)]
        return places[-1] if places else self.span

    def said(self, size: str) -> str:
        """Return a size as its file calls it: in a configuration with what it is there."""
        return f"{size} ({self.origins[size]})" if self.origins.get(size, size) != size else size

    @property
    def cite(self) -> str:
        """The sources, separated by spaces."""
        return " ".join(self.cites)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What sources print of it, as claims."""
        return tuple(one.claim(self.name, self.cites) for one in self.published)

    def mistakes(self) -> Iterator[Problem]:
        """An implementation has totals."""
        if self.implementation is not None and not self.expect:
            note = "expect: {params: ...}, as the implementation has them"
            yield Problem(
                f"preset `{self.name}` names an implementation, but not what its totals are", self.named("implementation"), (note,)
            )


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
    family: str = key(
        text(maxLength=MAX_TITLE),
        "the heading under which the catalogue has it, by the years of first sources",
        example="vision Transformers",
    )
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
    imports: Mapping[str, Import] = key(
        entries(part(lambda: Import), LABEL), "how configurations of public models give sizes and options, by library", example=""
    )
    claims: tuple[Claim, ...] = key(listed(part(lambda: Claim)), "published formulas, checked against the derived ones")
    sources: tuple[Source, ...] = ()
    problems: tuple[Problem, ...] = ()
    broken_presets: tuple[str, ...] = ()  # the names of those that are among the problems
    families: Mapping[str, Family] = field(default_factory=dict)  # sizes with several entries
    stages: Mapping[str, Family] = field(default_factory=dict)  # rows for several stages
    rest: str = ""  # the size that stands for all axes of `...`

    @property
    def cite(self) -> tuple[str, ...]:
        """The sources."""
        return tuple(self.cites)

    @property
    def all_claims(self) -> tuple[Claim, ...]:
        """Its claims, and behind them what sources print of its presets."""
        return (*self.claims, *(claim for preset in self.presets.values() for claim in preset.claims))

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
        for preset in self.presets.values():
            for use in preset.slots.values():
                visit(use)
        return tuple(found)
