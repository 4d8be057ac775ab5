"""What the derivative of each kernel allocates, in the order in which autograd does it (tools/autograd/derivatives.yaml of PyTorch).

The gradient of what a kernel read has that tensor's size. Most derivatives allocate nothing else; the exceptions are written out here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from generator.trace.diary import Launch
from generator.trace.tensor import Shape, Storage, Tensor, contiguous_strides, product


class Heap(Protocol):
    """Where gradients come from and go to."""

    def new(self, shape: Shape, *, kind: str = "float", like: Tensor | None = None, wanted_by: Tensor | None = None) -> Tensor:
        """Return a fresh tensor: laid out as `like`, contiguous by default; `wanted_by` is whose gradient it is."""

    def free(self, x: Tensor) -> None:
        """Let go of a fresh tensor."""

    def share(self, x: Tensor) -> Tensor:
        """Return the same tensor, referred to once more."""


Gradients = list[tuple[Tensor, Tensor]]  # what was read, and its gradient
PASSED_ON = frozenset({"add", "sub", "clone"})  # the gradient of the result is that of the operand
TEMPORARIES = {"sqrt": 1, "rsqrt": 2, "abs": 1, "square": 2, "sin": 1, "cos": 2}  # more tensors of the operand's size on the way


def derivative(launch: Launch, gradient: Tensor, heap: Heap) -> Gradients:
    """Return the gradients of what a kernel read, given that of its result."""
    wanted = [x for x in launch.reads if x.needs_grad and x.kind in ("float", "stat")]
    rule = _RULES.get(launch.name, _one_each)
    return rule(launch, gradient, heap, wanted)


def summed_to(heap: Heap, gradient: Tensor, x: Tensor) -> Tensor:
    """Return a gradient in the shape of a tensor that was stretched; the wide one is let go."""
    if product(gradient.shape) == product(x.shape):
        return gradient
    narrow = heap.new(x.shape, wanted_by=x)
    heap.free(gradient)
    return narrow


def _one_each(launch: Launch, gradient: Tensor, heap: Heap, wanted: Sequence[Tensor]) -> Gradients:
    """One fresh gradient for each operand, all alive at the end."""
    kept = []
    for _ in range(TEMPORARIES.get(launch.name, 0)):
        kept.append(heap.new(gradient.shape, like=gradient))
    found = [(x, heap.new(x.shape, wanted_by=x)) for x in wanted]
    for x in kept:
        heap.free(x)
    return found


def _elementwise(launch: Launch, gradient: Tensor, heap: Heap, wanted: Sequence[Tensor]) -> Gradients:
    """As wide as the result first, then summed where the operand was stretched."""
    found: Gradients = []
    for x in wanted:
        is_whole = product(gradient.shape) == product(x.shape)
        found.append((x, summed_to(heap, heap.new(gradient.shape, like=gradient, wanted_by=x if is_whole else None), x)))
    return found


def _unary(launch: Launch, gradient: Tensor, heap: Heap, wanted: Sequence[Tensor]) -> Gradients:
    temporaries = [heap.new(gradient.shape, like=gradient) for _ in range(TEMPORARIES.get(launch.name, 0))]
    found = [(x, heap.new(x.shape, like=gradient, wanted_by=x)) for x in wanted]
    for x in temporaries:
        heap.free(x)
    return found


def _passed_on(launch: Launch, gradient: Tensor, heap: Heap, wanted: Sequence[Tensor]) -> Gradients:
    """Nothing fresh, unless an operand was stretched (a sum) or is subtracted (a sign)."""
    found: Gradients = []
    for x in wanted:
        if launch.name == "sub" and len(launch.reads) > 1 and x is launch.reads[1]:
            found.append((x, summed_to(heap, heap.new(gradient.shape, like=gradient, wanted_by=x), x)))
        else:
            found.append((x, summed_to(heap, heap.share(gradient), x)))
    return found


def _division(launch: Launch, gradient: Tensor, heap: Heap, wanted: Sequence[Tensor]) -> Gradients:
    """For the divisor: -gradient * ((a / b) / b)."""
    found: Gradients = []
    for x in wanted:
        temporaries = []
        if len(launch.reads) > 1 and x is launch.reads[1]:
            temporaries = [heap.new(gradient.shape, like=gradient) for _ in range(2)]
            temporaries.append(heap.new(gradient.shape, like=gradient))
            heap.free(temporaries.pop(1))
        wide = heap.new(gradient.shape, like=gradient, wanted_by=x if product(gradient.shape) == product(x.shape) else None)
        for temporary in temporaries:
            heap.free(temporary)
        found.append((x, summed_to(heap, wide, x)))
    return found


def _stretched(launch: Launch, gradient: Tensor, heap: Heap, wanted: Sequence[Tensor]) -> Gradients:
    """The gradient of a sum is a stretched view of that of the result."""
    return [(x, Tensor(x.shape, (*(stride * 0 for stride in x.strides),), heap.share(gradient).storage)) for x in wanted]


def _parts(launch: Launch, gradient: Tensor, heap: Heap, wanted: Sequence[Tensor]) -> Gradients:
    """What was joined is cut again: views."""
    return [(x, Tensor(x.shape, _strides_of_part(gradient, x), heap.share(gradient).storage)) for x in wanted]


def _strides_of_part(gradient: Tensor, x: Tensor) -> Shape:
    return gradient.strides if gradient.rank == x.rank else contiguous_strides(x.shape)


def _attention(launch: Launch, gradient: Tensor, heap: Heap, wanted: Sequence[Tensor]) -> Gradients:
    """All gradients come out of one kernel, wanted or not."""
    made = [(x, heap.new(x.shape, wanted_by=x)) for x in launch.reads[:3]]
    for x, unwanted in made:
        if not x.needs_grad:
            heap.free(unwanted)
    return [(x, gradient_of_x) for x, gradient_of_x in made if x.needs_grad]


_Rule = Callable[[Launch, Tensor, Heap, Sequence[Tensor]], Gradients]
_ELEMENTWISE = ("mul", "where", "masked_fill", "native_dropout")
_UNARY = (
    *("relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "elu", "softplus", "exp", "log", "sqrt", "rsqrt", "neg", "abs", "square"),
    *("sin", "cos", "_to_copy"),
)
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(PASSED_ON, _passed_on),
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys(_UNARY, _unary),
    "div": _division,
    "sum": _stretched,
    "cat": _parts,
    "stack": _parts,
    "attention": _attention,
}
