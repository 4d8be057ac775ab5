"""Write the workbook of one preset, or of a spec with other options and blocks.

`gen build` writes a workbook for each spec, with its options as they are by default. A preset that goes with others, such as one whose head
has the weights of the embedding, has other formulas: here it gets a workbook of its own, with live formulas as in all others. `gen pull`
takes sizes back from it too.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from generator.commands.arguments import UsageError, add_language, add_specs, existing, language_of, settings
from generator.render.terminal.console import tell

EXAMPLES = """\
  gen workbook llama-3.2-3b                     the preset, with the options that go with it: llama-3.2-3b.xlsx
  gen workbook bert attention=linear_attention -o linear.xlsx
  gen workbook bert --preset bert-large --lang zh
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("target", metavar="NAME|FILE", help="a preset, or a spec, by name (see `gen list`), or its file")
    parser.add_argument("settings", metavar="NAME=VALUE", nargs="*", help="options and slots, of the spec or of what it uses")
    parser.add_argument("--preset", metavar="P", help="the preset that comes first, and is in use as the file is written")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="where to write it (default: NAME.xlsx, here)")
    parser.add_argument("--force", action="store_true", help="replace the file also if something was typed into it")
    add_language(parser)
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Write the workbook."""
    from generator.commands.target import answered, require_preset
    from generator.files.regular_file import read_regular
    from generator.files.seal import State, state_of
    from generator.files.writing import LARGEST, replace
    from generator.importing.named_model import locate
    from generator.render.workbook import build_workbook
    from generator.render.workbook.origin import Origin
    from generator.sheet.asked import asked
    from generator.sheet.in_force import sheet_in_force

    language, given, specs = language_of(args), settings(args.settings), existing(args.specs)
    with answered():
        found = asked(args.target, given, specs, args.preset)
        if found.given:
            name = next(iter(found.given))
            note = "sizes are typed into the workbook"
            raise UsageError(f"`{name}` is neither an option nor a slot of `{found.name}` or of what it uses", note)
        library, _, _ = locate(args.target, specs)
        origin = Origin(found.preset, given)
        require_preset(library, found.name, found.preset)
        sheet = sheet_in_force(library, found.name, found.preset, given)
    file = args.output or Path(origin.file(found.name))
    if file.is_dir():
        raise UsageError(f"-o takes a file, and {file} is a folder", f"for example -o {file / origin.file(found.name)}")
    if file.exists() and not args.force and state_of(file, read_regular(file, LARGEST)) is not State.OURS:
        note = "`gen pull` takes sizes back that were typed into a workbook; choose another file with -o, or give this one up with --force"
        raise UsageError(f"{file} is there, and not as gen has written it, so it is left alone", note)
    replace(file, build_workbook(sheet, language, origin))
    tell(f"{file} is written")
    return 0
