"""What the derivative of each kernel allocates, in the order in which autograd does it (tools/autograd/derivatives.yaml of PyTorch).

Which rule a kernel follows, and how much it allocates on the way, stands in `generator.trace.kernels`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from sympy import Integer

from generator.formulas.symbols import Facts
from generator.trace.diary import Launch
from generator.trace.kernels import PASSED_ON, PLACE, Kernel, Rule, kernel_of
from generator.trace.memory_format import is_channels_last, strides_after
from generator.trace.memory_order import slowest_first
from generator.trace.tensor import Kind, Shape, Tensor, View, contiguous_strides, dense_strides, next_order, product


class Heap(Protocol):
    """Where gradients come from and go to."""

    facts: Facts

    def new(
        self,
        shape: Shape,
        *,
        kind: Kind = "float",
        like: Tensor | None = None,
        wanted_by: Tensor | None = None,
        strides: Shape | None = None,
    ) -> Tensor:
        """Return a fresh tensor: laid out as `like` or by strides, contiguous by default; `wanted_by` is whose gradient it is."""

    def free(self, x: Tensor) -> None:
        """Let go of a fresh tensor."""

    def share(self, x: Tensor) -> Tensor:
        """Return the same tensor, referred to once more."""


Gradients = list[tuple[Tensor, Tensor]]  # what was read, and its gradient


@dataclass(frozen=True)
class Derivative:
    """The derivative of one kernel, given the gradient of its result."""

    launch: Launch
    gradient: Tensor
    heap: Heap

    def run(self) -> Gradients:
        """Return the gradients of what the kernel read."""
        return _RULES[self.kernel.derivative](self)

    @property
    def kernel(self) -> Kernel:
        """The kernel's entry."""
        return kernel_of(self.launch.name)

    @property
    def wanted(self) -> dict[int, Tensor]:
        """The operands that need a gradient, by their places."""
        return {i: x for i, x in enumerate(self.launch.reads) if x.needs_grad and x.kind in ("float", "stat")}

    def none(self) -> Gradients:
        """No gradient flows back. Raises ValueError where one is wanted."""
        if self.wanted:
            raise ValueError(f"the kernel `{self.launch.name}` has no derivative in {PLACE}")
        return []

    def one_each(self) -> Gradients:
        """One fresh gradient for each operand, all alive at the end."""
        temporaries = [self.heap.new(self.gradient.shape, kind=self.gradient.kind) for _ in range(self.kernel.temporaries_of(0))]
        found = [(x, self.heap.new(x.shape, kind=x.kind, wanted_by=x)) for x in self.wanted.values()]
        self._free(temporaries)
        return found

    def in_order(self) -> Gradients:
        """One each, from a gradient that is contiguous: from a copy of one that is not."""
        copies = [] if self.gradient.is_contiguous else [self.heap.new(self.gradient.shape, kind=self.gradient.kind)]
        found = self.one_each()
        self._free(copies)
        return found

    def products(self) -> Gradients:
        """One each; the gradient of a matrix that lies column by column in memory lies so too."""
        found = []
        for x in self.wanted.values():
            is_turned = x.rank == 2 and x.strides == (1, x.shape[0])
            found.append((x, self.heap.new(x.shape, kind=x.kind, wanted_by=x, strides=x.strides if is_turned else None)))
        return found

    def elementwise(self) -> Gradients:
        """All as wide as the result first; then those of operands that were stretched are summed, one after the other."""
        wide = [(x, self._wide(i, x)) for i, x in reversed(self.wanted.items())]  # the second operand first
        return [(x, summed_to(self.heap, own, x)) for x, own in reversed(wide)]

    def both(self) -> Gradients:
        """As wide as the result, out of one kernel, wanted or not; then those of operands that were stretched are summed."""
        wide = [(x, self._wide(i, x)) for i, x in enumerate(self.launch.reads)]
        self._free([own for x, own in wide if not x.needs_grad])
        return [(x, summed_to(self.heap, own, x)) for x, own in wide if x.needs_grad]

    def _wide(self, operand: int, x: Tensor) -> Tensor:
        """The gradient of one operand before it is summed: the same one where it is passed on, fresh otherwise."""
        gradient, count = self.gradient, self.kernel.temporaries_of(operand)
        if count == PASSED_ON:
            return self.heap.share(gradient)
        kind = gradient.kind
        temporaries = [self.heap.new(gradient.shape, kind=kind, like=gradient) for _ in range(count)]
        temporaries += [self.heap.new((), kind=kind) for _ in range(self.kernel.numbers)]
        temporaries += [self.heap.new(gradient.shape, kind="bool") for _ in range(self.kernel.compares)]
        is_whole = not _is_stretched(gradient, x)
        own_kind = x.kind if self.launch.name == "_to_copy" else kind
        own = self.heap.new(gradient.shape, kind=own_kind, like=gradient, wanted_by=x if is_whole and own_kind == x.kind else None)
        self._free(temporaries)
        return own

    def greatest(self) -> Gradients:
        """Shared among equal maxima: is_greatest * (gradient / is_greatest.sum())."""
        (x,) = self.wanted.values()
        count = self.heap.new(self.gradient.shape, kind="index")
        return self._after(x, [self.heap.new(x.shape, kind="bool"), count, self.heap.new(self.gradient.shape, kind=self.gradient.kind)])

    def logsumexp(self) -> Gradients:
        """gradient * exp(x - result)."""
        (x,) = self.wanted.values()
        return self._after(x, [self.heap.new(x.shape, kind=x.kind), self.heap.new(x.shape, kind=x.kind)])

    def length(self) -> Gradients:
        """gradient * (x / length), zero where the length is."""
        (x,) = self.wanted.values()
        return self._after(x, [self.heap.new(x.shape, kind=x.kind), self.heap.new(self.gradient.shape, kind="bool")])

    def _after(self, x: Tensor, temporaries: list[Tensor]) -> Gradients:
        own = self.heap.new(x.shape, kind=x.kind, like=x, wanted_by=x)
        self._free(temporaries)
        return [(x, own)]

    def stretched(self) -> Gradients:
        """The gradient of a sum is a stretched view of that of the result."""
        return [(x, self._view(x.shape, self._over(x.shape))) for x in self.wanted.values()]

    def _over(self, shape: Shape) -> Shape:
        """Return the strides of the gradient where it lies over a shape with the summed axes: along these it takes no steps."""
        summed = self.launch.along
        keeps_axes = self.gradient.rank == len(shape)
        strides = iter(stride for i, stride in enumerate(self.gradient.strides) if not (keeps_axes and i in summed))
        found = [Integer(0) if i in summed else next(strides) for i in range(len(shape))]
        return tuple(Integer(1) if size == 1 else stride for size, stride in zip(shape, found, strict=True))

    def parts(self) -> Gradients:
        """What was joined is cut again: views."""
        new_axes = self.launch.along  # that what was joined did not have
        strides = tuple(stride for axis, stride in enumerate(self.gradient.strides) if axis not in new_axes)
        return [(x, self._view(x.shape, strides)) for x in self.wanted.values()]

    def _view(self, shape: Shape, strides: Shape) -> Tensor:
        """A view of the gradient, which keeps its storage."""
        whole = self.heap.share(self.gradient)
        return Tensor(shape, strides, whole.storage, view=View(whole, "expand", (), next_order()))

    def convolution(self) -> Gradients:
        """Those of the input and the weight are laid out channels last where the input is; a weight that is not then takes a copy."""
        x = self.launch.reads[0]
        if not is_channels_last(x):
            return self.one_each()
        found = []
        for operand in self.wanted.values():
            strides = strides_after(x, operand.shape) if operand.rank == x.rank else contiguous_strides(operand.shape)
            fits = operand.storage.persistent and replace(operand, strides=strides).is_contiguous
            found.append((operand, self.heap.new(operand.shape, strides=strides, wanted_by=operand if fits else None)))
        return found

    def overwritten(self) -> Gradients:
        """The gradient is copied, and that of what was read is cut out of the copy."""
        (x,) = self.wanted.values()
        copy = self.heap.new(self.gradient.shape, kind=self.gradient.kind)
        own = self.heap.new(x.shape, kind=x.kind, wanted_by=x)
        self.heap.free(copy)
        return [(x, own)]

    def part(self) -> Gradients:
        """The gradient is copied for the tensor as it was; that of what was read is cut out of the copy, where zeros are left."""
        whole, read = self.launch.reads
        found = [(whole, self.heap.new(whole.shape, kind=whole.kind))]
        cut = self.heap.new(read.shape, kind=read.kind)
        found.append((read, self.heap.new(read.shape, kind=read.kind)))
        self.heap.free(cut)
        return found

    def spectrum(self) -> Gradients:
        """The gradient of real numbers is the real part of complex ones; half the frequencies are first filled up with zeros."""
        (x,) = self.wanted.values()
        shape = (*x.shape, *self.gradient.shape[-1:])
        full = [self.heap.new(shape, kind=x.kind)] if product(self.gradient.shape) != product(shape) else []
        made = self.heap.new(shape, kind=x.kind, strides=self._transformed(shape))
        self._free(full)
        return [(x, _real_part(made, x))]

    def frequencies(self) -> Gradients:
        """The gradient of complex numbers is transformed."""
        (x,) = self.wanted.values()
        return [(x, self.heap.new(x.shape, kind=x.kind, strides=self._transformed(x.shape)))]

    def _transformed(self, shape: Shape) -> Shape:
        """The strides of pairs that a Fourier transform makes of a gradient: the axes transformed are the fastest.

        A gradient that is complex itself is contiguous, and so are zeros that it is set into.
        """
        along = self.launch.along
        if self.launch.name != "_fft_c2r":
            return dense_strides(shape, [*(i for i in range(len(shape) - 1) if i not in along), *sorted(along), len(shape) - 1])
        own, facts = self.gradient, self.heap.facts
        others = slowest_first(facts, own.shape, own.strides, [axis for axis in range(own.rank) if axis not in along])
        return dense_strides(shape, [*others, *slowest_first(facts, own.shape, own.strides, along[:-1]), along[-1], own.rank])

    def real_part(self) -> Gradients:
        """A view of the complex gradient."""
        (x,) = self.wanted.values()
        return [(x, _real_part(self.heap.share(self.gradient), x))]

    def attention(self) -> Gradients:
        """The gradients of queries, keys and values come out of one kernel, wanted or not, the heads of each position side by side."""
        made = [(x, self.heap.new(x.shape, strides=_heads_together(x.shape), wanted_by=x)) for x in self.launch.reads[:3]]
        self._free([gradient for x, gradient in made if not x.needs_grad])
        return [(x, gradient) for x, gradient in made if x.needs_grad]

    def sampled(self) -> Gradients:
        """That of the image, where it is wanted, and that of the grid, wanted or not, come out of one kernel."""
        image, grid = self.launch.reads
        found = [(image, self.heap.new(image.shape, wanted_by=image))] if image.needs_grad else []
        places = self.heap.new(grid.shape, wanted_by=grid if grid.needs_grad else None)
        if not grid.needs_grad:
            self.heap.free(places)
            return found
        return [*found, (grid, places)]

    def added(self) -> Gradients:
        """What was added to gets the gradient of the result as it is; what was added gets the rows of it to which it was added."""
        passed = [(x, self.heap.share(self.gradient)) for i, x in self.wanted.items() if i == 0]
        return passed + [(x, self.heap.new(x.shape, wanted_by=x)) for i, x in self.wanted.items() if i > 0]

    def _free(self, tensors: list[Tensor]) -> None:
        for x in tensors:
            self.heap.free(x)


