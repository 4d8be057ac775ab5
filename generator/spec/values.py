"""The values that a spec is written in, each with its place: expressions and conditions of sizes, and names of rows."""

from __future__ import annotations

from dataclasses import dataclass

from generator.text.expressions import Ast
from generator.text.source import Span


@dataclass(frozen=True)
class Expression:
    """An expression of sizes: its text, its tree and where it stands."""

    text: str
    ast: Ast
    span: Span


@dataclass(frozen=True)
class Condition:
    """A constraint on the sizes."""

    text: str
    ast: Ast
    span: Span


@dataclass(frozen=True)
class Ref:
    """A row, an input or one result of a row (`row.part`) that another row reads."""

    name: str
    part: str
    span: Span

    @property
    def text(self) -> str:
        """As the spec writes it."""
        return f"{self.name}.{self.part}" if self.part else self.name

    @property
    def result_name(self) -> str:
        """What an output is called as one of several results of a row that uses the spec."""
        return f"{self.name}_{self.part}" if self.part else self.name
