"""What a workbook was asked for beside its spec, and how it is asked for again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Origin:
    """A preset, options and slots, as `gen workbook` takes them; without any it is the workbook that `gen build` writes.

    Raises:
        ValueError: what a workbook says of itself is nothing of the kind.
    """

    preset: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Origin:
        """Return what `text` says."""
        try:
            said = json.loads(text)
            preset, settings = said["preset"], said["settings"]
            found = cls(str(preset), {str(name): str(value) for name, value in settings.items()})
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(text) from error
        return found

    @property
    def text(self) -> str:
        """What the workbook says of itself; empty for that of `gen build`."""
        return json.dumps({"preset": self.preset, "settings": dict(self.settings)}) if self.preset or self.settings else ""

    def command(self, spec: str, language: str) -> str:
        """Return the command that makes the workbook."""
        if not self.text:
            return f"gen build specs/ --only {spec} --formats excel --lang {language}"
        words = [f"{spec}@{self.preset}" if self.preset else spec, *(f"{name}={value}" for name, value in self.settings.items())]
        return f"gen workbook {' '.join(words)} --lang {language}"

    def file(self, spec: str) -> str:
        """Return what the file is called, unless it is called otherwise."""
        return f"{self.preset or spec}.xlsx"


AS_BUILT = Origin()
