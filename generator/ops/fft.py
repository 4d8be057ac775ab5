"""Discrete Fourier transforms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Eq, Expr, Ge, floor

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.padding import fixed_word
from generator.ops.params import AXES, FLAG, SIZE, Choice, ChoiceKind, Flag
from generator.trace import spectral
from generator.trace.tensor import Shape, Tensor
from generator.trace.tracer import Tracer

WIDENED = '''
def widened(x: Tensor) -> Tensor:
    """Return x in float32 at least: Fourier transforms know no numbers of two bytes."""
    return x.to(torch.promote_types(x.dtype, torch.float32))'''
KINDS = ("fft", "ifft", "rfft", "irfft")
MOST_AXES = 3  # that are transformed at once
PAIR = "its last axis is 2: real and imaginary parts"


@dataclass(frozen=True)
class Fft(Op):
    """Discrete Fourier transform along one to three axes: `{op: fft, kind: rfft, over: [h, w], norm: ortho}`.

    Complex numbers are pairs of real ones along a last axis of 2, as torch.view_as_real shows them (`op: select, axis: -1` takes the real
    parts). `fft` makes [..., n] -> [..., n, 2], or with `complex: true` [..., n, 2] -> [..., n, 2], as `ifft` does, its inverse; `rfft`
    makes the half of the frequencies that tells the others of real numbers, [..., n] -> [..., floor(n/2) + 1, 2], and `irfft` takes them
    back, to `to` real numbers. No parameters. Kept for the backward pass: x where PyTorch reads real numbers (`rfft`, and `fft` along one
    axis), otherwise nothing.

    Operations: 5 for each complex number of the spectrum in each of ceil(log2 n) stages along each axis, which is the 5 n log2 n of the
    radix-2 algorithm (Cooley and Tukey, 1965) where n is a power of two; for `rfft` and `irfft` of the half spectrum. This is a
    convention: PyTorch's counters count nothing, and libraries choose the algorithm. No matmul FLOPs. A real input of `fft` over several
    axes is first copied to complex numbers. A complex number counts as two elements of traffic. Numbers of two bytes are transformed as
    copies in float32, of which those that are read as real ones are kept.
    """

    name: ClassVar[str] = "fft"
    called: ClassVar[Mapping[str, str]] = {f"{kind}{axes}": f"kind: {kind}" for kind in KINDS for axes in ("", "2", "n")}

    kind: Choice = param(ChoiceKind(KINDS), "which transform, by the name in torch.fft", default="fft")
    over: tuple[int | str, ...] | None = param(
        AXES,
        "the axis, or a list of axes; of the last of them rfft makes half",
        default=None,
        usually="the last axis, of complex numbers the last but one",
    )
    complex: Flag = param(FLAG, "whether the input of `fft` is complex", default=False)
    to: Expr | None = param(
        SIZE, "length of the last axis after irfft, of which x has floor(to/2) + 1", default=None, usually="the even one"
    )
    norm: Choice = param(
        ChoiceKind(("backward", "ortho", "forward")), "which direction is divided by n, or both by its root", default="backward"
    )

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Transform the axes."""
        (x,) = inputs
        kind = fixed_word(row, "kind", self.kind)
        self._check_settings(row, kind)
        if self._reads_complex:
            self._check_complex(row, x)
        axes = self._axes(row, x)
        length = self._length(row, x, x.shape[axes[-1]]) if kind == "irfft" else None
        return spectral.narrowed(row.t, self._transformed(row.t, spectral.widened(row.t, x), axes, length))

    def _transformed(self, t: Tracer, x: Tensor, axes: tuple[int, ...], length: Expr | None) -> Tensor:
        """Launch the kernels; `length` is that of the last axis after irfft."""
        is_half = self.kind.value == "rfft"
        if length is not None:
            return spectral.complex_to_real(t, spectral.complex_view(t, x), axes, length)
        if self._reads_complex:
            return spectral.complex_to_complex(t, spectral.complex_view(t, x), axes)
        if is_half or len(axes) == 1:
            return spectral.real_to_complex(t, x, axes, is_half=is_half)
        with t.held(keeps_all=False) as result:
            t.name(argument=x)  # alive until the function returns
            result.append(spectral.complex_to_complex(t, spectral.to_complex(t, x), axes))
        return result[0]

    @property
    def _reads_complex(self) -> bool:
        return self.kind.value in ("ifft", "irfft") or self.complex.value

    def _check_settings(self, row: RowScope, kind: str) -> None:
        if self.complex.option is not None:
            raise OpError("`complex` must be true or false itself, not an option: it decides the shape", at="complex")
        if self.complex.value and kind == "rfft":
            raise OpError(
                "`rfft` is for real numbers, of which the other half of the frequencies follows", "did you mean kind: fft?", at="complex"
            )
        if self.to is not None and kind != "irfft":
            raise OpError(f"`to` of `{row.name}` is for kind: irfft; the result of `{kind}` follows from x", at="to")

    def _check_complex(self, row: RowScope, x: Tensor) -> None:
        first = row.input_names[0]
        if x.rank < 2 or not row.same(x.shape[-1], spectral.PAIR):
            raise OpError(f"`{self.kind.value}` reads complex numbers; {PAIR}", f"{first} is {row.show(x.shape)}", at="in")

    def _axes(self, row: RowScope, x: Tensor) -> tuple[int, ...]:
        """Return the axes to transform, in the order in which they are named. Raises OpError."""
        if x.rank == 0:
            raise OpError(f"`{row.name}` has no axis to transform", f"{row.input_names[0]} is a scalar", at="in")
        last = x.rank - 1 - self._reads_complex
        found = (last,) if self.over is None else tuple(row.axis(x, axis) for axis in self.over)
        shape = f"{row.input_names[0]} is {row.show(x.shape)}"
        if len(set(found)) < len(found) or len(found) > MOST_AXES:
            problem = "names an axis twice" if len(found) <= MOST_AXES else f"transforms more than {MOST_AXES} axes; two rows can do that"
            raise OpError(f"`{row.name}` {problem}", shape, at="over")
        if max(found) > last:
            raise OpError(f"`{row.name}` transforms the axis of real and imaginary parts", shape, f"did you mean over: {last}?", at="over")
        return found

    def _length(self, row: RowScope, x: Tensor, half: Expr) -> Expr:
        """Return how many real numbers the half spectrum stands for."""
        if self.to is None:
            if half == 1:
                raise OpError(
                    f"`{row.name}` makes no real numbers of a single frequency",
                    f"{row.input_names[0]} is {row.show(x.shape)}",
                    "`to` says how many real numbers they stand for: to: 1",
                    at="op",
                )
            row.require(Ge(half, 2))
            return 2 * (half - 1)
        length = row.whole(self.to, at="to")
        wanted = floor(length / 2) + 1
        if not row.same(wanted, half):
            if (row.t.facts.simplify(wanted) - half).expand().is_nonzero:
                has, needs, reals = map(row.text, (half, wanted, length))
                raise OpError(
                    f"`{row.name}` makes {reals} real numbers of {needs} frequencies; there are {has}",
                    f"{row.input_names[0]} is {row.show(x.shape)}",
                    at="to",
                )
            row.require(Eq(wanted, half))
        return length

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along what is transformed, and real with imaginary parts."""
        return Along.mixing(axis in self._axes(row, inputs[0]) or (self._reads_complex and axis == inputs[0].rank - 1))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The function, its input seen as complex numbers where it is, and its settings."""
        x, kind = c.tensors[0], self.kind.value
        last = x.rank - 1 - self._reads_complex
        axes = (last,) if self.over is None else tuple(c.axis(x, axis) for axis in self.over)
        settings = self._sizes(c, x, axes)
        if len(axes) > 1:
            settings.append(f"dim=({', '.join(map(str, axes))})")
        elif axes != (last,):
            settings.append(f"dim={axes[0]}")
        if self.norm.option is not None or self.norm.value != "backward":
            settings.append(f"norm={c.run_option(self.norm)}" if self.norm.option is not None else f'norm="{self.norm.value}"')
        c.need(WIDENED)
        read = f"widened({c.inputs[0]})"
        if self._reads_complex:
            read = f"torch.view_as_complex({read}{'' if spectral.is_complex_view(x) else '.contiguous()'})"
        call = f"torch.fft.{kind}{'n' if len(axes) > 1 else ''}({', '.join([read, *settings])})"
        real = call if kind == "irfft" else f"torch.view_as_real({call})"
        return {"expression": f"{real}.to({c.inputs[0]}.dtype)"}

    def _sizes(self, c: CodeScope, x: Tensor, axes: tuple[int, ...]) -> list[str]:
        """Print the length of what irfft makes, with those of the other axes."""
        if self.to is None:
            return []
        if len(axes) == 1:
            return [f"n={c.size(self.to)}"]
        lengths: Shape = (*(x.shape[axis] for axis in axes[:-1]), self.to)
        return [f"s=({', '.join(c.size(length) for length in lengths)})"]
