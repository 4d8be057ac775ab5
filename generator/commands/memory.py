"""Say what memory a model needs at given sizes, and the largest sizes that fit.

Without --train it is a forward pass in inference: weights, caches after the pass, and the highest moment of the pass, an estimate. With
--train it is a training step: weights, states of the optimiser, and the highest moment of both passes, gradients included, which
`gen verify` measures. Not counted: buffers such as tables of positions, what kernels use inside themselves, what an allocator leaves
unused, and what a framework takes for itself.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import UsageError, add_json, add_target
from generator.commands.target import Target, answered, target_of
from generator.render.terminal.console import say, styled, width
from generator.render.terminal.table import Column, table_lines
from generator.spec.mode import MODES, asked_of

if TYPE_CHECKING:
    from generator.questions.memory.fits import LargestSize, MemoryNeeds, MemorySetting
    from generator.sheet.costing import Cost

EXAMPLES = """\
  gen memory llama-3-8b b=8 n=1 m=8192 --device h100
  gen memory llama-3-8b b=8 n=1 m=8192 --weights q4_k --cache fp8 --device-memory 24GB
  gen memory bert-large b=16 n=512 --train adamw --dtype float32 --device-memory 24GB
"""
_DEFAULT_DTYPE = "bfloat16"
_UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    parser.add_argument("--dtype", metavar="D", default=_DEFAULT_DTYPE, help="the format in which it computes (bfloat16 by default)")
    parser.add_argument(
        "--weights", metavar="F", help="the format in which weights are stored, such as q8_0, mxfp4 or int4:128; by default D"
    )
    parser.add_argument("--cache", metavar="F", help="the format in which caches and states are stored; by default D")
    parser.add_argument("--train", metavar="OPTIMISER", default="", help="a training step with sgd, momentum, adam, adamw, ...")
    there = parser.add_mutually_exclusive_group()
    there.add_argument("--device", metavar="NAME", help="a device, such as h100: whether it fits, and the largest sizes that do")
    there.add_argument("--device-memory", metavar="SIZE", help="the same of so much memory, 80GB or 80GiB")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print what is needed."""
    with asked_of(MODES[0] if args.train else MODES[1]):
        return _answer(args)


def _answer(args: argparse.Namespace) -> int:
    from generator.questions.hardware.amounts import memory_amount
    from generator.questions.hardware.files import device_named
    from generator.questions.hardware.shown import memory_text
    from generator.questions.memory.fits import MemorySetting, largest, needs_of
    from generator.questions.memory.stored_formats import stored_format

    target = target_of(args)
    with answered():
        setting = MemorySetting(args.dtype, stored_format(args.weights or args.dtype), stored_format(args.cache or args.dtype), args.train)
        cost = target.cost(args.dtype)
        needs = needs_of(cost, setting)
        device = device_named(args.device, args.specs) if args.device else None
        memory = device.memory if device else memory_amount(args.device_memory) if args.device_memory else None
        found: dict[str, LargestSize] = {}
        if memory is not None:
            if needs.total is None:
                raise UsageError(f"the highest moment of `{target.sheet.name}` is not known, so that nothing can be said of what fits")
            found = {
                size: largest(target.sheet, target.preset, target.sizes, setting, memory, size)
                for size in target.sizes
                if _is_free(target, size)
            }
    data = _data(cost, setting, needs, memory, found) | ({"device": device.name} if device else {})
    if args.json:
        say(json.dumps(data, indent=2))
        return 0
    there = "" if memory is None else f"the {memory_text(memory)} of {device.title}, {_about(memory)}" if device else _about(memory)
    for line in _report(cost, setting, needs, memory, there, found):
        say(line)
    return 0


def _is_free(target: Target, size: str) -> bool:
    """Say whether a size is one that a user chooses: the preset does not give it."""
    published = next((preset.sizes for preset in target.sheet.presets if preset.name == target.preset), {})
    return size not in published


def _data(cost: Cost, setting: MemorySetting, needs: MemoryNeeds, memory: int | None, found: dict[str, LargestSize]) -> dict[str, Any]:
    said: dict[str, Any] = {
        "spec": cost.spec,
        "preset": cost.preset,
        "dims": dict(cost.dims),
        "dtype": setting.dtype,
        "weights": setting.weights.key,
        "cache": setting.cache.key,
        "train": setting.optimiser or None,
        **{part.key: part.bytes for part in needs.parts},
        "total_bytes": needs.total,
    }
    if memory is not None and needs.total is not None:
        said |= {"memory_bytes": memory, "left_bytes": memory - needs.total, "fits": needs.total <= memory}
        said["largest"] = {
            size: {"value": one.value, "bound_by": "memory" if one.is_by_memory else "conditions"} for size, one in found.items()
        }
    return said


def _report(
    cost: Cost, setting: MemorySetting, needs: MemoryNeeds, memory: int | None, there: str, found: dict[str, LargestSize]
) -> list[str]:
    sheet, room = cost.sheet, width()
    named = f"{sheet.name}, preset {cost.preset}" if cost.preset else sheet.name
    what = f"a training step with {setting.optimiser}" if setting.optimiser else "a forward pass in inference"
    lines = [styled(f"{sheet.title} ({named}): {what} in {setting.dtype}", "bold")]
    lines += textwrap.wrap(", ".join(f"{name}={value:,}" for name, value in cost.dims.items()), room or 10_000)
    rows = [[part.title, _exact(part.bytes), _about(part.bytes), part.how] for part in needs.parts]
    rows.append(["Together", _exact(needs.total), _about(needs.total), ""])
    columns = [Column(""), Column("bytes", right=True), Column("about", right=True), Column("how it is counted", shrinks=True)]
    lines += ["", *table_lines(columns, rows, room)]
    if memory is None or needs.total is None:
        return lines
    left = memory - needs.total
    verdict = f"fits into {there}; {_about(left)} are left" if left >= 0 else f"does not fit into {there}: {_about(-left)} too much"
    lines += ["", styled(verdict, "bold")]
    lines += [_largest(size, one) for size, one in found.items()]
    return lines


def _largest(size: str, found: LargestSize) -> str:
    if not found.value:
        return f"no {size} fits"
    bound = "" if found.is_by_memory else " (conditions of the spec allow no more)"
    return f"largest {size} that fits, all else as it is: {found.value:,}{bound}"


def _exact(count: int | None) -> str:
    return "not known" if count is None else f"{count:,}"


def _about(count: int | None) -> str:
    if count is None:
        return ""
    unit, name = next(((unit, name) for unit, name in _UNITS if count >= unit), (1, "bytes"))
    return f"{count / unit:,.2f} {name}" if unit > 1 else f"{count:,} bytes"
