"""`gen sweep --dask`: two workers find what one process finds, and what a killed worker was at is done again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from generator.api import load
from generator.cli import main
from generator.questions.growth.axes import Axis
from generator.questions.sweep.best import best
from generator.questions.sweep.cluster import Cluster
from generator.questions.sweep.grid import CHUNK, Grid
from generator.questions.sweep.parts import GridPart, KeptPoints, parts_of
from generator.questions.sweep.sweep_chunks import Chunk, Sweep, parse_where

parquet = pytest.importorskip("pyarrow.parquet")
distributed = pytest.importorskip("distributed")

GRID = ["d=64..1024:+64", "h=1..16", "L=1..12", "n=16..512:+4", "b=1", "--preset", "bert-base", "--quantity", "params,matmul_flops"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A scheduler with two workers, each a process of one thread."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


def swept(where: str = "") -> Sweep:
    sheet = load("bert").sheet
    axes = (Axis("d", range(64, 1025, 64)), Axis("h", range(1, 17)), Axis("L", range(1, 13)), Axis("n", range(16, 513, 4)))
    given = {name: value for name, value in load("bert").presets["bert-base"].items() if name not in ("d", "h", "L", "n", "f")}
    return Sweep(sheet, Grid(axes, {**given, "b": 1}), ("params", "matmul_flops"), parse_where(where, sheet) if where else None)


def joined(chunks: Iterator[Chunk]) -> dict[str, np.ndarray]:
    kept = [chunk for chunk in chunks if chunk.count]
    return {name: np.concatenate([chunk.columns[name] for chunk in kept]) for name in kept[0].columns}


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return list(one) == list(other) and all(np.array_equal(one[name], other[name]) for name in one)


def test_parts_are_all_points_once_in_order() -> None:
    sweep = swept()
    for chunks in (1, 2, 32):
        parts = parts_of(sweep, chunks)
        assert [part.number for part in parts] == list(range(len(parts)))
        assert [part.first for part in parts] == [0, *(part.end for part in parts[:-1])]
        assert parts[-1].end == sweep.grid.count
        assert same(joined(chunk for part in parts for chunk in sweep.chunks(part.first, part.end)), joined(sweep.chunks()))
    huge = Sweep(sweep.sheet, Grid(tuple(Axis(name, range(1, 10**6)) for name in ("d", "L", "n")), {}), ())
    assert len(parts_of(huge)) <= 20_000
    assert parts_of(sweep, 1)[0] == GridPart(0, 0, CHUNK)


@pytest.mark.parametrize("reduction", [KeptPoints(40), KeptPoints(7, "params"), KeptPoints(7, "matmul_flops", greatest=True)])
def test_what_remains_of_parts_is_what_remains_of_all(reduction: KeptPoints) -> None:
    sweep = swept("params > 1e7")
    parts = [reduction.of(sweep.chunks(part.first, part.end)) for part in parts_of(sweep, 1)]
    chunks = list(sweep.chunks())
    whole = best(iter(chunks), reduction.key, 7, greatest=reduction.greatest) if reduction.key else None
    again = reduction.of(iter(parts)) if reduction.key else None
    if whole is not None and again is not None:
        assert same(dict(again.columns), dict(whole.columns))
    else:
        first = joined(iter(chunks))
        assert same({name: values[:40] for name, values in joined(iter(parts)).items() if parts}, {n: v[:40] for n, v in first.items()})
        assert sum(part.count for part in parts) == sum(chunk.count for chunk in chunks)
    assert sum(part.left_out for part in parts) == sum(chunk.left_out for chunk in chunks) > 0
    assert sum(part.filtered for part in parts) == sum(chunk.filtered for chunk in chunks) > 0


@pytest.mark.slow
def test_two_workers_write_the_rows_of_one_process_and_show_the_same(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "bert", *GRID, "--parquet", "one.parquet"]) == 0
    assert main(["sweep", "bert", *GRID, "--parquet", "parts", "--dask", address]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1].startswith("parts: ")
    assert told[-1].endswith("in 1 file")
    files = sorted(Path("parts").iterdir())
    assert [file.name for file in files] == ["part-00001-of-00001.parquet"]
    assert parquet.read_table("parts").equals(parquet.read_table("one.parquet"))
    for asked in (
        ["--where", "params < 5e7", "--max", "matmul_flops", "--top", "5"],
        ["--where", "n == 64"],
        ["--min", "params", "--json", "-"],
    ):
        said = []
        for where in ([], ["--dask", address]):
            assert main(["sweep", "bert", *GRID, *asked, *where]) == 0
            said.append(capsys.readouterr())
        assert said[0] == said[1]
        assert said[0].out
    assert main(["sweep", "bert", *GRID, "--parquet", "parts", "--dask", address]) == 2
    assert "parts is there already" in capsys.readouterr().err


@pytest.mark.slow
def test_a_killed_worker_loses_nothing(address: str) -> None:
    """One of two workers is killed while parts are written, and one while parts come back."""
    sweep, folder = swept(), Path("parts")
    folder.mkdir()
    with distributed.Client(address, set_as_default=False) as watching:
        cluster = Cluster(watching, chunks=1)
        total = len(parts_of(sweep, 1))
        for chunks in (cluster.write(sweep, folder.resolve()), cluster.chunks(sweep)):
            watching.wait_for_workers(2)
            found = [next(chunks)]
            held, begun, processes = watching.has_what(), watching.processing(), watching.run(os.getpid)
            lost = {worker: len(held[worker]) + len(begun[worker]) for worker in processes}
            assert len(lost) == 2
            victim = max(lost, key=lost.__getitem__)
            assert lost[victim] > 1  # parts that it is at, or has done and not yet handed on
            os.kill(processes[victim], signal.SIGKILL)
            found += chunks
            assert processes[victim] not in watching.run(os.getpid).values()
        wanted = list(sweep.chunks())
        assert total > 4
    assert sorted(file.name for file in folder.iterdir()) == [f"part-{place:05}-of-{total:05}.parquet" for place in range(1, total + 1)]
    table = parquet.read_table(folder).to_pydict()
    assert same({name: np.array(values) for name, values in table.items()}, joined(iter(wanted)))
    assert same(joined(iter(found)), joined(iter(wanted)))


def test_nobody_at_the_address_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from generator.questions.sweep import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 0.3)
    for nobody in ("tcp://127.0.0.1:1", "nonsense://x:1"):
        assert main(["sweep", "bert", *GRID, "--dask", nobody]) == 2
        assert f"error: --dask {nobody}: no scheduler answers there\n  `dask scheduler` prints" in capsys.readouterr().err


def test_without_dask_the_extra_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from generator.questions.sweep import cluster

    monkeypatch.setattr(cluster, "find_spec", lambda _: None)
    assert main(["sweep", "bert", *GRID, "--dask", "tcp://127.0.0.1:1"]) == 2
    assert "pip install 'archsheet[dask]'" in capsys.readouterr().err


def test_a_sweep_without_it_does_not_import_dask() -> None:
    program = "import sys\nfrom generator.cli import main\nmain(sys.argv[1:])\nprint({'dask', 'distributed'} & set(sys.modules))"
    command = [sys.executable, "-c", program, "sweep", "mine/layer.yaml", "k=2,4", "m=3", "b=1"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == "set()"
