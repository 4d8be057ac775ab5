"""Print the JSON Schema of specs, with which editors complete and explain keys."""

from __future__ import annotations

import argparse
from pathlib import Path

from generator.render.terminal.console import say

EXAMPLES = """\
  gen schema > spec.schema.json
  gen schema --keys docs/language.md    # brings the tables of keys in a page up to date
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--keys", type=Path, metavar="PAGE", help="write the tables of keys into a Markdown page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Print the schema, or write the tables of keys."""
    if args.keys is not None:
        from generator.spec.key_tables import with_tables

        args.keys.write_text(with_tables(args.keys.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    from generator.spec.schema_builder import schema_text

    say(schema_text().removesuffix("\n"))
    return 0
