"""How long tests take, measured, and what follows: which of them the quick suite and `make test` leave out.

`tests/seconds.json` has the processor seconds of each test function that is not quick, in one process and on average for a case.
`pytest --record-seconds` writes it anew for the functions that it runs.
"""

from __future__ import annotations

import json
import resource
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

FILE = Path(__file__).parents[1] / "seconds.json"
QUICK = 0.1  # at most, of a case: what `-m "not slow"` runs
QUICK_IN_ALL = 1.5  # at most, of all cases of a function
SHORT = 0.15  # at most, of a case: what `make test` runs besides
PROPERTY = "seconds"


def function(nodeid: str) -> str:
    """Return the function of a test without its case."""
    return nodeid.partition("[")[0]


def known() -> dict[str, tuple[float, int]]:
    """Return the seconds of a case and the number of cases, by function."""
    return {name: (seconds, cases) for name, (seconds, cases) in json.loads(FILE.read_text(encoding="utf-8")).items()}


def is_quick(seconds: float, cases: int) -> bool:
    """Say whether the quick suite runs a function."""
    return seconds < QUICK and seconds * cases < QUICK_IN_ALL


def used() -> float:
    """Return the processor seconds of this process and of those that it has waited for."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


class Record:
    """What each test of a run took."""

    def __init__(self) -> None:
        self._taken: dict[str, list[float]] = defaultdict(list)

    def add(self, nodeid: str, properties: Iterable[tuple[str, object]]) -> None:
        """Note what the report on a test's end says."""
        self._taken[function(nodeid)] += [float(str(value)) for name, value in properties if name == PROPERTY]

    def write(self) -> None:
        """Write the file: functions that ran as they were measured, the others as before."""
        measured = {name: (round(sum(taken) / len(taken), 2), len(taken)) for name, taken in self._taken.items() if taken}
        found = {
            name: one for name, one in known().items() if name not in measured and (FILE.parents[1] / name.partition("::")[0]).exists()
        }
        found |= {name: one for name, one in measured.items() if not is_quick(*one)}
        lines = [f"  {json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found)]
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
