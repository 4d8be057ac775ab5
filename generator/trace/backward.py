"""Simulates the memory of a backward pass in the order of PyTorch's autograd engine.

What ran last is differentiated first. A node runs once all gradients of its result are there; several gradients of one tensor are added
into a fresh one as they come. When a node has run, what it kept and the gradient that it used are let go. The gradients of inputs stay;
those of weights do not count once they are complete, or stay too, as the diary says.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from sympy import Integer, expand

from generator.formulas.symbols import Facts
from generator.trace.derivatives import Derivative, Gradients, summed_to
from generator.trace.diary import Launch
from generator.trace.liveness import Forward, run_again
from generator.trace.memory_order import elementwise_strides
from generator.trace.peak_moments import Memory, Replayed
from generator.trace.recompute import Segment
from generator.trace.tensor import Kind, Shape, Storage, Tensor, View, contiguous_strides, next_order, product

TOGETHER = frozenset({"parts", "unbind"})  # methods that make several views at once
FIRST = float("-inf")  # complete gradients of weights and inputs go before all else
Node = Launch | View | Storage  # a storage: a weight or an input, where gradients end


def run_backward(forward: Forward, facts: Facts) -> None:
    """Continue a simulated forward pass with its backward pass, started with a gradient of ones for each output that has one."""
    _Backward(forward, facts).run()


class _Backward:
    def __init__(self, forward: Forward, facts: Facts) -> None:
        self.memory: Memory = forward.memory
        self.facts = facts
        self.diary = forward.diary
        launches = [event for event in forward.diary.events if isinstance(event, Launch)]
        self.launches = launches
        self.makers = {x.storage: launch for launch in launches for x in launch.writes}
        self.segments = {launch: segment for segment in forward.segments for launch in segment.launches}
        self.outputs = [x for x in forward.outputs if x.needs_grad]
        self.waiting: dict[Node, dict[int, Tensor]] = {}
        self.queue: list[tuple[float, int, Node]] = []
        self.uses = Counter(self._edges())
        self.arrived: Counter[Node] = Counter()
        self.done: set[Node] = set()
        self.holders: Counter[tuple[Storage, View | None]] = Counter()  # of one gradient, views apart

    # ---- the graph ---------------------------------------------------------------------------------------------------

    def _node(self, x: Tensor) -> Node:
        return x.view if x.view is not None else self.makers.get(x.storage, x.storage)

    def _row_of(self, order: float) -> str:
        """Return the row of a kernel, or of the kernel for which a view was made."""
        after = bisect_left(self.launches, order, key=lambda launch: launch.order)
        return self.launches[min(after, len(self.launches) - 1)].row if self.launches else ""

    def _reads(self, node: Node) -> list[Tensor]:
        if isinstance(node, View):
            return [node.base] if node.base.needs_grad else []
        return [x for x in node.reads if x.needs_grad] if isinstance(node, Launch) else []

    def _edges(self) -> Iterator[Node]:
        """Yield the node of each tensor that gets a gradient, as often as it gets one."""
        seen: set[Node] = set()
        found = [self._node(x) for x in self.outputs]
        while found:
            node = found.pop()
            yield node
            if node not in seen:
                seen.add(node)
                found += [self._node(x) for x in self._reads(node)]

    # ---- running -----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run all nodes. Raises ValueError where one depends on itself."""
        seeds = [(x, self.new(x.shape, like=x)) for x in self.outputs]
        self._hand_on([(x, self.share(seed)) for x, seed in seeds])  # the caller keeps the seeds
        while self.queue:
            _, _, node = heapq.heappop(self.queue)
            if not isinstance(node, Storage):
                self.memory.place, self.memory.row = self.diary.place_of(node.order), self._row_of(node.order)
                if node in self.done:
                    raise ValueError("something is differentiated twice: it reads what is made of its own result")
                self.done.add(node)
            gradients = list(self.waiting.pop(node).values())
            if isinstance(node, Storage):
                self._end(node, gradients[0])
            elif isinstance(node, View):
                self._hand_on([(node.base, self._through_view(node, gradients))])
            else:
                segment = self.segments.get(node)
                if segment is not None and node.saves and segment.fresh is None:
                    run_again(self.memory, self.diary, segment)
                    self.memory.place, self.memory.row = self.diary.place_of(node.order), node.row
                found = Derivative(node, gradients[0], self).run()
                for storage in node.saved:
                    self.memory.release(storage if segment is None else segment.held(storage))
                if segment is not None and node.saves:
                    self._is_less_needed(segment)
                self.free(gradients[0])
                self._hand_on(found)

    def _is_less_needed(self, segment: Segment) -> None:
        """Let go of the inputs of a part that has run once more, where no other derivative in it will ask for anything."""
        segment.saving -= 1
        if not segment.saving:
            for x in segment.checkpoint.inputs:
                self.memory.release(x.storage)

    def _hand_on(self, gradients: Gradients) -> None:
        """Hand on the gradients of what a node has read. Those that are added to others live until all are handed on."""
        added = [gradient for x, gradient in gradients if self._send(x, gradient)]
        for gradient in added:
            self.free(gradient)

    def _send(self, x: Tensor, gradient: Tensor) -> bool:
        """Hand a gradient to the node that made x, and say whether it was added to what is there."""
        node = self._node(x)
        there = self.waiting.get(node)
        slot = x.part if isinstance(node, View) else 0
        if there is None:
            there = self.waiting[node] = {}
            if not isinstance(node, Storage):
                heapq.heappush(self.queue, (-node.order, next_order(), node))
        self.arrived[node] += 1
        complete = isinstance(node, Storage) and self.arrived[node] == self.uses[node]
        is_added = slot in there
        if is_added:
            first = there[slot]
            strides = elementwise_strides(self.facts, gradient.shape, [first, gradient]) if first.rank == gradient.rank else None
            is_weight = complete and isinstance(node, Storage) and node.persistent
            there[slot] = self.new(gradient.shape, kind=gradient.kind, strides=strides, is_weight=is_weight)
            self.free(first)
        else:
            there[slot] = gradient
        if complete:
            heapq.heappush(self.queue, (FIRST, next_order(), node))
        return is_added

    def _end(self, leaf: Storage, gradient: Tensor) -> None:
        """A gradient is complete: a weight or an input keeps it, as a copy where others hold it or it lies otherwise in memory.

        A view of what others hold is a tensor of its own, which nobody else holds. Gradients of weights do not count, but one that is
        a part of something larger keeps the whole alive.
        """
        is_copied = self.holders[gradient.storage, gradient.view] > 1 or not gradient.is_contiguous
        counts = not leaf.persistent or self.diary.counts_gradients
        if is_copied and counts:
            self.new(gradient.shape, kind=gradient.kind)
        if is_copied or (not counts and gradient.fills_storage):
            self.free(gradient)

    def _through_view(self, view: View, gradients: Sequence[Tensor]) -> Tensor:
        base, gradient = view.base, gradients[0]
        if view.method == "permute":
            order = view.detail
            back = tuple(order.index(i) for i in range(len(order)))
            return gradient.permute(back)
        if view.method in {"unflatten", "squeeze", "unsqueeze", "merge"}:
            return self._reshaped(view, gradient)
        if view.method == "expand":
            return summed_to(self, gradient, base)
        if view.method == "paired":
            return self._in_order(gradient)
        absent = self._absent(view, gradients)
        whole = self.new(base.shape, kind=gradient.kind, wanted_by=base)  # zeros around the part; the parts joined; windows added up
        for part in (*gradients, *absent):
            self.free(part)
        return whole

    def _in_order(self, gradient: Tensor) -> Tensor:
        """Return a gradient that is contiguous: a copy where it is not."""
        if gradient.is_contiguous:
            return gradient
        copy = self.new(gradient.shape, kind=gradient.kind)
        self.free(gradient)
        return copy

    def _absent(self, view: View, gradients: Sequence[Tensor]) -> list[Tensor]:
        """Return the zeros that stand for the gradients of views made together with others of which some have none."""
        missing = view.base.numel - sum((x.numel * self.memory.times(x.storage) for x in gradients), Integer(0))
        if view.method not in TOGETHER or expand(missing) == 0:
            return []
        return [self.new((missing if view.method == "parts" else missing / gradients[0].numel,))]  # of an index one element, stretched

    def _reshaped(self, view: View, gradient: Tensor) -> Tensor:
        """Return the gradient in the shape before the view: a view too, or a copy where memory order does not allow one."""
        detail = [int(axis) for axis in view.detail]
        if view.method == "squeeze":
            return gradient.unsqueeze(detail[0])
        if view.method == "unsqueeze":
            return gradient.squeeze(detail[0])
        if view.method == "merge":
            return gradient.unflatten(detail[0], view.base.shape[detail[0] : detail[1] + 1])
        merged = gradient.merge(detail[0], detail[1])
        if merged is not None:
            return merged
        copy = self.new(gradient.shape, kind=gradient.kind, wanted_by=view.base)
        self.free(gradient)
        return copy.flattened(detail[0], detail[1])

    # ---- gradients ---------------------------------------------------------------------------------------------------

    def new(
        self,
        shape: Shape,
        *,
        kind: Kind = "float",
        like: Tensor | None = None,
        wanted_by: Tensor | None = None,
        strides: Shape | None = None,
        is_weight: bool = False,
    ) -> Tensor:
        """Return a fresh tensor. The only gradient that a weight gets is that weight's own, and does not count unless the diary says so."""
        is_weight = is_weight or (wanted_by is not None and self._is_only_gradient_of_a_weight(wanted_by))
        if like is not None:
            strides = elementwise_strides(self.facts, shape, [like])
        storage = Storage(product(shape), kind, persistent=is_weight and not self.diary.counts_gradients)
        self.memory.hold(storage)
        self.holders[storage, None] += 1
        return Tensor(shape, strides or contiguous_strides(shape), storage)

    def _is_only_gradient_of_a_weight(self, x: Tensor) -> bool:
        node = self._node(x)
        while isinstance(node, View) and node.method in {"permute", "unflatten", "merge", "squeeze", "unsqueeze"} and self.uses[node] == 1:
            node = self._node(node.base)
        return isinstance(node, Storage) and node.persistent and self.uses[node] == 1

    def free(self, x: Tensor) -> None:
        """Refer to a tensor no more."""
        self.memory.release(x.storage)
        self.holders[x.storage, x.view] -= 1

    def share(self, x: Tensor) -> Tensor:
        """Refer to a tensor once more."""
        self.memory.hold(x.storage)
        self.holders[x.storage, x.view] += 1
        return x


def simulated_peak(forward: Forward, facts: Facts) -> Replayed:
    """Return what is alive at the highest moments of both passes."""
    after = forward.memory.now()
    run_backward(forward, facts)
    return forward.memory.peak(after, forward.kept)
