"""The parsers of the command line: one for `gen` by itself, and one for each command. They say what is wrong as all messages do."""

from __future__ import annotations

import argparse
import re
import textwrap
from typing import NoReturn

from generator.commands.arguments import UsageError, add_mode, add_quiet
from generator.commands.command_list import COMMANDS, Command, CommandModule
from generator.commands.exit_codes import EXIT_CODES
from generator.files.docstrings import docstring
from generator.version import VERSION

_DESCRIPTION = "Neural network architectures as cost sheets: one YAML spec becomes a PyTorch module, a Markdown page and an Excel workbook."
_EXAMPLES = """\
examples:
  gen cost bert n=512 b=8 --preset bert-base       count at these sizes
  gen list llama                                   what can be named
  gen build specs/                                 write everything into generated/
  gen help COMMAND                                 more about one command
"""
_FAULTS = (
    # argparse's words, and ours
    (re.compile(r"argument (?P<what>\S+): expected .*argument.*"), "a value is missing behind {what}"),
    (re.compile(r"argument (?P<what>\S+): invalid choice: '?(?P<value>.*?)'? \(choose from (?P<choices>.*)\)"), ""),
    (re.compile(r"argument (?P<what>\S+): not allowed with argument (?P<other>\S+)"), "{what} and {other} cannot both be given"),
    (re.compile(r"argument (?P<what>\S+): ignored explicit argument '?(?P<value>.*?)'?"), "{what} takes no value; found `{value}`"),
    (re.compile(r"argument (?P<what>\S+): (?P<rest>.*)", re.DOTALL), "{what}: {rest}"),
)
_UNKNOWN = "unrecognized arguments: "
_MISSING = "the following arguments are required: "


class CommandParser(argparse.ArgumentParser):
    """A parser that raises UsageError, in our own words, where argparse would print and exit."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(*self._said(message), f"`gen help{self.prog.removeprefix('gen')}` explains the rest")

    def _said(self, message: str) -> tuple[str, ...]:
        if message.startswith(_UNKNOWN):
            return self._unknown(message.removeprefix(_UNKNOWN).split(" "))
        if message.startswith(_MISSING):
            needed = [str(one.metavar) for one in self._actions if not one.option_strings and one.nargs not in ("*", "?")]
            return (f"`{self.prog}` needs {' and '.join(needed)}",)
        for pattern, words in _FAULTS:
            if found := pattern.fullmatch(message):
                return (words.format(**found.groupdict()),) if words else _wrong_choice(**found.groupdict())
        return (message,)

    def _unknown(self, words: list[str]) -> tuple[str, ...]:
        """Say which words no argument takes: options that there are not, or one word too many."""
        from generator.text.suggest import did_you_mean

        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        if not options:
            return (f"`{self.prog}` has no use for `{words[0]}`",)
        known = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        message = f"`{self.prog}` has no option `{options[0]}`"
        if likely := did_you_mean(options[0], known):
            return message, *likely
        takes_sizes = any("NAME=VALUE" in str(action.metavar) for action in self._actions)
        return (message, f"sizes and options of a spec are given as {options[0].strip('-') or 'n'}=512") if takes_sizes else (message,)


def _wrong_choice(what: str, value: str, choices: str) -> tuple[str, ...]:
    from generator.text.suggest import did_you_mean, listed

    known = [choice.strip(" '") for choice in choices.split(",")]
    return f"{what} cannot be `{value}`", *did_you_mean(value, known), f"it is {listed(known, 'or')}"


def top_parser() -> argparse.ArgumentParser:
    """Return the parser of `gen` without a command, whose help lists the commands and exit codes."""
    longest = max(len(command.name) for command in COMMANDS)
    lines = [f"  {command.name:{longest}}  {command.help}" for command in COMMANDS]
    codes = [f"  {code:<{longest}}  {meaning}" for code, meaning in EXIT_CODES]
    parser = CommandParser(
        prog="gen",
        usage="gen COMMAND ...",
        description=_DESCRIPTION,
        epilog="\n".join(["commands:", *lines, "", _EXAMPLES, "exit codes:", *codes]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"archsheet {VERSION}")
    return parser


def command_parser(command: Command, module: CommandModule) -> argparse.ArgumentParser:
    """Return the parser of one command."""
    parser = CommandParser(
        prog=f"gen {command.name}",
        description=docstring(module),
        epilog=f"examples:\n{textwrap.indent(textwrap.dedent(module.EXAMPLES), '  ')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    if command.asks:
        add_mode(parser)
    add_quiet(parser)
    return parser
