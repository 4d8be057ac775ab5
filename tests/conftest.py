"""Rules for the whole suite: what may be skipped, what only `make test-all` runs, and for how long it goes on.

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

from generator.build.worker import COLLECTED_AFTER

OUT_OF_TIME = "the time given by --minutes is over"
LONGEST = ("/test_every_workbook.py::", "::test_mypy_finds_nothing")

# A reason to skip that is none in CI, and why.
ALLOWED_IN_CI = (
    r"the administrator may (read|write) everything|the administrator may write everywhere",  # CI machines may run everything as root
    r"links need rights there",  # on Windows
    r"there is no full device here",  # some sandboxes lack /dev/full
    r"HyperFormula is not installed",  # a package of npm, whose registry CI machines need not reach; LibreOffice recalculates all the same
    r"not a git checkout",  # an unpacked source distribution
    r"no size is called b",  # a property of a size that this spec does not have
    r"where \w+ is one, so is another size of \w+ by default",  # likewise
    r"layers are at least none",  # a stack that no size makes empty
    re.escape(OUT_OF_TIME),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--minutes`."""
    parser.addoption("--minutes", type=float, help="start no test after so many minutes; those that are left are counted as skipped")


def pytest_configure() -> None:
    """Start the clock, which the processes of xdist share with the one that began them, and keep nothing in the user's caches.

    Python looks for circles of objects more seldom than by itself, as the processes of a build do.
    """
    gc.set_threshold(COLLECTED_AFTER, 10, 10)
    os.environ.setdefault("ARCHSHEET_CACHE", "")
    os.environ.setdefault("ARCHSHEET_TESTS_BEGAN", str(time.time()))


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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What only `make test-all` runs is slow too, so that `-m "not slow"` leaves it out. The longest tests come first.

    Else one process begins the longest of all when the other has nothing left to do.
    """
    for item in items:
        if item.get_closest_marker("exhaustive"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONGEST))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what would begin too late."""
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.time() - float(os.environ["ARCHSHEET_TESTS_BEGAN"]) > 60 * minutes:
        pytest.skip(OUT_OF_TIME)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failure in CI."""
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
