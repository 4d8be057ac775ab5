"""Convolutions, and the arithmetic of sliding windows that they share with pooling."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Min, ceiling, expand, floor

from generator.trace.tensor import Shape, Tensor, product
from generator.trace.tracer import ZERO, Tracer


@dataclass(frozen=True)
class Windows:
    """How a kernel slides: one size for each axis of positions. `padding` is added on both sides."""

    kernel: Shape
    stride: Shape
    padding: Shape
    dilation: Shape

    def count(self, t: Tracer, lengths: Shape) -> Shape:
        """Return how many windows fit: floor((length + 2 padding - dilation (kernel - 1) - 1) / stride) + 1 on each axis."""
        axes = zip(lengths, self.kernel, self.stride, self.padding, self.dilation, strict=True)
        return tuple(_rounded_up(t, n + 2 * p - d * (k - 1), s) for n, k, s, p, d in axes)

    def rounded_up(self, t: Tracer, lengths: Shape) -> Shape:
        """Return how many windows there are where the last one may reach beyond the padded end, but begins before the padding at the end.

        ceiling((length + 2 padding - dilation (kernel - 1) - 1) / stride) + 1, and at most ceiling((length + padding) / stride).
        """
        axes = zip(lengths, self.kernel, self.stride, self.padding, self.dilation, strict=True)
        return tuple(self._begun(t, n, p, d * (k - 1) + 1, s) for n, k, s, p, d in axes)

    @staticmethod
    def _begun(t: Tracer, length: Expr, padding: Expr, span: Expr, stride: Expr) -> Expr:
        reaching = expand(t.facts.simplify(ceiling((length + 2 * padding - span) / stride) + 1))
        beginning = expand(t.facts.simplify(ceiling((length + padding) / stride)))
        room = (span - padding - stride).expand()
        if room.is_nonnegative:
            return reaching
        return beginning if room.is_nonpositive else Min(reaching, beginning)

    def reached(self, lengths: Shape, extra: Shape) -> Shape:
        """Return the lengths after a transposed convolution: (length - 1) stride - 2 padding + dilation (kernel - 1) + extra + 1."""
        axes = zip(lengths, self.kernel, self.stride, self.padding, self.dilation, extra, strict=True)
        return tuple(expand((n - 1) * s - 2 * p + d * (k - 1) + e + 1) for n, k, s, p, d, e in axes)


def _rounded_up(t: Tracer, starts: Expr, stride: Expr) -> Expr:
    """Return how many of `starts` places are reached in steps: floor((starts - 1) / stride) + 1, which is ceiling(starts / stride)."""
    forms = [expand(t.facts.simplify(form)) for form in (floor((starts - 1) / stride) + 1, ceiling(starts / stride))]
    return next((form for form in forms if not form.atoms(floor, ceiling)), forms[0])


def convolution(t: Tracer, x: Tensor, weight: Tensor, bias: Tensor | None, shape: Shape, *, transposed: bool) -> Tensor:
    """Slide a kernel over x [b, c, ...]: F.conv1d, F.conv2d and their transposed forms, for any strides and number of groups.

    Args:
        weight: [channels out, channels in / groups, ...]; transposed: [channels in, channels out / groups, ...].
        shape: of the result.

    Multiply-accumulates: for each element of the result as many as one filter has weights, border positions included; in a transposed
    convolution for each element of the input. The backward pass: as many again for x and for the weight, where they need a gradient.
    Kept: x, as soon as anything needs a gradient.
    """
    reads = [x, weight] if bias is None else [x, weight, bias]
    out = t.new(shape, needs_grad=any(read.needs_grad for read in reads))
    filters = product(weight.shape[1:])
    macs = (x if transposed else out).numel * filters
    t.kernel("convolution", reads, [out], macs=macs, contracted=[x, weight], vector=ZERO if bias is None else out.numel)
    return out
