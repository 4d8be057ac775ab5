"""Rules for the whole suite: what may be skipped, what the quick suite and `make test` leave out, and for how long it goes on.

In CI (the environment variable `CI` is `true`) a test that is skipped is a failure: a proof that did not run proves nothing. The few
reasons that no machine can do away with stand in `ALLOWED_IN_CI`.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import time
from collections.abc import Generator
from typing import TypeVar

import pytest
from hypothesis import settings

from generator.build.worker import COLLECTED_AFTER
from tests.support import seconds

BEGAN = pytest.StashKey[float]()
OUT_OF_TIME = "the time given by --minutes is over"
LONGEST = ("/test_every_workbook.py::", "::test_mypy_finds_nothing")

# A reason to skip that is none in CI, and why.
ALLOWED_IN_CI = (
    r"the administrator may (read|write) everything|the administrator may write everywhere",  # CI machines may run everything as root
    r"links need rights there|Windows has no such permissions",
    r"there is no full device here",  # some sandboxes lack /dev/full
    r"HyperFormula is not installed",  # a package of npm, whose registry CI machines need not reach; LibreOffice recalculates all the same
    r"not a git checkout",  # an unpacked source distribution
    r"no size is called b",  # a property of a size that this spec does not have
    r"where \w+ is one, so is another size of \w+ by default",  # likewise
    r"layers are at least none",  # a stack that no size makes empty
    re.escape(OUT_OF_TIME),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--minutes` and `--record-seconds`."""
    parser.addoption("--minutes", type=float, help="start no test after so many minutes; those that are left are counted as skipped")
    parser.addoption("--record-seconds", action="store_true", help="write how long the tests took into tests/seconds.json")


RECORD = seconds.Record()


def pytest_configure(config: pytest.Config) -> None:
    """Start the clock, which the processes of xdist share with the one that began them, and keep nothing in the user's caches.

    What is drawn is the same in each run, however slow the machine; `make fuzz` draws anew.
    Python looks for circles of objects more seldom than by itself, as the processes of a build do.
    """
    settings.register_profile("same", deadline=None, derandomize=True, database=None)
    settings.load_profile("same")
    gc.set_threshold(COLLECTED_AFTER, 10, 10)
    os.environ.setdefault("ARCHSHEET_CACHE", "")
    os.environ.setdefault("ARCHSHEET_TESTS_BEGAN", str(time.time()))
    os.environ.setdefault("ARCHSHEET_TESTS_ARE_NAMED", str(config.args_source is pytest.Config.ArgsSource.ARGS))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the bytecode of the tests, whose asserts pytest rewrites, also where the environment has none kept.

    To rewrite all of them again takes as long as hundreds of tests, in each process.
    """
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        return (yield)
    finally:
        sys.dont_write_bytecode = before


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    """Mark what is slow, and what only `make test-all` runs, and put those that are left in an order in which no process waits for another.

    A proof is run by `make test` however long it takes; of all else what is short. A further case of a test (`exhaustive`) is slow too.
    Of what a process begins with the longest tests come first, and further cases last. Where files or tests are named on the command
    line, only further cases are left out.
    """
    known = seconds.known()
    are_named = os.environ["ARCHSHEET_TESTS_ARE_NAMED"] == "True"
    further = {item.nodeid for item in items if item.get_closest_marker("exhaustive")}
    for item in items:
        taken, cases = known.get(seconds.function(item.nodeid), (0.0, 0))
        is_slow = item.nodeid in further or item.get_closest_marker("slow") or not seconds.is_quick(taken, cases)
        if is_slow:
            item.add_marker(pytest.mark.slow)
        is_short = not is_slow or 0 < taken < seconds.SHORT
        if not is_short and not are_named and not item.get_closest_marker("proof"):
            item.add_marker(pytest.mark.exhaustive)
    yield
    parts: tuple[list[pytest.Item], ...] = ([], [], [])  # the longest, others, further cases
    for item in items:
        is_long = any(name in item.nodeid for name in LONGEST)
        parts[2 if item.nodeid in further else 0 if is_long else 1].append(item)
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = [item for process in range(processes) for part in parts for item in _share(part, process, processes)]


def _share(items: list[pytest.Item], process: int, processes: int) -> list[pytest.Item]:
    """Return a stretch of tests, as long as those of the other processes.

    A process begins with a stretch of all tests, and takes over what others have not begun when it is done. Were all of the longest in
    one stretch, that process would still be at them when nothing else is left to do.
    """
    return items[len(items) * process // processes : len(items) * (process + 1) // processes]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note where a test begins, in processor seconds."""
    item.stash[BEGAN] = seconds.used()
    return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what would begin too late."""
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.time() - float(os.environ["ARCHSHEET_TESTS_BEGAN"]) > 60 * minutes:
        pytest.skip(OUT_OF_TIME)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take what a test's last report says of its seconds, in the process that began the others."""
    if report.when == "teardown" and "PYTEST_XDIST_WORKER" not in os.environ:
        RECORD.add(report.nodeid, report.user_properties)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the seconds where that is asked for."""
    if session.config.getoption("--record-seconds") and "PYTEST_XDIST_WORKER" not in os.environ:
        RECORD.write()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failure in CI, and say how long a test took."""
    if call.when == "teardown":
        item.user_properties.append((seconds.PROPERTY, seconds.used() - item.stash[BEGAN]))
    return _judged((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn a file that is skipped whole (`importorskip`) into a failure in CI."""
    return _judged((yield))


Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _judged(report: Report) -> Report:
    if not report.skipped or os.environ.get("CI") != "true" or hasattr(report, "wasxfail"):
        return report
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    if not any(re.search(allowed, reason) for allowed in ALLOWED_IN_CI):
        report.outcome = "failed"
        report.longrepr = f"In CI nothing may be skipped for want of a program: {reason}"
    return report
