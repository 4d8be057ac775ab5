"""Time the generated module of a spec, beside what its formulas predict.

With --sweep one size runs through several values: `n=64..1024` doubles, `n=64..1024:+64` adds, `n=64,100` lists. For each value the forward
pass is run without gradients, first some times that do not count; shown are the median, how far the middle half of the times lies apart,
the predicted FLOPs (matmul and vector), FLOP/s, and the exponents of growth: 1 where doubling the size doubles the time, 2 where it takes
four times as long. Other sizes and options are given as NAME=VALUE; the batch is 1 unless given. Needs PyTorch.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import UsageError, add_json, add_target
from generator.commands.target import answered, target_of
from generator.formulas.human import counted
from generator.formulas.numerals import count_of
from generator.render.terminal.console import complain, say, step_by_step, styled, tell, width
from generator.render.terminal.text_table import Column, table_lines

if TYPE_CHECKING:
    from generator.commands.target import Target
    from generator.proof.bench.points import Point

EXAMPLES = """\
gen bench multi_head_attention --sweep n=64..1024 b=1 d=512 h=8
gen bench bert --preset bert-base --sweep n=64..512 --plot bert.svg
gen bench mlp b=1 n=128 d=512 --repeats 50
"""
BATCH = "b"
_HEADINGS = ("median", "spread", "FLOPs", "FLOP/s", "time ratio", "exponent", "FLOPs ratio", "exponent")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    parser.add_argument("--sweep", metavar="SIZE=VALUES", help="the size that is varied, such as n=64..1024 (doubled each time)")
    parser.add_argument("--repeats", metavar="N", type=count_of("runs"), default=20, help="how many runs count (default: 20)")
    parser.add_argument("--warmup", metavar="N", type=count_of("runs", 0), default=3, help="how many runs before them do not (default: 3)")
    parser.add_argument("--device", metavar="D", default="cpu", help="cpu (the default), cuda, cuda:1, mps")
    add_json(parser, "print JSON: seconds and FLOPs at each value")
    parser.add_argument("--plot", metavar="FILE.svg", type=Path, help="draw times and predictions on logarithmic axes")


def run(args: argparse.Namespace) -> int:
    """Time the module and print a line for each set of sizes."""
    if args.plot is not None and args.sweep is None:
        raise UsageError("--plot shows a sweep; give --sweep, such as n=64..1024")
    if args.plot is not None and args.plot.suffix.lower() != ".svg":
        raise UsageError(f"--plot: {args.plot} must end in .svg")
    if find_spec("torch") is None:
        complain("`gen bench` runs the generated module, which needs PyTorch", "install it with: pip install 'archsheet[torch]'")
        return 1
    with answered():
        size, values = _axis(args.sweep)
    target = target_of(args)
    known = _all_sizes(target, target.preset, size, values)
    points = _measured(args, target, known, values)
    if args.json:
        say(json.dumps(_plain(args, target, size, points), indent=2))
    for line in _report(args, target, size, points) if not args.json else ():
        say(line)
    if args.plot is not None and len(points) > 1:
        from generator.proof.bench.plot import plot

        args.plot.write_text(plot(f"{target.sheet.title}: one forward pass on {args.device}", size, points), encoding="utf-8")
        tell(f"drawn: {args.plot}")
    return 0


def _axis(text: str | None) -> tuple[str, Sequence[int]]:
    """Return the size that is varied and its values; a range without a step is doubled."""
    from generator.questions.growth.axes import parse_axis

    if text is None:
        return "", (0,)
    axis = parse_axis(f"{text}:x2" if ".." in text and ":" not in text else text)
    return axis.size, tuple(axis.values)


def _all_sizes(target: Target, preset: str | None, size: str, values: Sequence[int]) -> list[dict[str, int]]:
    """Return all sizes at each value. Raises UsageError where some are missing or break a condition."""
    from generator.sheet.costing import cost_of

    found = []
    names = {one.name for one in target.sheet.sizes}
    presets = next((one.sizes for one in target.sheet.presets if one.name == preset), {})
    given = dict(target.sizes)
    if BATCH in names and BATCH not in given and BATCH not in presets and size != BATCH:
        given[BATCH] = 1
    with answered():
        for value in values:
            cost = cost_of(target.sheet, preset, {**given, **({size: value} if size else {})})
            cost.require_all()
            found.append(dict(cost.dims))
    return found


def _measured(args: argparse.Namespace, target: Target, known: Sequence[dict[str, int]], values: Sequence[int]) -> list[Point]:
    from generator.proof.bench.points import Point
    from generator.proof.bench.timing import UnavailableError, times
    from generator.proof.verify.instance import Workbench
    from generator.quantities import TOTAL_FLOPS
    from generator.sheet.costing import cost_of

    points = []
    with Workbench(target.library) as bench:
        points_of = [*zip(values, known, strict=True)]
        for value, sizes in step_by_step(points_of, lambda point: f"timing at {point[0]:,}"):
            settable = {one.name: sizes[one.name] for one in target.sheet.sizes if one.kind != "derived"}
            cost = cost_of(target.sheet, None, settable)
            try:
                seconds = times(bench, target.sheet.name, sizes, {}, warmup=args.warmup, repeats=args.repeats, device=args.device)
            except UnavailableError as error:
                raise UsageError(str(error)) from error
            points.append(Point(value, seconds, cost.value(TOTAL_FLOPS.key)))
    return points


def _report(args: argparse.Namespace, target: Target, size: str, points: Sequence[Point]) -> list[str]:
    from generator.proof.bench.points import fitted_exponent, growth

    head = styled(f"{target.sheet.title} ({target.sheet.name}): one forward pass on {args.device}, {counted(args.repeats, 'run')}", "bold")
    rows = []
    for before, point in zip([None, *points], points, strict=False):
        rows.append([f"{point.value:,}" if size else "", *_cells(point)])
        if before is not None and before.value != point.value:
            grown = growth(before, point)
            rows[-1] += [f"{number:.2f}" for number in (grown.time_ratio, grown.time_exponent, grown.flops_ratio, grown.flops_exponent)]
        else:
            rows[-1] += [""] * 4
    columns = [Column(heading, right=True) for heading in (size, *_HEADINGS)]
    if not size:
        columns, rows = columns[1:5], [row[1:5] for row in rows]
    lines = [head, *table_lines(columns, rows, width())]
    if len({point.value for point in points}) > 1:
        lines.append(f"time grows like {size}**{fitted_exponent(points):.2f} (a line fitted through all points on logarithmic axes)")
    return lines


def _plain(args: argparse.Namespace, target: Target, size: str, points: Sequence[Point]) -> dict[str, Any]:
    """Return the times as plain data."""
    timed = [{**({size: one.value} if size else {}), "seconds": one.median, "spread": one.spread, "flops": one.flops} for one in points]
    return {"spec": target.sheet.name, "device": args.device, "repeats": args.repeats, "points": timed}


def _cells(point: Point) -> list[str]:
    from generator.formulas.human import rounded

    milliseconds = 1000 * point.median
    rate = rounded(point.rate, "FLOP") or f"{point.rate:.0f} FLOP"
    return [f"{milliseconds:.3f} ms", f"{100 * point.spread:.0f}%", rounded(point.flops, "FLOP") or f"{point.flops} FLOP", f"{rate}/s"]
