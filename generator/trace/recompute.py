"""Parts of a model that keep only their inputs for the backward pass, and run once more in it, as by `torch.utils.checkpoint`.

What such a part saves comes back when its backward pass first asks for any of it: then its forward pass runs again, and stops where the
last tensor has been saved, as PyTorch does by default (`early_stop`). A linear layer at the end saves its input before it multiplies, so
it is not multiplied again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from generator.trace.diary import Bind, BlockPass, Diary, Enter, Event, Launch, Leave
from generator.trace.tensor import Storage, Tensor


@dataclass
class Segment:
    """A part of a forward pass that runs once more.

    Args:
        checkpoint: where it begins, with its inputs.
        events: what happens in it.

    Attributes:
        saving: how many of its derivatives have yet to run that ask for something saved; its inputs are kept so long.
        fresh: for each storage that it makes, the one that its second run makes; None before that.
        launches: the kernels among the events.
    """

    checkpoint: BlockPass
    events: Sequence[Event]
    saving: int = field(init=False)
    fresh: dict[Storage, Storage] | None = field(default=None, init=False)
    launches: set[Launch] = field(init=False)

    def __post_init__(self) -> None:
        self.launches = {event for event in self.events if isinstance(event, Launch)}
        self.saving = sum(1 for launch in self.launches if launch.saves and not launch.is_idle)

    @property
    def rerun(self) -> Sequence[Event]:
        """What happens when it runs once more: all until the last tensor has been saved."""
        last = max((at for at, event in enumerate(self.events) if isinstance(event, Launch) and event.saves), default=-1)
        if last < 0:
            return ()
        final = self.events[last]
        made = {x.storage for x in final.writes} if isinstance(final, Launch) else set()
        runs = isinstance(final, Launch) and any(storage in made for storage in final.saved)  # results are saved once they are there
        return self.events[: last + runs]

    def again(self) -> list[Event]:
        """Return what happens in the second run, in memory of its own."""
        made = {x.storage.memory for launch in self.launches for x in launch.writes if not x.storage.persistent}
        self.fresh = {storage: Storage(storage.numel, storage.kind, count=storage.count) for storage in made}
        return [self._moved(event) for event in self.rerun]

    def held(self, storage: Storage) -> Storage:
        """Return the storage that stands for one, once this has run again."""
        return (self.fresh or {}).get(storage.memory, storage)

    def _moved(self, event: Event) -> Event:
        if isinstance(event, Launch):
            saved = [self.held(storage) for storage in event.saved]
            return replace(event, reads=self._all(event.reads), writes=self._all(event.writes), saved=saved)
        if isinstance(event, Bind):
            return replace(event, values=self._all(event.values))
        if isinstance(event, Enter):
            return replace(event, inputs=self._all(event.inputs))
        return replace(event, outputs=self._all(event.outputs)) if isinstance(event, Leave) else event

    def _all(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        return [replace(x, storage=self.held(x.storage)) for x in tensors]


def segments(diary: Diary) -> list[Segment]:
    """Return the parts that run once more, in order."""
    chosen = [(at, event) for at, event in enumerate(diary.events) if isinstance(event, BlockPass) and event.end]
    return [Segment(event, diary.events[at + 1 : event.end]) for at, event in chosen]


def reruns(diary: Diary) -> dict[str, Fraction]:
    """Return, for each row of which contractions run once more, which part of them does."""
    once = Counter(event.row for event in diary.events if isinstance(event, Launch) and event.contracts)
    again = Counter(event.row for segment in segments(diary) for event in segment.rerun if isinstance(event, Launch) and event.contracts)
    return {row: Fraction(again[row], number) for row, number in once.items() if again[row]}


def inside(diary: Diary) -> dict[str, Fraction]:
    """Return, for each row that lies in parts that run once more, which share of it does: it keeps nothing there."""
    every = Counter(event.row for event in diary.events if isinstance(event, Launch))
    found = Counter(event.row for segment in segments(diary) for event in segment.events if isinstance(event, Launch))
    return {row: Fraction(found[row], number) for row, number in every.items() if found[row]}
