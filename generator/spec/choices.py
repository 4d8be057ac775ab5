"""Options and slots chosen where a spec is asked about, for it and all that it uses, in place of what the files say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from generator.spec.model import Layers, Option, Preset, Row, Slot, Spec, Use


@dataclass(frozen=True)
class Choices:
    """What is chosen.

    Args:
        own: values for options of the spec that is asked about.
        options: values for all options of a name in the specs that it uses, whatever these say themselves.
        slots: what stands in all slots of a name.
        preset: whose sizes are asked for, whatever options and blocks go with it.
        filled: what stands in slots of the spec that is asked about, where nothing else is chosen for all slots of that name.
        kept: slots, by their specs, that all who use the spec fill themselves: what stands there by default is not asked about, and what
            is chosen for their users may need sizes that the spec does not have.
    """

    spec: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    slots: Mapping[str, Use] = field(default_factory=dict)
    preset: str = ""
    filled: Mapping[str, Use] = field(default_factory=dict)
    kept: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, spec: str, preset: Preset) -> Choices:
        """Return what a preset of a spec goes with."""
        return cls(spec, own=preset.options, preset=preset.name, filled=preset.slots)

    def applied(self, spec: Spec) -> Spec:
        """Return a spec as it is with these choices. Claims and expected totals speak of the files as they are, and are left out."""
        values = {**self.options, **(self.own if spec.name == self.spec else {})}
        filled = {**(self.filled if spec.name == self.spec else {}), **self.slots}
        return replace(
            spec,
            options={name: self._option(option, values) for name, option in spec.options.items()},
            slots={name: self._slot(spec, slot, filled) for name, slot in spec.slots.items()},
            rows={name: self._row(row) for name, row in spec.rows.items()},
            presets={name: _sizes_alone(one) for name, one in spec.presets.items() if self._fits(spec, one, values, filled)},
            claims=(),
        )

    def _slot(self, spec: Spec, slot: Slot, filled: Mapping[str, Use]) -> Slot:
        chosen = None if (spec.name, slot.name) in self.kept else filled.get(slot.name)
        return replace(slot, default=chosen or self._use(slot.default))

    def _fits(self, spec: Spec, preset: Preset, values: Mapping[str, Any], filled: Mapping[str, Use]) -> bool:
        """Say whether a preset's formulas are those under these choices: an option on which it is silent has its default there."""
        goes_with = all(
            values.get(name, option.default) == preset.options.get(name, option.default) for name, option in spec.options.items()
        )
        return preset.name == self.preset or (goes_with and all(filled.get(name) == use for name, use in preset.slots.items()))

    def _option(self, option: Option, values: Mapping[str, Any]) -> Option:
        return replace(option, default=values[option.name]) if option.name in values else option

    def _row(self, row: Row) -> Row:
        return replace(
            row,
            use=row.use and self._use(row.use),
            pattern={name: self._layers(kind) for name, kind in row.pattern.items()},
            first=row.first and self._layers(row.first),
            last=row.last and self._layers(row.last),
        )

    def _layers(self, layers: Layers) -> Layers:
        return replace(layers, use=self._use(layers.use))

    def _use(self, use: Use) -> Use:
        """Return a use without what is chosen for the options that it sets, and with what is chosen for its slots."""
        options = {name: self.options.get(name, value) for name, value in use.options.items()}
        return replace(use, options=options, slots={name: self.slots.get(name) or self._use(one) for name, one in use.slots.items()})


def _sizes_alone(preset: Preset) -> Preset:
    return replace(preset, expect={}, implementation=None, published=(), options={}, slots={})
