"""Print the JSON Schema of specs, with which editors complete and explain keys."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from generator.render.terminal.console import say

EXAMPLES = """\
  gen schema > spec.schema.json
  gen schema --write              for developers: after adding an op, renew generator/spec/schema.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--write", action="store_true", help="for developers: renew the schema in the source code from the ops")


def run(args: argparse.Namespace) -> int:
    """Print the schema, or write it into the package."""
    from generator.spec import schema

    text = json.dumps(schema.build_schema(), indent=2)
    if not args.write:
        say(text)
        return 0
    from generator.files.writing import replace

    file = Path(schema.__file__).with_name("schema.json")
    data = f"{text}\n".encode()
    if file.read_bytes() == data:
        say(f"{file} is up to date")
    else:
        replace(file, data)
        say(f"{file} is renewed")
    return 0
