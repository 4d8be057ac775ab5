"""Count at every point of a grid of sizes, with exact integers.

Axes are NAME=VALUES: `d=256..4096:x2` (times), `n=64..1024:+64` (plus), `n=512,1024`; a single value is held fixed. Points at which the
spec's conditions do not hold are left out. Files are written as points are worked out, so memory does not grow with the grid.

With --dask the workers of a cluster of dask.distributed work the grid out, part by part: what --where and --top leave over is all
that comes back, and with --parquet FOLDER they write one file for each part, so they have to see the folder. A worker that is lost
costs time only.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from generator.commands.arguments import UsageError, add_specs, existing
from generator.commands.target import answered, say_what_follows
from generator.formulas.human import counted
from generator.formulas.numerals import count_of
from generator.quantities import Shown, keys_in
from generator.render.terminal.console import progress, say, tell, width
from generator.render.terminal.text_table import Column, table_lines

if TYPE_CHECKING:
    from generator.questions.growth.axes import Axis
    from generator.questions.sweep.cluster import Cluster
    from generator.questions.sweep.grid import Grid
    from generator.questions.sweep.sweep_chunks import Chunk, Sweep
    from generator.sheet.sheet import Sheet

EXAMPLES = """\
  gen sweep bert d=256..4096:x2 n=128,512 h=8 b=1 --preset bert-base
  gen sweep bert d=256..1024:+64 L=2..24:+2 h=4,8,16 b=1 n=512 --preset bert-base --where "params < 1e8" --min matmul_flops --top 20
  gen sweep multi_head_attention b=1 d=64..4096:+64 h=1..64 n=1..4096 --where "e == 64" --csv points.csv
  gen sweep bert d=64..8192:+64 h=1..64 L=1..96 n=1..512 b=1 --preset bert-base --dask tcp://10.0.0.1:8786 --parquet points/
"""
SHOWN = 40  # points that are printed where no file is asked for
KINDS = ("csv", "json", "parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    default = ",".join(keys_in(Shown.SWEEP))
    parser.add_argument("target", metavar="NAME|FILE", help="a spec by name, or its file")
    parser.add_argument("axes", metavar="NAME=VALUES", nargs="*", help="sizes that run, and sizes and options that stay")
    parser.add_argument("--preset", metavar="P", help="a published set of sizes, for those that are not given")
    parser.add_argument("--quantity", metavar="KEY,...", default=default, help=f"what to count (default: {default})")
    parser.add_argument("--where", metavar="CONDITION", help='keep only such points: "params < 1e9 and n >= d"')
    order = parser.add_mutually_exclusive_group()
    order.add_argument("--min", metavar="KEY", help="the points with the smallest values of this")
    order.add_argument("--max", metavar="KEY", help="the points with the greatest values of this")
    parser.add_argument("--top", metavar="N", type=count_of("points"), default=10, help="how many of them (default: 10)")
    for kind, what in (("csv", "CSV"), ("json", "a JSON list")):
        note = f"write the points as {what}, to stdout where no file is named"
        parser.add_argument(f"--{kind}", metavar="FILE", nargs="?", const=Path("-"), type=_output, help=note)
    parser.add_argument("--parquet", metavar="FILE", type=Path, help="write the points as Parquet (needs the extra `parquet`)")
    parser.add_argument("--dask", metavar="ADDRESS", help="of the scheduler whose workers work it out (needs the extra `dask`)")
    add_specs(parser)


def _output(text: str) -> Path:
    """Read the name of a file; a size that stands behind --json or --csv is none."""
    if "=" in text:
        raise argparse.ArgumentTypeError(f"`{text}` would be the name of the file; put sizes before this option")
    return Path(text)


def run(args: argparse.Namespace) -> int:
    """Work the grid out, and print or write its points."""
    with answered():
        sweep, key = _sweep(args)
        chosen = [(kind, path) for kind in KINDS if (path := getattr(args, kind)) is not None]
        if len(chosen) > 1:
            raise UsageError("one file at a time: give --csv, --json or --parquet")
        with _workers(args.dask) as cluster:
            if cluster and args.parquet and not key:
                _write_parts(sweep, cluster, args.parquet)
                return 0
            chunks = _chunks(sweep, cluster, args, key, is_shown=not chosen)
            if not chosen:
                _show(sweep, chunks, limit=args.top if key else SHOWN)
            else:
                _write(sweep, chunks, *chosen[0])
    return 0


@contextmanager
def _workers(address: str | None) -> Iterator[Cluster | None]:
    """Connect with the cluster that was asked for, if one was."""
    if address is None:
        yield None
        return
    from generator.questions.sweep.cluster import connected

    with connected(address) as cluster:
        yield cluster


def _chunks(sweep: Sweep, cluster: Cluster | None, args: argparse.Namespace, key: str, *, is_shown: bool) -> Iterator[Chunk]:
    """Return the points to show or to write: of a cluster no more than that, and else as they are worked out here."""
    if cluster is None:
        chunks = _watched(sweep, sweep.chunks())
    elif key or is_shown:
        from generator.questions.sweep.parts import KeptPoints

        reduction = KeptPoints(args.top, key, bool(args.max)) if key else KeptPoints(SHOWN)
        chunks = _watched(sweep, cluster.reduced(sweep, reduction))
    else:
        chunks = _watched(sweep, cluster.chunks(sweep))
    if key:
        from generator.questions.sweep.best import best

        return iter([best(chunks, key, args.top, greatest=bool(args.max))])
    return chunks


def _watched(sweep: Sweep, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks of a sweep while the terminal shows how many of its points are worked out."""
    line = progress()
    line.begin(sweep.grid.count)
    for chunk in chunks:
        yield chunk
        line.done += chunk.count + chunk.left_out + chunk.filtered
        line.at("points")
    line.begin(0)


