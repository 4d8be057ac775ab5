"""The record of the last build, beside its outputs: what each came from and what was written.

It only saves work. Without it, or if it is damaged, everything is rendered again and compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.build.fingerprints import file_digest
from generator.files import writing
from generator.files.regular_file import irregular

FILE = ".manifest.json"
_LAYOUT = 5  # of the file; another number means that it is not understood


@dataclass(frozen=True)
class Written:
    """Outputs that were written together.

    Args:
        fingerprint: over all that they came from.
        outputs: the SHA-256 of each by its path below the folder of outputs.
    """

    fingerprint: str
    outputs: dict[str, str]

    def is_fresh(self, fingerprint: str, paths: Iterable[str], out: Path) -> bool:
        """Say whether nothing has changed that outputs came from, and each still is what was written; one edited by hand is not.

        This is the rule for all outputs of a build.
        """
        return self.fingerprint == fingerprint and all(
            path in self.outputs and file_digest(out / path) == self.outputs[path] for path in paths
        )


@dataclass(frozen=True)
class Record(Written):
    """What is known of one spec.

    Args:
        uses: the specs it uses, itself first.
        place: its file, as seen from the folder of outputs.
        requested: whether it was asked for; else it is there because others use it.
        summary: what the index says about it, as plain data; None if that cannot be kept.
    """

    uses: tuple[str, ...]
    place: str
    requested: bool
    summary: dict[str, Any] | None = None

    def updated(self, new: Record) -> Record:
        """Return this record with what a new rendering adds: outputs of the same fingerprint stay valid."""
        outputs = {**self.outputs, **new.outputs} if self.fingerprint == new.fingerprint else new.outputs
        return replace(new, outputs=outputs, requested=self.requested or new.requested)


@dataclass(frozen=True)
class ComparisonRecord(Written):
    """What is known of one comparison: the specs it uses, and what the index says about it."""

    uses: tuple[str, ...]
    title: str
    question: str


@dataclass
class Manifest:
    """All records: of specs and comparisons by name, and of the outputs of no single spec by path."""

    specs: dict[str, Record] = field(default_factory=dict)
    comparisons: dict[str, ComparisonRecord] = field(default_factory=dict)
    common: dict[str, Written] = field(default_factory=dict)

    def save(self, out: Path) -> None:
        """Write the record into a folder of outputs, if it says anything new. Raises OSError."""
        data = {
            "layout": _LAYOUT,
            "common": _plain(self.common),
            "specs": _plain(self.specs),
            "comparisons": _plain(self.comparisons),
        }
        text = (json.dumps(data) + "\n").encode()  # in one line: with indentation it takes ten times as long
        path = out / FILE
        if irregular(path) or writing.content(path) != text:
            writing.replace(path, text)


def read_manifest(out: Path) -> Manifest:
    """Return the record of a folder of outputs; an empty one if there is none that can be understood."""
    if irregular(out / FILE):
        return Manifest()
    try:
        data = json.loads((out / FILE).read_bytes())
        if data["layout"] != _LAYOUT:
            return Manifest()
        records = {name: _record(record) for name, record in data["specs"].items()}
        comparisons = {name: _comparison(record) for name, record in data["comparisons"].items()}
        common = {path: Written(**_written(record)) for path, record in data["common"].items()}
        return Manifest(records, comparisons, common)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Manifest()


def _plain(records: Mapping[str, Written]) -> dict[str, dict[str, Any]]:
    return {name: vars(records[name]) for name in sorted(records)}


def _written(data: dict[str, Any]) -> dict[str, Any]:
    """Return what a record says of outputs as arguments of one."""
    return {"fingerprint": str(data["fingerprint"]), "outputs": {str(path): str(value) for path, value in data["outputs"].items()}}


def _comparison(data: dict[str, Any]) -> ComparisonRecord:
    return ComparisonRecord(**_written(data), uses=tuple(map(str, data["uses"])), title=str(data["title"]), question=str(data["question"]))


def _record(data: dict[str, Any]) -> Record:
    summary = data["summary"]
    if not (summary is None or isinstance(summary, dict)) or not isinstance(data["requested"], bool):
        raise TypeError("not a record")
    uses, place = tuple(map(str, data["uses"])), str(data["place"])
    return Record(**_written(data), uses=uses, place=place, requested=data["requested"], summary=summary)
