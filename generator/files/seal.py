"""The seal of an output: a hash over its own content, by which an edit by hand is recognised without any other record.

In texts the seal stands in the head, behind the words that ask not to edit them: `do not edit (content 0123456789abcdef)`. In workbooks it
is a property of the document. A file is as it was written if sealing its content again gives the same seal. Outputs of versions that did
not seal them are recognised by the same head without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from hashlib import sha256
from pathlib import Path

_HEAD = 4000  # bytes of a text in which the mark stands
_MARK = re.compile(rb"Made by `gen [a-z -]{1,40}`|Generated from [^\n]{1,300}\(sha256 [0-9a-f]{8,64}\)")
_PLACE = re.compile(rb"(?:Made by `gen [^\n]{1,400}?; do not edit|; edit the spec, not this file)( \(content [0-9a-f]{16}\))?")
CUSTOM = "docProps/custom.xml"
PARTS, CONTENT = "archsheet.parts", "archsheet.content"  # the properties of a workbook that make its seal
UNSEALED = "0" * 64  # stands in the place of the hash while that is computed
_PROPERTY = {name: re.compile(rb'name="%s"[^>]*>\s*<vt:lpwstr[^>]*>([0-9a-f]{64})<' % name.encode()) for name in (PARTS, CONTENT)}


class State(Enum):
    """Whose content a file has: a build's, a build's with edits by hand, or somebody else's."""

    OURS = "ours"
    EDITED = "edited by hand"
    FOREIGN = "not written by gen build"


def sealed(text: str) -> bytes:
    """Return a text output as bytes, with its seal. Raises ValueError if its head has no place for one."""
    content = text.encode()
    place = _PLACE.search(content[:_HEAD])
    if place is None or place[1] is not None:
        raise ValueError("an output must ask in its head not to be edited, as its seal stands there")
    seal = b" (content %s)" % sha256(content).hexdigest()[:16].encode()
    return content[: place.end()] + seal + content[place.end() :]


def state_of(path: Path, data: bytes) -> State:
    """Say whose content a file has. One that is empty is taken for ours: nothing is lost with it."""
    if not data:
        return State.OURS
    return _state_of_workbook(data) if path.suffix == ".xlsx" else _state_of_text(data.replace(b"\r\n", b"\n"))


def _state_of_text(data: bytes) -> State:
    if not _MARK.search(data[:_HEAD]):
        return State.FOREIGN
    place = _PLACE.search(data[:_HEAD])
    if place is None:
        return State.EDITED
    if place[1] is None:  # of a version that did not seal its outputs
        return State.OURS
    content = data[: place.start(1)] + data[place.end(1) :]
    return State.OURS if sha256(content).hexdigest()[:16].encode() in place[1] else State.EDITED


def sealed_parts(parts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the parts of a workbook's archive with the hash over them in place of `UNSEALED` among the document's properties."""
    return {**parts, CUSTOM: parts[CUSTOM].replace(UNSEALED.encode(), _hash_of_parts(parts))}


def _hash_of_parts(parts: Mapping[str, bytes]) -> bytes:
    total = sha256()
    for name in sorted(parts):
        total.update(f"{name} {len(parts[name])} ".encode() + parts[name])
    return total.hexdigest().encode()


def _state_of_workbook(data: bytes) -> State:
    from generator.files.workbook_file import UnfitWorkbookError, opened, parts_of

    try:
        parts = parts_of(data)
    except UnfitWorkbookError:
        return State.FOREIGN
    if not any(b"archsheet" in parts.get(part, b"") for part in ("docProps/core.xml", "docProps/app.xml", CUSTOM)):
        return State.FOREIGN
    seals = {name: pattern.search(parts.get(CUSTOM, b"")) for name, pattern in _PROPERTY.items()}
    whole, content = seals[PARTS], seals[CONTENT]
    if whole is None or content is None:  # of a version that did not seal its outputs
        return State.OURS
    unsealed = {**parts, CUSTOM: parts[CUSTOM].replace(whole[1], UNSEALED.encode())}
    if _hash_of_parts(unsealed) == whole[1]:
        return State.OURS
    # Another program has saved it. That alone is no edit: what counts is what the cells hold.
    from generator.files.workbook_content import content_digest

    try:
        return State.OURS if content_digest(opened(data)).encode() == content[1] else State.EDITED
    except UnfitWorkbookError:
        return State.EDITED
