"""Say what memory a model needs at given sizes, and the largest sizes that fit.

Without --train it is a forward pass in inference: weights, caches after the pass, and the highest moment of the pass, an estimate. With
--train it is a training step: weights, states of the optimiser, and the highest moment of both passes, gradients included, which
`gen verify` measures. With --generate G it is the last step of a generation, and the size of new tokens is the prompt's length.
Not counted: buffers such as tables of positions, what kernels use inside themselves, what an allocator leaves unused, and what a framework
takes for itself.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING

from generator.commands.arguments import add_json, add_recompute, add_target, count_of
from generator.commands.split_options import add_splits, split_lines, split_of
from generator.commands.target import answered, target_of
from generator.render.terminal.byte_units import about
from generator.render.terminal.console import say, styled, width
from generator.render.terminal.text_table import Column, table_lines
from generator.spec.mode import MODES, asked_of

if TYPE_CHECKING:
    from generator.questions.memory.fits import LargestSize
    from generator.questions.memory.memory_answer import MemoryAnswer

EXAMPLES = """\
  gen memory llama-3-8b b=8 n=1 m=8192 --device h100
  gen memory llama-3-8b b=8 n=4096 --generate 512 --device h100
  gen memory llama-3-8b b=8 n=1 m=8192 --device a10 --beside cuda=500MiB --beside rotary=2MiB
  gen memory llama-3-8b b=8 n=1 m=8192 --weights q4_k --cache fp8 --device-memory 24GB
  gen memory gpt-oss-20b b=1 n=1 m=8192 --weights vectors=bfloat16,experts=mxfp4,bfloat16
  gen memory bert-large b=16 n=512 --train adamw --dtype float32 --device-memory 24GB
  gen memory llama-3-8b b=1 n=8192 --train adamw --recompute blocks --device h200
  gen memory llama-3-70b b=1 n=8192 --train adamw --data 8 --zero 1 --tensor 8 --pipeline 4
"""
_DEFAULT_DTYPE = "bfloat16"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    parser.add_argument("--dtype", metavar="D", default=_DEFAULT_DTYPE, help="the format in which it computes (bfloat16 by default)")
    parser.add_argument(
        "--weights",
        metavar="F",
        help="the format in which weights are stored, such as q8_0 or int4:128; by a rule several, such as vectors=float32,q8_0; else D",
    )
    parser.add_argument("--cache", metavar="F", help="the format in which caches and states are stored; by default D")
    parser.add_argument("--generate", metavar="G", help="a generation of so many tokens, the size of new tokens being the prompt's length")
    parser.add_argument(
        "--train", metavar="OPTIMISER", default="", help="a training step with sgd, momentum, adamw, adafactor, muon, adam8bit ..."
    )
    add_recompute(parser)
    parser.add_argument(
        "--beside",
        metavar="NAME=SIZE",
        action="append",
        default=[],
        help="memory for something else, such as cuda=500MiB for what a framework takes for itself (may be repeated)",
    )
    add_splits(parser)
    there = parser.add_mutually_exclusive_group()
    there.add_argument("--device", metavar="NAME", help="a device, such as h100: whether it fits, and the largest sizes that do")
    there.add_argument("--device-memory", metavar="SIZE", help="the same of so much memory, 80GB or 80GiB")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print what is needed."""
    with asked_of(MODES[0] if args.train else MODES[1]):
        return _answer(args)


