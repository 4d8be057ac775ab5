"""Print what makes a shell complete the words of `gen`: commands, options, specs, presets, and sizes of the spec that is named.

Put it where the shell starts. It needs the extra `completion`, which brings argcomplete.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from generator.commands.exit_codes import FINE, PROBLEMS
from generator.render.terminal.console import complain, say

EXAMPLES = """\
  gen completion fish | source               in ~/.config/fish/config.fish
  eval "$(gen completion bash)"              in ~/.bashrc
  eval "$(gen completion zsh)"               in ~/.zshrc, behind compinit
"""
SHELLS = ("bash", "zsh", "fish", "powershell")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"the shell: {', '.join(SHELLS)}")


def run(args: argparse.Namespace) -> int:
    """Print the lines for a shell."""
    if find_spec("argcomplete") is None:
        complain("completion needs argcomplete", "install it with: pip install 'archsheet[completion]'")
        return PROBLEMS
    from argcomplete.shell_integration import shellcode

    say(shellcode(["gen"], shell=args.shell))
    return FINE
