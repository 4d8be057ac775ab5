"""A line at the foot of the terminal: what is being worked on, for how long, and about how long is left.

It is written to stderr, only where that is a terminal, and only once the work has gone on for a while. Whatever else is printed there takes
its place, and it comes back below.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO, TypeVar

PATIENCE = 1.0  # seconds of work of which nothing is said
TICK = 0.5  # seconds between two times that the line is written anew
_LEAST_DONE = 2  # items after which the time left is estimated
_ERASE = "\r\033[K"

T = TypeVar("T")


@dataclass
class Progress:
    """The line, and what it says.

    Args:
        stream: the terminal; None where nothing is to be shown.
        doing: what is done as a whole, such as `gen check`.
        clock: seconds that go on evenly.
    """

    stream: TextIO | None
    doing: str
    clock: Callable[[], float] = time.monotonic
    total: int = 0
    done: int = 0
    _began: float = field(init=False)
    _counted_from: float = field(init=False)
    _is_shown: bool = field(init=False, default=False)
    _lock: threading.RLock = field(init=False, default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self._began = self._counted_from = self.clock()

    def begin(self, total: int) -> None:
        """Start to count items, of which there are so many."""
        self.total, self.done, self._counted_from = total, 0, self.clock()

    def at(self, doing: str) -> None:
        """Say what is worked on now."""
        self.doing = doing
        self.draw()

    def step(self, doing: str = "") -> None:
        """Count an item that is done, and say what is worked on now, if that is known."""
        self.done += 1
        self.at(doing or self.doing)

    def text(self) -> str:
        """Return what the line says now: `[12/139] checking bert, 8 s, about 1 min 25 s left`."""
        now = self.clock()
        parts = [f"[{self.done}/{self.total}] {self.doing}" if self.total else self.doing, in_words(now - self._began)]
        if self.total and _LEAST_DONE <= self.done < self.total:
            each = (now - self._counted_from) / self.done
            parts.append(f"about {in_words(each * (self.total - self.done))} left")
        return ", ".join(parts)

    def draw(self) -> None:
        """Write the line, if the work has gone on long enough."""
        if self.stream is None or self.clock() - self._began < PATIENCE:
            return
        with self._lock:
            room = shutil.get_terminal_size((80, 24)).columns - 1
            self.stream.write(f"{_ERASE}{self.text()[:room]}")
            self.stream.flush()
            self._is_shown = True

    @contextmanager
    def away(self) -> Iterator[None]:
        """Take the line off the terminal while something else is printed."""
        with self._lock:
            if self._is_shown and self.stream is not None:
                self.stream.write(_ERASE)
                self.stream.flush()
                self._is_shown = False
            yield

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Write the line again and again while the work goes on, and take it away at the end."""
        if self.stream is None:
            yield
            return
        over = threading.Event()

        def tick() -> None:
            while not over.wait(TICK):
                self.draw()

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            with self.away():
                pass


def in_words(seconds: float) -> str:
    """Return a time as people say it: 8 s, 1 min 25 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def tracked(progress: Progress, items: Sequence[T], doing: Callable[[T], str]) -> Iterator[T]:
    """Yield items while the line says which of them is worked on."""
    before = progress.doing
    progress.begin(len(items))
    for i, item in enumerate(items):
        progress.done = i
        progress.at(doing(item))
        yield item
    progress.begin(0)
    progress.doing = before
