"""Options that split a training step over devices, and how one of them is shown."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from generator.commands.arguments import count_of
from generator.render.terminal.byte_units import about
from generator.render.terminal.console import styled, width
from generator.render.terminal.text_table import Column, table_lines

if TYPE_CHECKING:
    from generator.questions.parallel.heaviest_device import DeviceShare
    from generator.questions.parallel.splits import DeviceSplit

_OPTIONS = {
    "data": ("N", "replicas of the model, each with a batch of its own"),
    "zero": ("Z", "what replicas divide: 1 states of the optimiser, 2 gradients too, 3 weights too (FSDP)"),
    "tensor": ("N", "devices among which matrices, and tokens between them, are divided"),
    "pipeline": ("N", "stages of layers"),
    "interleave": ("N", "pieces of layers that each stage has"),
    "expert": ("N", "replicas among which experts are divided"),
    "context": ("N", "devices among which the tokens of a sample are divided; keys and values go around them"),
    "micro": ("N", "microbatches of a step on each replica; as many as stages by default"),
}


def add_splits(parser: argparse.ArgumentParser) -> None:
    """Declare how a training step is split."""
    group = parser.add_argument_group("a training step on several devices, the batch being that of a microbatch on one replica")
    for name, (value, words) in _OPTIONS.items():
        group.add_argument(f"--{name}", metavar=value, help=words)
    group.add_argument("--no-sequence", action="store_true", help="let tensor parallel groups divide matrices alone, and no tokens")


def split_of(args: argparse.Namespace) -> DeviceSplit | None:
    """Return the split that is asked for; None where none is. Raises SizeError for one that there cannot be, UsageError for no number."""
    from generator.questions.parallel.splits import DeviceSplit

    given = {name: getattr(args, name) for name in _OPTIONS if getattr(args, name) is not None}
    numbers = {name: 0 if text == "0" else count_of(f"--{name}", text) for name, text in given.items()}
    return DeviceSplit.asked(numbers, sequence=not args.no_sequence)


def split_lines(share: DeviceShare, split: DeviceSplit) -> list[str]:
    """Return what the heaviest device of a split holds, and what it sends."""
    title = f"the heaviest of {split.devices:,} devices" + (f", stage {share.stage + 1} of {split.pipeline}" if split.pipeline > 1 else "")
    rows = [[part.title, f"{part.bytes:,}", about(part.bytes), part.how] for part in share.needs.parts]
    rows.append(["Together", f"{share.needs.total:,}", about(share.needs.total), f"{share.parameters:,} parameters to work with"])
    columns = [Column(title), Column("bytes", right=True), Column("about", right=True), Column("how it is counted", shrinks=True)]
    lines = ["", *table_lines(columns, rows, width())]
    sent = [[what, f"{size:,}", about(size)] for what, size in share.sent.items()]
    columns = [Column("it sends in a step, by rings"), Column("bytes", right=True), Column("about", right=True)]
    return [*lines, *(["", *table_lines(columns, sent, width())] if sent else [styled("it sends nothing", "bold")])]
