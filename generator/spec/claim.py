"""A published formula, which is held against the derived one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from generator.in_bytes import SAVED_BYTES
from generator.quantities import BY_KEY
from generator.spec.keys import (
    CITE,
    CONDITION,
    CONDITIONS,
    EXPRESSION,
    PLACES,
    TEXT,
    WORD,
    SpecPart,
    entries,
    key,
    one_of,
    part,
    whole,
    word,
)
from generator.spec.values import Condition, Expression
from generator.text.expression_tree import names
from generator.text.naming import LABEL
from generator.text.problems import Problem
from generator.text.source import Span
from generator.text.suggest import did_you_mean, listed

DTYPES = ("float64", "float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Exceeded(SpecPart):
    """What the quantity of a claim is greater than: a formula, or the quantity of some rows."""

    formula: Expression | None = key(EXPRESSION, "")
    rows: Mapping[str, Span] = key(PLACES, "the row whose quantity it is, or several together", "row", required=True)
    short: ClassVar[str] = "formula"


@dataclass(frozen=True)
class Claim(SpecPart):
    """A formula from the literature; which of `equals`, `order`, `exceeds` and `states` it has says of what kind it is.

    What must and must not stand together is said by `claim_checks`, in words.
    """

    id: str = key(word(pattern=LABEL), "a name, by which pages of documents point to the claim")
    of: str = key(
        word(examples=[*BY_KEY, SAVED_BYTES.key]), "the quantity that the formula counts, or several joined by `+`", example="macs"
    )
    rows: Mapping[str, Span] = key(PLACES, "the row it speaks of, or several together; the whole spec by default", "row")
    equals: Expression | None = key(EXPRESSION, "the formula as published, in the sizes of this spec", example="4*b*n*d**2")
    order: Expression | None = key(EXPRESSION, "the order of growth as published: n**2*d for O(n^2 d)")
    growing: Mapping[str, Span] = key(PLACES, "the sizes that grow; by default those that `order` names. All others are fixed", "in")
    exceeds: Exceeded | None = key(
        part(lambda: Exceeded), "the quantity is greater than this formula, or than that of `{row: ...}`, exactly where `once` holds"
    )
    once: Condition | None = key(CONDITION, "the published condition of `exceeds`, such as n > 2*d")
    states: str = key(TEXT, "an attribute that no formula of ours gives, such as `sequential operations`")
    because: str = key(TEXT, "why it has the stated value")
    given: Mapping[str, Expression] = key(
        entries(EXPRESSION, least=1),
        "sizes and what the source has in their place: {f: 4*d, n: H*W}; the names on the right may be new",
        example="{b: 1}",
    )
    preset: str = key(WORD, "the source speaks of this preset")
    conditions: tuple[Condition, ...] = key(CONDITIONS, "conditions on the sizes under which it is published", "where")
    ignore: Mapping[str, Span] = key(PLACES, "what the source leaves out: bias, norm, positional, mask, an op, or a row")
    tile: Expression | None = key(
        EXPRESSION, "keys in a block of fused attention: traffic is what its tiled loop loads and stores", example="M/(4*e)"
    )
    digits: int = key(whole(minimum=1, maximum=15), "the source gives so many leading digits")
    dtype: str = key(one_of(lambda: list(DTYPES)), "the number format of saved bytes; float32 by default")
    cites: Mapping[str, Span] = key(CITE, "keys of references.yaml", "cite")
    note: str = key(TEXT, "where it stands, what it assumes")
    erratum: str = key(TEXT, "why the formula is expected to differ from the derived one")
    correct: Expression | None = key(EXPRESSION, "the formula that holds in place of the erratum")
    is_of_preset: bool = False  # it is what a preset says under `published`

    def mistakes(self) -> Iterator[Problem]:
        """What is counted is known, and can be summed."""
        known = [*BY_KEY, SAVED_BYTES.key]
        offset, several = 0, "+" in self.of
        for part_of_sum in self.of.split("+") if self.of else ():
            name = part_of_sum.strip()
            place = self.where("of").inside(offset + part_of_sum.index(name), max(1, len(name)))
            if name not in known:
                found = f"unknown value `{name}`" if name else "a quantity is missing"
                yield Problem(f"{found} in `claims.of`", place, did_you_mean(name, known) or (f"known values: {listed(known)}",))
            elif several and name == SAVED_BYTES.key:
                yield Problem(f"`{name}` cannot be summed with others, which count elements and operations", place)
            offset += len(part_of_sum) + 1

    @property
    def cite(self) -> str:
        """The sources, separated by spaces."""
        return " ".join(self.cites)

    @property
    def new_names(self) -> frozenset[str]:
        """The names in what stands in the place of sizes, and in `tile`, which may be new ones of the source."""
        written = (*self.given.values(), *([self.tile] if self.tile else []))
        return frozenset(name for value in written for name in names(value.ast))

    @property
    def formula(self) -> Expression | None:
        """The formula that the source prints, but for the condition of `once`."""
        return self.equals or self.order
