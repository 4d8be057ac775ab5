"""The recorder of kernels: what runs, what it costs, and what is kept for the backward pass.

Every cost of a row is the sum over the kernels that its op launches. A kernel is one operation as PyTorch dispatches it,
unfused; a view launches none. The verification counts the same kernels while the generated module runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sympy import Expr, Integer

from generator.formulas.symbols import Facts
from generator.trace.diary import Bind, Diary, Enter, Leave
from generator.trace.flow import Flow
from generator.trace.hidden import Hidden
from generator.trace.kernels import kernel_of
from generator.trace.memory_order import elementwise_strides
from generator.trace.tensor import Kind, Shape, Storage, Tensor, contiguous_strides, product

ZERO = Integer(0)


@dataclass(frozen=True)
class RowWeight:
    """A weight of a row.

    Args:
        storage: where it lies; that of another row where they share it.
        share: the part of it that one token uses.
        shape: of one of them.
        copies: how many of them the row has, over all repeats; 0 where they are another row's.
        learns: whether training changes it.
    """

    storage: Storage
    share: Expr
    shape: Shape
    copies: Expr
    learns: bool


@dataclass
class Tally:
    """Running sums of one row, in the order in which its kernels ran."""

    params: Expr = ZERO
    trainable_params: Expr = ZERO
    active_params: Expr = ZERO
    macs: Expr = ZERO
    vector_flops: Expr = ZERO
    backward_macs: Expr = ZERO
    visible_macs: Expr = ZERO  # those that no mask hides
    visible_backward_macs: Expr = ZERO
    state_elements: Expr = ZERO
    traffic_elements: Expr = ZERO
    bias_params: Expr = ZERO  # the part of `params` in weights named `bias`
    trainable_bias_params: Expr = ZERO
    weights: tuple[RowWeight, ...] = ()


class SharedWeights:
    """The weights of something that is applied several times, in the order in which it asks for them; every further time gets the same."""

    def __init__(self, outer: SharedWeights | None) -> None:
        self._outer = outer
        self._known: list[Storage] = []
        self._position = 0

    def next_step(self) -> None:
        """Begin anew."""
        self._position = 0

    def mark(self) -> tuple[tuple[int, int], ...]:
        """Return what brings `back_to` to this position: its own, and that of what is applied around it."""
        own = (self._position, len(self._known))
        return (own, *(self._outer.mark() if self._outer is not None else ()))

    def back_to(self, mark: tuple[tuple[int, int], ...]) -> None:
        """Take back what was asked for since."""
        (self._position, known), *outer = mark
        del self._known[known:]
        if self._outer is not None:
            self._outer.back_to(tuple(outer))

    def take(self, fresh: Storage) -> Storage:
        """Return the next weight: the one that stands in this place, or a fresh one the first time."""
        if self._position == len(self._known):
            self._known.append(fresh if self._outer is None else self._outer.take(fresh))
        self._position += 1
        return self._known[self._position - 1]


LOOKUPS = ("embedding", "gather", "index", "index_select", "grid_sample")  # kernels that may read a part of a tensor
CACHE = "cache"  # the kind of state that grows with each token


class Tracer:
    """Collects kernels, storages and weights row by row.

    Args:
        facts: what is known about the sizes; rows add to it as sub-specs bring their own constraints.
        half: whether the model's numbers have two bytes.
        is_training: whether the module trains, or is in evaluation mode.
        flow: which kernels are known to have no part in the backward pass; by default all that need a gradient get one.

    Attributes:
        diary: where each event is noted in order, if somebody has put one there; otherwise only sums are kept.
        is_later: whether this is a step of decoding behind others, which have made what is kept once.
        read_whole: the blocks of memory of which a kernel reads all; a table in which rows are looked up is not among them.
        states: which kinds of state are kept between decoding steps: `CACHE`, `once` (made in the first), `recurrent`.
    """

    def __init__(self, facts: Facts, *, half: bool = False, flow: Flow | None = None, is_training: bool = True) -> None:
        self.facts = facts
        self.flow = flow or Flow()
        self.hidden = Hidden()
        self.diary: Diary | None = None
        self.is_later = False
        self.states: set[str] = set()
        self.read_whole: set[Storage] = set()
        self._earlier: dict[Storage, Storage] = {}  # of what is kept once: the memory of the step that made it
        self.depends_on_precision = False  # whether an op has asked for it
        self.depends_on_mode = False  # likewise, whether the module trains
        self._half = half
        self._is_training = is_training
        self.tallies: dict[str, Tally] = {}
        self.storages: list[Storage] = []
        self.axes: set[Expr] = set()  # of every tensor that a kernel reads or writes, or that is reshaped
        self.averages: set[Expr] = set()  # axes that are so long on average, and need not come out whole: the tokens of an expert
        self.count: Expr = Integer(1)  # how often a kernel here runs: the product of the enclosing repeat counts
        self.copies: Expr = Integer(1)  # how often a weight here exists: less than `count` where steps share it
        self.is_frozen = False  # whether weights here are parameters that do not learn
        self.path = ""
        self.kept: list[Storage] = []  # for the backward pass, in the order in which they were first kept
        self.share: Expr = Integer(1)  # of the weights here, the part that one token uses
        self._weights: SharedWeights | None = None  # of what is applied several times around what runs
        self._last = ZERO, ZERO  # multiply-accumulates of the last contraction, forward and backward
        self._is_idle = False  # whether the last kernel has no part in the backward pass

    # ---- where we are ------------------------------------------------------------------------------------------------

    @contextmanager
    def row(self, path: str) -> Iterator[Tally]:
        """Attribute everything inside to the row at `path`."""
        outer, self.path = self.path, path
        try:
            yield self.tallies.setdefault(path, Tally())
        finally:
            self.path = outer

    @contextmanager
    def times(self, count: Expr, *, copies: Expr) -> Iterator[None]:
        """Run everything inside `count` times, on `copies` sets of weights."""
        outer = self.count, self.copies
        self.count, self.copies = self.count * count, self.copies * copies
        try:
            yield
        finally:
            self.count, self.copies = outer

    @contextmanager
    def used_in_part(self, share: Expr) -> Iterator[None]:
        """Let one token use only a part of the weights inside: those of the experts that it chooses."""
        outer, self.share = self.share, self.share * share
        try:
            yield
        finally:
            self.share = outer

    @contextmanager
    def sharing(self, known: SharedWeights | None = None) -> Iterator[SharedWeights]:
        """Let all that is applied inside have the weights of the first, or those that are known, which are not counted again."""
        outer, self._weights = self._weights, known or SharedWeights(self._weights)
        self._weights.next_step()
        copies, self.copies = self.copies, ZERO if known else self.copies
        try:
            yield self._weights
        finally:
            self._weights, self.copies = outer, copies

    @contextmanager
    def freezing(self, is_frozen: bool) -> Iterator[None]:
        """Say of all weights inside whether they learn; what is said nearest to a weight holds."""
        outer, self.is_frozen = self.is_frozen, is_frozen
        try:
            yield
        finally:
            self.is_frozen = outer

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Run something only to see its shapes: nothing inside is counted or kept."""
        before = self.tallies, self.storages, self.diary, self.axes, self.depends_on_precision, self.kept, self.flow, self.hidden
        self.tallies, self.storages, self.diary, self.axes, self.kept, self.flow = {}, [], None, set(self.axes), [], self.flow.fresh()
        self.hidden, averages = self.hidden.aside(), set(self.averages)
        try:
            yield
        finally:
            for storage in self.kept:  # tensors from outside that were kept in here only for show
                storage.saved_by = None
            self.tallies, self.storages, self.diary, self.axes, self.depends_on_precision, self.kept, self.flow, self.hidden = before
            self.averages = averages

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Run something that may raise: then it has not happened."""
        tallies = {path: replace(tally) for path, tally in self.tallies.items()}
        storages, kept, flow, hidden = len(self.storages), len(self.kept), self.flow.mark(), self.hidden.copy()
        earlier, mark = dict(self._earlier), self.diary.mark() if self.diary is not None else ()
        seen = set(self.axes), set(self.averages), self.depends_on_precision, self.depends_on_mode
        weights = self._weights.mark() if self._weights is not None else ()
        try:
            yield
        except Exception:
            for storage in self.kept[kept:]:
                storage.saved_by = None
            self.flow.back_to(flow)  # not another one: a run around this holds it
            self.tallies, self.hidden, self._earlier = tallies, hidden, earlier
            self.axes, self.averages, self.depends_on_precision, self.depends_on_mode = seen
            del self.storages[storages:], self.kept[kept:]
            if self._weights is not None:
                self._weights.back_to(weights)
            if self.diary is not None:
                self.diary.forget(mark)
            raise

    @property
    def half(self) -> bool:
        """Whether the model's numbers have two bytes, for ops that then run other kernels."""
        self.depends_on_precision = True
        return self._half

    @property
    def is_training(self) -> bool:
        """Whether the module trains, for ops that then do something else."""
        self.depends_on_mode = True
        return self._is_training

    @property
    def tally(self) -> Tally:
        """The sums of the row that is running."""
        return self.tallies.setdefault(self.path, Tally())

    # ---- making tensors ----------------------------------------------------------------------------------------------

    def new(self, shape: Shape, *, kind: Kind = "float", needs_grad: bool = False, strides: Shape | None = None) -> Tensor:
        """Return a fresh tensor in its own storage."""
        storage = Storage(product(shape), kind, count=self.count)
        self.storages.append(storage)
        return Tensor(shape, strides or contiguous_strides(shape), storage, needs_grad)

    def like(self, model: Tensor, *, needs_grad: bool | None = None, kind: Kind | None = None) -> Tensor:
        """Return a fresh tensor of the model's shape, dense in the model's memory order, as elementwise kernels do."""
        grad = model.needs_grad if needs_grad is None else needs_grad
        strides = elementwise_strides(self.facts, model.shape, [model])
        return self.new(model.shape, kind=kind or model.kind, needs_grad=grad, strides=strides)

    def in_place(self, x: Tensor, *, needs_grad: bool) -> Tensor:
        """Return what an operation in place makes of x: another tensor in the same memory."""
        storage = Storage(x.storage.numel, x.kind, count=self.count, before=x.storage)
        self.storages.append(storage)
        return replace(x, storage=storage, needs_grad=needs_grad)

    def parameter(self, shape: Shape, *, trainable: bool = True, is_bias: bool = False, kind: Kind = "float") -> Tensor:
        """Return a weight (or, not trainable, a buffer) and count it; some counts leave biases out."""
        numel, learns = product(shape), trainable and not self.is_frozen
        if trainable:
            tally, copied = self.tally, self.copies * numel
            tally.params += copied
            tally.active_params += self.share * copied
            tally.trainable_params += copied if learns else ZERO
            tally.bias_params += copied if is_bias else ZERO
            tally.trainable_bias_params += copied if is_bias and learns else ZERO
        fresh = Storage(numel, kind, persistent=True)
        storage = self._weights.take(fresh) if self._weights else fresh
        if trainable:
            self.tally.weights += (RowWeight(storage, self.share, shape, self.copies, learns),)
        return Tensor(shape, contiguous_strides(shape), storage, learns)

    # ---- kernels -----------------------------------------------------------------------------------------------------

    def kernel(
        self,
        name: str,
        reads: Sequence[Tensor],
        writes: Sequence[Tensor],
        *,
        vector: Expr = ZERO,
        macs: Expr = ZERO,
        contracted: Sequence[Tensor] = (),
        sources: Sequence[Tensor] | None = None,
        traffic: Expr | None = None,
    ) -> None:
        """Count one kernel, and what it keeps for the backward pass.

        Args:
            name: its entry in `generator.trace.kernels`.
            reads, writes: its tensors; their elements are its traffic.
            vector: arithmetic operations outside contractions.
            macs: multiply-accumulates; `contracted` are the operands, each of which that needs a gradient costs as much again
                in the backward pass.
            sources: what is really read, where `reads` only stands for how much that is.
            traffic: the elements moved, where they are not those of `reads` and `writes`.

        Raises:
            UnknownKernelError: it has no entry.
        """
        keeps = kernel_of(name).keeps
        really_read = reads if sources is None else sources
        if reads or writes:  # a part of a fused kernel has neither
            self._is_idle = self.flow.kernel(self.path, really_read, writes)
            if self.diary is not None:
                self.diary.launch(self.path, name, really_read, writes, self.flow.last, is_idle=self._is_idle)
        if self.diary is None:  # a replay wants to know what happens, and no sums
            moved = sum((t.numel for t in (*reads, *writes)), ZERO) if traffic is None else traffic
            self._count(name, self.count * moved, self.count * vector, really_read)
            self.axes.update(axis for x in (*reads, *writes) for axis in x.shape)
            if macs == 0:
                self.hidden.kernel(name, really_read, writes, is_idle=self._is_idle)
            else:
                backward = 0 if self._is_idle else sum(1 for t in contracted if t.needs_grad)
                self._contraction(name, self.count * macs, self.count * macs * backward, contracted, writes)
        elif macs != 0:
            self.diary.last_launch.contracts = True
        if any(x.needs_grad for x in writes):
            self.save(*keeps(really_read, writes))

    def _count(self, name: str, moved: Expr, vector: Expr, reads: Sequence[Tensor]) -> None:
        tally = self.tally
        tally.traffic_elements += moved
        tally.vector_flops += vector
        if name not in LOOKUPS:
            self.read_whole.update(x.storage for x in reads if x.is_whole)

    def _contraction(self, name: str, macs: Expr, backward: Expr, operands: Sequence[Tensor], writes: Sequence[Tensor]) -> None:
        """Add up the multiply-accumulates of a contraction, all of them and those that are seen: of a convolution all."""
        tally = self.tally
        tally.macs += macs
        tally.backward_macs += backward
        if name == "convolution":
            self.hidden.read(operands, is_idle=self._is_idle)
            part: Expr = Integer(1)
        else:
            part = self.hidden.contraction(self.path, macs, backward, operands, writes[0] if writes else None, is_idle=self._is_idle)
        tally.visible_macs += part * macs
        tally.visible_backward_macs += part * backward
        self._last = macs, backward

    def works_along(self, axes: Sequence[int]) -> None:
        """Say along which axes the last kernel works, for its derivative."""
        if self.diary is not None:
            self.diary.last_launch.along = tuple(axes)

    def hides(self, part: Expr) -> None:
        """Say which part of the last contraction a mask inside of its kernel hides."""
        macs, backward = self._last
        self.tally.visible_macs -= part * macs
        self.tally.visible_backward_macs -= part * backward

    def settle_hidden(self, outputs: Iterable[Tensor]) -> None:
        """Take off what is multiplied only for scores that are hidden. To be called once, when all has run."""
        self.hidden.read(outputs, is_idle=False)
        for made in self.hidden.products:
            tally, skipped = self.tallies[made.row], made.skipped
            tally.visible_macs -= skipped * made.macs
            tally.visible_backward_macs -= made.skipped_backward

    def save(self, *tensors: Tensor) -> None:
        """Let the last kernel keep tensors for the backward pass; each storage counts once, at the first row that keeps it."""
        if self.diary is not None:
            self.diary.save((tensor.storage for tensor in tensors if not tensor.storage.persistent), anything=bool(tensors))
        if self._is_idle:
            return
        for tensor in tensors:
            self.keep(tensor.storage, self.path)

    def keep(self, storage: Storage, path: str) -> None:
        """Say that the row at `path` keeps a storage for the backward pass, unless another does already."""
        if storage.persistent:
            return
        if storage.saved_by is None:
            storage.saved_by, storage.where, storage.otherwise = path, Integer(1), None
            self.kept.append(storage)
        elif storage.otherwise is not None:
            self.keep(storage.otherwise, path)

    def keep_where(self, storage: Storage, there: Expr) -> None:
        """Say that the row that keeps a storage is there only where `there` is one, and not where it is zero."""
        storage.where = there
        storage.otherwise = Storage(storage.numel, storage.kind, count=storage.count * (1 - there))
        self.storages.append(storage.otherwise)

    def name(self, **tensors: Tensor) -> None:
        """Say that the module gives tensors names of their own on the way, so that they live until its `forward` returns."""
        if self.diary is not None:
            self.diary.events += [Bind(f"{self.path} {name}", (x,), ends_row=False) for name, x in tensors.items()]

    @contextmanager
    def held(self, *, keeps_all: bool = True) -> Iterator[list[Tensor]]:
        """Let what is computed inside live until the end, as what an expression of C++ makes on the way does.

        Args:
            keeps_all: false for a function in Python, of which what has a name (`name`) lives so long.

        Yields:
            A list for what is handed on.
        """
        results: list[Tensor] = []
        if self.diary is not None:
            self.diary.events.append(Enter((), keeps_all))
        yield results
        if self.diary is not None:
            self.diary.events.append(Leave(tuple(results)))

    def made_earlier(self, x: Tensor) -> Tensor:
        """Return what an earlier step has made: in memory as x lies there, and without a gradient."""
        if x.storage not in self._earlier:
            self._earlier[x.storage] = Storage(x.storage.numel, x.storage.kind, count=x.storage.count)
            self.storages.append(self._earlier[x.storage])
        return Tensor(x.shape, x.strides, self._earlier[x.storage], needs_grad=False)

    def keep_state(self, elements: Expr, *, kind: str = "recurrent") -> None:
        """Count elements as kept between decoding steps, as a kind of state (see `states`)."""
        self.tally.state_elements += self.count * elements
        self.states.add(kind)

    # ---- layout ------------------------------------------------------------------------------------------------------

    def contiguous(self, x: Tensor) -> Tensor:
        """Return x with its memory in the order of its axes, copied if need be."""
        return x if x.is_contiguous else self.copy(x)

    def copy(self, x: Tensor) -> Tensor:
        """Return a fresh contiguous copy (aten.clone)."""
        out = self.new(x.shape, kind=x.kind, needs_grad=x.needs_grad)
        self.kernel("clone", [x], [out])
        return out

    def flatten(self, x: Tensor, first: int, last: int) -> Tensor:
        """Merge axes first..last: a view where memory order allows it, otherwise a copy, as torch.flatten."""
        self.axes.update(x.shape)
        first, last = first % x.rank, last % x.rank
        if first >= last:
            return x
        view = x.merge(first, last)
        return self.copy(x).flattened(first, last) if view is None else view
