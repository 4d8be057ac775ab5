"""Simulates the memory of a forward and backward pass: which storages are alive after each kernel.

A storage lives as long as something refers to it: a local variable of a module whose `forward` is running, the expression that is being
evaluated, a derivative that will need it, the caller (who holds inputs and outputs), or a gradient that has yet to be used. A derivative
that never runs is there as long as the results that it is of, and those that were made of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from generator.trace.alive import Moment
from generator.trace.diary import Bind, BlockPass, Diary, Enter, Event, Launch, Leave
from generator.trace.peak_moments import Memory
from generator.trace.recompute import Segment, segments
from generator.trace.tensor import Storage, Tensor

KEPT = "all results"  # no name of a variable


@dataclass(frozen=True)
class Forward:
    """Where a forward pass has led to: the memory with everything in it that the backward pass finds.

    Args:
        kept: what of it derivatives keep.
        segments: the parts that will run once more.
    """

    memory: Memory
    diary: Diary
    outputs: Sequence[Tensor]
    kept: Moment
    segments: Sequence[Segment]


def run_forward(diary: Diary, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Forward:
    """Replay the events of a forward pass: under `torch.no_grad` where no backward pass follows."""
    memory = Memory(diary)
    for x in inputs:
        memory.hold(x.storage)
    replay = _Replay(memory, diary, diary.events)
    replay.run()
    for x in outputs:
        memory.hold(x.storage)
    replay.end()
    memory.place, memory.row, memory.is_backward = (), "", True
    replay.kept.place = ()
    return Forward(memory, diary, outputs, replay.kept.now(), segments(diary))


def run_again(memory: Memory, diary: Diary, segment: Segment) -> None:
    """Replay the second run of a part of a forward pass, after which only what it has saved is left."""
    replay = _Replay(memory, diary, segment.again())
    replay.run()
    replay.stop()


class _Replay:
    """Variables of the modules that are running, and results in the hands of the expression that is being evaluated."""

    def __init__(self, memory: Memory, diary: Diary, events: Sequence[Event]) -> None:
        self.memory = memory
        self.kept = Memory(diary)  # by derivatives alone
        self.diary = diary
        self.events = events
        self.again_until = 0  # what happens before this event runs once more, and keeps nothing now
        self.frames: list[dict[str, list[Storage]]] = []
        self.in_hand: Counter[Storage] = Counter()
        self.named: Counter[Storage] = Counter()  # how many variables and expressions refer to each
        self.idle = _IdleDerivatives(memory)
        self.last_read = _last_reads(events)

    def run(self) -> None:
        """Follow all events."""
        for position, event in enumerate(self.events):
            self.step(position, event)

    def step(self, position: int, event: Event) -> None:
        """Follow one event."""
        if isinstance(event, BlockPass):
            self.again_until = max(self.again_until, event.end)
            for x in event.inputs if event.end else ():
                self._keep(x.storage)
        elif isinstance(event, Enter):
            self.frames.append({KEPT: []} if event.keeps_all else {})
            self._bind("inputs of the call", event.inputs)
        elif isinstance(event, Bind):
            self._bind(event.variable, event.values)
            if event.ends_row:
                self._drop(list(self.in_hand))
        elif isinstance(event, Leave):
            for x in event.outputs:
                self._take(x.storage)
            for storage in (s for values in self.frames.pop().values() for s in values):
                self._release(storage)
        else:
            self.memory.place, self.memory.row = self.diary.place_of(event.order), event.row
            for x in event.writes:
                self._take(x.storage)
                if self.frames and KEPT in self.frames[-1]:
                    self.frames[-1][KEPT].append(x.storage)
                    self._hold(x.storage)
            if self.diary.trains and position >= self.again_until:
                self._save(event)
            self._drop(s for s in list(self.in_hand) if self.last_read.get(s, -1) <= position)

    def end(self) -> None:
        """Let go of what is still in hand."""
        self._drop(list(self.in_hand))

    def stop(self) -> None:
        """Leave off in the middle: let go of all but what derivatives keep."""
        for storage in (s for frame in self.frames for values in frame.values() for s in values):
            self._release(storage)
        self.frames.clear()
        self.end()

    def _save(self, event: Launch) -> None:
        if event.is_idle:
            self.idle.add(event)
            return
        for storage in event.saved:
            self._keep(storage)

    def _keep(self, storage: Storage) -> None:
        self.memory.hold(storage)
        self.kept.place = self.memory.place
        self.kept.hold(storage)

    def _bind(self, variable: str, values: Iterable[Tensor]) -> None:
        before = self.frames[-1].get(variable, [])
        self.frames[-1][variable] = [x.storage for x in values]
        for storage in self.frames[-1][variable]:
            self._hold(storage)
        for storage in before:
            self._release(storage)

    def _take(self, storage: Storage) -> None:
        self._hold(storage)
        self.in_hand[storage] += 1

    def _hold(self, storage: Storage) -> None:
        self.named[storage] += 1
        self.memory.hold(storage)

    def _release(self, storage: Storage) -> None:
        self.memory.release(storage)
        self.named[storage] -= 1
        if not self.named[storage]:
            self.idle.lost(storage)

    def _drop(self, storages: Iterable[Storage]) -> None:
        for storage in storages:
            for _ in range(self.in_hand.pop(storage, 0)):
                self._release(storage)


class _IdleDerivatives:
    """Derivatives that never run, and what they keep while something refers to a result that they are of."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._of: dict[Storage, Launch] = {}  # result: what made it
        self._references: Counter[Launch] = Counter()  # results that have a name, and derivatives that would hand a gradient on

    def add(self, launch: Launch) -> None:
        """Keep what an idle kernel keeps; its results have names now."""
        for storage in launch.saved:
            self.memory.hold(storage)
        for storage in {x.storage for x in launch.writes if x.needs_grad}:
            self._of[storage] = launch
            self._references[launch] += 1
        for before in self._before(launch):
            self._references[before] += 1

    def lost(self, storage: Storage) -> None:
        """Note that a storage has no name any more."""
        if storage in self._of:
            self._forget(self._of[storage])

    def _before(self, launch: Launch) -> list[Launch]:
        return [self._of[x.storage] for x in launch.reads if x.needs_grad and x.storage in self._of]

    def _forget(self, launch: Launch) -> None:
        less = [launch]
        while less:
            one = less.pop()
            self._references[one] -= 1
            if not self._references[one]:
                for storage in one.saved:
                    self.memory.release(storage)
                less += self._before(one)


def _last_reads(events: Sequence[Event]) -> dict[Storage, int]:
    """Return where each storage is used for the last time within the row that makes it; results that a row hands on are kept to its end."""
    found: dict[Storage, int] = {}
    for position, event in enumerate(events):
        if isinstance(event, Launch):
            for x in event.reads:
                found[x.storage] = position
        else:
            used = event.values if isinstance(event, Bind) else event.outputs if isinstance(event, Leave) else event.inputs
            for x in used:
                found[x.storage] = position
    return found
