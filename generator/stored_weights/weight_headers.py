"""The weights that are stored beside a configuration, by names and shapes: their headers are read, their numbers never."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.files.regular_file import read_regular
from generator.importing.gguf_header import is_gguf, read_header
from generator.text.problems import Problem, ProblemsError

INDEX, WHOLE = "model.safetensors.index.json", "model.safetensors"
MAX_HEADER = 100_000_000  # bytes, as the format itself allows
MAX_INDEX = 1 << 26
_LENGTH = 8  # bytes in front of the header that say how long it is
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Stored:
    """What a file of weights holds.

    Args:
        path: the file.
        shapes: of each tensor; those in files that are not there are left out.
        absent: files that the index names and that are not there.
        total: how many numbers the index says that there are, where it does.
    """

    path: Path
    shapes: Mapping[str, Shape]
    absent: tuple[str, ...] = ()
    total: int | None = None

    def without(self, buffers: tuple[str, ...]) -> Stored:
        """Return the same without the tensors whose names end so, which are no parameters."""
        return Stored(self.path, {name: one for name, one in self.shapes.items() if not name.endswith(buffers)}, self.absent, self.total)

    @property
    def count(self) -> int | None:
        """How many numbers there are; None where that cannot be told."""
        return self.total if self.absent else sum(math.prod(shape) for shape in self.shapes.values())


def beside(config: Path) -> Path | None:
    """Return the weights in the folder of a configuration, if there are any; those of a GGUF file are in it."""
    if is_gguf(config):
        return config
    return next((file for name in (INDEX, WHOLE) if (file := config.parent / name).exists()), None)


def stored(path: Path) -> Stored:
    """Read which tensors a file holds: one in the format safetensors or GGUF, or the index of several.

    Raises:
        ProblemsError: it is neither.
        OSError: it cannot be read.
    """
    if is_gguf(path):
        return Stored(path, read_header(path).shapes)
    if path.suffix != ".json":
        return Stored(path, _header(path))
    index = _object(read_regular(path, MAX_INDEX), path)
    names = index.get("weight_map")
    if not isinstance(names, dict) or not all(isinstance(file, str) and "/" not in file and "\\" not in file for file in names.values()):
        raise _unreadable(path, "an index of weights has `weight_map`, with a file for each tensor")
    files = sorted(set(names.values()))
    there = [file for file in files if (path.parent / file).exists()]
    shapes: dict[str, Shape] = {}
    for file in there:
        shapes |= _header(path.parent / file)
    said = index.get("metadata")
    total = said.get("total_parameters") if isinstance(said, dict) else None
    absent = tuple(file for file in files if file not in there)
    return Stored(path, shapes, absent, total if isinstance(total, int) else None)


def _header(path: Path) -> dict[str, Shape]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH), "little")
        if not 0 < length <= MAX_HEADER:
            raise _unreadable(path, "a file of weights begins with the length of its header")
        content = file.read(length)
    entries = _object(content, path)
    try:
        return {name: tuple(int(size) for size in one["shape"]) for name, one in entries.items() if name != "__metadata__"}
    except (KeyError, TypeError, ValueError):
        raise _unreadable(path, "the header has a shape for each tensor") from None


def _object(content: bytes, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise _unreadable(path, "its header is no JSON") from None
    if not isinstance(found, dict):
        raise _unreadable(path, "its header is no JSON object")
    return found


def _unreadable(path: Path, why: str) -> ProblemsError:
    return ProblemsError([Problem(f"{path} cannot be read as weights in the format safetensors", None, (why,))])
