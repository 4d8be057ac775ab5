"""Say how long a model takes on a device: the least time, an estimate, and what a run costs.

A bound is the least time of the arithmetic and traffic that nothing can do without: contractions without hidden scores at the peak of the
device, weights, caches, inputs and results once through its memory. An estimate is what comes of it at --efficiency; neither is measured.
--generate G asks for a generation: the size of new tokens is then the prompt's length. --train asks for a training step; both may be
asked at once. --measured SECONDS says how much of the peak a time uses, by several conventions of counting.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from generator.commands.arguments import UsageError, add_json, add_recompute, add_target, count_of
from generator.commands.split_options import add_splits, split_lines, split_of
from generator.commands.target import answered, target_of
from generator.render.terminal.byte_units import about
from generator.render.terminal.console import say, styled, tell, width
from generator.render.terminal.durations import time_text
from generator.render.terminal.text_table import Column, table_lines
from generator.spec.mode import MODES, asked_of

if TYPE_CHECKING:
    from generator.questions.parallel.split_plan import Planned
    from generator.questions.time.roofline import LeastTime
    from generator.questions.time.time_answer import Room, TimeAnswer, TimeQuestion

EXAMPLES = """\
  gen time llama-3-8b b=8 n=8192 --device h100                        one forward pass
  gen time llama-3-8b b=8 n=4096 --generate 512 --device h100         a prompt of 4096 tokens, 512 that follow, and what fits
  gen time llama-3-8b b=1 n=8192 --train adamw --tokens 1e9 --price 2.5USD --device h100
  gen time bert-large b=32 n=512 --train adamw --dtype float16 --device a100 --measured 0.45     MFU
