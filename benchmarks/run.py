"""Prints how long things take, beside something measured in the same run that people know: `make bench`.

Times differ from machine to machine and from hour to hour; what can be compared are the ratios. Each row is short, so that the table is
there in a minute or two. Times of commands are those of the processor, of the process and of those that it starts.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import chain, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import sympy

from generator.api import load
from generator.files.resources import builtin_specs_dir
from generator.questions.growth.axes import parse_axis
from generator.questions.sweep.grid import Grid
from generator.questions.sweep.sweep_chunks import Sweep

GEN = (sys.executable, "-m", "generator.cli")
TRIES = 3
POINTS = 2_000_000
ROWS = 2_000
GRID = ("d=256..1024:+64", "L=1..48", "h=1..16", "n=16..512:+2")
COUNTED = ("params", "matmul_flops")
BUILT = "bert,swin,llama"
QUESTION = {"b": 8, "n": 512}
PRESET = "bert-base"


class TimedRow(NamedTuple):
    """One line of the table: what was measured, in seconds, and what it is held against."""

    what: str
    seconds: float
    beside: str
    other: float

    @property
    def ratio(self) -> float:
        """How many times as long it takes."""
        return self.seconds / self.other


class Commands:
    """Runs commands in a folder of their own, with an empty cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "ARCHSHEET_CACHE": str(folder / "cache"), "PYTHONPATH": str(Path.cwd())}

    def seconds(self, *command: str) -> float:
        """Return the seconds of the processor that a command takes. Raises CalledProcessError."""
        before = _of_children()
        subprocess.run(command, cwd=self.folder, env=self.environment, check=True, capture_output=True)  # noqa: S603 - commands of this file
        return _of_children() - before

    def gen(self, *arguments: str) -> float:
        """Return the seconds that a command of gen takes."""
        return self.seconds(*GEN, *arguments)

    def least(self, *command: str) -> float:
        """Return the least time of a few tries, the first of which does not count."""
        return min([self.seconds(*command) for _ in range(TRIES + 1)][1:])


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _in_process(run: Callable[[], object], times: int) -> float:
    """Return the median time of one run, in this process."""
    found = []
    for _ in range(TRIES):
        start = time.process_time()
        for _ in range(times):
            run()
        found.append((time.process_time() - start) / times)
    return statistics.median(found)


def answers(commands: Commands, bare: float) -> Iterator[TimedRow]:
    """Yield what is asked for at a prompt, the second time."""
    beside = "`import sympy` alone"
    for words in (("cost", "llama-7b", "b=1", "n=2048"), ("list",), ("show", "llama")):
        yield TimedRow(f"gen {' '.join(words)}, again", commands.least(*GEN, *words), beside, bare)


def questions() -> Iterator[TimedRow]:
    """Yield one question in this process, and one for an array of sizes."""
    bert = load("bert")
    sizes = np.arange(1, POINTS + 1)
    given = {**bert.presets[PRESET], **QUESTION}
    total = bert.sheet.totals["matmul_flops"]
    names = sorted(total.free_symbols, key=str)
    n_symbol = next(name for name in names if name.name == "n")
    by_hand = sympy.lambdify(names, total, "numpy")

    lengths = cycle(range(1, given["P"] + 1))  # another one each time, or sympy would look up what it has said

    def of_one(n: int | None = None) -> object:
        return bert.cost(PRESET, b=QUESTION["b"], n=n or next(lengths)).matmul_flops

    def substituted(n: int | None = None) -> object:
        return total.subs({name: given[name.name] for name in names} | {n_symbol: n or next(lengths)})

    def of_many() -> object:
        return bert.cost(PRESET, b=sizes, n=QUESTION["n"]).matmul_flops

    def in_numpy() -> object:
        return by_hand(*(sizes if name.name == "b" else given[name.name] for name in names))

    assert of_one(QUESTION["n"]) == substituted(QUESTION["n"])
    assert np.array_equal(of_many(), in_numpy())
    yield TimedRow("one total, in process", _in_process(of_one, 200), "the same by sympy's `subs`", _in_process(substituted, 20))
    yield TimedRow(f"a total for {POINTS:,} batches", _in_process(of_many, 5), "the same by `lambdify` in numpy", _in_process(in_numpy, 5))


