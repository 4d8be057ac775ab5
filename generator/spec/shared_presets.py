"""Presets of one name in two specs: the name stands where a spec's does, so it can mean only one of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from generator.spec.library import Library
from generator.spec.model import Preset
from generator.text.problems import Problem, ProblemsError
from generator.text.suggest import listed


def shared_presets(library: Library, requested: Sequence[str]) -> dict[str, list[Problem]]:
    """Return the presets of some specs whose names other specs of the library have for presets too, by the spec.

    Of two specs that were both asked for, the second has the mistake. Broken specs have no say in this.
    """
    found: dict[str, list[Problem]] = {}
    for place, name in enumerate(requested):
        later = set(requested[place + 1 :])
        with suppress(ProblemsError):
            for preset in library.draft(name).presets.values():
                owners = [spec for spec in library.with_preset(preset.name) if spec != name and spec not in later]
                if owners:
                    others = [library.draft(owner).presets[preset.name] for owner in owners]
                    found.setdefault(name, []).append(_problem(preset, others, owners))
    return found


def _problem(preset: Preset, others: Sequence[Preset], owners: Sequence[str]) -> Problem:
    places = (f"the other is {one.span.source.path}:{one.span.line}" for one in others)
    why = "the name of a preset stands where a spec's does, as in `gen cost NAME`, so it can mean only one; rename one"
    return Problem(f"{listed(owners)} {'has' if len(owners) == 1 else 'have'} a preset `{preset.name}` too", preset.span, (*places, why))
