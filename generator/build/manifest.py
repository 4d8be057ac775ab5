"""The record of the last build, beside its outputs: what each came from and what was written.

It only saves work. Without it, or if it is damaged, everything is rendered again and compared.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.files import writing
from generator.files.regular_file import irregular

FILE = ".manifest.json"
_LAYOUT = 4  # of the file; another number means that it is not understood


@dataclass(frozen=True)
class Record:
    """What is known of one spec.

    Args:
        fingerprint: over all that its outputs came from.
        uses: the specs it uses, itself first.
        outputs: the SHA-256 of each output by format.
        place: its file, as seen from the folder of outputs.
        requested: whether it was asked for; else it is there because others use it.
        summary: what the index says about it, as plain data; None if that cannot be kept.
    """

    fingerprint: str
    uses: tuple[str, ...]
    outputs: dict[str, str]
    place: str
    requested: bool
    summary: dict[str, Any] | None = None

    def updated(self, new: Record) -> Record:
        """Return this record with what a new rendering adds: outputs of the same fingerprint stay valid."""
        outputs = {**self.outputs, **new.outputs} if self.fingerprint == new.fingerprint else new.outputs
        return replace(new, outputs=outputs, requested=self.requested or new.requested)


@dataclass(frozen=True)
class ComparisonRecord:
    """What is known of one comparison: as of a spec, with the SHA-256 of each output by path, and what the index says about it."""

    fingerprint: str
    uses: tuple[str, ...]
    outputs: dict[str, str]
    title: str
    question: str


@dataclass
class Manifest:
    """All records, and those of the pages of no single spec: a fingerprint and the SHA-256 of the file.

    Args:
        pages: of all others than the index, by path.
    """

    specs: dict[str, Record] = field(default_factory=dict)
    comparisons: dict[str, ComparisonRecord] = field(default_factory=dict)
    index: tuple[str, str] = ("", "")
    pages: dict[str, tuple[str, str]] = field(default_factory=dict)

    def save(self, out: Path) -> None:
        """Write the record into a folder of outputs, if it says anything new. Raises OSError."""
        data = {
            "layout": _LAYOUT,
            "index": self.index,
            "pages": {path: self.pages[path] for path in sorted(self.pages)},
            "specs": {name: vars(self.specs[name]) for name in sorted(self.specs)},
            "comparisons": {name: vars(self.comparisons[name]) for name in sorted(self.comparisons)},
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
        pages = {path: _page(page) for path, page in data["pages"].items()}
        return Manifest(records, comparisons, _page(data["index"]), pages)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Manifest()


def _page(data: list[str]) -> tuple[str, str]:
    fingerprint, written = map(str, data)
    return fingerprint, written


def _comparison(data: dict[str, Any]) -> ComparisonRecord:
    outputs = {str(path): str(value) for path, value in data["outputs"].items()}
    return ComparisonRecord(str(data["fingerprint"]), tuple(map(str, data["uses"])), outputs, str(data["title"]), str(data["question"]))


def _record(data: dict[str, Any]) -> Record:
    summary = data["summary"]
    if not (summary is None or isinstance(summary, dict)) or not isinstance(data["requested"], bool):
        raise TypeError("not a record")
    outputs = {str(name): str(value) for name, value in data["outputs"].items()}
    return Record(str(data["fingerprint"]), tuple(map(str, data["uses"])), outputs, str(data["place"]), data["requested"], summary)
