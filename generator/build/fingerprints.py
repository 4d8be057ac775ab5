"""What an output came from, as one hash: equal hashes mean that rendering again would give the same bytes.

Everything here works on bytes of files, so that finding that nothing has changed needs no parser and no sympy.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from generator.files.ignored import ignore_file
from generator.files.regular_file import irregular, real
from generator.files.resources import builtin_specs_dir, op_packages, templates_dir
from generator.spec.library import Library
from generator.version import VERSION

_PACKAGE = Path(__file__).resolve().parent.parent
_DATA = ("_data", "__pycache__")  # specs and templates of a wheel (counted where they are used), and what Python leaves
_DECISIVE = (".py", ".json", ".jinja", ".yaml", ".js", ".css")
_LIBRARIES = ("jinja2", "openpyxl", "sympy")  # whose versions may change the bytes of an output


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return sha256(data).hexdigest()


def file_digest(file: Path) -> str:
    """Return the SHA-256 of a file's content; an empty text if it cannot be read."""
    if irregular(file):
        return ""
    try:
        return digest(file.read_bytes())
    except OSError:
        return ""


class Fingerprints:
    """Hashes over specs and over the tool itself.

    All spec files are read when this is made. Whatever parses them later reads them later, so an edit during a build gives a hash that
    is too old, and the next build looks again.

    Args:
        out: the folder of outputs, relative to which pages link to specs. What its project does not keep, they do not link to.
        pages: the names of all specs that have a page.
    """

    def __init__(self, library: Library, out: Path, pages: Collection[str]) -> None:
        self._out = real(out)
        self._pages = pages
        self._specs = {name: digest(f"{library.relative(name)}\0{file_digest(file)}".encode()) for name, file in library.files.items()}
        self._places = {name: place(file, self._out) for name, file in library.own.items()}
        folders = dict.fromkeys((builtin_specs_dir(), *library.roots))
        self._references = [file_digest(folder / "references.yaml") for folder in folders]
        self.ignored = file_digest(ignore_file(out))

    def of(self, name: str, uses: Iterable[str]) -> str:
        """Return the fingerprint of a spec that uses some others (itself among them); empty if one of them is gone."""
        used = sorted(set(uses) | {name})
        if not all(part in self._specs for part in used):
            return ""
        parts = [self.engine, *self._references, self.ignored, self._places.get(name, "")]
        parts += [f"{part} {self._specs[part]} {part in self._pages}" for part in used]
        return digest("\0".join([name, *parts]).encode())

    @cached_property
    def engine(self) -> str:
        """A hash over the tool; see `engine`."""
        return engine()


def engine() -> str:
    """Return a hash over the tool: code, templates, devices, ops of others, its version and those of the libraries that write outputs."""
    parts = [VERSION, *(f"{name} {_version(name)}" for name in _LIBRARIES)]
    for root in (_PACKAGE, templates_dir(), *(folder for folders in op_packages().values() for folder in folders)):
        parts += [f"{place} {_content_digest(os.path.join(root, place))}" for place in _code(root)]  # noqa: PTH118 - there are hundreds
    parts += [f"{file.name} {file_digest(file)}" for file in sorted((builtin_specs_dir() / "hardware").glob("*.yaml"))]  # in workbooks
    return digest("\0".join(parts).encode())


def sources(library: Library, names: Iterable[str]) -> str:
    """Return a hash over the files of some specs, where they lie in their library, and the references; empty if a spec is not there."""
    folders = dict.fromkeys((builtin_specs_dir(), *library.roots))
    parts = [file_digest(folder / "references.yaml") for folder in folders]
    for name in sorted(set(names)):
        if name not in library.files or library.name_problems(name):
            return ""
        parts.append(f"{name} {library.relative(name)} {file_digest(library.files[name])}")
    return digest("\0".join(parts).encode())


def place(file: Path, out: Path) -> str:
    """Return where a file lies as seen from the (resolved) folder of outputs, so that both can be moved together."""
    try:
        return Path(os.path.relpath(real(file), out)).as_posix()
    except ValueError:  # another drive of Windows
        return real(file).as_posix()


def _code(root: Path) -> Iterator[str]:
    """Yield all files below a folder that decide what outputs look like, as seen from there, in a fixed order."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _DATA)
        inside = folder[len(str(root)) :].replace(os.sep, "/").lstrip("/")
        yield from (f"{inside}/{name}" if inside else name for name in sorted(files) if name.endswith(_DECISIVE))


def _content_digest(file: str) -> str:
    with open(file, "rb", buffering=0) as content:  # noqa: PTH123 - as above
        return sha256(content.read()).hexdigest()


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"
