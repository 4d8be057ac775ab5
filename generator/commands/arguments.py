"""What several commands have in common: paths of specs, and NAME=VALUE pairs."""

from __future__ import annotations

import argparse
from pathlib import Path

from generator.files.regular_file import irregular
from generator.spec.mode import MODES
from generator.text.suggest import did_you_mean, listed
from generator.text.translated import LANGUAGES


class UsageError(Exception):
    """The command was called wrongly: exit code 2.

    Args:
        message: what is wrong, in one line.
        notes: further lines, such as a suggestion.
    """

    def __init__(self, message: str, *notes: str) -> None:
        super().__init__(message)
        self.notes = notes


def add_paths(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Declare PATH...: folders and files of specs."""
    parser.add_argument("paths", metavar="PATH", nargs="*" if optional else "+", type=Path, help="a folder of specs, or one spec's file")


def add_target(parser: argparse.ArgumentParser) -> None:
    """Declare NAME|FILE, NAME=VALUE..., --preset and --specs."""
    parser.add_argument("target", metavar="NAME|FILE", help="a spec by name (see `gen list`), or its file")
    parser.add_argument("settings", metavar="NAME=VALUE", nargs="*", help="sizes and options; they win over the preset")
    parser.add_argument("--preset", metavar="P", help="a published set of sizes of the spec")
    add_specs(parser)


def add_specs(parser: argparse.ArgumentParser) -> None:
    """Declare --specs: where names are looked for."""
    parser.add_argument(
        "--specs",
        metavar="PATH",
        action="append",
        default=[],
        type=Path,
        help="more specs, beside the built-in ones and ./specs (may be repeated)",
    )


def add_json(parser: argparse.ArgumentParser, what: str = "print JSON with exact integers, for scripts") -> None:
    """Declare --json."""
    parser.add_argument("--json", action="store_true", help=what)


def add_language(parser: argparse.ArgumentParser) -> None:
    """Declare --lang."""
    parser.add_argument("--lang", metavar="LANGUAGE", default="en", help="language of the workbooks' texts: en or zh (default: en)")


def language_of(args: argparse.Namespace) -> str:
    """Return the language that was asked for. Raises UsageError for one without texts."""
    language = str(args.lang)
    if language not in LANGUAGES:
        raise UsageError(
            f"--lang: there are no texts in `{language}`", *did_you_mean(language, LANGUAGES), f"languages: {listed(LANGUAGES)}"
        )
    return language


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Declare --quiet."""
    parser.add_argument("--quiet", "-q", action="store_true", help="print results, warnings and errors only: no progress, no remarks")


def add_mode(parser: argparse.ArgumentParser) -> None:
    """Declare --mode: what modules are taken to do."""
    parser.add_argument(
        "--mode",
        choices=MODES,
        default=MODES[0],
        help="count modules in training (the default), or in inference: batch norms by running statistics, no dropout",
    )


def existing(paths: list[Path]) -> list[Path]:
    """Return the paths if all of them exist. Raises UsageError."""
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder")
        if (kind := irregular(path)) and not path.is_dir():
            raise UsageError(f"{path}: it is {kind}, neither a file nor a folder")
    return paths


def count_of(option: str, text: str) -> int:
    """Return a whole number from 1 on, as people write it. Raises UsageError."""
    from generator.formulas.numerals import NotANumberError, whole_number

    try:
        found = whole_number(text)
    except NotANumberError as error:
        raise UsageError(f"`{option} {text}`: a whole number is expected", *error.notes) from None
    if found < 1:
        raise UsageError(f"`{option} {text}`: at least 1 is expected")
    return found


def settings(pairs: list[str]) -> dict[str, str]:
    """Return NAME=VALUE pairs by name. Raises UsageError for what is no pair, and for a name given twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(
                f"`{pair}` is not of the form NAME=VALUE", "sizes and options are given as n=512 or causal=true, without spaces"
            )
        if name.strip() in found:
            raise UsageError(f"`{name.strip()}` is given twice")
        found[name.strip()] = value.strip()
    return found


def add_recompute(parser: argparse.ArgumentParser) -> None:
    """Declare which blocks run once more in the backward pass of a training step."""
    parser.add_argument(
        "--recompute",
        metavar="R",
        default="none",
        help="what a training step runs once more instead of keeping it: blocks, attention, every:2 for each second block, or none",
    )
