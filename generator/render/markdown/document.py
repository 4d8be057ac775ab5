"""The page of one document: its formulas in their order, each beside ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from generator.questions.documents.formula_list import Document, ListedFormula, Measured
from generator.render.environment import environment
from generator.render.markdown.claim_cells import by_hand, derived, presuppositions, remarks, subject, verdict
from generator.render.markdown.claim_places import Built, output_links, spec_cell
from generator.render.markdown.escape_markdown import address, code, comment, is_web_address, text
from generator.render.markdown.formula import LongFormula, PageFormulas
from generator.render.markdown.measured import measured_lines, measured_table
from generator.render.markdown.table_rows import MarkdownTable, table, without_empty_columns
from generator.sheet.sheet import SheetClaim
from generator.spec.references import Reference

UP = "../"
_NAME = re.compile(r"[A-Za-z]\w*")
_HEAD = ("No.", "What", "Printed", "Ours", "Verdict", "Remarks", "Spec", "Module, page and workbook")


@dataclass(frozen=True)
class Section:
    """A part of the document: a heading, a table of its statements, and the series it has measured."""

    heading: str
    statements: MarkdownTable
    formulas: tuple[LongFormula, ...]
    letters: tuple[str, ...]  # a line for each spec whose sizes stand in its formulas
    series: tuple[tuple[str, tuple[str, ...], MarkdownTable], ...]  # heading, lines, table


def render_document(document: Document, built: Mapping[str, Built], source: Reference) -> str:
    """Return the page.

    Args:
        document: the list of formulas; all of its pointers lead somewhere.
        built: the specs that it speaks of, and those in which rows of their claims are built.
        source: the document in references.yaml.
    """
    formulas = PageFormulas(())
    sections = list(_sections(document, built, formulas))
    letters = [f"{code(letter)} {text(meaning)}" for letter, meaning in document.letters.items()]
    stamp = "".join(f"{name}\0{built[name].sheet.source_hash}\0" for name in sorted(built))
    page = (
        environment()
        .get_template("markdown/document.md.jinja")
        .render(
            title=text(document.title),
            source=f"{text(source.text)} {address(source.url)}" if is_web_address(source.url) else text(source.text),
            counts=text(document.counts),
            lost=text(document.lost),
            letters="; ".join(letters),
            sections=sections,
            path=comment(document.path),
            source_hash=sha256(stamp.encode()).hexdigest(),
        )
    )
    return page.rstrip("\n") + "\n"  # each section ends with an empty line


def _sections(document: Document, built: Mapping[str, Built], formulas: PageFormulas) -> Iterator[Section]:
    parts: list[tuple[str, list[tuple[int, ListedFormula]]]] = []
    for number, entry in enumerate(document.entries, start=1):
        if entry.section or not parts:
            parts.append((entry.section, []))
        parts[-1][1].append((number, entry))
    for heading, entries in parts:
        rows = [row for number, entry in entries for row in _rows(number, entry, built, formulas)]
        shown = table(*without_empty_columns(_HEAD, rows, ("Printed", "Ours", "Remarks", "Spec", "Module, page and workbook")))
        series = [_series(number, entry, entry.measured, built) for number, entry in entries if entry.measured is not None]
        yield Section(text(heading), shown, formulas.take(), tuple(_letters(entries, built)), tuple(series))


def _letters(entries: Sequence[tuple[int, ListedFormula]], built: Mapping[str, Built]) -> Iterator[str]:
    """Yield for each spec what the sizes in the formulas that are shown of it mean; one letter may mean different things in two."""
    used: dict[str, set[str]] = {}
    for _, entry in entries:
        for pointer in entry.claims:
            claim, _ = built[pointer.spec].claim(pointer.claim)
            used.setdefault(pointer.spec, set()).update(_names(claim))
        if entry.measured is not None:
            used.setdefault(entry.measured.spec, set()).update((*entry.measured.sizes, entry.measured.over))
    for name, names in used.items():
        sizes = [f"{code(size.name)} {text(size.meaning)}" for size in built[name].sheet.sizes if size.name in names]
        if sizes:
            yield f"{code(name)}: {'; '.join(sizes)}"


def _names(claim: SheetClaim) -> set[str]:
    """Return the sizes in the formulas and conditions of a claim, as a row shows them."""
    shown = " ".join((claim.text, claim.correct, *claim.conditions, *claim.growing, *claim.example))
    formulas = (claim.derived, claim.difference, *(one for term in claim.terms for one in (term.term, term.claimed, term.derived)))
    return {size.name for one in formulas for size in one.free_symbols} | set(_NAME.findall(shown))


def _rows(number: int, entry: ListedFormula, built: Mapping[str, Built], formulas: PageFormulas) -> Iterator[list[str]]:
    """Yield a row for each claim of a statement; one without claims has a row of its own."""
    printed = code(entry.printed) if entry.printed else ""
    printed = f"{printed} (reconstructed)" if entry.reconstructed else printed
    if not entry.claims:
        yield [str(number), text(entry.what), printed, "", _own_verdict(entry), _own_remarks(entry), *_own_places(entry, built)]
        return
    for i, pointer in enumerate(entry.claims):
        one = built[pointer.spec]
        formulas.order = [size.name for size in one.sheet.sizes]
        claim, places = one.claim(pointer.claim)
        said = presuppositions(claim)
        ours = derived(claim, formulas)
        ours = f"{subject(claim)}: {ours}" if ours else subject(claim)
        hand = by_hand(claim)
        notes = [f"By hand, {hand}" if hand else "", text(entry.remark) if i == 0 else ""]
        yield [
            str(number) if i == 0 else "",
            text(entry.what) if i == 0 else "",
            printed if i == 0 else "",
            f"{ours} ({said})" if said else ours,
            verdict(claim, formulas),
            "<br>".join(filter(None, (remarks(claim), *notes))),
            spec_cell(one, UP, claim.line),
            output_links(pointer.spec, places, built, UP),
        ]


def _own_verdict(entry: ListedFormula) -> str:
    if entry.erratum:
        return "✗ misprint"
    return "see below" if entry.measured is not None else "remark"


def _own_remarks(entry: ListedFormula) -> str:
    check = f"By hand, {text(entry.check)}" if entry.check else ""
    return "<br>".join(filter(None, (text(entry.erratum), check, text(entry.remark))))


def _own_places(entry: ListedFormula, built: Mapping[str, Built]) -> tuple[str, str]:
    if not entry.spec:
        return "", ""
    one = built[entry.spec]
    places = [(entry.spec, row) for row in entry.rows] or [(entry.spec, "")]
    return spec_cell(one, UP), output_links(entry.spec, places, built, UP)


def _series(
    number: int, entry: ListedFormula, measured: Measured, built: Mapping[str, Built]
) -> tuple[str, tuple[str, ...], MarkdownTable]:
    sheet = built[measured.spec].sheet
    lines: Sequence[str] = measured_lines(measured)
    return f"{number}. {text(entry.what)}", tuple(lines), measured_table(measured, sheet)
