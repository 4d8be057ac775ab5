"""What is kept where one run of a body hands its results on to the next.

A result of one run is an input of the next, and what the next keeps of it is that result's storage. A storage may also be handed on
further, under the same name or another; it is then kept once, by the first run that keeps it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sympy import Expr

from generator.trace.tensor import Storage, Tensor
from generator.trace.tracer import Tracer

Names = frozenset[str]


class UnsettledError(Exception):
    """Runs go on differing from one another: no one formula holds for any number of them."""


class Seams:
    """Counts the storages of equal runs.

    Args:
        rest: how many equal runs there are.
        carried: what the first of them is given.
        placeholders: what stood for it, and for the results of each run but the last, while one run was traced.
        results: what that run returned.
        apart: storages made by runs that were traced one by one before.
        made: storages made by the run that stands for all.
        kept: storages that this run was the first to keep, in order.

    Attributes:
        least: of how many equal runs the counts hold.
    """

    def __init__(
        self,
        t: Tracer,
        rest: Expr,
        carried: Mapping[str, Tensor],
        placeholders: Mapping[str, Tensor],
        results: Mapping[str, Tensor],
        apart: Collection[Storage],
        made: Collection[Storage],
        kept: Sequence[Storage],
    ) -> None:
        self.t = t
        self.rest = rest
        self.given = {name: x.storage for name, x in carried.items()}
        self.placeholders = {name: x.storage for name, x in placeholders.items()}
        self.returned = {name: x.storage for name, x in results.items()}
        self.apart = apart
        self.made = made
        self.kept = kept
        inputs = {placeholder: name for name, placeholder in self.placeholders.items()}
        self.handed_on = {name: inputs[storage] for name, storage in self.returned.items() if storage in inputs}  # result: input
        self.least = 0
        self._final: dict[str, Storage] = {}
        self._continued: list[Storage] = []  # of the runs apart: counted with what equal runs make

    def settle(self) -> Mapping[str, Storage]:
        """Count all storages, and return those that the last run's results have. Raises UnsettledError."""
        own = {*self.made, *self.placeholders.values()}
        if any(storage not in own for storage in self.kept):
            self._need(1)  # something from outside that the runs apart do not keep
        for storage in dict.fromkeys(self.returned.values()):
            names = _named(self.returned, storage)
            if names & self.handed_on.keys():
                continue
            if storage in self.made and not storage.persistent:
                self._count(storage, names)
            else:
                self._from_outside(storage, names)
        for storage in dict.fromkeys(self.given.values()):
            self._given(storage, _named(self.given, storage))
        return self._final

    def _count(self, storage: Storage, names: Names) -> None:
        """Count what each run makes anew: as many as there are runs; those in the last results apart, for others may keep them later."""
        stations = self._stations(names)
        kept, row = (0, storage.saved_by) if storage.saved_by else self._kept(stations)
        earlier = self._earlier(storage, names)
        first = 1 if earlier is None else 0  # the number of the run that makes the first of them
        if earlier is not None:
            self._continued.append(earlier)
        storage.saved_by = None
        alive = 0  # of the last results, how many are kept already
        for age, places in enumerate(stations):
            last = Storage(storage.numel, storage.kind, count=self.t.count)  # not the one that stands for those of all runs
            self.t.storages.append(last)
            if row is not None and age >= kept:
                alive += 1
                self.t.keep(last, row)
            if age or first:
                self._need(age + first if row is None or age < kept else first)
            self._final |= dict.fromkeys(places, last)
        if row is not None:
            self._need(kept + first - 1)
            number = self.rest - kept + (1 if kept and not first else 0) - alive
            between = Storage(storage.numel, storage.kind, count=self.t.count * number)
            self.t.storages.append(between)
            self.t.keep(between, row)

    def _earlier(self, storage: Storage, names: Names) -> Storage | None:
        """Return what the last run before the equal ones has made in the same place, if it is the same in all that is counted."""
        found = {self.given[name] for name in names}
        earlier = found.pop()
        if found or earlier not in self.apart or _named(self.given, earlier) != names:
            return None
        alike = earlier.kind == storage.kind and self.t.facts.equal(earlier.numel, storage.numel)
        return earlier if alike and (earlier.saved_by is None) == (storage.saved_by is None) else None

    def _from_outside(self, storage: Storage, names: Names) -> None:
        """Account for one storage that every run returns: a weight, or an input that is not handed on."""
        stations = self._stations(names)
        kept, row = self._kept(stations)
        if row is not None and storage.saved_by is None and not storage.persistent:
            self._need(kept + 1)
            self.t.keep(storage, row)
        for age, places in enumerate(stations):
            if not storage.persistent:
                self._need(age + 1)
            self._final |= dict.fromkeys(places, storage)

    def _given(self, storage: Storage, names: Names) -> None:
        """Account for what the first of the equal runs is given."""
        stations = self._stations(names)
        kept, row = self._kept(stations)
        if row is not None and storage.saved_by is None and storage not in self._continued:
            self._need(kept)
            self.t.keep(storage, row)
        round_trip = [name for name in names if any(name in places for places in self._beyond(names))]
        for name in round_trip:  # it never leaves: the last run returns it
            self._final[name] = storage
        others = {self.given[name] for places in self._stations(frozenset(round_trip)) for name in places}
        if len({(other.saved_by is None, other.persistent) for other in others}) > 1:
            raise UnsettledError  # which of them stands where depends on the number of runs

    def _stations(self, names: Names) -> list[Names]:
        """Return the names under which a storage stands in the results of the run that makes it, in those of the next, and so on."""
        found = [names]
        for places in self._beyond(names):
            if places in found:
                break
            found.append(places)
        return found

    def _beyond(self, names: Names) -> list[Names]:
        """Return the names under which the runs behind hand a storage on, until none does or all have been seen."""
        found: list[Names] = []
        while True:
            names = frozenset(result for result, given in self.handed_on.items() if given in names)
            if not names or names in found:
                return found
            found.append(names)

    def _kept(self, stations: Sequence[Names]) -> tuple[int, str | None]:
        """Return after how many runs a storage is kept first, and the row that keeps it; None if none does."""
        for age, places in enumerate(stations, 1):
            found = [self.placeholders[name] for name in places]
            kept = next((storage for storage in self.kept if storage in found), None)
            if kept is not None:
                return age, kept.saved_by
        return 0, None

    def _need(self, runs: int) -> None:
        self.least = max(self.least, runs)


def _named(storages: Mapping[str, Storage], storage: Storage) -> Names:
    return frozenset(name for name, other in storages.items() if other is storage)
