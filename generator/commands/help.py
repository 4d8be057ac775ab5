"""Explain a command: what it does, its arguments and options, with examples. Without one, list the commands and the exit codes."""

from __future__ import annotations

import argparse

from generator.commands.exit_codes import FINE
from generator.render.terminal.console import say

EXAMPLES = """\
  gen help
  gen help cost
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("command", metavar="COMMAND", nargs="?", help="the command to explain")


def run(args: argparse.Namespace) -> int:
    """Print the help of a command, or of gen. `explain` comes from the command line itself, which alone knows all commands."""
    say(args.explain(args.command).rstrip("\n"))
    return FINE