"""
_DEFAULT_DTYPE = "bfloat16"
_SHOWN_ROWS = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    parser.add_argument("--device", metavar="NAME", required=True, help="a device, such as h100 (`gen list --devices`), or its file")
    parser.add_argument("--dtype", metavar="D", default=_DEFAULT_DTYPE, help="the format in which it computes (bfloat16 by default)")
    parser.add_argument("--compute", metavar="F", help="the format of products, such as tf32 or fp8; by default D")
    parser.add_argument(
        "--weights", metavar="F", help="the format in which weights are stored, such as q8_0, or a rule (`gen help memory`)"
    )
    parser.add_argument("--cache", metavar="F", help="the format in which caches and states are stored; by default D")
    parser.add_argument("--generate", metavar="G", help="a generation of so many tokens for each request")
    parser.add_argument("--train", metavar="OPTIMISER", default="", help="a training step with sgd, momentum, adam, adamw, ...")
    add_recompute(parser)
    add_splits(parser)
    parser.add_argument("--tokens", metavar="D", help="a training run over so many tokens (or samples): hours, energy and price")
    parser.add_argument("--price", metavar="P", help="of an hour on one device, such as 2.50USD")
    parser.add_argument(
        "--efficiency", metavar="E", default="0.5", help="the part of the bound's speed that estimates assume (0.5 by default)"
    )
    parser.add_argument("--measured", metavar="SECONDS", help="a measured time of the pass: how much of the peak it uses (MFU, HFU)")
    parser.add_argument("--rows", action="store_true", help="show all rows, not only those that take longest")
    parser.add_argument("--roofline", metavar="FILE", type=Path, help="also draw the roofline with passes and the longest rows (SVG)")
    add_json(parser, "print JSON, for scripts")


def run(args: argparse.Namespace) -> int:
    """Print how long it takes."""
    from generator.files.writing import replace
    from generator.questions.time.time_answer import time_of
    from generator.render.roofline_chart import roofline_svg

    with answered():
        question = _question(args)
    with asked_of(MODES[0] if args.train and not args.generate else MODES[1]):
        target = target_of(args)
    trained = None
    if args.train and args.generate:
        with asked_of(MODES[0]):
            trained = target_of(args).sheet
    with answered():
        answer = time_of(target.sheet, target.preset, target.sizes, question, trained)
        data = answer.to_dict() if args.json else {}
        picture = roofline_svg(answer) if args.roofline else ""
    if args.roofline:
        replace(args.roofline, picture.encode())
        if not args.json:
            tell(f"{args.roofline} is written")
    if args.json:
        say(json.dumps(data, indent=2))
        return 0
    for line in [*_report(answer, all_rows=args.rows), *([] if answer.split is None else _split_lines(answer.split))]:
        say(line)
    return 0


def _question(args: argparse.Namespace) -> TimeQuestion:
    from generator.questions.hardware.device_names import device_named
    from generator.questions.memory.fits import MemorySetting
    from generator.questions.memory.stored_formats import stored_format
    from generator.questions.time.roofline import TimeSetting, efficiency_of
    from generator.questions.time.time_answer import TimeQuestion
    from generator.questions.time.training import price_of

    memory = MemorySetting.asked(args.dtype, args.weights, args.cache, args.train, args.recompute, split=split_of(args))
    compute = stored_format(args.compute or args.dtype).key
    return TimeQuestion(
        memory,
        TimeSetting(device_named(args.device, args.specs), compute, efficiency_of(args.efficiency)),
        count_of("--generate", args.generate) if args.generate else 0,
        count_of("--tokens", args.tokens) if args.tokens else 0,
        price_of(args.price) if args.price else None,
        _seconds(args.measured) if args.measured else None,
    )


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise UsageError(f"`--measured {text}`: seconds are expected, such as 0.012")
    return found


def _report(answer: TimeAnswer, *, all_rows: bool) -> list[str]:
    from generator.questions.hardware.device_line import bandwidth_text, memory_text, peak_text

    cost, setting, memory, room = answer.cost, answer.question.setting, answer.question.memory, width()
    device = setting.device
    named = f"{cost.spec}, preset {cost.preset}" if cost.preset else cost.spec
    peak = peak_text(device.peak[setting.compute], setting.compute) if setting.peak else "no peak known"
    lines = [styled(f"{cost.sheet.title} ({named}) on {device.title}", "bold")]
    lines += textwrap.wrap(", ".join(f"{name}={value:,}" for name, value in cost.dims.items()), room or 10_000)
    stored = f"weights in {memory.weights.key}, cache in {memory.cache.key}; "
    lines.append(f"{stored}{peak} in {setting.compute}, {bandwidth_text(device.bandwidth)}, {memory_text(device.memory)}")
    lines += ["", *_bounds(answer, room), *_notes(answer)]
    lines += ["", *[_room_line(one) for one in answer.rooms]]
    lines += _run_lines(answer)
    lines += _utilisation_lines(answer, room)
    return [*lines, *(["", *_row_lines(answer, room, all_rows=all_rows)] if setting.peak else [])]


def _split_lines(one: Planned) -> list[str]:
    sent = "no link is known" if one.link_seconds is None else f"the link of the device that sends most takes {time_text(one.link_seconds)}"
    bound = f"a step on {one.split.devices:,} devices: bound {time_text(one.seconds)}, by {one.limit}; the busiest stage computes and waits"
    return [*split_lines(one.heaviest, one.split), f"{bound} {time_text(one.compute_seconds)}, {sent}"]


def _bounds(answer: TimeAnswer, room: int | None) -> list[str]:
    serving, percent = answer.serving, f"{float(answer.question.setting.efficiency) * 100:g} %"
    found = [answer.forward, answer.training]
    if serving is not None:
        found += [serving.prefill, serving.first, serving.last, serving.whole]
    rows = [_bound_row(one) for one in found if one is not None]
    columns = [Column("", shrinks=True), Column("least FLOPs", right=True), Column("least bytes", right=True), Column("bound by")]
    columns += [Column("bound", right=True), Column("a second", right=True), Column(f"estimate at {percent}", right=True)]
    return [*table_lines([*columns, Column("a second", right=True)], rows, room)]


def _bound_row(one: LeastTime) -> list[str]:
    from generator.formulas.human import rounded
    from generator.questions.time.roofline import rate

    size = sum(one.moved.values())
    counts = [rounded(round(one.flops), "FLOP") if one.flops else "", rounded(round(size), "bytes") if size else ""]
    limit = one.limit if one.flops or size else ""
    return [
        one.title,
        *counts,
        limit,
        time_text(one.seconds),
        _rate(rate(one.items, one.seconds), one.unit),
        time_text(one.estimate_seconds),
        _rate(rate(one.items, one.estimate_seconds), one.unit),
    ]


def _notes(answer: TimeAnswer) -> list[str]:
    setting, serving = answer.question.setting, answer.serving
    lines = ["Nothing is faster than a bound; estimates are the bound's times by the efficiency; neither is measured."]
    if answer.convolves:
        lines.append("Convolutions count as direct ones; by Winograd's method or Fourier transforms they may take less.")
    if setting.peak is None:
        lines.append(
            f"No source is known for the peak of {setting.device.title} in {setting.compute}: the bound is that of its memory alone."
        )
    for size, value in answer.compute_bound_from.items():
        what = "the last step" if serving is not None else "it"
        if value is None and setting.peak is not None:
            lines.append(f"However large {size} is, {what} is bound by memory.")
        elif value is not None:
            lines.append(f"From {size} = {value:,} on, {what} is bound by compute, all else as it is.")
    if serving is not None:
        total, request, token = (
            about(size) for size in (serving.cache.total, serving.cache.for_each_request, serving.cache.for_each_token)
        )
        lines.append(f"Cache: {total} in the end, {request} a request, {token} more for each token of a request.")
    return lines


def _room_line(one: Room) -> str:
    if one.needed is None:
        return f"memory of {one.title}: not known"
    verdict = "fits" if one.fits else "does not fit"
    most = ""
    if one.largest is not None and not (one.fits and one.key == "prompt"):
        bound = "" if one.largest.is_by_memory or not one.largest.value else ", by conditions of the spec"
        most = f"; largest {one.size}: {one.largest.value:,}{bound}" if one.largest.value else f"; no {one.size} fits"
    return f"memory of {one.title}: {about(one.needed)} of {about(one.there)}, {verdict}{most}"


def _run_lines(answer: TimeAnswer) -> list[str]:
    one = answer.run
    if one is None:
        return []
    lines = [f"{one.items:,} {one.unit}: {one.steps:,.0f} steps; bound {one.bound_hours:,.1f} hours on one device"]
    if one.estimate_hours is not None:
        lines[0] += f", estimate {one.estimate_hours:,.1f}"
    if one.estimate_kilowatt_hours is not None:
        lines.append(f"estimate of the energy, at its highest power all the time: {one.estimate_kilowatt_hours:,.1f} kWh")
    if one.estimate_price is not None:
        lines.append(f"estimate of the price: {one.estimate_price:,.2f} {one.currency}".rstrip())
    return ["", *lines]


def _utilisation_lines(answer: TimeAnswer, room: int | None) -> list[str]:
    bound, seconds = answer.measured_bound, answer.question.measured
    if bound is None or seconds is None:
        return []
    rows = [[one.title, f"{one.part * 100:.1f} %"] for one in answer.utilisation]
    moved = sum(bound.moved.values()) / seconds / float(answer.question.setting.device.bandwidth)
    if not answer.training:
        rows.append(["the least bytes, of the bandwidth of the memory", f"{moved * 100:.1f} %"])
    lines = [
        "",
        *table_lines([Column(f"measured {time_text(seconds)}, for {bound.title}", shrinks=True), Column("used", right=True)], rows, room),
    ]
    if seconds < bound.seconds:
        lines.append(
            f"This is faster than the bound, {time_text(bound.seconds)}: something else was run, or elsewhere, or in another format."
        )
    return lines


def _row_lines(answer: TimeAnswer, room: int | None, *, all_rows: bool) -> list[str]:
    from generator.formulas.human import rounded

    known = answer.rows
    total = sum(row.seconds or 0.0 for row in known)
    longest = sorted(known, key=lambda row: -(row.seconds or 0.0))
    chosen = known if all_rows else longest[:_SHOWN_ROWS]
    rows = []
    for row in chosen:
        intensity = "" if row.intensity is None else f"{row.intensity:,.1f}"
        share = f"{row.seconds / total * 100:.0f} %" if row.seconds and total else ""
        rows.append(
            [row.name, rounded(row.flops, "FLOP"), rounded(row.bytes, "bytes"), intensity, row.limit, time_text(row.seconds), share]
        )
    columns = [Column("row, unfused, forward" if all_rows else "longest rows, unfused, forward", shrinks=True), Column("FLOPs", right=True)]
    columns += [Column("traffic", right=True), Column("FLOP/byte", right=True), Column("bound by"), Column("alone", right=True)]
    lines = table_lines([*columns, Column("share", right=True)], rows, room)
    left = "" if all_rows or len(known) <= len(chosen) else f"; {len(known) - len(chosen)} more with --rows"
    return [*lines, f"all rows one after the other, at peak and bandwidth: {time_text(total)}, an estimate of unfused operations{left}"]


def _rate(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return f"{value:,.1f} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
