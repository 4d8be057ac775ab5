"""Take the sizes back from a workbook that somebody has filled in.

Prints the columns that were added to the sheet of presets, and the sizes in use where some were typed over, as presets of the spec. With
--write they are added to the spec's file, of which comments and layout stay as they are. A workbook of an older version, or one in which
more than inputs was changed, is refused.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from generator.commands.arguments import UsageError, add_json, add_specs, existing
from generator.render.terminal.console import say, tell

EXAMPLES = """\
  gen pull edited.xlsx                       print what was typed as presets
  gen pull edited.xlsx --as ours             print the sizes in use as the preset `ours`
  gen pull edited.xlsx --as ours --write     add it to the spec
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE.xlsx", type=Path, help="the workbook")
    parser.add_argument("--as", dest="name", metavar="NAME", help="what to call the sizes in use")
    parser.add_argument("--write", action="store_true", help="add the presets to the spec's file")
    add_json(parser, "print the presets as JSON")
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Print or write the presets."""
    existing([args.file])
    from generator.commands.target import say_what_follows
    from generator.pull.preset_text import add_presets, preset_lines
    from generator.pull.pulled import checked, pulled
    from generator.spec.lookup import everything

    found = pulled(args.file, everything(existing(args.specs)))
    presets = found.presets(args.name)
    if not presets:
        say("[]" if args.json else f"nothing was typed into {args.file}: the sizes in use are those of the preset `{found.typed.chosen}`")
        return 0
    if args.write and found.typed.overrides and args.name is None:
        raise UsageError("the sizes in use were typed over and need a name", "such as: --as ours")
    if args.write and found.sheet.name in found.library.blocks:
        outer, block = found.library.blocks[found.sheet.name]
        raise UsageError(f"`{block}` is a block inside of {outer}.yaml", "add the presets there by hand: without --write they are printed")
    checked(found, presets)
    if any(preset.name == found.typed.chosen for preset in found.sheet.presets):
        say_what_follows(found.sheet, found.typed.chosen, found.typed.overrides)
    if args.json:
        say(json.dumps([{"preset": one.name, "set": one.written, "note": one.note} for one in presets], indent=2))
    for preset in presets if not args.json else ():
        for line in preset_lines(preset):
            say(line)
    if args.write:
        add_presets(found.file, presets)
        tell(f"# added to {found.file}")
    return 0
