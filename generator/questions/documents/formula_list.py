"""What a list of a document's formulas holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.text.source import Span


@dataclass(frozen=True)
class Pointer:
    """A claim of a spec, by its id or by its number (from 1) in the spec."""

    spec: str
    claim: str
    span: Span

    @property
    def text(self) -> str:
        """As the list writes it."""
        return f"{self.spec}/{self.claim}"


@dataclass(frozen=True)
class Measured:
    """A series that the document has measured, to be set beside what a spec's formulas predict.

    Args:
        spec: the spec; `sizes` are its sizes, but for the one that is varied.
        over: the size that is varied.
        unit: of the values.
        points: value by size, in increasing order.
    """

    spec: str
    sizes: Mapping[str, int]
    over: str
    unit: str
    points: Mapping[int, float]
    span: Span


@dataclass(frozen=True)
class ListedFormula:
    """One statement of a document.

    Args:
        section: the heading that begins here, if one does.
        what: what the statement is about.
        printed: the formula as printed, in one line of text.
        claims: the claims that hold it against ours; empty for what is no formula of a quantity.
        spec, rows: where that is built, for the links of an entry without claims.
        remark: what there is to say about it.
        reconstructed: whether the formula itself is lost in the document's text, and follows from the words around it.
        erratum: why it is a misprint, for an entry without claims; `check` shows it in numbers.
    """

    what: str
    span: Span
    section: str = ""
    printed: str = ""
    claims: tuple[Pointer, ...] = ()
    spec: str = ""
    rows: tuple[str, ...] = ()
    remark: str = ""
    reconstructed: bool = False
    erratum: str = ""
    check: str = ""
    measured: Measured | None = None


@dataclass(frozen=True)
class Document:
    """The formulas of one document.

    Args:
        name: of the file, and of the page.
        cite: its key in references.yaml.
        counts: what it counts, and by which convention.
        lost: what of the document's text is lost, for one with formulas that are reconstructed.
        letters: what its letters mean, in the order in which they are explained.
    """

    name: str
    title: str
    cite: str
    counts: str
    letters: Mapping[str, str]
    entries: tuple[ListedFormula, ...]
    span: Span
    path: str = ""
    lost: str = ""

    @property
    def misprints(self) -> tuple[tuple[int, ListedFormula], ...]:
        """The entries that are misprints of something else than a claim, each with its number from 1."""
        return tuple((number, entry) for number, entry in enumerate(self.entries, start=1) if entry.erratum)

    @property
    def specs(self) -> tuple[str, ...]:
        """All specs that it points to, each once."""
        found: dict[str, None] = {}
        for entry in self.entries:
            measured = (entry.measured.spec,) if entry.measured else ()
            found |= dict.fromkeys((*(pointer.spec for pointer in entry.claims), entry.spec, *measured))
        return tuple(name for name in found if name)
