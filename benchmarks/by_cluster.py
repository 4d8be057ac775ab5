"""The speed of `gen sweep --dask`: a grid by two workers of this machine, beside the same by one of them."""

from __future__ import annotations

import statistics
import time
from contextlib import ExitStack
from typing import NamedTuple

from distributed import Client, LocalCluster

from generator.api import load
from generator.questions.growth.axes import parse_axis
from generator.questions.sweep.cluster import Cluster
from generator.questions.sweep.grid import Grid
from generator.questions.sweep.parts import KeptPoints, packed, parts_of, reduced
from generator.questions.sweep.sweep_chunks import Sweep, parse_where

GRID = ("d=64..4096:+64", "L=1..48", "h=1..64", "n=1..512")
PAIRS = 3
BEST = KeptPoints(20, "matmul_flops", greatest=True)


def grid_of_bert() -> Sweep:
    """Return the sweep that is timed: 100 million points, of which the best of some remain."""
    bert = load("bert")
    axes = tuple(parse_axis(text) for text in GRID)
    swept = {*(axis.size for axis in axes), "f"}
    fixed = {name: value for name, value in bert.presets["bert-base"].items() if name not in swept}
    return Sweep(bert.sheet, Grid(axes, {**fixed, "b": 1}), ("params", "matmul_flops"), parse_where("params < 1e9", bert.sheet))


class Taken(NamedTuple):
    """What a sweep took: by the clock on the wall, and of the processor by all workers together."""

    wall: float
    processor: float


def taken(sweep: Sweep) -> tuple[Taken, Taken]:
    """Return what one worker and two workers take, each a process: the medians of some runs in turn."""
    runs: dict[int, list[Taken]] = {1: [], 2: []}
    found = {}
    with ExitStack() as stack:
        clients = {count: _workers(stack, count, sweep) for count in runs}
        for _ in range(PAIRS):
            for count, client in clients.items():
                start, before = time.perf_counter(), client.run(time.process_time)
                found[count] = [(part.count, part.left_out, part.filtered) for part in Cluster(client).reduced(sweep, BEST)]
                wall, after = time.perf_counter() - start, client.run(time.process_time)
                runs[count].append(Taken(wall, sum(after[worker] - before[worker] for worker in before)))
    assert found[1] == found[2]
    one, two = (Taken(*(statistics.median(times) for times in zip(*runs[count], strict=True))) for count in runs)
    return one, two


def _workers(stack: ExitStack, count: int, sweep: Sweep) -> Client:
    """Start workers, and let each import and compile what it needs: that is not timed."""
    started = LocalCluster(n_workers=count, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50)
    client = stack.enter_context(Client(stack.enter_context(started), set_as_default=False))
    client.wait_for_workers(count)
    short = Sweep(sweep.sheet, Grid(sweep.grid.axes[-1:], _first(sweep)), sweep.measures)
    for worker in client.nthreads():
        client.submit(reduced, packed(short), parts_of(short)[0], BEST, workers=[worker], pure=False).result()
    return client


def _first(sweep: Sweep) -> dict[str, int]:
    return {**sweep.grid.fixed, **{axis.size: axis.values[0] for axis in sweep.grid.axes[:-1]}}


if __name__ == "__main__":
    print(*taken(grid_of_bert()))
