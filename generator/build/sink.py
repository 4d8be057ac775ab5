"""Where rendered outputs go: into files, or against the files that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from generator.files import writing
from generator.files.seal import State, state_of
from generator.text.problems import Problem, ProblemsError


class Sink(Protocol):
    """Takes outputs. Paths stand below the folder of outputs, with forward slashes."""

    def put(self, path: str, data: bytes, *, committed: bool = True) -> bool:
        """Take one output; return whether it differs from what was there. Raises ProblemsError where it cannot be taken."""

    def drop(self, path: str) -> None:
        """Take note of an output that comes from no spec any more. Raises ProblemsError."""


class FileWriter:
    """Writes outputs; those that were edited by hand only by force."""

    def __init__(self, out: Path, *, force: bool = False) -> None:
        self._out, self._force = out, force

    def put(self, path: str, data: bytes, *, committed: bool = True) -> bool:  # noqa: ARG002 - all outputs are written
        """Write one output if it differs from what is there."""
        try:
            return writing.write(self._out / path, data, force=self._force)
        except writing.KeptFileError as error:
            raise ProblemsError([Problem(str(error), None)]) from error
        except OSError as error:
            raise _unwritable(self._out / path, error) from error

    def drop(self, path: str) -> None:
        """Remove an output."""
        try:
            file = self._out / path
            writing.require_replaceable(file, writing.content(file) or b"", force=self._force)
            file.unlink()
        except writing.KeptFileError as error:
            raise ProblemsError([Problem(str(error), None, ("its spec is gone",))]) from error
        except OSError as error:
            raise _unwritable(self._out / path, error) from error


class Checker:
    """Compares outputs with what is there and writes nothing; `found` says for each difference what it is."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self.found: dict[str, str] = {}

    def put(self, path: str, data: bytes, *, committed: bool = True) -> bool:
        """Compare one output. One that is not committed, such as a workbook, may be missing."""
        file = self._out / path
        try:
            old = writing.content(file)
        except OSError as error:
            raise _unwritable(file, error) from error
        if old is None:
            if committed:
                self.found[path] = "missing"
            return committed
        if old != data:
            state = state_of(file, old)
            self.found[path] = "out of date" if state is State.OURS else state.value
        return old != data

    def drop(self, path: str) -> None:
        """Take note of an output without a spec."""
        file = self._out / path
        edited = file.is_file() and state_of(file, file.read_bytes()) is State.EDITED
        self.found[path] = f"its spec is gone{', and edited by hand' if edited else ''}"


def _unwritable(file: Path, error: OSError) -> ProblemsError:
    return ProblemsError([Problem(f"{file}: {error.strerror or error}", None)])
