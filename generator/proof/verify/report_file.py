"""The file that `gen verify --report` writes: whether it can be written, which is said before anything is measured, and writing it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from generator.commands.arguments import UsageError
from generator.files.regular_file import read_regular
from generator.files.seal import State, sealed, state_of
from generator.files.writing import LARGEST

if TYPE_CHECKING:
    from generator.proof.verify.run import Result

MADE_BY = "Made by `gen verify --report`"


def refuse_unfit(file: Path, *, force: bool = False) -> None:
    """Raise UsageError for a file that a report cannot or must not replace; one that was edited by hand only by force."""
    if file.is_dir():
        raise UsageError(f"--report takes a file, and {file} is a folder", f"for example --report {file / 'proof.md'}")
    above = next(folder for folder in (*file.parents, Path()) if folder.exists())
    if not above.is_dir():
        raise UsageError(f"{file} cannot be written, as {above} is not a folder", "choose another file for --report")
    old = read_regular(file, LARGEST) if file.exists() else b""
    if old and MADE_BY.encode() not in old:
        raise UsageError(f"{file} was not written by gen verify, so it is left alone", "choose another file for --report")
    if not force and state_of(file, old) is State.EDITED:
        raise UsageError(f"{file} was edited by hand, so it is left alone", "choose another file, or give up the edits with --force")


def write_report(file: Path, results: Sequence[Result]) -> None:
    """Write the page, with links to the pages of specs that lie beside it. Raises OSError."""
    from generator.files.writing import replace
    from generator.proof.verify.report import render_report

    pages = {result.spec: f"{result.spec}.md" for result in results if (file.parent / f"{result.spec}.md").exists()}
    replace(file, sealed(render_report(results, pages)))
