"""Show what differs between two specs, two presets, or one spec at two revisions: sizes, rows, shapes and costs.

Each side is NAME, NAME@PRESET or NAME@git:REVISION, where a revision is anything that git takes for a commit. With sizes the totals are
shown as numbers too. Exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json

from generator.commands.arguments import UsageError, add_json, add_specs, existing, settings
from generator.commands.target import answered
from generator.render.terminal.console import say

EXAMPLES = """\
  gen diff multi_head_attention linear_attention b=1 n=512 d=768 h=12
  gen diff bert@bert-base bert@bert-large b=1 n=512
  gen diff bert@git:HEAD~1 bert
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "words", metavar="SPEC[@PRESET|@git:REV]|NAME=VALUE", nargs="+", help="the two sides, and sizes or options for both"
    )
    add_json(parser)
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Print what differs, and return 1 if anything does."""
    sides = [word for word in args.words if _is_side(word)]
    if len(sides) != 2:
        raise UsageError(f"two sides are compared; found {len(sides)}", "such as: gen diff bert@bert-base bert@bert-large")
    from generator.importing.named_model import entries_of
    from generator.questions.diff.diff_sides import check_settings, diff_side
    from generator.questions.diff.sheet_diff import difference
    from generator.questions.growth.axes import sorted_settings
    from generator.render.terminal.diff_lines import lines_of, to_dict
    from generator.sheet.sizing import by_entry

    with answered():
        given = settings([word for word in args.words if not _is_side(word)])
        sizes, options = sorted_settings(by_entry(given, entries_of([side.partition("@")[0] for side in sides], existing(args.specs))))
        first, second = (diff_side(side, sizes, options, existing(args.specs)) for side in sides)
        check_settings(sizes, options, [first, second])
        found = difference(first, second)
    if args.json:
        say(json.dumps(to_dict(found), indent=2))
    else:
        for line in lines_of(found):
            say(line)
    return 0 if found.is_empty else 1


def _is_side(word: str) -> bool:
    """Say whether a word names a side, not a setting; git's revisions may hold an equals sign."""
    return "=" not in word or "@git:" in word
