"""What a device can do at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from generator.text.errors import SizeError
from generator.text.suggest import listed


@dataclass(frozen=True)
class PrintedAt:
    """Who prints a number, and where."""

    text: str
    url: str = ""


@dataclass(frozen=True)
class Price:
    """What an hour costs; `currency` is the text behind the number."""

    amount: Fraction
    currency: str


@dataclass(frozen=True)
class Device:
    """A device, as its file describes it.

    Args:
        name: the stem of its file.
        title: what people call it.
        memory: bytes.
        bandwidth: of its memory, in bytes a second.
        also: other names by which it is asked for.
        peak: operations a second of dense products, by number format.
        link: of all its links together, both ways, in bytes a second; None where no source is known, as below.
        power: the most watts that it draws.
        price: of an hour.
        sources: where each number is printed, by `memory`, `bandwidth`, `peak.bfloat16` and so on.
    """

    name: str
    title: str
    memory: int
    bandwidth: Fraction
    also: tuple[str, ...] = ()
    peak: Mapping[str, Fraction] = field(default_factory=dict)
    link: Fraction | None = None
    power: Fraction | None = None
    price: Price | None = None
    sources: Mapping[str, PrintedAt] = field(default_factory=dict)

    def require_peak(self, compute: str) -> Fraction:
        """Return the operations a second in a number format. Raises SizeError where its file has none."""
        if compute not in self.peak:
            known = f"it has those of {listed(self.peak)}" if self.peak else "it has none"
            raise SizeError(
                f"the file of `{self.name}` has no peak of products in {compute}",
                known,
                "a device file of your own can say it, with its source",
            )
        return self.peak[compute]
