"""Explain a command: what it does, its arguments and options, with examples. Without one, list the commands and the exit codes."""

from __future__ import annotations

import argparse

from generator.commands.arguments import UsageError
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
    """Print the help of a command, or of gen."""
    from generator.commands.parser import command_parser, top_parser
    from generator.commands.registry import COMMANDS

    known = {command.name: command for command in COMMANDS}
    if args.command is None:
        say(top_parser().format_help().rstrip("\n"))
        return FINE
    if args.command not in known:
        from generator.text.suggest import did_you_mean

        raise UsageError(f"there is no command `{args.command}`", *did_you_mean(args.command, known), f"commands: {', '.join(known)}")
    say(command_parser(known[args.command], known[args.command].load()).format_help().rstrip("\n"))
    return FINE