def _answer(args: argparse.Namespace) -> int:
    from generator.questions.hardware.amounts import allowances, memory_amount
    from generator.questions.hardware.device_names import device_named
    from generator.questions.memory.fits import MemorySetting
    from generator.questions.memory.memory_answer import memory_of

    target = target_of(args)
    with answered():
        setting = MemorySetting.asked(
            args.dtype, args.weights, args.cache, args.train, args.recompute, beside=allowances(args.beside), split=split_of(args)
        )
        device = device_named(args.device, args.specs) if args.device else None
        there = memory_amount(args.device_memory) if args.device_memory else None
        generated = count_of("--generate", args.generate) if args.generate else 0
        target.cost(args.dtype)  # says which sizes follow
        answer = memory_of(target.sheet, target.preset, target.sizes, setting, device=device, there=there, generated=generated)
    if args.json:
        say(json.dumps(answer.to_dict(), indent=2))
        return 0
    for line in _report(answer):
        say(line)
    if answer.heaviest is not None and setting.split is not None:
        for line in split_lines(answer.heaviest, setting.split):
            say(line)
    return 0


def _report(answer: MemoryAnswer) -> list[str]:
    from generator.questions.hardware.device_line import memory_text

    cost, setting, room, there = answer.cost, answer.setting, width(), answer.there
    named = f"{cost.spec}, preset {cost.preset}" if cost.preset else cost.spec
    lines = [styled(f"{cost.sheet.title} ({named}): {_what(answer)} in {setting.dtype}", "bold")]
    lines += textwrap.wrap(", ".join(f"{name}={value:,}" for name, value in cost.dims.items()), room or 10_000)
    rows = [[part.title, _exact(part.bytes), about(part.bytes), part.how] for part in answer.needs.parts]
    rows.append(["Together", _exact(answer.total), about(answer.total), ""])
    columns = [Column(""), Column("bytes", right=True), Column("about", right=True), Column("how it is counted", shrinks=True)]
    lines += ["", *table_lines(columns, rows, room), *_serving_lines(answer), *_recomputed_lines(answer)]
    if there is None or answer.total is None:
        return lines
    left = there - answer.total
    what = about(there) if answer.device is None else f"the {memory_text(there)} of {answer.device.title}, {about(there)}"
    verdict = f"fits into {what}; {about(left)} are left" if left >= 0 else f"does not fit into {what}: {about(-left)} too much"
    return [*lines, "", styled(verdict, "bold"), *(_largest(size, one) for size, one in answer.largest.items())]


def _what(answer: MemoryAnswer) -> str:
    if answer.serving is not None:
        return "the last step of a generation"
    return f"a training step with {answer.setting.optimiser}" if answer.setting.optimiser else "a forward pass in inference"


def _serving_lines(answer: MemoryAnswer) -> list[str]:
    one = answer.serving
    if one is None:
        return []
    lines = ["", f"cache: {about(one.for_each_request)} a request in the end, {about(one.for_each_token)} more for each of its tokens"]
    if one.prompt_needed is not None:
        lines.append(f"the prompt of {one.prompt:,} tokens at once, with results of all positions: {about(one.prompt_needed)} together")
    if one.largest_part is not None and one.largest_part.value < one.prompt:
        lines[-1] += (
            f"; it fits in parts of at most {one.largest_part.value:,} tokens" if one.largest_part.value else "; no part of it fits"
        )
    return lines


def _recomputed_lines(answer: MemoryAnswer) -> list[str]:
    one = answer.recomputed
    if one is None:
        return []
    from generator.formulas.human import rounded
    from generator.questions.memory.recomputation import recomputed_words

    share = f", {one.flops / one.forward_flops:.1%} of a forward pass" if one.forward_flops else ""
    kept = f"kept for the backward pass: {about(one.kept)}, where nothing runs once more {about(one.kept_without)}"
    lines = [kept, f"{recomputed_words(one.rule)} once more: {rounded(one.flops, 'FLOP')} of contractions{share}"]
    return ["", *lines, *(["recurrences run once more, of which the highest moment is an estimate"] if one.is_estimate else [])]


def _largest(size: str, found: LargestSize) -> str:
    if not found.value:
        return f"no {size} fits"
    bound = "" if found.is_by_memory else " (conditions of the spec allow no more)"
    return f"largest {size} that fits, all else as it is: {found.value:,}{bound}"


def _exact(count: int | None) -> str:
    return "not known" if count is None else f"{count:,}"
