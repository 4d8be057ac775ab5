"""The list of commands: all that `gen --help` needs, without importing any of them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast


class CommandModule(Protocol):
    """What the module of a command offers. It imports nothing heavy at its top."""

    __doc__: str | None  # what the command does, for `gen COMMAND --help`
    EXAMPLES: str  # shown below the options

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Do the work and return the exit code: 0 fine, 1 problems or differences. Raises UsageError (2) and ProblemsError (1)."""


@dataclass(frozen=True)
class Command:
    """A command: its name, one line of help, the module that does it, and whether it asks for counts, which depend on a mode."""

    name: str
    help: str
    module: str
    asks: bool = False

    def load(self) -> CommandModule:
        """Import the command's module."""
        return cast("CommandModule", import_module(self.module))


COMMANDS: tuple[Command, ...] = (
    Command("build", "write the module, the page and the workbook of each spec", "generator.commands.build"),
    Command("watch", "build again whenever a spec is saved, until Ctrl-C", "generator.commands.watch"),
    Command("check", "find mistakes in specs, and claims and expectations that do not hold", "generator.commands.check"),
    Command("list", "list the specs that can be named", "generator.commands.list"),
    Command("show", "show the rows of a spec in the terminal", "generator.commands.show", asks=True),
    Command("cost", "count parameters, FLOPs and memory at given sizes", "generator.commands.cost", asks=True),
    Command("memory", "say what memory a model needs, whether that fits, and the largest sizes that do", "generator.commands.memory"),
    Command("time", "say how long a model takes on a device at least, and about: tokens a second, hours, price", "generator.commands.time"),
    Command("plan", "say which splits of a training step over so many devices fit, by time", "generator.commands.plan"),
    Command("growth", "show what dominates, the orders of growth, and crossings inside a spec", "generator.commands.growth", asks=True),
    Command("compare", "compare specs: values, ratios, and from which size on one costs less", "generator.commands.compare", asks=True),
    Command("sweep", "count at a whole grid of sizes, filtered and sorted", "generator.commands.sweep", asks=True),
    Command("diff", "show what differs between two specs, presets or revisions", "generator.commands.diff", asks=True),
    Command("module", "print the PyTorch module of a spec, also as a single file", "generator.commands.module"),
    Command("workbook", "write the workbook of a preset, or of a spec with other options and blocks", "generator.commands.workbook"),
    Command(
        "verify", "run the generated modules and compare what is measured with what is derived", "generator.commands.verify", asks=True
    ),
    Command("count", "count any PyTorch module, by running it under the counters", "generator.commands.count", asks=True),
    Command("bench", "time the generated module beside what its formulas predict", "generator.commands.bench"),
    Command("pull", "take sizes back from a workbook that was filled in", "generator.commands.pull"),
    Command("import", "take the sizes of a public model from its config.json", "generator.commands.import_config"),
    Command("serve", "show the pages for a browser on this machine", "generator.commands.serve"),
    Command("schema", "print the JSON Schema of specs", "generator.commands.schema"),
    Command("completion", "print what makes a shell complete the words of gen", "generator.commands.completion"),
    Command("help", "explain a command", "generator.commands.help"),
)
