"""Say how a training step can be split over so many devices: which splits fit, by the least time that a step takes.

The size of the batch is that of a microbatch on one replica. Replicas divide states as ZeRO 0 to 3 do; tensor parallel groups divide
matrices, and tokens between them; stages of a pipeline have layers, experts are divided among replicas, and the tokens of a sample among
the devices of a context, around which keys and values go. The bound of a step is the greater of what its busiest stage computes at the
peak of the device, waiting times of the pipeline included, and of what a device sends over its link. Weights, gradients and states are
exact where shares come out even; what is kept for the backward pass is an estimate.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING

from generator.commands.arguments import add_json, add_recompute, add_target, count_of
from generator.commands.target import answered, target_of
from generator.render.terminal.byte_units import about
from generator.render.terminal.console import say, styled, width
from generator.render.terminal.durations import time_text
from generator.render.terminal.text_table import Column, table_lines
from generator.spec.mode import MODES, asked_of

if TYPE_CHECKING:
    from generator.questions.parallel.split_plan import Planned, SplitPlan
    from generator.sheet.costing import Cost

EXAMPLES = """\
  gen plan llama-3-8b b=1 n=8192 --device h100 --count 64 --global-batch 512
  gen plan llama-3-70b b=1 n=8192 --device h100 --count 64 --global-batch 512
  gen plan mixtral-8x7b b=1 n=4096 --device h200 --count 32 --global-batch 256 --train adamw --json
  gen plan llama-3-70b b=1 n=131072 --device h100 --count 128 --global-batch 32 --recompute blocks
"""
_DEFAULT_DTYPE = "bfloat16"
_SHOWN = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    parser.add_argument("--device", metavar="NAME", required=True, help="a device, such as h100 (`gen list --devices`), or its file")
    parser.add_argument("--count", metavar="C", required=True, help="how many of them there are")
    parser.add_argument("--global-batch", metavar="B", required=True, help="samples of a step, all replicas together")
    parser.add_argument("--train", metavar="OPTIMISER", default="adamw", help="the optimiser (adamw by default)")
    parser.add_argument("--dtype", metavar="D", default=_DEFAULT_DTYPE, help="the format in which it computes (bfloat16 by default)")
    add_recompute(parser)
    parser.add_argument("--all", action="store_true", help="show all splits that fit, not only the best")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the splits; 1 where none fits."""
    from generator.questions.hardware.device_names import device_named
    from generator.questions.memory.decoding_passes import batch_size
    from generator.questions.memory.fits import MemorySetting
    from generator.questions.memory.stored_formats import stored_format
    from generator.questions.parallel.heaviest_device import Splitting
    from generator.questions.parallel.split_plan import plan
    from generator.questions.time.roofline import TimeSetting

    with asked_of(MODES[0]):
        target = target_of(args)
    with answered():
        compute = stored_format(args.dtype).key
        device = device_named(args.device, args.specs)
        count, batch = count_of("--count", args.count), count_of("--global-batch", args.global_batch)
        cost = target.cost(args.dtype)
        splitting = Splitting(cost, MemorySetting.asked(args.dtype, optimiser=args.train, recompute=args.recompute))
        found = plan(splitting, count, int(cost.dims.get(batch_size(cost.sheet), 1)), batch, TimeSetting(device, compute))
    if args.json:
        splits = [one.to_dict() for one in found.splits]
        said = {"spec": cost.spec, "preset": cost.preset, "dims": dict(cost.dims), "device": device.name, "count": count}
        say(json.dumps({**said, "splits": splits, "refused": found.refused}, indent=2))
    else:
        for line in _report(cost, found, f"{count:,} x {device.title}", all_of_them=args.all):
            say(line)
    return 0 if found.fitting else 1


def _report(cost: Cost, found: SplitPlan, devices: str, *, all_of_them: bool) -> list[str]:
    from generator.questions.time.work import items_of

    named = f"{cost.spec}, preset {cost.preset}" if cost.preset else cost.spec
    lines = [styled(f"{cost.sheet.title} ({named}): a training step on {devices}", "bold")]
    lines += textwrap.wrap(", ".join(f"{name}={value:,}" for name, value in cost.dims.items()), width() or 10_000)
    lines.append(f"{len(found.splits):,} splits are possible, {len(found.fitting):,} of them fit; times are bounds, memory is an estimate")
    shown = found.fitting if all_of_them else found.fitting[:_SHOWN]
    items, unit = items_of(cost)
    columns = [Column(name, right=True) for name in ("data", "ZeRO", "tensor", "pipeline", "pieces", "expert", "context", "microbatches")]
    columns += [
        Column("heaviest device", right=True),
        Column("bound", right=True),
        Column("bound by"),
        Column(f"{unit} a second", right=True),
    ]
    if shown:
        lines += ["", *table_lines(columns, [_row(one, items) for one in shown], width())]
        if len(found.fitting) > len(shown):
            lines.append(f"{len(found.fitting) - len(shown):,} more with --all")
        return lines
    least = found.splits[0]
    parts = ", ".join(f"{part.title.lower()} {about(part.bytes)}" for part in least.heaviest.needs.parts)
    need = f"the least needs {about(least.heaviest.needs.total)} of {about(least.there)} on stage {least.heaviest.stage}: {parts}"
    split = least.split
    named_split = f"data {split.data}, ZeRO {split.zero}, tensor {split.tensor}, pipeline {split.pipeline}, expert {split.expert}"
    named_split += f", context {split.context}"
    return [*lines, "", styled("no split fits", "bold"), f"{need} (with {named_split})"]


def _row(one: Planned, items: int) -> list[str]:
    split = one.split
    numbers = (split.data, split.zero, split.tensor, split.pipeline, split.interleave, split.expert, split.context, split.micro)
    rate = items * split.data * split.micro / one.seconds if one.seconds else 0
    return [*map(str, numbers), about(one.heaviest.needs.total), time_text(one.seconds), one.limit, f"{rate:,.0f}"]
