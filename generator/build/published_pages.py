"""The pages that bring published formulas together: all claims by their source, and the formulas of each document in its order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from generator.build.manifest import Record
from generator.files.ignored import is_missing_from_a_clone
from generator.files.seal import sealed
from generator.questions.documents.document_folder import FOLDER, document_files
from generator.render.formats import EXCEL
from generator.spec.library import Library

if TYPE_CHECKING:
    from generator.questions.documents.formula_list import Document
    from generator.render.markdown.claim_places import Built

CLAIMS = "markdown/claims.md"
DOCUMENTS = f"markdown/{FOLDER}"


def common_links(library: Library, records: Mapping[str, Record]) -> tuple[tuple[str, str], ...]:
    """Return what the index links to beside the pages of specs: label and address."""
    documents = [(f"document {name}", f"{FOLDER}/{name}.md") for name in document_files(library.roots)]
    return (*([("published formulas", "claims.md")] if has_claims(records) else []), *documents)


def has_claims(records: Mapping[str, Record]) -> bool:
    """Say whether some of the specs have claims."""
    return any(record.summary is None or record.summary["claims"] for record in records.values())


def claims_page(library: Library, out: Path, records: Mapping[str, Record]) -> bytes:
    """Return the page of all claims by their source. Raises ProblemsError."""
    from generator.render.markdown.claims_page import render_claims

    built = [_built(name, library, out, record) for name, record in records.items()]
    return sealed(render_claims(built, list(_documents(library))))


def _documents(library: Library) -> Iterator[Document]:
    """Yield the lists of documents' formulas; the mistakes of one that cannot be read are told where its own page is made."""
    from generator.questions.documents.document_reader import read_document
    from generator.text.problems import ProblemsError

    for file in document_files(library.roots).values():
        with suppress(ProblemsError):
            yield read_document(file)


def document_page(file: Path, library: Library, out: Path, records: Mapping[str, Record]) -> bytes:
    """Return the page of a document's formulas in their order. Raises ProblemsError."""
    from generator.files.resources import builtin_specs_dir
    from generator.questions.documents.document_reader import document_problems, read_document
    from generator.render.markdown.document import render_document
    from generator.spec.references import read_references
    from generator.text.problems import ProblemsError

    document = read_document(file)
    references = read_references(dict.fromkeys((builtin_specs_dir(), *library.roots)))
    problems = list(document_problems(document, library, references))
    if problems:
        raise ProblemsError(problems)
    built = {name: _built(name, library, out, records.get(name)) for name in document.specs}
    around = {spec: _built(spec, library, out, records.get(spec)) for one in built.values() for spec in one.neighbours if spec not in built}
    return sealed(render_document(document, {**around, **built}, references[document.cite]))


def _built(name: str, library: Library, out: Path, record: Record | None) -> Built:
    """Return what is known of a spec's outputs, from the record of its build or derived again. Raises ProblemsError."""
    from generator.build.spec_summary import restore, summarise
    from generator.render.markdown.claim_places import Built
    from generator.render.markdown.links import spec_link
    from generator.render.module.view import ModuleSet
    from generator.render.module.writer import render_module, row_lines
    from generator.sheet.compiled import compile_spec

    summary = record.summary if record is not None else None
    sheet = restore(summary)
    if summary is None or sheet is None:
        compiled = compile_spec(library, name)
        modules = ModuleSet(library)
        module = render_module(compiled, modules)
        sheet, summary = compiled.sheet, summarise(compiled.sheet, row_lines(modules.view(name), module.count("\n")))
    places = summary["places"] if summary else []
    lines = summary["lines"] if summary else {}
    workbook = not is_missing_from_a_clone(EXCEL.path(name), CLAIMS, out)
    return Built(sheet, spec_link(library.path(name), out), places, lines, workbook)
