"""Print the PyTorch module of a spec.

By default it is the file that `gen build` writes, which imports the modules of its blocks from beside it. With --single-file it is one file
that needs nothing but PyTorch: blocks and helper functions stand above the class.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from generator.commands.arguments import UsageError, add_specs, existing, settings
from generator.render.terminal.console import say, tell

EXAMPLES = """\
  gen module multi_head_attention
  gen module llama --single-file -o llama.py
  gen module vit --single-file --preset vit-base-patch16-224      with these sizes as defaults
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("target", metavar="NAME|FILE", help="a spec by name (see `gen list`), or its file")
    parser.add_argument("settings", metavar="NAME=VALUE", nargs="*", help="options and slots, of the spec or of what it uses")
    parser.add_argument("--single-file", action="store_true", help="one file with all blocks and helper functions")
    parser.add_argument("--preset", metavar="P", help="make published sizes the defaults of the constructor")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write the module there instead of printing it")
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Print the module, or write it."""
    from generator.commands.target import answered
    from generator.files.seal import sealed
    from generator.files.writing import replace
    from generator.render.module.view import ModuleSet
    from generator.render.module.writer import render_file, render_module
    from generator.sheet.asked import asked
    from generator.sheet.compiled import compile_spec
    from generator.sheet.sizing import preset_sizes

    with answered():
        found = asked(args.target, settings(args.settings), existing(args.specs), args.preset)
        library, preset = found.library, found.preset or None
        if preset and not args.single_file:
            note = "the module that `gen build` writes has `from_preset` for that"
            raise UsageError("--preset is of use with --single-file", note)
        if found.given:
            raise UsageError(
                f"`{next(iter(found.given))}` is neither an option nor a slot here", "sizes are given when the module is built"
            )
        compiled = compile_spec(library, found.name)
        preset_sizes(compiled.sheet, preset)
    data = render_file(compiled, library, preset).encode() if args.single_file else sealed(render_module(compiled, ModuleSet(library)))
    if args.output is None:
        say(data.decode().rstrip("\n"))
        return 0
    replace(args.output, data)
    tell(f"{args.output} is written")
    return 0
