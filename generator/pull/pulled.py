"""From a workbook to presets of its spec."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.pull.typed_numbers import OwnPreset, Typed, marks, opened, typed_into
from generator.sheet.sheet import Sheet
from generator.spec.library import Library
from generator.spec.model import Spec
from generator.text.errors import SizeError
from generator.text.problems import Problem, ProblemsError
from generator.text.suggest import listed
from generator.text.translated import LANGUAGES

if TYPE_CHECKING:
    from generator.render.workbook.origin import Origin

_NAME = r"[^\s@=]{1,60}"  # what a preset can be named by on the command line, where the schema of specs has no rule of its own


@dataclass(frozen=True)
class Pulled:
    """What a workbook brings back: its spec, the library in which that stands, and what was typed."""

    library: Library
    sheet: Sheet
    typed: Typed
    options: Mapping[str, Any] = field(default_factory=dict)  # that go with the sizes, other than the spec's defaults

    @property
    def file(self) -> Path:
        """The file of the spec."""
        return self.library.path(self.sheet.name)

    def presets(self, name: str | None) -> list[OwnPreset]:
        """Return the presets to print: the user's own columns, and the sizes in use where there are overrides or a name is given.

        Args:
            name: what the sizes in use are to be called.
        """
        found = list(self.typed.columns)
        if name is not None or self.typed.overrides:
            found.append(OwnPreset(name or f"{self.typed.chosen}-changed", self.typed.in_use))
        return [replace(preset, families=self.sheet.families, options=self.options) for preset in found]


def pulled(path: Path, library: Library) -> Pulled:
    """Read a workbook that came back.

    Raises:
        ProblemsError: no workbook of ours, one of an older version or another spec, or one in which more than inputs was changed.
        OSError: the file cannot be read.
    """
    book = opened(path)  # before anything else is imported: most that is no workbook is refused here
    said = marks(book, path)
    if said["spec"] not in library.files:
        raise _refused(f"{path} was made from the spec `{said['spec']}`, which is not there", "name its folder with --specs")
    if said["language"] not in LANGUAGES:
        raise _refused(f"{path} says that it is in the language `{said['language']}`, which workbooks are not made in")
    from openpyxl import load_workbook

    from generator.pull.locked_cells import differences
    from generator.render.texts import texts
    from generator.render.workbook import build_workbook
    from generator.render.workbook.origin import AS_BUILT
    from generator.render.workbook.sheet_plan import make_plan
    from generator.sheet.compiled import compile_spec, source_hash
    from generator.sheet.in_force import sheet_in_force

    _require_same_tool(path, said)
    origin = _origin(path, said, library.spec(said["spec"]))
    if origin is AS_BUILT:
        _require_same_spec(path, said, source_hash(library, said["spec"]))
        sheet = compile_spec(library, said["spec"], _options(path, said, library.spec(said["spec"]))).sheet
    else:
        sheet = sheet_in_force(library, said["spec"], origin.preset, origin.settings)
        _require_same_spec(path, said, sheet.source_hash)
    built = load_workbook(BytesIO(build_workbook(sheet, said["language"], origin)))
    changed = differences(book, built)
    if changed:
        first = Problem(f"{path} is not as it was built: more than inputs was changed", None, ("nothing was taken from it",))
        raise ProblemsError([first, *changed])
    typed = typed_into(book, make_plan(sheet, texts(said["language"])))
    return Pulled(library, sheet, typed, _others(library.spec(said["spec"]), sheet) if origin is not AS_BUILT else {})


def _origin(path: Path, said: Mapping[str, str], spec: Spec) -> Origin:
    """Return with what a workbook was asked for: options of its spec, which presets can have, and nothing else."""
    from generator.render.workbook.origin import AS_BUILT, Origin

    if "asked" not in said:
        return AS_BUILT
    try:
        origin = Origin.read(said["asked"])
    except ValueError as error:
        raise _refused(f"{path} does not say with which options it was made", "build the workbook anew") from error
    preset = spec.presets.get(origin.preset)
    if origin.preset and preset is None:
        raise _refused(f"{path} was made for the preset `{origin.preset}`, which `{spec.name}` does not have", "write the workbook anew")
    blocks = [name for name in origin.settings if name not in spec.options] + list(preset.slots if preset else ())
    if blocks:
        note = "write the preset by hand, with `slots`"
        raise _refused(f"{path} was made with {listed(blocks)}, which is no option of `{spec.name}` itself", note)
    return origin


def _others(spec: Spec, sheet: Sheet) -> dict[str, Any]:
    """Return the options in force that are not as the spec has them by default."""
    return {name: value for name, value in sheet.options.items() if spec.options[name].default != value}


def _options(path: Path, said: dict[str, str], spec: Spec) -> dict[str, Any]:
    """Return the options that a workbook was made with."""
    from generator.spec.option_values import check_option

    try:
        values = json.loads(said["options"])
        return {name: check_option(spec.options[name], value) for name, value in values.items()}
    except (ValueError, KeyError, AttributeError, RecursionError) as error:  # a SizeError is a ValueError
        raise _refused(f"{path} says that it was made with options that `{spec.name}` does not have", "build the workbook anew") from error


_ANEW = "build the workbook anew, and type the sizes into that one"


def _require_same_tool(path: Path, said: dict[str, str]) -> None:
    from generator.version import VERSION

    if said["version"] != VERSION:
        raise _refused(f"{path} was made by archsheet {said['version']}, and this is {VERSION}", _ANEW)


def _require_same_spec(path: Path, said: dict[str, str], source: str) -> None:
    if said["hash"] != source:
        raise _refused(f"{path} was made from an older version of the spec `{said['spec']}` (or of one that it uses)", _ANEW)


def checked(pulled: Pulled, presets: list[OwnPreset]) -> None:
    """Raise ProblemsError for presets that the spec could not take: a name that is taken, or sizes that do not fit together."""
    from generator.sheet.sizing import sized
    from generator.text.naming import LABEL

    problems = []
    taken = {*pulled.library.spec(pulled.sheet.name).presets}
    for preset in presets:
        if preset.name in taken:
            problems.append(Problem(f"`{pulled.sheet.name}` already has a preset `{preset.name}`", None, ("choose another name",)))
        taken.add(preset.name)
        if not re.fullmatch(_NAME, preset.name) or not re.search(LABEL, preset.name):
            problems.append(
                Problem(f"`{preset.name}` cannot be a preset's name", None, ("at most 60 characters, without spaces, @ and =",))
            )
        try:
            sized(pulled.sheet, None, preset.sizes)
        except SizeError as error:
            problems.append(Problem(f"preset `{preset.name}`: {error.message}", None, error.notes))
    if problems:
        raise ProblemsError(problems)


def _refused(message: str, *notes: str) -> ProblemsError:
    return ProblemsError([Problem(message, None, notes)])
