"""The spec that `gen show` and `gen cost` are asked about, at the sizes and options on the line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import UsageError, existing, settings
from generator.formulas.numerals import NotANumberError, whole_number
from generator.render.terminal.console import remind, warn
from generator.text.problems import headline
from generator.text.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from generator.commands.kept import Kept
    from generator.sheet.costing import Cost
    from generator.sheet.sheet import Sheet
    from generator.spec.library import Library


@dataclass(frozen=True)
class Target:
    """A sheet, the sizes that were given for it, and the library in which options and slots are as given."""

    sheet: Sheet
    preset: str | None
    sizes: dict[str, int]
    library: Library
    chosen: Mapping[str, Any]

    def cost(self, dtype: str | None = None) -> Cost:
        """Return the sheet at the sizes given, in a number format, and say which sizes follow from them. Raises SizeError."""
        from generator.sheet.costing import cost_of

        found = cost_of(self.sheet, self.preset, self.sizes, dtype or "float32")
        if self.preset:
            say_what_follows(self.sheet, self.preset, self.sizes)
        return found


def require_preset(library: Library, name: str, preset: str) -> None:
    """Raise UsageError where a spec has no such preset."""
    known = library.draft(name).presets if preset else {}
    if preset and preset not in known:
        raise UsageError(f"`{name}` has no preset `{preset}`", *did_you_mean(preset, known), f"its presets: {listed(known) or 'none'}")


@contextmanager
def answered() -> Iterator[None]:
    """Turn what is wrong with sizes, presets and options into a UsageError."""
    from generator.formulas.evaluate import EvaluationError
    from generator.text.errors import SizeError

    try:
        yield
    except EvaluationError as error:
        raise UsageError(str(error)) from error
    except SizeError as error:
        raise UsageError(error.message, *error.notes) from error


def target_of(args: argparse.Namespace, *, whole: bool = True, peak_in: str = "") -> Target:
    """Return the spec that the arguments name, with the options among the settings in force.

    Args:
        whole: whether more of the sheet is needed than `gen cost` and `gen show` print, which is then derived; else it may have been kept.
        peak_in: a number format in which the highest moment of a training step is wanted too; it may have been kept as well.

    Raises:
        ProblemsError: there is no such spec, or it has mistakes.
        UsageError: settings that the spec does not have or cannot take.
    """
    from generator.commands.kept import keep_sheet, kept_sheet
    from generator.commands.kept_peak import keep_peak

    written, specs = settings(args.settings), existing(args.specs)
    kept = None if whole else kept_sheet(args.target, written, specs, args.preset)
    if kept is not None:
        sizes = {key: size_of(key, value) for key, value in written.items() if key in kept.names}
        sheet = _with_peak(kept, sizes, peak_in) if peak_in else kept.sheet
        if sheet is not None:
            return Target(sheet, kept.preset, sizes, kept.library, kept.chosen)

    from generator.sheet.asked import asked

    with answered():
        found = asked(args.target, written, specs, args.preset)
    dims = found.library.spec(found.name).dims
    sizes = {key: size_of(key, value) if key in dims else value for key, value in found.given.items()}
    compiled, doubts = found.derive()
    for doubt in doubts:
        warn(headline(doubt), "the counts are right all the same; `gen check` shows the details")
    if not doubts:
        key = keep_sheet(args.target, written, specs, found, compiled.sheet)
        known = _known_sizes(compiled.sheet, found.preset or None, sizes) if key and peak_in else None
        if known is not None:
            keep_peak(key, compiled.sheet, peak_in, known)
    return Target(compiled.sheet, found.preset or None, sizes, found.library, found.chosen)


def _with_peak(kept: Kept, sizes: Mapping[str, int], dtype: str) -> Sheet | None:
    """Return a kept sheet with the highest moment of a training step; None where that must be derived."""
    from generator.commands.kept_peak import kept_peak

    known = _known_sizes(kept.sheet, kept.preset, sizes)
    if known is None:
        return kept.sheet  # what is wrong with the sizes is said without it
    peak = kept_peak(kept.key, kept.sheet, dtype, known)
    return None if peak is None else replace(kept.sheet, peak=peak)


def _known_sizes(sheet: Sheet, preset: str | None, sizes: Mapping[str, int]) -> dict[str, int] | None:
    """Return all sizes; None where some are missing or wrong."""
    from generator.sheet.sizing import sized
    from generator.text.errors import SizeError

    try:
        known = sized(sheet, preset, sizes)
    except SizeError:
        return None
    return known if all(size.name in known for size in sheet.sizes) else None


def say_what_follows(sheet: Sheet, preset: str, given: Mapping[str, Any]) -> None:
    """Tell which sizes of a preset change with those given, because the preset has them at their default.

    Args:
        given: sizes by name; one that runs is given as text.
    """
    from generator.formulas.stored_formula import text_of
    from generator.sheet.sizing import by_entry, followers

    order = [size.name for size in sheet.sizes]
    for name, (formula, published) in followers(sheet, preset, by_entry(given, sheet.families)).items():
        remind(f"`{name}` follows as {text_of(formula, order)}, which it is in `{preset}` too; {name}={published} holds it")


def size_of(name: str, text: str) -> int:
    """Return a size as people write it: 512, 30_000, 30,000 or 1e6."""
    if "," in text and not re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+", text):
        raise UsageError(f"`{name}={text}`: one size is expected", f"for several, use `gen sweep`: {name}={text}")
    if ".." in text:
        raise UsageError(f"`{name}={text}`: one size is expected", f"for a range, use `gen sweep`: {name}={text}")
    try:
        return whole_number(text)
    except NotANumberError as error:
        raise UsageError(f"`{name}={text}`: a size is a whole number, such as {name}=512", *error.notes) from None
