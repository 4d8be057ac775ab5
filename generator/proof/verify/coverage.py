"""What has been compared with public implementations, family by family: read off the results, so that it says no more than was run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.proof.verify.references.reference_runs import KINDS, ReferenceCheck
from generator.proof.verify.verification import Verification
from generator.render.markdown.escape_markdown import code, link, text
from generator.render.markdown.table_rows import MarkdownTable, table

PRINTED_ONLY = "published table only"
HEAD = ("Family", "Spec", "Public implementation", "Compared")


def coverage(results: Sequence[Verification], pages: Mapping[str, str]) -> MarkdownTable:
    """Return a line for each spec of a family and each of its public implementations, in alphabetical order of families and specs.

    Args:
        pages: where the page of a spec can be linked to, by name.
    """
    rows: list[tuple[str, ...]] = []
    family = ""
    for result in sorted((one for one in results if one.family), key=lambda one: (one.family, one.spec)):
        spec = link(code(result.spec), pages[result.spec]) if result.spec in pages else code(result.spec)
        for model, compared in _compared(result):
            rows.append((text(result.family) if result.family != family else "", spec, text(model), text(compared)))
            family, spec = result.family, ""
    return table(HEAD, rows)


def _compared(result: Verification) -> Iterator[tuple[str, str]]:
    """Yield the public implementations of a spec, each with what was compared; where there is none, what there is instead."""
    models = dict.fromkeys(check.model for check in result.references)
    for model in models:
        yield model, ", ".join(_kinds([check for check in result.references if check.model == model]))
    if not models:
        yield "", PRINTED_ONLY if result.printed else "; ".join(result.not_run)


def _kinds(checks: Sequence[ReferenceCheck]) -> Iterator[str]:
    """Yield what was compared, in the order of KINDS; what differs is marked, and so is what was stopped before anything was."""
    for kind in (*KINDS, ""):
        found = [check.equal for check in checks if check.kind == kind]
        if found:
            yield f"{'' if all(found) else '✗ '}{kind or 'stopped'}"
