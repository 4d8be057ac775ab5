"""What is dropped at random, in training alone."""

from __future__ import annotations

from dataclasses import dataclass

from generator.ops.base import CodeScope, Op, OpError, RowScope
from generator.ops.params import NumberOption


@dataclass(frozen=True)
class Dropping(Op):
    """Zero something with probability p and divide the rest by 1 - p. Subclasses declare `p`."""

    p: NumberOption

    def passes_through(self) -> bool:
        """Whether nothing is dropped."""
        return self.p.value == 0

    def drops(self, row: RowScope) -> bool:
        """Say whether a row drops anything. Raises OpError where p is no probability of dropping."""
        if not 0 <= self.p.value < 1:
            raise OpError(f"`p` of `{row.name}` is {self.p.text}; a probability of dropping is at least 0 and less than 1", at="p")
        return not self.passes_through() and row.t.is_training

    def chance(self, c: CodeScope) -> tuple[str | None, str]:
        """Return the probability as code, None where it is always 0, and the condition under which something is dropped."""
        if self.p.option is None:
            return None if self.passes_through() else self.p.text, "self.training"
        p = c.run_option(self.p)
        return p, f"self.training and {p} > 0"
