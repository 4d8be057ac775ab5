"""Where gradients flow: which kernels have a derivative that runs.

A gradient comes back from the outputs through every kernel that has read a tensor differentiably. A kernel whose results lead to no output,
or only through an index, a comparison or a shape, is idle in the backward pass: autograd lets its node go, with all that the node has
kept. What leads where is known once everything is traced, so a spec with idle kernels is traced a second time, knowing them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sympy import Expr, Integer

from generator.trace.tensor import Storage, Tensor

Place = tuple[tuple[str, str], ...]  # the runs of stacks and recurrences around a kernel, outermost first: (row, which run)
Key = tuple[Place, str, int]  # a kernel: the runs around it, its row, its number there
REST = "rest"  # the run that stands for all that are equal


def last(age: int) -> str:
    """Return what a run is called that `age` others follow."""
    return f"last {age}"


class UnsettledFlowError(Exception):
    """The runs of a stack or recurrence go on differing in what of them gets a gradient.

    Args:
        row: its path.
        count: how many of them are alike going forward.
    """

    def __init__(self, row: str, count: Expr) -> None:
        super().__init__(row)
        self.row = row
        self.count = count


@dataclass(frozen=True)
class _Kernel:
    row: str
    number: int
    reads: tuple[Storage, ...]
    writes: tuple[Storage, ...]


@dataclass(frozen=True)
class _RunOfBlock:
    row: str
    label: str
    steps: list[Step] = field(default_factory=list)


@dataclass(frozen=True)
class _Loop:
    """Equal runs of which one was traced. By name: what the first was given, the one traced given and returned, the last returned."""

    run: _RunOfBlock
    count: Expr
    first: Mapping[str, Storage]
    given: Mapping[str, Storage]
    returned: Mapping[str, Storage]
    final: Mapping[str, Storage]


Step = _Kernel | _RunOfBlock | _Loop


@dataclass(frozen=True)
class Ends:
    """How the last runs of a loop differ: how many are traced apart, and how many equal ones there must be before them."""

    apart: int = 0
    least: int = 0


@dataclass(frozen=True)
class Idle:
    """What has no part in the backward pass.

    Args:
        kernels: those of which no result gets a gradient.
        ends: by runs around it and row, the loops whose last runs differ from the others in that.
    """

    kernels: frozenset[Key] = frozenset()
    ends: Mapping[tuple[Place, str], Ends] = field(default_factory=dict)

    @property
    def changes_counts(self) -> bool:
        """Whether anything is counted otherwise when it is known."""
        return bool(self.kernels) or any(ends.least > 1 for ends in self.ends.values())


@dataclass(frozen=True)
class FlowMark:
    """What a flow had noted at some moment, in the run that was open then."""

    steps: tuple[Step, ...]
    numbers: Counter[tuple[Place, str]]


class Flow:
    """Notes which kernel read and wrote what, as far as gradients flow there.

    Args:
        idle: what is known, from tracing the same before, to have no part in the backward pass.
        one_by_one: rows whose runs are to be traced one by one.
        place: the runs around what is noted.
    """

    def __init__(self, idle: Idle = Idle(), one_by_one: frozenset[str] = frozenset(), place: Place = ()) -> None:
        self.idle = idle
        self.one_by_one = one_by_one
        self._steps: list[Step] = []
        self._place = place
        self._numbers: Counter[tuple[Place, str]] = Counter()
        self.last: Key | None = None  # of the kernel noted last; None where no gradient can come to it

    def fresh(self) -> Flow:
        """Return a flow of its own for something that is run in the same place only to see its shapes."""
        return Flow(self.idle, self.one_by_one, place=self._place)

    def mark(self) -> FlowMark:
        """Return what brings `back_to` to what is noted now."""
        return FlowMark(tuple(self._steps), self._numbers.copy())

    def back_to(self, mark: FlowMark) -> None:
        """Forget what was noted since, in place: the runs around, which are still open, go on noting here."""
        self._steps[:], self._numbers = mark.steps, mark.numbers.copy()

    def kernel(self, row: str, reads: Iterable[Tensor], writes: Iterable[Tensor]) -> bool:
        """Note a kernel; say whether it is known to be idle."""
        written = tuple(x.storage for x in writes if x.needs_grad)
        self.last = None
        if not written:
            return False
        number = self._numbers[self._place, row]
        self._numbers[self._place, row] += 1
        self._steps.append(_Kernel(row, number, tuple(x.storage for x in reads if x.needs_grad), written))
        self.last = self._place, row, number
        return self.last in self.idle.kernels

    @contextmanager
    def run(self, row: str, label: str) -> Iterator[None]:
        """Take what is noted inside for one run of a row."""
        outer, self._steps = self._steps, []
        self._place = (*self._place, (row, label))
        try:
            yield
        finally:
            outer.append(_RunOfBlock(row, label, self._steps))
            self._steps = outer
            self._place = self._place[:-1]

    def ends(self, row: str) -> Ends:
        """Return how the last runs of a row differ from the others."""
        return self.idle.ends.get((self._place, row), Ends())

    def stands_for(
        self,
        count: Expr,
        first: Mapping[str, Storage],
        given: Mapping[str, Storage],
        returned: Mapping[str, Storage],
        final: Mapping[str, Storage],
    ) -> None:
        """Say that the run noted last stands for `count` of them, each given what the one before has returned.

        Args:
            first: what the first of them is given.
            given, returned: what the one that was traced was given and returned.
            final: what the last of them returned.
        """
        run = self._steps.pop()
        assert isinstance(run, _RunOfBlock)
        self._steps.append(_Loop(run, count, first, given, returned, final))

    def taken(self) -> Step:
        """Take back the run noted last, to `put` it elsewhere."""
        return self._steps.pop()

    def put(self, run: Step) -> None:
        """Note a run that was taken back."""
        self._steps.append(run)

    def find_idle(self, outputs: Iterable[Tensor]) -> Idle:
        """Return what has no part in a backward pass that starts with a gradient for each output that has one.

        Raises:
            UnsettledFlowError: see there.
        """
        walk = _Walk()
        walk.back(self._steps, (), {x.storage for x in outputs if x.needs_grad})
        return Idle(frozenset(walk.idle), walk.ends)


class _Walk:
    """Goes from results back to what they were made of."""

    def __init__(self) -> None:
        self.idle: set[Key] = set()
        self.ends: dict[tuple[Place, str], Ends] = {}

    def back(self, steps: Sequence[Step], place: Place, wanted: set[Storage]) -> None:
        """Follow the steps from the last to the first; `wanted`, the storages that get a gradient, grows on the way."""
        for step in reversed(steps):
            if isinstance(step, _RunOfBlock):
                self.back(step.steps, (*place, (step.row, step.label)), wanted)
            elif isinstance(step, _Loop):
                self._loop(step, place, wanted)
            elif wanted.isdisjoint(step.writes):
                self.idle.add((place, step.row, step.number))
            else:
                wanted.update(step.reads)

    def _loop(self, loop: _Loop, place: Place, wanted: set[Storage]) -> None:
        """Follow the runs from the last to the first until one gets gradients for the same results as the one behind it."""
        own = {*_made(loop.run.steps), *loop.given.values()}
        names = {name for name, storage in loop.final.items() if storage in wanted}
        runs: list[_Walk] = []
        while True:
            inside = wanted | {loop.returned[name] for name in names}
            runs.append(_Walk())
            runs[-1].back(loop.run.steps, (), inside)
            wanted |= inside - own
            names, behind = {name for name, storage in loop.given.items() if storage in inside}, names
            if names == behind:
                break
            if len(runs) > 2 * len(loop.given) + 1:
                raise UnsettledFlowError(loop.run.row, loop.count)
        wanted |= {loop.first[name] for name in names}
        *apart, rest = runs
        while apart and apart[-1].idle == rest.idle and apart[-1].ends == rest.ends:
            apart.pop()
        if isinstance(loop.count, Integer) and loop.count < len(runs):
            raise UnsettledFlowError(loop.run.row, loop.count)
        self.ends[place, loop.run.row] = Ends(len(apart), len(runs) - 1 - len(apart))
        for label, run in [*((last(age), run) for age, run in enumerate(apart)), (REST, rest)]:
            around = (*place, (loop.run.row, label))
            self.idle |= {((*around, *inner), row, number) for inner, row, number in run.idle}
            self.ends |= {((*around, *inner), row): ends for (inner, row), ends in run.ends.items()}


def _made(steps: Sequence[Step]) -> Iterator[Storage]:
    for step in steps:
        if isinstance(step, _Kernel):
            yield from step.writes
        else:
            run = step.run if isinstance(step, _Loop) else step
            yield from _made(run.steps)
            if isinstance(step, _Loop):
                yield from (*step.given.values(), *step.final.values())
