"""`gen sweep`: every point exact, filters, the best points, and files that hold what is printed."""

from __future__ import annotations

import csv
import itertools
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from generator.api import load
from generator.cli import main
from generator.questions.growth.axes import Axis
from generator.questions.sweep import grid as grids
from generator.questions.sweep.best import best
from generator.questions.sweep.grid import Grid
from generator.questions.sweep.sweep_chunks import Sweep, parse_where


def points(sweep: Sweep) -> list[dict[str, int]]:
    found = []
    for chunk in sweep.chunks():
        columns = {name: list(values) for name, values in chunk.columns.items()}
        found += [{name: int(columns[name][i]) for name in columns} for i in range(chunk.count)]
    return found


def attention(axes: dict[str, list[int]], fixed: dict[str, int], where: str = "", measures=("params", "macs", "saved_elements")) -> Sweep:
    sheet = load("linear_attention").sheet
    return Sweep(sheet, Grid(tuple(Axis(*one) for one in axes.items()), fixed), measures, parse_where(where, sheet) if where else None)


def test_every_point_is_what_gen_cost_says(monkeypatch) -> None:
    monkeypatch.setattr(grids, "CHUNK", 7)  # several chunks, the last one not full
    axes = {"d": [8, 12, 30], "h": [1, 2, 3, 4], "n": [1, 5, 9]}
    spec = load("linear_attention")
    wanted = [
        {"b": 2, "n": n, "d": d, "h": h, "e": d // h}
        | {key: spec.cost(b=2, n=n, d=d, h=h).value(key) for key in ("params", "macs", "saved_elements")}
        for d, h, n in itertools.product(*axes.values())
        if d % h == 0
    ]
    assert points(attention(axes, {"b": 2})) == wanted


def test_points_at_sizes_that_are_not_allowed_are_counted() -> None:
    (chunk,) = attention({"d": [8, 9], "h": [2, 3]}, {"b": 1, "n": 4}).chunks()
    assert (chunk.count, chunk.left_out, chunk.filtered) == (2, 2, 0)


def test_a_filter_keeps_what_satisfies_it() -> None:
    axes = {"d": list(range(4, 80, 4)), "n": [16, 64]}
    everything = points(attention(axes, {"b": 1, "h": 4}))
    for condition, keeps in [
        ("params < 5000 and n > 16", lambda p: p["params"] < 5000 and p["n"] > 16),
        ("macs >= 2*saved_elements or d == 8", lambda p: p["macs"] >= 2 * p["saved_elements"] or p["d"] == 8),
        ("e % 2 == 0", lambda p: p["e"] % 2 == 0),
        ("params < 1", lambda p: False),  # noqa: ARG005
    ]:
        assert points(attention(axes, {"b": 1, "h": 4}, condition)) == [point for point in everything if keeps(point)]


@pytest.mark.parametrize("greatest", [False, True])
def test_the_best_points_are_those_of_a_full_sort(monkeypatch, greatest) -> None:
    monkeypatch.setattr(grids, "CHUNK", 5)
    axes = {"d": list(range(4, 60, 4)), "n": [3, 1, 2]}
    everything = points(attention(axes, {"b": 1, "h": 4}))
    found = best(attention(axes, {"b": 1, "h": 4}).chunks(), "macs", 6, greatest=greatest)
    wanted = sorted(everything, key=lambda p: -p["macs"] if greatest else p["macs"])[:6]
    assert [int(value) for value in found.columns["macs"]] == [point["macs"] for point in wanted]


def test_counts_beyond_machine_words_are_exact() -> None:
    large = 10**9 + 7
    found = points(attention({"n": [large, large + 1]}, {"b": large, "d": 4, "h": 2}, measures=("macs",)))
    assert [point["macs"] for point in found] == [load("linear_attention").cost(b=large, n=n, d=4, h=2).macs for n in (large, large + 1)]
    assert found[0]["macs"] > 2**64


def test_rounding_in_formulas_is_kept() -> None:
    sheet = load("vit").sheet
    sweep = Sweep(sheet, Grid((Axis("p", (14, 16, 28, 32)),), {"b": 1, "d": 8, "L": 1, "h": 2}), ("params", "macs"))
    assert [point["n"] for point in points(sweep)] == [257, 197, 65, 50]


def test_memory_does_not_grow_with_the_grid() -> None:
    def peak(length: int) -> int:
        sweep = attention({"n": range(1, length), "d": [8, 16]}, {"b": 1, "h": 4}, measures=("macs",))  # type: ignore[dict-item]
        tracemalloc.start()
        for _ in sweep.chunks():
            pass
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(2)
    assert peak(400_000) < 1.5 * peak(100_000)


def test_a_million_points_take_seconds() -> None:
    from time import perf_counter

    start = perf_counter()
    count = sum(chunk.count for chunk in attention({"n": range(1, 250_001), "d": [8, 16, 24, 32]}, {"b": 1, "h": 4}).chunks())  # type: ignore[dict-item]
    assert count == 1_000_000
    assert perf_counter() - start < 20


ARGUMENTS = ["sweep", "mine/layer.yaml", "k=2..8:x2", "m=3,5", "b=10", "--quantity", "params,macs"]
TABLE = [["b", "k", "m", "params", "macs"]] + [
    ["10", k, m, str(int(k) * int(m) + int(m)), str(10 * int(k) * int(m))] for k in "248" for m in "35"
]


def test_the_table_word_for_word(capsys) -> None:
    assert main(ARGUMENTS) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [*TABLE, ["6", "points"]]


def test_csv_json_and_parquet_hold_the_same_points(capsys) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for kind in ("csv", "json", "parquet"):
        assert main([*ARGUMENTS, f"--{kind}", f"points.{kind}"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "points.parquet: 6 of 6 points"
    assert list(csv.reader(Path("points.csv").read_text().splitlines())) == TABLE
    wanted = [dict(zip(TABLE[0], map(int, row), strict=True)) for row in TABLE[1:]]
    assert json.loads(Path("points.json").read_text()) == wanted
    assert parquet.read_table("points.parquet").to_pylist() == wanted


def test_parquet_keeps_numbers_beyond_machine_words(capsys) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert main(["sweep", "mine/layer.yaml", "k=1e12,2e12", "m=1e12", "b=1", "--quantity", "macs", "--parquet", "p.parquet"]) == 0
    assert [int(row["macs"]) for row in parquet.read_table("p.parquet").to_pylist()] == [10**24, 2 * 10**24]
    capsys.readouterr()


def test_best_of_a_filter(capsys) -> None:
    assert main([*ARGUMENTS, "--where", "params > 10", "--min", "macs", "--top", "2", "--csv", "-"]) == 0
    assert capsys.readouterr().out == "b,k,m,params,macs\n10,2,5,15,100\n10,4,3,15,120\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("b=1 k=2 m=3", "no size has several values"),
        ("k=1..9 m=3 --quantity macs", "the sweep of `layer` needs `b`, which is not given"),
        ("k=1..9 z=3", "`z` is not a size of `layer`"),
        ("k=0..9", "`k=0`: a size is a whole number of at least 1"),
        ("k=1..9:x1", "`k=1..9:x1`: a step by x1 gets nowhere; the least are :+1 and :x2"),
        ("k=1..9:+0", "`k=1..9:+0`: a step by +0 gets nowhere; the least are :+1 and :x2"),
        ("k=1..:+4", "`k=1..:+4` is no range: its end is missing\n  values are n=512,1024 or n=128..65536:x2 or n=64..1024:+64"),
        ("k=..9", "`k=..9` is no range: its start is missing"),
        ("k=1..2..3", "`k=1..2..3` is no range: a range is LOW..HIGH"),
        ("k=5:+1", "`k=5:+1` is no range: a range is LOW..HIGH"),
        ("k=1..9:2", "`k=1..9:2`: `:2` is no step\n  a step is a whole number to add, :+64, or to multiply by, :x2"),
        ("k=1..9:x1.5", "`k=1..9:x1.5`: `:x1.5` is no step"),
        ("k=1..9 m=1 b=1 --where params<<3", "--where: "),
        ("k=1..9 m=1 b=1 --where prams<3", "unknown name `prams`"),
        ("k=1..9 m=1 b=1 --min prams", "`prams` is no quantity\n  did you mean `params`?"),
        ("k=1..9 m=1 b=1 --csv a --json b", "one file at a time"),
    ],
)
def test_what_is_wrong_is_said(capsys, words, message) -> None:
    assert main(["sweep", "mine/layer.yaml", *words.split()]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_could_not_be_finished_is_removed(capsys, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("generator.questions.sweep.writers.CsvWriter.write", fail)
    assert main([*ARGUMENTS, "--csv", "points.csv"]) == 1
    assert not Path("points.csv").exists()
    assert "No space left" in capsys.readouterr().err


def test_arrays_of_a_chunk_are_machine_words_where_they_suffice() -> None:
    (chunk,) = attention({"n": [1, 2]}, {"b": 1, "d": 8, "h": 2}).chunks()
    assert all(values.dtype == np.int64 for values in chunk.columns.values())
