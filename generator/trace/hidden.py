"""Which scores are hidden, and what a kernel that skips them multiplies.

A mask fills scores with -infinity, so that a softmax makes zeros of them. Of the product that makes the scores, those elements are not
needed; of the product that mixes values by the weights, those are zero; and in the backward pass the same holds of both. What lies between
(scaling, biases, caps, dropout, views) keeps elements in their places, so that it is enough to know how many of a storage are seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sympy import Add, Expr, Integer, Mul, expand

from generator.formulas.algebra import cancel
from generator.formulas.places import Condition, both, count, index
from generator.formulas.symbols import Facts
from generator.trace.kernels import kernel_of
from generator.trace.tensor import Shape, Storage, Tensor

ZERO = Integer(0)
MOVES = frozenset({"clone", "_to_copy", "masked_fill"})
ZEROS_STAY = MOVES | {"mul", "div", "neg", "native_dropout"}  # of what is read first, or second by a product
INFINITY_STAYS = MOVES | {"mul", "div", "add", "sub"}
MAKES_ZEROS = "softmax"  # of -infinity


@dataclass(frozen=True)
class Hides:
    """What a row hides, as far as the spec fixes it.

    Args:
        seen: the condition on the indices of the axes (`generator.formulas.places.index`) under which a score is seen; None where only
            their number is known.
        places: how many are seen, where that is known without a condition.
    """

    seen: Condition | None = None
    places: Expr | None = None


@dataclass(frozen=True)
class Seen:
    """How many elements of a storage are seen.

    Args:
        elements: their number.
        shape: of the tensor that was masked.
        condition: under which they are seen, if that is known.
        are_zero: whether the others are zeros by now, no longer -infinity.
        parts: of what was joined to it, in order.
        gets_gradient: whether something that learns was added to the others, so that their gradient is wanted.
    """

    elements: Expr
    shape: Shape
    condition: Condition | None
    are_zero: bool = False
    parts: tuple[Seen, ...] = ()
    gets_gradient: bool = False


@dataclass(eq=False)
class Product:
    """A contraction, the elements of whose result may turn out to be hidden.

    Args:
        row: the path of its row.
        macs, backward_macs: all of them.
        unneeded: of the latter, those for gradients of operands that are themselves hidden, -infinity still.
        elements: of its result.
        seen: how many of them are needed, as far as something has read them; None where nothing has.
        seen_backward: the same of those through which a gradient comes back.
    """

    row: str
    macs: Expr
    backward_macs: Expr
    elements: Expr
    unneeded: Expr = ZERO
    seen: Expr | None = None
    seen_backward: Expr | None = None
    is_multiplied: bool = False  # by -infinity, so that its gradient is no zero whatever comes back

    def need(self, seen: Expr, seen_backward: Expr, *, is_idle: bool) -> None:
        """Say that so many elements are read. Two readers that do not see the same may need all."""
        self.seen = seen if self.seen in (None, seen) else self.elements
        seen_backward = self.elements if self.is_multiplied else seen_backward
        if not is_idle:
            self.seen_backward = seen_backward if self.seen_backward in (None, seen_backward) else self.elements

    def share(self, part: Expr) -> Product:
        """Take off a part of it, a product of its own."""
        own = replace(
            self, macs=cancel(part * self.macs), backward_macs=cancel(part * self.backward_macs), unneeded=cancel(part * self.unneeded)
        )
        self.macs, self.backward_macs, self.unneeded = (
            self.macs - own.macs,
            self.backward_macs - own.backward_macs,
            self.unneeded - own.unneeded,
        )
        return own

    @property
    def skipped(self) -> Expr:
        """The part of it that a kernel skips."""
        return self._beside(self.seen)

    @property
    def skipped_backward(self) -> Expr:
        """What of the backward pass it skips: of a gradient that is zero in part both products are less, and no gradient is whole."""
        part = self._beside(self.seen_backward)
        return part * self.backward_macs if part != 0 else self.unneeded

    def _beside(self, seen: Expr | None) -> Expr:
        return ZERO if seen is None else cancel((self.elements - seen) / self.elements)


class Hidden:
    """Follows scores from the product that makes them, and weights to those that read them.

    Attributes:
        uncounted: the paths of rows that hide by a condition whose places have no closed form; they count as seen.
    """

    def __init__(self) -> None:
        self.products: list[Product] = []
        self.uncounted: list[str] = []
        self._made: dict[Storage, tuple[Product, ...]] = {}
        # Of those, what was added to hidden elements, whose gradient goes past their mask; and what masks since then leave of it.
        self._added: dict[Storage, dict[Product, Seen | None]] = {}
        self._seen: dict[Storage, Seen] = {}

    def kernel(self, name: str, reads: Sequence[Tensor], writes: Sequence[Tensor], *, is_idle: bool) -> None:
        """Note a kernel that is no contraction; an idle one has no part in the backward pass."""
        keeps_places = kernel_of(name).derivative == "elementwise"
        found = [self.seen(x) for x in reads]
        reads_infinity = any(one is not None and not one.are_zero for one in found)
        is_added = name in ("add", "sub") and reads_infinity
        for place, (x, seen) in enumerate(zip(reads, found, strict=True)):
            if not (keeps_places and writes and expand(writes[0].numel - x.numel) == 0):
                self.read([x], is_idle=is_idle, stops=name == MAKES_ZEROS)
                if name == MAKES_ZEROS and seen is not None:
                    self._seen[writes[0].storage] = _as_zeros(seen)
                continue
            out = writes[0].storage
            stays = (
                seen is not None and name in (ZEROS_STAY if seen.are_zero else INFINITY_STAYS) and (place == 0 or name in ("mul", "add"))
            )
            if x.storage in self._made and x.fills_storage and (stays or seen is None):
                self._made[out] = (*self._made.get(out, ()), *self._made[x.storage])
                beside = dict.fromkeys(self._made[x.storage]) if seen is None and is_added else self._added.get(x.storage, {})
                self._added[out] = self._added.get(out, {}) | beside
                for product in self._made[x.storage] if seen is None and name == "mul" and reads_infinity else ():
                    product.is_multiplied = True
            else:
                self.read([x], is_idle=is_idle)
            if seen is not None and stays:
                learns = is_added and any(other.needs_grad and one is None for other, one in zip(reads, found, strict=True))
                self._seen[out] = replace(seen, gets_gradient=seen.gets_gradient or learns)

    def contraction(
        self, row: str, macs: Expr, backward_macs: Expr, operands: Sequence[Tensor], out: Tensor | None, *, is_idle: bool
    ) -> Expr:
        """Note a contraction; return the part of it that its operands let a kernel do: 1 unless one of them is hidden in part."""
        self.read(operands, is_idle=is_idle)
        for x in operands:
            seen = self.seen(x)
            if seen is not None and seen.are_zero:
                return cancel(seen.elements / x.numel)
        if out is not None:
            product = Product(row, macs, backward_macs, out.numel, self._unneeded(macs, operands) if backward_macs != 0 else ZERO)
            self.products.append(product)
            self._made[out.storage] = (product,)
        return Integer(1)

    def _unneeded(self, macs: Expr, operands: Sequence[Tensor]) -> Expr:
        """Return the multiply-accumulates for gradients that a mask sets to zero."""
        found = [(x, self.seen(x)) for x in operands if x.needs_grad]
        return sum((macs * cancel(1 - seen.elements / x.numel) for x, seen in found if seen is not None and not seen.gets_gradient), ZERO)

    def read(self, tensors: Iterable[Tensor], *, is_idle: bool, stops: bool = False) -> None:
        """Say that something needs what is seen of tensors: in the backward pass too, unless it is idle there.

        Args:
            stops: no gradient of what is hidden comes back from it.
        """
        for x in tensors:
            if x.storage not in self._made:
                continue
            seen = self.seen(x) if x.fills_storage else None
            past_masks = {} if stops else self._added.get(x.storage, {})
            for product in self._made[x.storage]:
                forward, backward = (product.elements if one is None else one.elements for one in (seen, past_masks.get(product, seen)))
                product.need(forward, backward, is_idle=is_idle)

    def seen(self, x: Tensor) -> Seen | None:
        """Return what is seen of a tensor: a view of a whole storage, or one of the parts that were joined to it. None where all is."""
        found = self._seen.get(x.storage)
        if found is None or x.fills_storage:
            return found
        view = x.view
        while view is not None and view.method not in ("parts", "narrow", "select", "expand", "unfold", "unbind", "diagonal"):
            x, view = view.base, view.base.view
        if view is None or view.method != "parts" or not view.base.fills_storage or x.part >= len(found.parts):
            return None
        part = found.parts[x.part]
        return part if expand(Mul(*part.shape) - x.numel) == 0 else None

    def join(self, parts: Sequence[Tensor], out: Tensor) -> None:
        """Say that tensors were joined."""
        each = [self.seen(x) for x in parts]
        if any(one is not None for one in each) and not any(one is not None and one.are_zero for one in each):
            known = tuple(one or Seen(x.numel, x.shape, None) for one, x in zip(each, parts, strict=True))
            self._seen[out.storage] = Seen(Add(*(one.elements for one in known)), out.shape, None, parts=known)

    def fill(self, row: str, x: Tensor, out: Tensor, mask: Hides, facts: Facts) -> None:
        """Say that a row has hidden elements of x in a result."""
        before = self.seen(x)
        seen = self._joined(before, x.shape, mask, facts)
        if seen is None:
            self.uncounted.append(row)
        else:
            self._seen[out.storage] = seen
            beside = self._added.get(out.storage, {})
            self._added[out.storage] = {one: self._joined(left, x.shape, mask, facts) or left for one, left in beside.items()}

    def _joined(self, before: Seen | None, shape: Shape, mask: Hides, facts: Facts) -> Seen | None:
        if before is None and mask.places is not None:
            return Seen(mask.places, shape, mask.seen)
        if mask.seen is None or (before is not None and (before.condition is None or before.shape != shape)):
            return None
        condition = mask.seen if before is None else both(before.condition or mask.seen, mask.seen)
        elements = count(condition, {index(axis): size for axis, size in enumerate(shape)}, facts)
        return None if elements is None else Seen(elements, shape, condition)

    def part(self, row: str, condition: Condition, shape: Shape, facts: Facts) -> Expr:
        """Return the part of the places of a shape at which a condition holds: all where that has no closed form."""
        elements = count(condition, {index(axis): size for axis, size in enumerate(shape)}, facts)
        if elements is None:
            self.uncounted.append(row)
            return Integer(1)
        return cancel(elements / Mul(*shape))

    def stand_in(self, x: Tensor) -> None:
        """Follow how much is needed of a tensor that stands for others."""
        self._made[x.storage] = (Product("", ZERO, ZERO, x.storage.numel),)

    def is_needed_in_part(self, x: Tensor) -> bool:
        """Say whether only a part of what a product has made of a tensor has been needed so far."""
        return any(one.seen not in (None, one.elements) for one in self._made.get(x.storage, ()))

    def last(self, made: Storage, final: Storage, runs: Expr) -> None:
        """Say that so many equal runs have made a storage, of which the last one stands apart: who reads it reads its product alone."""
        if made is final:
            return
        apart = [product.share(1 / runs) for product in self._made.get(made, ()) if product.row]  # others stand for products before
        self.products += apart
        self._made[final] = tuple(apart)
        if made in self._seen:
            self._seen[final] = self._seen[made]

    def copy(self) -> Hidden:
        """Return one that has noted the same so far."""
        other = Hidden()
        other.products, other.uncounted = [*self.products], [*self.uncounted]
        other._made, other._added, other._seen = {**self._made}, {**self._added}, {**self._seen}
        return other

    def aside(self) -> Hidden:
        """Return one that knows what is hidden, and has no products that could be needed."""
        other = Hidden()
        other._seen = {**self._seen}
        return other


def _as_zeros(seen: Seen) -> Seen:
    return replace(seen, are_zero=True, parts=tuple(_as_zeros(part) for part in seen.parts))
