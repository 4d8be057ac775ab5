"""The page of all claims: the errata first, then every claim by its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from generator.questions.documents.document_folder import FOLDER
from generator.questions.documents.formula_list import Document, ListedFormula
from generator.render.environment import environment
from generator.render.markdown.claim_cells import by_hand, derived, presuppositions, published, remarks, right, subject, terms, verdict
from generator.render.markdown.claim_places import Built, spec_cell
from generator.render.markdown.escape_markdown import address, code, is_web_address, label, link, text
from generator.render.markdown.formula import LongFormula, PageFormulas
from generator.render.markdown.links import citation
from generator.render.markdown.table_rows import MarkdownTable, table, without_empty_columns
from generator.sheet.sheet import SheetClaim
from generator.spec.references import Reference

VERDICTS = ("equal", "same order", "holds", "differs", "stated")
_HEAD = ("Spec", "Quantity", "Published", "Where", "Derived", "Verdict", "Note")


@dataclass(frozen=True)
class Erratum:
    """A published formula that does not hold: a heading, and lines that say what is right and why."""

    heading: str
    lines: tuple[str, ...]
    terms: tuple[str, ...]
    formulas: tuple[LongFormula, ...]


@dataclass(frozen=True)
class Group:
    """The claims of one source, folded away; the summary, in HTML, says how many have which verdict."""

    heading: str
    source: str
    summary: str
    claims: MarkdownTable
    formulas: tuple[LongFormula, ...]


def render_claims(built: Sequence[Built], documents: Sequence[Document] = ()) -> str:
    """Return the page.

    Args:
        built: all specs, with their claims.
        documents: whose misprints of something else than a claim stand with the errata; their sources are known to the specs.
    """
    ordered = sorted(built, key=lambda one: one.sheet.name)
    claims = [(one, claim) for one in ordered for claim in one.sheet.claims]
    references = {key: source for one in ordered for key, source in one.sheet.references.items()}
    formulas = PageFormulas(())
    errata = [_erratum(one, claim, number, formulas) for number, (one, claim) in enumerate(_differing(claims), start=1)]
    misprints = [(one, number, entry) for one in documents for number, entry in one.misprints]
    errata += [_misprint(*found, at) for at, found in enumerate(misprints, start=len(errata) + 1)]
    groups = list(_groups(claims, references, formulas))
    stamp = [f"{one.sheet.name}\0{one.sheet.source_hash}\0" for one in ordered]
    stamp += [f"{one.name}\0{number}\0{entry.printed}\0{entry.erratum}\0{entry.check}\0" for one, number, entry in misprints]
    digest = sha256("".join(stamp).encode()).hexdigest()
    template = environment().get_template("markdown/claims.md.jinja")
    page = template.render(errata=errata, groups=groups, counts=_counts([claim for _, claim in claims], references), source_hash=digest)
    return page.rstrip("\n") + "\n"  # each section ends with an empty line


def _differing(claims: Sequence[tuple[Built, SheetClaim]]) -> list[tuple[Built, SheetClaim]]:
    return sorted(((one, claim) for one, claim in claims if claim.verdict == "differs"), key=lambda pair: pair[1].cite)


def _counts(claims: Sequence[SheetClaim], references: dict[str, Reference]) -> MarkdownTable:
    """Return how many claims of each source have which verdict."""
    rows = []
    for key in [*sorted(references), ""]:
        found = Counter(claim.verdict for claim in claims if key in (claim.cite.split() or [""]))
        if found:
            rows.append([_label(references, key), *(str(found[word] or "") for word in VERDICTS), str(found.total())])
    every = Counter(claim.verdict for claim in claims)
    rows.append(["**all claims**", *(str(every[word] or "") for word in VERDICTS), str(every.total())])
    return table(("Source", *VERDICTS, "claims"), rows, right=(*VERDICTS, "claims"))


def _label(references: dict[str, Reference], key: str) -> str:
    return text(references[key].label) if key in references else "no source: facts of the architecture" if not key else code(key)


def _erratum(one: Built, claim: SheetClaim, number: int, formulas: PageFormulas) -> Erratum:
    formulas.order = [size.name for size in one.sheet.sizes]
    source = citation(one.sheet, claim.cite) or "no source"
    note = f": {text(claim.note)}" if claim.note else ""
    lines = [f"Published: {published(claim)}{_where(claim)} ({source}{note}; {spec_cell(one, '', claim.line)})"]
    lines += [f"Derived: {derived(claim, formulas)}; {verdict(claim, formulas).removeprefix('✗ ')}"]
    lines += [f"Why: {' '.join(filter(None, (_sentence(text(claim.erratum)), right(claim))))}"]
    example = by_hand(claim)
    lines += [f"By hand, {example}"] if example else []
    shown = terms(claim, formulas)
    heading = f"{number}. {source}: {subject(claim)} {'in' if claim.scope else 'of'} {code(one.sheet.name)}"
    return Erratum(heading, tuple(lines), shown, formulas.take())


def _misprint(document: Document, number: int, entry: ListedFormula, at: int) -> Erratum:
    """Return a misprint on which no quantity depends, with a link to its place on the document's page."""
    place = link(f"no. {number} of {label(document.title)}", f"{FOLDER}/{document.name}.md")
    lines = [f"Published: {code(entry.printed)} ({place})", f"Why: {_sentence(text(entry.erratum))}"]
    lines += [f"By hand, {text(entry.check)}"] if entry.check else []
    return Erratum(f"{at}. {text(document.title.partition(':')[0])}: {text(entry.what)}", tuple(lines), (), ())


def _sentence(reason: str) -> str:
    return reason if reason.endswith((".", "?", "!")) else f"{reason}."


def _where(claim: SheetClaim) -> str:
    said = presuppositions(claim)
    return f", {said}" if said else ""


def _groups(claims: Sequence[tuple[Built, SheetClaim]], references: dict[str, Reference], formulas: PageFormulas) -> Iterator[Group]:
    for key in [*sorted(references), ""]:
        own = [(one, claim) for one, claim in claims if key in (claim.cite.split() or [""])]
        if own:
            rows = [_row(one, claim, formulas) for one, claim in own]
            shown = table(*without_empty_columns(_HEAD, rows, ("Where", "Note")))
            verdicts = Counter(claim.verdict for _, claim in own)
            summary = ", ".join(f"{word}: {verdicts[word]}" for word in VERDICTS if verdicts[word])
            yield Group(_label(references, key), _source(references.get(key)), summary, shown, formulas.take())


def _row(one: Built, claim: SheetClaim, formulas: PageFormulas) -> list[str]:
    formulas.order = [size.name for size in one.sheet.sizes]
    page = link("page", f"{one.sheet.name}.md#{'presets' if claim.of_preset else 'claims'}")
    return [
        f"{spec_cell(one, '', claim.line)} ({page})",
        subject(claim),
        published(claim),
        presuppositions(claim),
        derived(claim, formulas),
        verdict(claim, formulas),
        remarks(claim),
    ]


def _source(source: Reference | None) -> str:
    if source is None:
        return ""
    return f"{text(source.text)} {address(source.url)}" if is_web_address(source.url) else text(source.text)
