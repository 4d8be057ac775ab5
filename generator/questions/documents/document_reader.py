"""Reads the list of a document's formulas: specs/documents/NAME.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from generator.formulas.numerals import NotANumberError, whole_number
from generator.questions.documents.formula_list import Document, ListedFormula, Measured, Pointer
from generator.spec.library import Library, shown
from generator.spec.yaml_reader import Mapping as MappingNode
from generator.spec.yaml_reader import Node, Scalar, load_source, plain, read_yaml
from generator.spec.yaml_reader import Sequence as SequenceNode
from generator.text.naming import output_name_problem
from generator.text.problems import Problem, Problems, ProblemsError
from generator.text.suggest import did_you_mean, listed

_TOP = ("title", "cite", "counts", "lost", "letters", "entries")
_ENTRY = ("section", "what", "printed", "reconstructed", "claim", "spec", "row", "remark", "erratum", "check", "measured")
_MEASURED = ("spec", "sizes", "over", "unit", "points")
_NUMBERS = (int, float)


def read_document(file: Path) -> Document:
    """Return a list of formulas.

    Raises:
        ProblemsError: with all mistakes that can be seen without looking at the specs.
    """
    problems = Problems()
    tree = read_yaml(load_source(file, shown(file)))
    if not isinstance(tree, MappingNode):
        problems.fail("expected title, cite, counts, letters and entries", tree.span)
    reader = _DocumentReader(problems)
    reader.check_keys(tree, _TOP, ("title", "cite", "counts", "entries"))
    letters = tree.get("letters")
    items = tree.get("entries")
    document = Document(
        name=file.stem,
        title=_text(tree.get("title")),
        cite=_text(tree.get("cite")),
        counts=_text(tree.get("counts")),
        letters={entry.key.text: _text(entry.value) for entry in letters.entries} if isinstance(letters, MappingNode) else {},
        entries=tuple(reader.entries(items)),
        span=tree.span,
        path=shown(file),
        lost=_text(tree.get("lost")),
    )
    for entry in document.entries:
        if entry.reconstructed and not document.lost:
            problems.add("`reconstructed` needs `lost` above: what of the document's text is lost", entry.span)
    wrong = output_name_problem(file.stem, "list of formulas")
    if wrong:
        problems.add(wrong[0], tree.span, *wrong[1:])
    problems.raise_if_any()
    return document


def document_problems(document: Document, library: Library, references: Iterable[str]) -> Iterator[Problem]:
    """Yield the pointers of a list that lead nowhere, and the claims that cite the document without standing in the list."""
    known = list(references)
    if document.cite not in known:
        yield Problem(f"`{document.cite}` is not in references.yaml", document.span, did_you_mean(document.cite, known))
    for entry in document.entries:
        for pointer in entry.claims:
            yield from _pointer_problems(pointer, library)
        for spec, span in ((entry.spec, entry.span), *([(entry.measured.spec, entry.measured.span)] if entry.measured else [])):
            if spec and spec not in library.files:
                yield Problem(f"there is no spec named `{spec}`", span, did_you_mean(spec, library.names))
    yield from _left_out(document, library)


def _pointer_problems(pointer: Pointer, library: Library) -> Iterator[Problem]:
    if pointer.spec not in library.files:
        yield Problem(f"there is no spec named `{pointer.spec}`", pointer.span, did_you_mean(pointer.spec, library.names))
        return
    try:
        claims = library.draft(pointer.spec).claims
    except ProblemsError:
        return  # the mistakes of the spec itself are reported with the spec
    ids = [claim.id for claim in claims if claim.id]
    is_number = pointer.claim.isascii() and pointer.claim.isdecimal() and 1 <= int(pointer.claim) <= len(claims)
    if pointer.claim not in ids and not is_number:
        notes = (*did_you_mean(pointer.claim, ids), f"its claims: {listed(ids) or 'none has an id'}, {len(claims)} in all")
        yield Problem(f"`{pointer.spec}` has no claim `{pointer.claim}`", pointer.span, notes)


def _left_out(document: Document, library: Library) -> Iterator[Problem]:
    pointed = {(pointer.spec, pointer.claim) for entry in document.entries for pointer in entry.claims}
    for name in library.names:
        try:
            claims = library.draft(name).claims
        except ProblemsError:
            continue
        for number, claim in enumerate(claims, start=1):
            keys = {(name, claim.id), (name, str(number))}
            if document.cite in claim.cite.split() and not keys & pointed:
                note = f"point to it from an entry: `claim: {name}/{claim.id or number}`"
                message = f"this claim cites `{document.cite}`, but {document.path} does not list it"
                yield Problem(message, claim.cites[document.cite], (note,))


class _DocumentReader:
    """Turns nodes into entries; what is wrong is collected."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def check_keys(self, node: MappingNode, known: Sequence[str], required: Sequence[str]) -> None:
        """Report unknown keys and missing ones."""
        present = [entry.key.text for entry in node.entries]
        for entry in node.entries:
            if entry.key.text not in known:
                notes = (*did_you_mean(entry.key.text, known), f"known keys: {listed(known)}")
                self.problems.add(f"unknown key `{entry.key.text}`", entry.key.span, *notes)
        for key in required:
            if key not in present:
                self.problems.add(f"`{key}` is missing", node.span)

    def entries(self, node: Node | None) -> Iterator[ListedFormula]:
        """Yield the entries of a list."""
        for item in node.items if isinstance(node, SequenceNode) else ():
            if isinstance(item, MappingNode):
                yield self.entry(item)
            else:
                self.problems.add(
                    "expected an entry such as {what: scores, printed: 2bN^2d, claim: multi_head_attention/scores}", item.span
                )

    def entry(self, node: MappingNode) -> ListedFormula:
        """Return one entry."""
        self.check_keys(node, _ENTRY, ("what",))
        measured = node.get("measured")
        entry = ListedFormula(
            what=_text(node.get("what")),
            span=node.span,
            section=_text(node.get("section")),
            printed=_text(node.get("printed")),
            claims=tuple(pointer for item in _items(node.get("claim")) if (pointer := self.pointer(item)) is not None),
            spec=_text(node.get("spec")),
            rows=tuple(_text(item) for item in _items(node.get("row"))),
            remark=_text(node.get("remark")),
            reconstructed=self.flag(node.get("reconstructed")),
            erratum=_text(node.get("erratum")),
            check=_text(node.get("check")),
            measured=self.measured(measured) if isinstance(measured, MappingNode) else None,
        )
        if not (entry.claims or entry.remark or entry.erratum or entry.measured):
            self.problems.add("an entry has `claim`, `remark`, `erratum` or `measured`", node.span)
        return entry

    def flag(self, node: Node | None) -> bool:
        """Return yes or no; no where nothing is said."""
        value = plain(node) if node is not None else False
        if not isinstance(value, bool):
            self.problems.add(f"expected true or false; found `{value}`", node.span if node else None)
        return value is True

    def pointer(self, node: Node) -> Pointer | None:
        """Return a pointer to a claim."""
        spec, slash, claim = _text(node).partition("/")
        if not (spec and slash and claim):
            self.problems.add(f"a claim is named by spec and id or number, such as mlp/2; found `{_text(node)}`", node.span)
            return None
        return Pointer(spec, claim, node.span)

    def measured(self, node: MappingNode) -> Measured:
        """Return a measured series."""
        self.check_keys(node, _MEASURED, _MEASURED)
        sizes, points = (self.numbers(node.get(key)) for key in ("sizes", "points"))
        named = {name: int(value) for name, value in sizes.items()}
        series = {at: float(value) for name, value in points.items() if (at := self.point(name, node)) is not None}
        return Measured(
            _text(node.get("spec")), named, _text(node.get("over")), _text(node.get("unit")), dict(sorted(series.items())), node.span
        )

    def point(self, name: str, node: MappingNode) -> int | None:
        """Return the size at which something was measured."""
        try:
            return whole_number(name)
        except NotANumberError as error:
            self.problems.add(f"expected a size before each point, such as {{512: 1.5}}; found `{name}`", node.span, *error.notes)
            return None

    def numbers(self, node: Node | None) -> Mapping[str, float]:
        """Return a mapping to numbers."""
        values = plain(node) if isinstance(node, MappingNode) else {}
        for name, value in values.items():
            if not isinstance(value, _NUMBERS):
                self.problems.add(f"expected a number for `{name}`; found `{value}`", node.span if node else None)
        return {name: value for name, value in values.items() if isinstance(value, _NUMBERS)}


def _items(node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    return node.items if isinstance(node, SequenceNode) else (node,)


def _text(node: Node | None) -> str:
    return " ".join(node.text.split()) if isinstance(node, Scalar) else ""
