"""Whether the lists of documents' formulas can be read, and lead somewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from generator.files.resources import builtin_specs_dir
from generator.questions.documents.document_folder import document_files
from generator.questions.documents.document_reader import document_problems, read_document
from generator.spec.library import Library
from generator.spec.references import read_references
from generator.text.problems import Problem, ProblemsError


def check_documents(library: Library, is_meant: Callable[[Path], bool] = lambda _: True) -> dict[str, tuple[Problem, ...]]:
    """Return what is wrong with each list of a library's own folders, or with those that are meant, by name."""
    return {name: _problems(file, library) for name, file in document_files(library.roots).items() if is_meant(file)}


def _problems(file: Path, library: Library) -> tuple[Problem, ...]:
    try:
        references = read_references(dict.fromkeys((builtin_specs_dir(), *library.roots)))
        return tuple(document_problems(read_document(file), library, references))
    except ProblemsError as error:
        return error.problems
    except OSError as error:
        return (Problem(f"{error.filename}: {error.strerror or error}", None),)
