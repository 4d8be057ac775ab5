"""Print the JSON Schema of specs, with which editors complete and explain keys."""

from __future__ import annotations

import argparse

from generator.render.terminal.console import say

EXAMPLES = """\
  gen schema > spec.schema.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: none."""


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - all commands are called alike
    """Print the schema."""
    from generator.spec.schema import schema_text

    say(schema_text().removesuffix("\n"))
    return 0
