"""Presets of one name in two specs: the name stands where a spec's does, so it can mean only one of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from generator.files.regular_file import read_regular
from generator.spec.assemble import MAX_READ
from generator.spec.library import Library
from generator.spec.model import Preset
from generator.text.problems import Problem, ProblemsError
from generator.text.suggest import listed


def shared_presets(library: Library, requested: Sequence[str]) -> dict[str, list[Problem]]:
    """Return the presets of some specs whose names other specs of the library have for presets too, by the spec.

    Of two specs that were both asked for, the second has the mistake. Broken specs have no say in this.
    """

    @cache
    def content(file: Path) -> bytes:
        with suppress(OSError):
            return read_regular(file, MAX_READ)
        return b""

    def presets(spec: str) -> dict[str, Preset]:
        with suppress(ProblemsError):
            return dict(library.draft(spec).presets)
        return {}

    found: dict[str, list[Problem]] = {}
    for place, name in enumerate(requested):
        later = set(requested[place + 1 :])
        others = {spec: file for spec, file in library.files.items() if spec != name and spec not in later}
        for preset in presets(name).values():
            owners = [spec for spec, file in others.items() if preset.name.encode() in content(file) and preset.name in presets(spec)]
            if owners:
                found.setdefault(name, []).append(_problem(preset, [presets(owner)[preset.name] for owner in owners], owners))
    return found


def _problem(preset: Preset, others: Sequence[Preset], owners: Sequence[str]) -> Problem:
    places = (f"the other is {one.span.source.path}:{one.span.line}" for one in others)
    why = "the name of a preset stands where a spec's does, as in `gen cost NAME`, so it can mean only one; rename one"
    return Problem(f"{listed(owners)} {'has' if len(owners) == 1 else 'have'} a preset `{preset.name}` too", preset.span, (*places, why))
