"""Specs as they were at a revision of the git repository in which they lie."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from generator.files.regular_file import real
from generator.spec.library import Library
from generator.spec.lookup import NotFoundError
from generator.text.problems import Problem


@contextmanager
def library_at(library: Library, name: str, revision: str) -> Iterator[Library]:
    """Yield the library as it was at a revision: all specs of the folder in which a spec lies.

    Args:
        library: where the spec is found today.
        name: the spec.
        revision: anything that git takes for a commit, such as `HEAD~3`, a tag or a branch.

    Raises:
        NotFoundError: the spec lies in no git repository, or there is no such revision, or the spec was not there then.
    """
    file = real(library.path(name))
    folder = next((real(root) for root in library.roots if file.is_relative_to(real(root))), _top_of(file))
    repository = Path(_git(folder, "rev-parse", "--show-toplevel").decode().strip())
    commit = (
        _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", what=revision).decode().strip()
    )
    inside = folder.relative_to(repository).as_posix()
    archive = _git(repository, "archive", "--format=tar", commit, "--", inside, what=revision)
    with TemporaryDirectory(prefix="gen-diff-") as temporary:
        _extract(archive, Path(temporary))
        old = Library([Path(temporary) / inside])
        if name not in old.own:
            raise NotFoundError([Problem(f"there was no spec named `{name}` at `{revision}`", None)])
        yield old


def _top_of(file: Path) -> Path:
    """Return the folder of specs in which a built-in spec lies."""
    from generator.files.resources import builtin_specs_dir

    builtin = real(builtin_specs_dir())
    return builtin if file.is_relative_to(builtin) else file.parent


def _git(folder: Path, *arguments: str, what: str = "") -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)  # noqa: S603, S607 - arguments are ours
    except FileNotFoundError:
        message = "`git` is not installed, and without it there are no revisions to compare"
        raise NotFoundError([Problem(message, None)]) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        message = f"git knows no revision `{what}`" if what else f"{folder} is in no git repository"
        raise NotFoundError([Problem(message, None, tuple(said[:1]))])
    return done.stdout


def _extract(archive: bytes, folder: Path) -> None:
    """Write the YAML files of an archive; links and names that lead out of the folder are left out."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            content = tar.extractfile(member) if member.isreg() and path.suffix == ".yaml" else None
            if content is None or path.is_absolute() or ".." in path.parts:
                continue
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())
