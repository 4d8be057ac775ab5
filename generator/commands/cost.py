"""Count parameters, FLOPs and memory at given sizes.

Sizes and options are given as NAME=VALUE and win over the preset. What says nothing here, such as active parameters where all are active,
is left out. With --json all counts are exact integers, and `rows` holds the leaf
rows, whose counts sum to the totals; the shape of a row with several results is an object of shapes by result. --dtype adds bytes, where
what is kept for the backward pass counts masks, indices and statistics of normalisations in sizes of their own, and arithmetic intensity.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import add_json, add_target
from generator.commands.target import answered, target_of
from generator.render.terminal.console import say, styled, width
from generator.render.terminal.text_table import Column, table_lines
from generator.text.spec_values import as_written

if TYPE_CHECKING:
    from generator.sheet.costing import Cost

LONGEST_FORMULA = 2000  # characters: what a terminal shows at once

EXAMPLES = """\
  gen cost bert n=512 b=8 --preset bert-base
  gen cost multi_head_attention b=1 n=1024 d=768 h=12 bias=false
  gen cost bert n=512 b=8 --preset bert-base --dtype bfloat16
  gen cost my_block.yaml b=1 n=128 d=64 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    parser.add_argument("--dtype", metavar="D", help="also count bytes: float64, float32, bfloat16 or float16 numbers")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the numbers."""
    target = target_of(args, whole=bool(args.dtype))
    with answered():
        cost = target.cost(args.dtype)
        data = cost.to_dict() | (cost.bytes_to_dict() if args.dtype else {})
        data |= {} if target.library.is_training else {"mode": "inference"}
    if args.json:
        say(json.dumps(data, indent=2))
        return 0
    for line in _report(cost, data, target.chosen):
        say(line)
    return 0


def _report(cost: Cost, data: dict[str, Any], chosen: Mapping[str, Any]) -> list[str]:
    from generator.formulas.human import exact, rounded
    from generator.in_bytes import BYTES, INTENSITY, PEAK_BYTES, SAVED_BYTES
    from generator.quantities import QUANTITIES

    sheet, room = cost.sheet, width()
    options = "".join(f", {name}={as_written(value)}" for name, value in {**sheet.options, **chosen}.items())
    sizes = ", ".join(f"{name}={value:,}" for name, value in cost.dims.items())
    lines = [styled(f"{sheet.title} ({sheet.name}{f', preset {cost.preset}' if cost.preset else ''})", "bold")]
    lines += textwrap.wrap(sizes + options + (", in inference" if data.get("mode") else ""), room or 10_000)
    shown = [quantity for quantity in QUANTITIES if not quantity.is_idle(sheet.totals)]
    rows = [[q.title, exact(data[q.key]), rounded(data[q.key], q.unit)] for q in shown]
    if "dtype" in data:
        rows += [[f"{a.of.short} in {data['dtype']}", exact(data[a.key]), rounded(data[a.key], "bytes")] for a in BYTES]
        peak = data[PEAK_BYTES.key]
        rows += [] if peak is None else [[f"{PEAK_BYTES.en.title} in {data['dtype']}", exact(peak), rounded(peak, "bytes")]]
        intensity = data[INTENSITY.key]
        rows += [] if intensity is None else [[INTENSITY.en.title, "", f"{intensity:,.2f} {INTENSITY.unit['en']}"]]
    lines += ["", *table_lines([Column(""), Column("exactly", right=True), Column("about")], rows, None), ""]
    in_bytes = (SAVED_BYTES.key, PEAK_BYTES.key) if "dtype" in data else ()
    formulas = {quantity.key: cost.formulas[quantity.key] for quantity in shown}
    formulas |= {key: data[f"{key}_formula"] for key in in_bytes if data[f"{key}_formula"] is not None}
    return [*lines, *_formulas(formulas, room)]


def _formulas(formulas: dict[str, str], room: int | None) -> list[str]:
    longest = max(map(len, formulas))
    lines = []
    for key, formula in formulas.items():
        head = f"{key:{longest}} = "
        text = formula if len(formula) <= LONGEST_FORMULA else f"a formula of {len(formula):,} characters; --json prints it"
        lines += textwrap.wrap(
            f"{head}{text}", room or 1_000_000, subsequent_indent=" " * len(head), break_long_words=False, break_on_hyphens=False
        )
    return lines
