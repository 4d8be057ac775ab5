"""A build that is killed leaves no half file and no process behind, and the next one ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from generator.cli import main
from tests.support.small_specs import ALONE, LAYER, PAIR, contents, write_specs

ROOT = Path(__file__).resolve().parents[2]
TEMPORARY = ".gen-tmp"
# What takes long is imported before the clock is started, so that the moments fall into the build and not into imports.
PROGRAM = """\
import sys
import jinja2, openpyxl, sympy
import generator.build.builder, generator.render.module.writer, generator.sheet.compiled
from generator.cli import main
print("ready", flush=True)
sys.exit(main(["build", "mine", *sys.argv[1:]]))
"""


@contextmanager
def building(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A build with workbooks in another process, as the clock is started."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def rebuilt(specs: Path) -> dict[str, bytes]:
    """What a build without a disturbance leaves of these specs."""
    assert main(["build", specs.name, "--out", "undisturbed", "--jobs", "1"]) == 0
    return contents(specs.parent / "undisturbed")


def check_kills(specs: Path, moments: int, seed: int) -> None:
    """Kill as many builds, in turn one into an empty folder and one over outputs of other specs; build again after each."""
    (specs / "models/pair.yaml").unlink()  # two specs are enough, and take about a second
    before = rebuilt(specs)
    shutil.copytree("undisturbed", "before")
    write_specs(specs, blocks__layer=LAYER.replace("width in", "width of what comes in"), alone=ALONE.replace("rows", "rows of numbers"))
    with building("--out", "timed", "--jobs", "1") as process:
        start = time.perf_counter()
        assert process.wait() == 0
        seconds = time.perf_counter() - start
    after = rebuilt(specs)
    assert contents(specs.parent / "timed") == after
    assert {Path(path).suffix for path in after if before[path] != after[path]} == {".py", ".md", ".xlsx"}
    stream = random.Random(seed)
    killed = 0
    for moment in range(moments):
        out = specs.parent / f"out{moment}"
        if moment % 2:
            shutil.copytree("before", out)
        with building("--out", out.name, "--jobs", "1") as process:
            time.sleep(seconds * (moment + stream.random()) / moments)
        killed += process.returncode == -signal.SIGKILL
        whole = {path: data for path, data in contents(out).items() if not path.endswith(TEMPORARY)} if out.exists() else {}
        halves = [path for path, data in whole.items() if data not in (after.get(path), before[path] if moment % 2 else None)]
        assert (moment, halves) == (moment, [])
        for left in out.rglob(f".*{TEMPORARY}"):
            os.utime(left, (0, 0))  # or it may be that of a build that is still at work
        assert main(["build", "mine", "--out", out.name, "--jobs", "1"]) == 0
        assert contents(out) == after, moment
        shutil.rmtree(out)
    assert killed > moments / 2


@pytest.mark.slow
def test_a_build_killed_at_any_moment_leaves_whole_files_and_the_next_one_ends_as_ever(specs: Path) -> None:
    check_kills(specs, 6, 0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 11))
def test_two_hundred_killed_builds_leave_whole_files(specs: Path, seed: int) -> None:
    check_kills(specs, 20, seed)


def processes_of(parent: int) -> list[int]:
    """The processes that another one has started."""
    known = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [process for process in known if state_of(process)[1:2] == [str(parent)]]


def state_of(process: int) -> list[str]:
    """The state of a process (Z: it has ended), the process that has started it, and so on; nothing if it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc that says which process started which")
def test_the_processes_of_a_killed_build_end_with_it(specs: Path) -> None:
    write_specs(specs, **{f"layer{place}": LAYER.replace("small:", f"small{place}:") for place in range(8)}, models__pair=PAIR)
    with building("--jobs", "2") as process:
        while not list(Path("generated").glob("modules/layer?.py")):  # both are at work by then
            time.sleep(0.05)
        workers = processes_of(process.pid)
    assert process.returncode == -signal.SIGKILL
    assert len(workers) >= 2
    deadline = time.monotonic() + 30
    while alive := [pid for pid in workers if state_of(pid)[:1] not in ([], ["Z"])]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.05)
