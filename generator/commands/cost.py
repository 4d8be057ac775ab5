"""Count parameters, FLOPs and memory at given sizes.

Sizes and options are given as NAME=VALUE and win over the preset. What says nothing here, such as active parameters where all are active,
is left out. With --json all counts are exact integers, and `rows` holds the leaf
rows, whose counts sum to the totals; the shape of a row with several results is an object of shapes by result. Bytes are those of a model
in bfloat16, or in --dtype; what is kept for the backward pass counts masks, indices and statistics of normalisations in their own sizes.
--weights, --cache and --activations say how these are stored; traffic and the highest moment are those of the format in which it computes.
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

_DEFAULT_DTYPE = "bfloat16"
LONGEST_FORMULA = 2000  # characters: what a terminal shows at once

EXAMPLES = """\
  gen cost bert n=512 b=8 --preset bert-base
  gen cost multi_head_attention b=1 n=1024 d=768 h=12 bias=false
  gen cost bert n=512 b=8 --preset bert-base --dtype float32
  gen cost llama-3-8b b=8 n=1 m=8192 --weights int4 --cache fp8
  gen cost my_block.yaml b=1 n=128 d=64 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    formats = "float64, float32, bfloat16 or float16"
    parser.add_argument("--dtype", metavar="D", default=_DEFAULT_DTYPE, help=f"the format in which it computes: {formats}")
    parser.add_argument("--weights", metavar="F", help="the format in which weights are stored, or several by a rule; by default D")
    parser.add_argument("--cache", metavar="F", help="the format in which caches and states are stored; by default D")
    parser.add_argument("--activations", metavar="F", help="the format in which activations are kept for the backward pass; by default D")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the numbers."""
    from generator.questions.memory.stored_bytes import stored_bytes
    from generator.sheet.costing import require_format

    with answered():
        require_format(args.dtype)
    by_a_rule = "=" in (args.weights or "")
    target = target_of(args, whole=by_a_rule, peak_in=args.dtype)
    with answered():
        cost = target.cost(args.dtype)
        data = cost.to_dict() | stored_bytes(cost, args.weights, args.cache, args.activations)
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
    idle = {quantity.key for quantity in QUANTITIES} - {quantity.key for quantity in shown}
    stored = {"param_bytes": data["weights"], "state_bytes": data["cache"], SAVED_BYTES.key: data["activations"]}
    for amount in (one for one in BYTES if one.of.key not in idle):
        title = f"{amount.of.short} in {stored.get(amount.key, data['dtype'])}" + (", estimate" if amount.key in data["estimates"] else "")
        rows.append([title, exact(data[amount.key]), rounded(data[amount.key], "bytes")])
    peak, intensity = data[PEAK_BYTES.key], data[INTENSITY.key]
    rows += [] if peak is None else [[f"{PEAK_BYTES.en.title} in {data['dtype']}", exact(peak), rounded(peak, "bytes")]]
    rows += [] if intensity is None else [[INTENSITY.en.title, "", f"{intensity:,.2f} {INTENSITY.unit['en']}"]]
    lines += ["", *table_lines([Column(""), Column("exactly", right=True), Column("about")], rows, None), ""]
    formulas = {quantity.key: cost.formulas[quantity.key] for quantity in shown}
    formulas |= {key: data[f"{key}_formula"] for key in (SAVED_BYTES.key, PEAK_BYTES.key) if data[f"{key}_formula"] is not None}
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
