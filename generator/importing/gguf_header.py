"""The header of a file in the format GGUF: what it says of the model, and which tensors it holds. Numbers of weights are never read.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3. The library that writes such files reads them whole
and word by word; a header of 128,000 words takes it seconds.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

from generator.text.problems import Problem, ProblemsError

MAGIC = b"GGUF"
LONGEST_KEPT = 4096  # items of a list; of a longer one, and of one of texts, only the number is kept
MAX_TEXT = 1 << 24  # bytes
MAX_ENTRIES = 1 << 20  # of metadata, and of tensors
MAX_AXES = 8
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9


@dataclass(frozen=True)
class Header:
    """What stands at the beginning of a file.

    Args:
        metadata: numbers, texts and lists of numbers by key.
        counts: the number of items of lists that are not kept, by key.
        shapes: of each tensor, the axis that changes fastest last, as PyTorch has it.
    """

    metadata: Mapping[str, Any]
    counts: Mapping[str, int]
    shapes: Mapping[str, tuple[int, ...]]


def is_gguf(path: Path) -> bool:
    """Say whether a file is of this format by its name."""
    return path.suffix == ".gguf"


def read_header(path: Path) -> Header:
    """Read the header of a file.

    Raises:
        ProblemsError: it is not of this format, or ends too early.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            return _HeaderReader(file).header()
        except _DamagedError as error:
            raise ProblemsError([Problem(f"{path} cannot be read as a file in the format GGUF", None, (str(error),))]) from None


class _DamagedError(Exception):
    """What of a file is not as the format has it."""


class _HeaderReader:
    def __init__(self, file: BufferedReader) -> None:
        self.file = file

    def header(self) -> Header:
        if self.file.read(len(MAGIC)) != MAGIC:
            raise _DamagedError(f"such a file begins with {MAGIC.decode()}")
        version = self.number("I")
        if version not in {2, 3}:
            raise _DamagedError(f"it is of version {version}, where 2 and 3 are known")
        tensors, entries = self.count("tensors"), self.count("keys")
        metadata: dict[str, Any] = {}
        counts: dict[str, int] = {}
        for _ in range(entries):
            key = self.text()
            kind = self.number("I")
            if kind == _LIST:
                self.list_of(key, metadata, counts)
            else:
                metadata[key] = self.value(kind)
        return Header(metadata, counts, dict(self.tensor() for _ in range(tensors)))

    def tensor(self) -> tuple[str, tuple[int, ...]]:
        name = self.text()
        axes = self.number("I")
        if axes > MAX_AXES:
            raise _DamagedError(f"a tensor with {axes} axes")
        shape = [self.number("Q") for _ in range(axes)]
        self.number("I")  # the format of its numbers
        self.number("Q")  # where they stand
        return name, tuple(reversed(shape))

    def list_of(self, key: str, metadata: dict[str, Any], counts: dict[str, int]) -> None:
        kind, length = self.number("I"), self.number("Q")
        if kind == _TEXT:
            for _ in range(length):
                self.skip(self.length())
        elif kind not in _NUMBERS:
            raise _DamagedError(f"a list of the kind {kind}")
        elif length <= LONGEST_KEPT:
            metadata[key] = [self.value(kind) for _ in range(length)]
            return
        else:
            self.skip(length * struct.calcsize(_NUMBERS[kind]))
        counts[key] = length

    def value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self.text()
        if kind not in _NUMBERS:
            raise _DamagedError(f"a value of the kind {kind}")
        return self.number(_NUMBERS[kind])

    def count(self, what: str) -> int:
        found: int = self.number("Q")
        if found > MAX_ENTRIES:
            raise _DamagedError(f"it says that it has {found:,} {what}")
        return found

    def length(self) -> int:
        found: int = self.number("Q")
        if found > MAX_TEXT:
            raise _DamagedError(f"a text of {found:,} bytes")
        return found

    def text(self) -> str:
        return self.exactly(self.length()).decode("utf-8", "replace")

    def number(self, form: str) -> Any:
        return struct.unpack(f"<{form}", self.exactly(struct.calcsize(f"<{form}")))[0]

    def exactly(self, size: int) -> bytes:
        content = self.file.read(size)
        if len(content) < size:
            raise _DamagedError("it ends within its header")
        return content

    def skip(self, size: int) -> None:
        while size > 0:
            size -= len(self.exactly(min(size, MAX_TEXT)))
