"""What others have counted of a preset: a public implementation, and what sources print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from generator.formulas.numerals import NotANumberError, number
from generator.quantities import PARAMS
from generator.spec.claim import Claim
from generator.spec.keys import CITE, EXPRESSION, PLACES, QUANTITY_KEYS, TEXT, KeyKind, SpecPart, entries, key, line, one_of, whole, word
from generator.spec.values import Expression
from generator.text.expressions import parse_expression
from generator.text.problems import Problem
from generator.text.source import Span

MOST_DIGITS = 15
MOST = 10**24  # of parameters or operations
_UNITS = {"": 0, "K": 3, "M": 6, "G": 9, "B": 9, "T": 12, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_PRINTED = re.compile(r"([0-9][0-9,.]*)(?:[eE]([0-9]{1,2})| ?(K|M|G|B|T|thousand|million|billion|trillion))?")
_EXAMPLE = "as the source prints it: 117M, 1.5B, 65 million or 109,482,240"
AS_PRINTED = KeyKind(lambda: {"type": ["string", "number"]}, lambda _reader, _key, node: line(node), str)


@dataclass(frozen=True)
class Printed:
    """A number as a source prints it: its value, and how many digits it gives of it."""

    value: int
    digits: int


def read_printed(text: str) -> Printed:
    """Return what a printed number says. Raises NotANumberError for one that is not whole, or too large.

    The zeros at the end of a whole number only say how large it is: 340M gives two digits, 13.0B three.
    """
    match = _PRINTED.fullmatch(text.strip())
    if match is None:
        raise NotANumberError
    value = number(match[1]) * Fraction(10) ** (int(match[2] or 0) + _UNITS[match[3] or ""])
    given = match[1].replace(",", "")
    shown = given.replace(".", "") if "." in given else given.rstrip("0")
    digits = len(shown.lstrip("0"))
    if value.denominator != 1 or value >= MOST or not 0 < digits <= MOST_DIGITS:
        raise NotANumberError
    return Printed(int(value), digits)


@dataclass(frozen=True)
class Implementation(SpecPart):
    """The public implementation that has the totals which a preset expects."""

    model: str = key(word(minLength=1), "what the model is called there", required=True, example="GPT2Model")
    cites: Mapping[str, Span] = key(
        CITE, "the key of references.yaml that names the implementation with its version", "cite", required=True, example="transformers"
    )

    @property
    def cite(self) -> str:
        """The sources, separated by spaces."""
        return " ".join(self.cites)


@dataclass(frozen=True)
class Published(SpecPart):
    """What a source prints of a preset; it is held against the derived total as a claim, in the digits that are printed."""

    prints: str = key(AS_PRINTED, _EXAMPLE, required=True, example="117M")
    of: str = key(one_of(lambda: [*QUANTITY_KEYS]), "the quantity; params by default", example="active_params", default=PARAMS.key)
    given: Mapping[str, Expression] = key(entries(EXPRESSION, least=1), "further sizes that the source has", example="{b: 1}")
    ignore: Mapping[str, Span] = key(PLACES, "what the source leaves out, as in claims")
    digits: int = key(
        whole(minimum=1, maximum=MOST_DIGITS),
        "how many of its digits are given, where zeros at its end count: 2 for 60M among whole millions",
    )
    cites: Mapping[str, Span] = key(CITE, "keys of references.yaml; those of the preset by default", "cite", example="radford2019")
    note: str = key(TEXT, "where it stands, what it assumes")
    erratum: str = key(TEXT, "why it is expected to differ from the derived total")
    short: ClassVar[str] = "prints"

    def mistakes(self) -> Iterator[Problem]:
        """It is a number."""
        try:
            read_printed(self.prints)
        except NotANumberError:
            yield Problem(f"`{self.prints}` is no whole number; write it {_EXAMPLE}", self.where("prints"))

    def claim(self, preset: str, cites: Mapping[str, Span]) -> Claim:
        """Return the claim that it makes of a preset; `cites` are the sources where it names none. What has `mistakes` makes none."""
        said = read_printed(self.prints)
        place = self.where("prints")
        needed = {"of": self.where("of"), "equals": place, "digits": place, "preset": self.span}
        return Claim(
            "",
            self.span,
            of=self.of,
            equals=Expression(self.prints, parse_expression(str(said.value)), place),
            digits=self.digits or said.digits,
            given=self.given,
            ignore=self.ignore,
            preset=preset,
            cites=self.cites or cites,
            note=self.note,
            erratum=self.erratum,
            is_of_preset=True,
            spans={**self.spans, **needed},
            names=self.names,
        )
