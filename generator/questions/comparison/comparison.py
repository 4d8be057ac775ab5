"""A comparison: what is compared, in which size, and what question that answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from generator.questions.growth.axes import Axis
from generator.questions.growth.subject import Subject
from generator.spec.references import Reference

View = Literal["cost", "share"]


@dataclass(frozen=True)
class Comparison:
    """What is compared.

    Args:
        name: of its file, and of its outputs.
        title: a heading.
        subjects: the sides; ratios and crossings are those to the first.
        axis: the size that is swept.
        measures: keys of what is compared.
        question: what the reader wants to know.
        answer: what the numbers say, in a sentence or two.
        view: `cost`, or `share`: the part that the row of each subject has of the cost of its whole sheet.
        ratios: the factors by which the first may cost more than another before it is said to cross it; 1 for plain crossings.
        sources: what the comparison follows.
        source: the path of its file inside its library.
        notes: remarks for the reader.
    """

    name: str
    title: str
    subjects: tuple[Subject, ...]
    axis: Axis
    measures: tuple[str, ...]
    question: str = ""
    answer: str = ""
    view: View = "cost"
    ratios: tuple[Fraction, ...] = (Fraction(1),)
    sources: Sequence[Reference] = ()
    source: str = ""
    notes: Sequence[str] = ()
