"""Options and slots chosen where a spec is asked about, for it and all that it uses, in place of what the files say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from generator.spec.model import Option, Preset, Row, Slot, Spec, Use


@dataclass(frozen=True)
class Choices:
    """What is chosen.

    Args:
        own: values for options of the spec that is asked about.
        options: values for all options of a name in the specs that it uses, whatever these say themselves.
        slots: what stands in all slots of a name.
        preset: whose sizes are asked for, whatever options go with it.
    """

    spec: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    slots: Mapping[str, Use] = field(default_factory=dict)
    preset: str = ""

    def applied(self, spec: Spec) -> Spec:
        """Return a spec as it is with these choices. Claims and expected totals speak of the files as they are, and are left out."""
        values = {**self.options, **(self.own if spec.name == self.spec else {})}
        return replace(
            spec,
            options={name: self._option(option, values) for name, option in spec.options.items()},
            slots={name: self._slot(slot) for name, slot in spec.slots.items()},
            rows={name: self._row(row) for name, row in spec.rows.items()},
            presets={name: replace(one, expect={}, options={}) for name, one in spec.presets.items() if self._fits(spec, one, values)},
            claims=(),
        )

    def _fits(self, spec: Spec, preset: Preset, values: Mapping[str, Any]) -> bool:
        """Say whether a preset's formulas are those under these choices."""
        in_force = {name: values.get(name, option.default) for name, option in spec.options.items()}
        return preset.name == self.preset or all(in_force.get(name) == value for name, value in preset.options.items())

    def _option(self, option: Option, values: Mapping[str, Any]) -> Option:
        return replace(option, default=values[option.name]) if option.name in values else option

    def _slot(self, slot: Slot) -> Slot:
        return replace(slot, default=self.slots.get(slot.name) or self._use(slot.default))

    def _row(self, row: Row) -> Row:
        return row if row.use is None else replace(row, use=self._use(row.use))

    def _use(self, use: Use) -> Use:
        """Return a use without what is chosen for the options that it sets, and with what is chosen for its slots."""
        options = {name: self.options.get(name, value) for name, value in use.options.items()}
        return replace(use, options=options, slots={name: self.slots.get(name) or self._use(one) for name, one in use.slots.items()})
