"""Outputs of no single spec: what each comes from, and who renders it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.build.build_plan import INDEX
from generator.build.catalogue_output import catalogue_of, catalogue_path
from generator.build.fingerprints import Fingerprints, digest, file_digest
from generator.build.fixed import IMPORTS, OPS, SCHEMA, START_DATA
from generator.build.index_output import imports_script_of, render_index_of, start_script_of
from generator.build.manifest import Record
from generator.build.published_pages import CLAIMS, DOCUMENTS, claims_page, common_links, document_page, has_claims
from generator.files.seal import sealed
from generator.questions.documents.document_folder import document_files
from generator.render.formats import EXCEL, MARKDOWN, SITE, Format
from generator.spec.library import Library


@dataclass(frozen=True)
class CommonOutput:
    """An output of no single spec.

    Args:
        path: below the folder of outputs.
        fingerprint: over what it comes from.
        render: returns its bytes; raises ProblemsError.
        committed: whether it is kept in version control.
    """

    path: str
    fingerprint: str
    render: Callable[[], bytes]
    committed: bool = True


def common_outputs(
    library: Library, out: Path, formats: Sequence[Format], records: Mapping[str, Record], fingerprints: Fingerprints
) -> Iterator[CommonOutput]:
    """Yield the outputs that some specs have in common in some formats.

    Args:
        records: of the specs by name, as they were built.
    """
    specs = "\0".join(f"{name} {record.fingerprint}" for name, record in records.items())
    summaries = {name: record.summary for name, record in records.items()}
    if any(kind.committed for kind in formats):  # the schema is committed beside them
        yield CommonOutput(SCHEMA, fingerprints.engine, lambda: sealed(_of_the_tool("generator.spec.schema_builder", "schema_text")))
    if MARKDOWN in formats:
        links = common_links(library, records)
        linked = digest("\0".join([specs, *map(str, links)]).encode())
        yield CommonOutput(INDEX, linked, lambda: sealed(render_index_of(library, summaries, links)))
        yield CommonOutput(OPS, fingerprints.engine, lambda: sealed(_of_the_tool("generator.render.markdown.ops", "render_ops")))
        yield from _published(library, out, records, specs)
    if SITE in formats:
        yield CommonOutput(START_DATA, digest(specs.encode()), lambda: sealed(start_script_of(library, summaries)), committed=False)
        yield CommonOutput(IMPORTS, digest(specs.encode()), lambda: sealed(imports_script_of(library, summaries)), committed=False)
    for kind in formats:
        if kind.name == EXCEL.name:
            yield CommonOutput(catalogue_path(kind), digest(specs.encode()), _catalogue(library, summaries, kind), kind.committed)


def _published(library: Library, out: Path, records: Mapping[str, Record], specs: str) -> Iterator[CommonOutput]:
    """Yield the pages of published formulas; there is none of claims where no spec has any."""
    lists = {name: f" {name} {file_digest(file)}" for name, file in document_files(library.roots).items()}
    if has_claims(records):
        yield CommonOutput(CLAIMS, digest((specs + "".join(lists.values())).encode()), lambda: claims_page(library, out, records))
    for name, file in document_files(library.roots).items():
        path, fingerprint = f"{DOCUMENTS}/{name}.md", digest((specs + lists[name]).encode())
        yield CommonOutput(path, fingerprint, lambda file=file: document_page(file, library, out, records))  # type: ignore[misc]  # bound now


def _catalogue(library: Library, summaries: Mapping[str, dict[str, Any] | None], kind: Format) -> Callable[[], bytes]:
    return lambda: catalogue_of(library, summaries, kind)


def _of_the_tool(module: str, function: str) -> str:
    """Return a text that only the tool itself decides. What writes it imports all ops, and with them sympy."""
    from importlib import import_module

    text: str = getattr(import_module(module), function)()
    return text