def _real_part(pairs: Tensor, x: Tensor) -> Tensor:
    """The first numbers of pairs [..., 2], in the shape of x."""
    return Tensor(x.shape, pairs.strides[:-1], pairs.storage, view=pairs.view)


def _heads_together(shape: Shape) -> Shape:
    """The strides of [b, h, n, e] that lies in memory as b n h e."""
    b, h, n, e = shape
    rows, heads, positions, features = contiguous_strides((b, n, h, e))
    return rows, positions, heads, features


def _is_stretched(gradient: Tensor, x: Tensor) -> bool:
    """Say whether a gradient is summed to have the shape of a tensor: also where it is as large, but has axes of one in front of it."""
    return gradient.rank != x.rank or product(gradient.shape) != product(x.shape)


def summed_to(heap: Heap, gradient: Tensor, x: Tensor) -> Tensor:
    """Return a gradient in the shape and the format of a tensor that was stretched or converted; the wide one is let go."""
    if _is_stretched(gradient, x):
        narrow = heap.new(x.shape, kind=gradient.kind, wanted_by=x if gradient.kind == x.kind else None)
        heap.free(gradient)
        gradient = narrow
    if gradient.kind == "stat" and x.kind == "float":  # converted to the shorter format of the tensor
        converted = heap.new(x.shape, like=gradient if gradient.rank == x.rank else None, wanted_by=x)
        heap.free(gradient)
        gradient = converted
    return gradient


_RULES: dict[Rule, Callable[[Derivative], Gradients]] = {
    "each": Derivative.one_each,
    "in_order": Derivative.in_order,
    "products": Derivative.products,
    "elementwise": Derivative.elementwise,
    "both": Derivative.both,
    "greatest": Derivative.greatest,
    "logsumexp": Derivative.logsumexp,
    "length": Derivative.length,
    "stretched": Derivative.stretched,
    "parts": Derivative.parts,
    "convolution": Derivative.convolution,
    "attention": Derivative.attention,
    "sampled": Derivative.sampled,
    "overwritten": Derivative.overwritten,
    "part": Derivative.part,
    "spectrum": Derivative.spectrum,
    "frequencies": Derivative.frequencies,
    "real_part": Derivative.real_part,
    "added": Derivative.added,
    "none": Derivative.none,
}
