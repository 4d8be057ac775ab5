"""Which outputs a project keeps under version control, as its .gitignore says."""

from __future__ import annotations

from pathlib import Path

from generator.files.regular_file import irregular, real


def ignore_file(out: Path) -> Path:
    """Return the .gitignore of the project in which the folder of outputs lies, whether it is there or not."""
    return real(out).parent / ".gitignore"


def is_missing_from_a_clone(path: str, page: str, out: Path) -> bool:
    """Say whether whoever clones the project has a page, but not the output that it would link to.

    Args:
        path: the output, below the folder of outputs, with forward slashes.
        page: the page, as well.
        out: the folder of outputs.
    """
    file = ignore_file(out)
    if irregular(file) or not file.is_file():
        return False
    from pathspec import GitIgnoreSpec  # only where there is something to be read

    try:
        ignored = GitIgnoreSpec.from_lines(file.read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return False
    return ignored.match_file(f"{real(out).name}/{path}") and not ignored.match_file(f"{real(out).name}/{page}")
