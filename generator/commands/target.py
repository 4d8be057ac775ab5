"""The spec that `gen show` and `gen cost` are asked about, at the sizes and options on the line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import UsageError, existing, settings
from generator.formulas.numerals import NotANumberError, whole_number
from generator.render.terminal.console import warn
from generator.text.problems import headline

if TYPE_CHECKING:
    from generator.sheet.costing import Cost
    from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class Target:
    """A sheet, and the sizes that were given for it."""

    sheet: Sheet
    preset: str | None
    sizes: dict[str, int]

    def cost(self, dtype: str | None = None) -> Cost:
        """Return the sheet at the sizes given, in a number format. Raises SizeError."""
        from generator.sheet.costing import cost_of

        return cost_of(self.sheet, self.preset, self.sizes, dtype or "float32")


@contextmanager
def answered() -> Iterator[None]:
    """Turn what is wrong with sizes, presets and options into a UsageError."""
    from generator.errors import SizeError
    from generator.formulas.evaluate import EvaluationError

    try:
        yield
    except EvaluationError as error:
        raise UsageError(str(error)) from error
    except SizeError as error:
        raise UsageError(error.message, *error.notes) from error


def target_of(args: argparse.Namespace) -> Target:
    """Return the spec that the arguments name, with the options among the settings in force.

    Raises:
        ProblemsError: there is no such spec, or it has mistakes.
        UsageError: settings that the spec does not have or cannot take.
    """
    from generator.sheet.compiled import derive
    from generator.sheet.sizing import by_entry, check_option
    from generator.spec.lookup import find

    given = settings(args.settings)
    library, name = find(args.target, existing(args.specs))
    spec = library.spec(name)
    with answered():
        given = by_entry(given, spec.entries)
        options = {
            key: check_option(spec.options[key], value) for key, value in given.items() if key in spec.options and key not in spec.dims
        }
    sizes: dict[str, Any] = {key: _size(key, value) if key in spec.dims else value for key, value in given.items() if key not in options}
    compiled, doubts = derive(library, name, options)
    for doubt in doubts if not options else ():  # claims speak of the default options
        warn(headline(doubt), "the counts do not depend on that; `gen check` shows the whole")
    return Target(compiled.sheet, args.preset, sizes)


def _size(name: str, text: str) -> int:
    """Return a size as people write it: 512, 30_000, 30,000 or 1e6."""
    if "," in text and not re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+", text):
        raise UsageError(f"`{name}={text}`: one size is expected", f"for several, use `gen sweep`: {name}={text}")
    if ".." in text:
        raise UsageError(f"`{name}={text}`: one size is expected", f"for a range, use `gen sweep`: {name}={text}")
    try:
        return whole_number(text)
    except NotANumberError as error:
        raise UsageError(f"`{name}={text}`: a size is a whole number, such as {name}=512", *error.notes) from None
