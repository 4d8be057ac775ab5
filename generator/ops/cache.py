"""Keys and values kept between decoding steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge, Min

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, FLAG, SIZE, Flag
from generator.trace.tensor import Tensor, product
from generator.trace.tracer import CACHE


@dataclass(frozen=True)
class Cache(Op):
    """Append to what earlier steps kept, and hand on all of it: `{op: cache, in: k, axis: n, to: m}`.

    [b, h, n, e] -> [b, h, m, e]: n new tokens, m tokens with those of the steps before. Counted as it runs with a state: past and new are
    joined, m read and m written. State: the elements of the result. Without a state the module hands its input through, and m is n.
    With `keep: w`, as in models with a sliding window, a step keeps the last w tokens alone: state min(m, w) tokens, and the result is
    [b, h, n + min(m - n, w), e]: those that are kept of earlier steps, and the new ones. No gradient flows into earlier steps.

    once: `{op: cache, in: k, once: true}` keeps what the first step has made, such as keys of an encoder, and hands that on in all others.
    Rows that serve nothing else run in the first step alone: where tokens came earlier they cost nothing. How many did is told by a cache
    of the spec that grows (m - n), or else by `offset`. State: its elements.
    """

    name: ClassVar[str] = "cache"
    pointwise: ClassVar[bool] = True

    axis: int | str = param(AXIS, "the axis that grows from step to step: an index, or the name of its size", default=-2)
    to: Expr | None = param(SIZE, "its size with all steps so far, such as m; needed unless `once`", default=None, example="m")
    keep: Expr | None = param(SIZE, "how many of the last tokens are kept for the next step; all by default", default=None, example="w - 1")
    once: Flag = param(FLAG, "keep what the first step has made, and make it in no other", default=False)
    offset: Expr | None = param(
        SIZE, "how many tokens came in earlier steps, where no cache tells (`once` only)", default=None, example="t - n"
    )

    @property
    def keeps_state(self) -> bool:
        """Always."""
        return True

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Join past and new, or hand on what the first step has made."""
        (x,) = inputs
        if self.once.option:
            raise OpError("`once` must be true or false itself, not an option: it decides what a step runs", at="once")
        if self.once:
            given = next((name for name in ("to", "keep") if getattr(self, name) is not None), "")
            if given:
                raise OpError(f"`{row.name}` is kept once and does not grow", f"leave `{given}` away", at=given)
            if self.offset is not None:
                earlier = row.whole(self.offset, at="offset")
                if earlier.is_negative:
                    raise OpError(f"`offset` of `{row.name}` must be at least 0; it is {row.text(earlier)}", at="offset")
                row.require(Ge(earlier, 0))
            row.t.keep_state(x.numel, kind="once")
            return row.t.made_earlier(x) if row.t.is_later else x
        if self.offset is not None:
            raise OpError(f"`{row.name}` is told how many tokens came earlier by `to`", "`offset` is for `once: true`", at="offset")
        if self.to is None:
            notes = ("to: m says how many tokens there are so far", "once: true keeps what the first step has made")
            raise OpError(f"`{row.name}` does not say how far it grows", *notes)
        return self._grown(row, x, row.axis(x, self.axis), row.whole(self.to, at="to"))

    def _grown(self, row: RowScope, x: Tensor, axis: int, total: Expr) -> Tensor:
        new = x.shape[axis]
        if (total - new).is_negative:
            raise OpError(
                f"`{row.name}` grows an axis of {row.text(new)} to {row.text(total)}, which is smaller",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                at="to",
            )
        row.require(Ge(total, new))
        past, kept = total - new, total
        if self.keep is not None:
            last = row.whole(self.keep, at="keep")
            if last.is_negative:
                raise OpError(f"`{row.name}` keeps {row.text(last)} tokens", "a window of w tokens keeps w - 1 beside a new one", at="keep")
            row.require(Ge(last, 0))
            past, kept = (Min(size, last) if last != 0 else last for size in (past, total))  # what is past is never below 0
        has_caches = row.t.diary is not None and row.t.diary.has_caches
        if row.t.diary is not None and not has_caches and row.same(total, new):
            return x  # the diary is that of a pass without a state
        out = row.t.new((*x.shape[:axis], new + past, *x.shape[axis + 1 :]), kind=x.kind, needs_grad=x.needs_grad)
        out.storage.persistent = has_caches
        row.t.kernel("cat", [out], [out], sources=[x])  # reads past and new: as much as it writes
        row.t.keep_state(product((*x.shape[:axis], kept, *x.shape[axis + 1 :])), kind=CACHE)
        return out

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis, and how much is kept."""
        if self.once:
            return {"key": c.key, "once": True}
        axis = c.axis(c.tensors[0], self.axis)
        return {"key": c.key, "once": False, "axis": axis, "keep": None if self.keep is None else c.size(self.keep)}
