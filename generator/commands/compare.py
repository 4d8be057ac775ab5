"""Compare specs at equal sizes: values, ratios to the first, and from which size on one costs less than another.

Sizes are given as NAME=VALUE for all specs that have them; NAME@PRESET takes a preset for one spec, --preset one for all (a spec that has
no such preset takes those of its sizes that it has). With --sweep one size runs through a range, and crossings are solved for exactly.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from generator.commands.arguments import UsageError, add_json, add_specs, existing, settings
from generator.commands.target import answered, say_what_follows
from generator.render.terminal.console import complain, remind, say
from generator.text.suggest import did_you_mean, listed
from generator.text.translated import LANGUAGES

if TYPE_CHECKING:
    from generator.questions.comparison.comparison import Comparison
    from generator.questions.comparison.result import ComparisonResult
    from generator.questions.growth.axes import Axis
    from generator.questions.growth.subject import Subject

EXAMPLES = """\
  gen compare multi_head_attention linear_attention --preset bert-base b=1 --sweep n=128..65536:x2
  gen compare bert@bert-base bert@bert-large b=1 n=512 --quantity params,matmul_flops
  gen compare post_norm_block llama_block --preset bert-base b=1 P=100000 --sweep n=256..8192:x2 --json
  gen compare multi_head_attention linear_attention --preset bert-base b=1 --sweep n=16..4096:x2 --plot out.svg --workbook out.xlsx
"""
USUAL_FACTOR = 8  # by which a size runs up and down in a chart, where nobody has said
CHARTS, WORKBOOKS = (".svg", ".png"), (".xlsx",)  # what the names of such files end in


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("words", metavar="SPEC[@PRESET]|NAME=VALUE", nargs="+", help="two specs or more, and sizes or options of theirs")
    parser.add_argument("--preset", metavar="P", default="", help="a published set of sizes for all")
    parser.add_argument("--sweep", metavar="NAME=VALUES", default="", help="a size that runs: n=128..65536:x2, n=64..1024:+64, n=512,1024")
    parser.add_argument("--quantity", metavar="KEY,...", default="", help="what to compare, such as macs,saved_elements,total_flops")
    add_json(parser)
    parser.add_argument("--csv", action="store_true", help="print CSV with exact integers")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw a chart: .svg or .png (needs the extra `plot`)")
    parser.add_argument("--workbook", metavar="FILE", type=Path, help="write a workbook with live formulas and a live chart: .xlsx")
    parser.add_argument("--lang", metavar="LANGUAGE", default="en", help="language of the workbook's texts: en or zh (default: en)")
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Print the comparison, and write what was asked for."""
    _check_files(args)
    comparison = _comparison(args)
    from generator.questions.comparison.result import compared

    with answered():
        result = compared(comparison)
    _print(result, args)
    return _write(result, args)


def _check_files(args: argparse.Namespace) -> None:
    """Raise UsageError for files that could not be written, before anything is worked out."""
    if args.lang not in LANGUAGES:
        message = f"--lang: there are no texts in `{args.lang}`"
        raise UsageError(message, *did_you_mean(args.lang, LANGUAGES), f"languages: {listed(LANGUAGES)}")
    for option, path, suffixes in (("--plot", args.plot, CHARTS), ("--workbook", args.workbook, WORKBOOKS)):
        if path is None:
            continue
        if path.suffix.lower() not in suffixes:
            raise UsageError(f"{option}: {path} must end in {' or '.join(suffixes)}")
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise UsageError(f"{option}: {path} is a folder" if path.is_dir() else f"{option}: there is no folder {path.parent}")


def _comparison(args: argparse.Namespace) -> Comparison:
    from generator.importing.named_model import entries_of
    from generator.quantities import Shown, keys_in
    from generator.questions.comparison.comparison import Comparison
    from generator.questions.comparison.sides import Settings, parse_side, subjects_of
    from generator.questions.growth.axes import Axis, parse_axis, sorted_settings
    from generator.questions.growth.named_measures import measure
    from generator.sheet.sizing import by_entry

    sides = [parse_side(word) for word in args.words if "=" not in word]
    if len(sides) < 2 and not args.sweep:
        raise UsageError("two specs at least are needed to compare", "one spec at many sizes: --sweep n=128..65536:x2, or `gen sweep`")
    if not sides:
        raise UsageError("no spec is named", "`gen list` shows all")
    with answered():
        axis = parse_axis(args.sweep) if args.sweep else Axis("", ())
        keys = tuple(measure(key.strip()).key for key in args.quantity.split(",") if key.strip())
        given = settings([word for word in args.words if "=" in word])
        sizes, others = sorted_settings(by_entry(given, entries_of([side.target for side in sides], existing(args.specs))))
        if axis.size in sizes:
            raise UsageError(f"`{axis.size}` is both given and swept")
        settings_of = Settings(sizes, others, args.preset, axis.size)
        subjects = subjects_of(sides, settings_of, existing(args.specs))
        if (args.plot or args.workbook) and not args.sweep:
            axis = _usual_axis(subjects)
            rest = {name: value for name, value in sizes.items() if name != axis.size}
            subjects = subjects_of(sides, replace(settings_of, sizes=rest, swept=axis.size), existing(args.specs))
        for subject in subjects:
            if subject.preset:
                swept = {axis.size: ""} if axis.size else {}
                say_what_follows(subject.sheet, subject.preset, {**sizes, **swept})
    is_swept = bool(axis.size)
    if not is_swept:
        axis = Axis("", (1,))  # one column of values, in no size
    title = " and ".join(subject.label for subject in subjects)
    shown = keys_in(Shown.SWEPT) if is_swept else keys_in(Shown.COMPARE, *(subject.sheet.totals for subject in subjects))
    return Comparison("", title, subjects, axis, keys or shown)


def _usual_axis(subjects: Sequence[Subject]) -> Axis:
    """Return the size that runs in a chart where none is named, around the value that it has; and say so."""
    from generator.formulas.symbols import symbol
    from generator.questions.growth.axes import parse_axis
    from generator.questions.growth.inner_crossings import preferred

    first = subjects[0]
    size = preferred([one for one in first.sheet.sizes if one.kind != "derived"])
    if size is None:
        raise UsageError(f"a chart needs a size that runs, and `{first.sheet.name}` has none")
    value = first.sizes.get(symbol(size))
    middle = int(value) if value is not None and value.is_Integer else 1024
    text = f"{size}={max(1, middle // USUAL_FACTOR)}..{middle * USUAL_FACTOR}:x2"
    remind(f"a chart needs a size that runs: this one is over {text}; --sweep names another")
    return parse_axis(text)


def _print(result: ComparisonResult, args: argparse.Namespace) -> None:
    from generator.render.comparison.plain import to_csv, to_dict
    from generator.render.terminal.comparison_lines import lines_of

    if args.json:
        say(json.dumps(to_dict(result), indent=2))
    elif args.csv:
        say(to_csv(result).rstrip("\n"))
    else:
        for line in lines_of(result, swept=bool(result.comparison.axis.size)):
            say(line)


def _write(result: ComparisonResult, args: argparse.Namespace) -> int:
    """Write the chart and the workbook; return 1 if the chart could not be drawn."""
    from generator.files.writing import replace

    if args.workbook:
        from generator.render.comparison.workbook.comparison_book import comparison_workbook

        replace(args.workbook, comparison_workbook(result, args.lang))
    if not args.plot:
        return 0
    from generator.render.comparison.chart.draw import ChartError, draw

    try:
        replace(args.plot, draw(result, args.plot.suffix.lower()))
    except ChartError as error:
        complain(str(error), *error.notes)
        return 1
    return 0