def sweeps() -> Iterator[TimedRow]:
    """Yield a table of a grid with all its columns, beside one made by numpy from the same formulas."""
    sheet = load("bert").sheet
    axes = tuple(parse_axis(text) for text in GRID)
    swept = [axis.size for axis in axes]
    given = {**load("bert").presets[PRESET], "b": 1}
    sweep = Sweep(sheet, Grid(axes, {name: value for name, value in given.items() if name not in (*swept, "f")}), COUNTED)
    formulas = [sheet.totals[key] for key in COUNTED]
    names = [sorted(formula.free_symbols, key=str) for formula in formulas]
    by_hand = [sympy.lambdify(*one, "numpy") for one in zip(names, formulas, strict=True)]

    def swept_here() -> None:
        for _ in sweep.chunks():
            pass

    def in_numpy() -> dict[str, np.ndarray]:
        sizes = dict(zip(swept, np.meshgrid(*(np.array(axis.values) for axis in axes), indexing="ij"), strict=True))
        sizes = {**given, **{name: values.ravel() for name, values in sizes.items()}}
        allowed = np.flatnonzero((sizes["d"] % sizes["h"] == 0) & (sizes["n"] <= sizes["P"]))
        sizes = {name: value[allowed] if np.ndim(value) else np.full(allowed.size, value) for name, value in sizes.items()}
        sizes["f"] = 4 * sizes["d"]
        totals = [formula(*(sizes[name.name] for name in of)) for formula, of in zip(by_hand, names, strict=True)]
        return {**{name: sizes[name] for name in sweep.names if name in sizes}, **dict(zip(COUNTED, totals, strict=True))}

    chunks = list(sweep.chunks())
    assert all(np.array_equal(np.concatenate([one.columns[name] for one in chunks]), values) for name, values in in_numpy().items())
    del chunks
    what = f"gen sweep of {sweep.grid.count:,} points, without writing"
    yield TimedRow(what, _in_process(swept_here, 1), "the same table by numpy", _in_process(in_numpy, 1))


def clusters() -> Iterator[TimedRow]:
    """Yield a grid by two workers, beside one of them, where dask is installed."""
    if find_spec("distributed") is None:
        return
    from benchmarks.by_cluster import grid_of_bert, taken

    sweep = grid_of_bert()
    one, two = taken(sweep)
    what = f"--dask, {sweep.grid.count:,} points by two workers"
    yield TimedRow(f"{what}: clock", two.wall, "one worker (the clock on the wall)", one.wall)
    yield TimedRow(f"{what}: both", two.processor, "one worker (processor)", one.processor)


def builds(commands: Commands, bare: float) -> Iterator[TimedRow]:
    """Yield a cold build, one in which nothing is to be done, and one after an edit."""
    beside = "`import sympy` alone"
    specs = commands.folder / "specs"
    shutil.copytree(builtin_specs_dir(), specs)
    only = ("build", "specs", "--only", BUILT, "--out", "out", "--jobs", "1", "--quiet")
    cold = commands.gen(*only)
    yield TimedRow("cold build of bert, swin and llama", cold, beside, bare)
    yield TimedRow("the same, nothing to do", commands.least(*GEN, *only), "the cold build", cold)
    edited = next(specs.rglob("bert.yaml"))
    edited.write_text(edited.read_text(encoding="utf-8").replace("title: ", "title: My ", 1), encoding="utf-8")
    yield TimedRow("the same, one spec edited", commands.gen(*only), "the cold build", cold)


def long_specs(commands: Commands) -> Iterator[TimedRow]:
    """Yield the check of a spec of many rows, beside one of half as many."""
    taken = []
    for count in (ROWS // 2, ROWS):
        rows = "".join(f"  y{i}: {{op: linear, in: {f'y{i - 1}' if i else 'x'}, out: [b, d]}}\n" for i in range(count))
        file = commands.folder / f"long_{count}.yaml"
        file.write_text(f"title: Many\ndims: {{b: batch size, d: width}}\ninputs: {{x: [b, d]}}\nlayers:\n{rows}", encoding="utf-8")
        taken.append(commands.gen("check", file.name))
    yield TimedRow(f"gen check of {ROWS:,} rows", taken[1], f"of {ROWS // 2:,} rows", taken[0])


def main() -> None:
    """Print the table."""
    print(f"{'what':<52}{'seconds':>10}  {'beside':<38}{'seconds':>10}{'ratio':>10}")
    with TemporaryDirectory() as folder:
        commands = Commands(Path(folder))
        bare = commands.least(sys.executable, "-c", "import sympy")
        for row in chain(answers(commands, bare), questions(), sweeps(), clusters(), builds(commands, bare), long_specs(commands)):
            print(f"{row.what:<52}{row.seconds:>10.4g}  {row.beside:<38}{row.other:>10.4g}{row.ratio:>10.3g}", flush=True)


if __name__ == "__main__":
    main()
