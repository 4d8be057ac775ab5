"""Weights of which some are stored in one format and some in another, by a rule: `vectors=bfloat16,experts=mxfp4,bfloat16`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from math import ceil
from typing import Any, Final

from generator.formulas.evaluate import evaluate
from generator.quantities import PARAMS
from generator.questions.memory.stored_formats import StoredFormat, stored_format
from generator.sheet.costing import Cost
from generator.sheet.heads import head_rows
from generator.sheet.sheet import Sheet, SheetWeight
from generator.text.errors import SizeError
from generator.text.suggest import did_you_mean, listed

KINDS: Final[Mapping[str, str]] = {
    "experts": "all weights of experts",
    "vectors": "weights with one axis: norms, biases, sinks",
    "embeddings": "tables in which rows are looked up",
    "heads": "the linear layers of which results are made",
}
ELSE: Final = "else"


@dataclass(frozen=True)
class MixedFormats:
    """Formats of weights by a rule; of the parts that a weight belongs to the first counts.

    Args:
        parts: what is stored in which format: a kind of `KINDS`, a row with all that is inside of it, or a pattern of rows.
        rest: the format of all others.
    """

    parts: tuple[tuple[str, StoredFormat], ...]
    rest: StoredFormat

    @property
    def key(self) -> str:
        """The rule as it is written."""
        return ",".join([*(f"{name}={stored.key}" for name, stored in self.parts), self.rest.key])

    @property
    def words(self) -> str:
        """What a number takes in each part, for people."""
        return "; ".join([*(f"{name} {stored.words}" for name, stored in self.parts), f"all else {self.rest.words}"])

    def counts(self, sheet: Sheet) -> dict[StoredFormat, list[SheetWeight]]:
        """Return the weights of a sheet by their formats. Raises SizeError for a part that there is not."""
        heads, found = {row.path for row in head_rows(sheet)}, dict[StoredFormat, list[SheetWeight]]()
        unused = dict(self.parts)
        for weight in sheet.weights:
            known = [name for name, _ in self.parts if _is_of(name, weight, heads)]
            for name in known:
                unused.pop(name, None)
            found.setdefault(dict(self.parts)[known[0]] if known else self.rest, []).append(weight)
        for name in unused:
            rows = [row.path for row in sheet.rows if "." not in row.path]
            problem = f"`{sheet.name}` has no weights that are {name}" if name in KINDS else f"no weight of `{sheet.name}` is in `{name}`"
            raise SizeError(problem, *did_you_mean(name, [*KINDS, *(row.path for row in sheet.rows)]), f"parts: {listed([*KINDS, *rows])}")
        return found


WeightFormats = StoredFormat | MixedFormats


def weight_formats(given: str | Mapping[str, str], default: str) -> WeightFormats:
    """Return formats of weights as people write them: one for all, or a rule such as `experts=mxfp4,bfloat16`.

    Args:
        given: a text, in which the last part may leave out what it is of; or formats by part, the rest by `else`.
        default: the format of what is in no part, unless that is said.

    Raises:
        SizeError: an unknown format, a part that is given twice, or the rest before a part.
    """
    if isinstance(given, str):
        texts = [one.strip() for one in given.split(",")]
        pairs = [
            (name.strip(), stored.strip()) if equals else (ELSE, name) for name, equals, stored in (one.partition("=") for one in texts)
        ]
    else:
        pairs = [*given.items()]
    names = [name for name, _ in pairs]
    for name in names:
        if not name or names.count(name) > 1:
            raise SizeError(f"`{given}`: {f'`{name}` is given twice' if name else 'a part has no name'}", "write experts=mxfp4,bfloat16")
    formats = {name: stored_format(stored) for name, stored in pairs}
    rest = formats.pop(ELSE, None) or stored_format(default)
    if isinstance(given, str) and ELSE in names[:-1] and len(names) > 1:
        raise SizeError(f"`{given}`: the format of all others is the last one", "write experts=mxfp4,bfloat16")
    return MixedFormats(tuple(formats.items()), rest) if formats else rest


def stored_weights(cost: Cost, weights: WeightFormats) -> Any:
    """Return the bytes of all weights. Raises SizeError for a part that there is not."""
    if isinstance(weights, StoredFormat):
        return in_bytes(cost.value(PARAMS.key), weights.bytes_each)
    by_format = weights.counts(cost.sheet).items()
    return sum(in_bytes(sum(evaluate(one.count, cost.dims) for one in own), stored.bytes_each) for stored, own in by_format)


def in_bytes(numbers: Any, each: Fraction) -> Any:
    """Return numbers in bytes, rounded up: an int, or an array of them."""
    if getattr(numbers, "ndim", 0):
        return -(-numbers * each.numerator // each.denominator)
    return ceil(numbers * each)


def _is_of(name: str, weight: SheetWeight, heads: set[str]) -> bool:
    if name in KINDS:
        said = {
            "experts": weight.is_expert,
            "vectors": weight.is_vector,
            "embeddings": weight.op == "embedding",
            "heads": weight.row in heads,
        }
        return said[name]
    return weight.row == name or weight.row.startswith(f"{name}.") or fnmatchcase(weight.row, name)