def _write_parts(sweep: Sweep, cluster: Cluster, folder: Path) -> None:
    """Have the workers write all points into files of a folder, and say how many."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already", "with --dask the files of Parquet go into a folder of their own")
    folder.mkdir(parents=True, exist_ok=True)
    passed = sum(chunk.count for chunk in _watched(sweep, cluster.write(sweep, folder.resolve())))
    tell(f"{folder}: {passed:,} of {counted(sweep.grid.count, 'point')} in {counted(len(list(folder.glob('*.parquet'))), 'file')}")


def _sweep(args: argparse.Namespace) -> tuple[Sweep, str]:
    """Return the sweep, and the measure that its points are sorted by; empty for the order of the grid."""
    from generator.importing.named_model import locate
    from generator.questions.growth.at_sizes import preset_values
    from generator.questions.growth.axes import parse_axis
    from generator.questions.growth.named_measures import measure
    from generator.questions.sweep.sweep_chunks import Sweep, parse_where
    from generator.sheet.asked import options_of, with_choices
    from generator.sheet.compiled import compile_spec
    from generator.sheet.sizing import by_entry

    library, name, preset = locate(args.target, existing(args.specs))
    known = library.spec(name)
    given = (word.partition("=") for word in args.axes if "=" in word)
    words_of = options_of(known, args.preset or preset) | {
        key.strip(): value.strip() for key, _, value in given if key.strip() not in known.dims
    }
    library, chosen = with_choices(library, name, words_of, args.preset or preset)
    sheet = compile_spec(library, name).sheet
    words = [word for word in args.axes if word.partition("=")[0].strip() not in chosen]
    entries = [by_entry({name.strip(): values}, sheet.families) for name, _, values in (word.partition("=") for word in words)]
    axes = [parse_axis(f"{size}={value}") for found in entries for size, value in found.items()]
    keys = [measure(key.strip()).key for key in args.quantity.split(",") if key.strip()]
    sort = measure(args.min or args.max).key if args.min or args.max else ""
    keys += [sort] if sort and sort not in keys else []
    where = parse_where(args.where, sheet) if args.where else None
    fixed = preset_values(sheet, args.preset or preset) if args.preset or preset else {}
    grid = _grid(sheet, axes, fixed)
    if args.preset or preset:
        say_what_follows(sheet, args.preset or preset, {axis.size: axis.values[0] if len(axis.values) == 1 else "" for axis in axes})
    return Sweep(sheet, grid, tuple(keys), where), sort


def _grid(sheet: Sheet, axes: list[Axis], preset: dict[str, int]) -> Grid:
    """Return the grid of the axes with several values, at the sizes with one."""
    from generator.questions.growth.at_sizes import check_settable
    from generator.questions.sweep.grid import Grid

    names = [axis.size for axis in axes]
    for name in names:
        check_settable(sheet, name)
        if names.count(name) > 1:
            raise UsageError(f"`{name}` is given twice")
    single = {axis.size: axis.values[0] for axis in axes if len(axis.values) == 1}
    several = tuple(axis for axis in axes if len(axis.values) > 1)
    if not several:
        raise UsageError("no size has several values", "such as d=256..4096:x2 or n=512,1024; for one point: `gen cost`")
    running = {axis.size for axis in several}
    return Grid(several, {name: value for name, value in {**preset, **single}.items() if name not in running})


def _show(sweep: Sweep, chunks: Iterator[Chunk], *, limit: int) -> None:
    """Print the first points, and say how many there are."""
    from generator.formulas.human import exact
    from generator.questions.sweep.writers import rows

    shown: list[list[str]] = []
    passed = left_out = filtered = 0
    for chunk in chunks:
        passed, left_out, filtered = passed + chunk.count, left_out + chunk.left_out, filtered + chunk.filtered
        for row in rows(chunk, sweep.names):
            if len(shown) >= limit:
                break
            shown.append([exact(value) for value in row])
    for line in table_lines([Column(name, right=True) for name in sweep.names], shown, width()):
        say(line)
    parts = [counted(sweep.grid.count, "point"), f"{left_out:,} left out{_why(sweep)}" if left_out else ""]
    parts += [f"{filtered:,} filtered" if filtered else "", f"{len(shown):,} shown" if len(shown) < passed else ""]
    say(", ".join(filter(None, parts)) + ("; --csv FILE writes all" if len(shown) < passed else ""))


def _why(sweep: Sweep) -> str:
    """Name the conditions of the spec, of which each point left out breaks one."""
    texts = [f"`{constraint.text}`" for constraint in sweep.sheet.constraints]
    return f" (the spec demands {', '.join(texts)})" if texts else ""


def _write(sweep: Sweep, chunks: Iterator[Chunk], kind: str, path: Path) -> None:
    """Write all points into a file, or to stdout for `-`, and say how many on stderr."""
    from generator.questions.sweep.writers import CsvWriter, JsonWriter, opened

    passed = 0
    if str(path) == "-" and kind != "parquet":
        writer = (CsvWriter if kind == "csv" else JsonWriter)(sys.stdout, sweep.names)
        for chunk in chunks:
            writer.write(chunk)
        writer.close()
        return
    with opened(kind, path, sweep.names, sweep.bounds()) as file:
        for chunk in chunks:
            file.write(chunk)
            passed += chunk.count
    tell(f"{path}: {passed:,} of {counted(sweep.grid.count, 'point')}")
