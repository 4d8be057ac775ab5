"""Elements around axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Ge, Integer

from generator.formulas.human import counted
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.padding import OWN, around, fixed_word
from generator.ops.params import AXES, NUMBER, SIZES, Choice, ChoiceKind, NumberOption
from generator.trace import moving
from generator.trace.tensor import Shape, Tensor

WORDS = {"reflection": "reflect", "replication": "replicate", "circular": "circular"}  # PyTorch's modules
MOST_AXES = 3  # that PyTorch pads with their own elements at once


@dataclass(frozen=True)
class Pad(Op):
    """Add elements before and after those of axes: `{op: pad, axis: n, before: 1}`, as a causal convolution needs.

    They are zeros or another `value`; with `mode: reflect` those next to the end in reverse order (abc -> cbabcba), with `replicate` the
    end itself (aaabccc), with `circular` those from the other end (bcabcab). No arithmetic. Each element is read once and each of the
    result written; `circular` copies x into the result and then each side within it, corners twice. Kept for the backward pass: x with
    `reflect` and `replicate`, else nothing.
    """

    name: ClassVar[str] = "pad"
    called: ClassVar[Mapping[str, str]] = {
        **{f"{word}pad{axes}d": f"mode: {mode}" for word, mode in WORDS.items() for axes in range(1, MOST_AXES + 1)},
        **{f"{word}pad{axes}d": "" for word in ("zero", "constant") for axes in range(1, MOST_AXES + 1)},
    }
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axis: tuple[int | str, ...] = param(AXES, "the axis: an index, or the name of its size; a list for several", example=-1)
    before: Shape = param(SIZES, "elements before the first; a list for different numbers along the axes", default=0)
    after: Shape = param(SIZES, "elements after the last", default=0)
    mode: Choice = param(ChoiceKind(("constant", *OWN)), "what they are: the value, or elements of the axis", default="constant")
    value: NumberOption = param(NUMBER, "the number that they are (constant only)", default=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Pad the axes."""
        (x,) = inputs
        mode = fixed_word(row, "mode", self.mode)
        before, after = self._sizes(row, x, "before", self.before), self._sizes(row, x, "after", self.after)
        if mode == "constant":
            return moving.pad(row.t, x, before, after)
        if self.value.value != 0 or self.value.option is not None:
            raise OpError(f"`value` of `{row.name}` is for mode: constant; `{mode}` repeats elements of the axis", at="value")
        found = f"{row.input_names[0]} is {row.show(x.shape)}"
        if x.kind != "float":
            raise OpError(f"`{row.name}` repeats elements of floats only; pad {row.input_names[0]} with mode: constant", found, at="mode")
        count = self._count(x, [row.axis(x, axis) for axis in self.axis])
        if count is None:
            raise OpError(
                f"`{mode}` reaches the last {counted(min(MOST_AXES, x.rank - 1), 'axis', 'axes')} of {row.input_names[0]} only",
                found,
                "a rearrange before it can bring the axis there",
                at="axis",
            )
        return around(row, x, before[x.rank - count :], after[x.rank - count :], mode, at="before" if any(before) else "after")

    def _sizes(self, row: RowScope, x: Tensor, name: str, given: Shape) -> Shape:
        """Return the number of elements for each axis of x."""
        if len(given) not in (1, len(self.axis)):
            raise OpError(
                f"`{name}` of `{row.name}` has {counted(len(given), 'size')} for {counted(len(self.axis), 'axis', 'axes')}", at=name
            )
        found = [Integer(0)] * x.rank
        places = [row.axis(x, axis) for axis in self.axis]
        if len(set(places)) < len(places):
            found_at = f"{row.input_names[0]} is {row.show(x.shape)}"
            raise OpError(f"`{row.name}` names an axis of {row.input_names[0]} twice", found_at, at="axis")
        for place, size in zip(places, given * (len(places) // len(given)), strict=True):
            found[place] = row.whole(size, at=name)
            if found[place].is_negative:
                raise OpError(f"`{name}` of `{row.name}` is {row.text(size)}; to take elements away, use `op: slice`", at=name)
            row.require(Ge(found[place], 0))
        return tuple(found)

    @staticmethod
    def _count(x: Tensor, places: list[int]) -> int | None:
        """Return how many of the last axes PyTorch pads at once: all of x but the first one or two, as few as hold those padded."""
        return next((count for count in range(1, MOST_AXES + 1) if x.rank - count in (1, 2) and min(places) >= x.rank - count), None)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """What is put in front moves what it is put in front of."""
        padded = any(axis == row.axis(inputs[0], one) for one in self.axis)
        if padded and self.mode.value == "constant" and not any(self.after):
            return Along.BACK if any(self.before) else Along.EACH
        return Along.mixing(padded and any((*self.before, *self.after)))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Numbers from the last axis on, as F.pad wants them."""
        x = c.tensors[0]
        places = [c.axis(x, axis) for axis in self.axis]
        each = {}
        for i, place in enumerate(places):
            before, after = (sizes[i if len(sizes) > 1 else 0] for sizes in (self.before, self.after))
            each[place] = f"{c.size(before)}, {c.size(after)}"
        first = min(places) if self.mode.value == "constant" else x.rank - (self._count(x, places) or 0)
        settings = [f"({', '.join(each.get(axis, '0, 0') for axis in range(x.rank - 1, first - 1, -1))})"]
        if self.mode.value != "constant":
            settings.append(f'mode="{self.mode.value}"')
        if self.value.option is not None or self.value.value != 0:
            settings.append(f"value={c.run_option(self.value)}")
        return {"settings": settings}
