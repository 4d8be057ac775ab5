"""What PyYAML's errors mean, for people: the likely mistake, where it is, and how to put it right."""

from __future__ import annotations

import re
from collections.abc import Callable

import yaml

from generator.formulas.human import counted
from generator.text.problems import Problem
from generator.text.source import Source, Span

_QUOTE = "put the text in quotes if it is one text"
_WORD_COLON = re.compile(r"\s*(?:- +)?([\w.-]+):(?=\S)")


class _Mistake:
    """One error of PyYAML: where it began (`context`), where it was noticed (`span`), and PyYAML's words for it."""

    def __init__(self, error: yaml.MarkedYAMLError, source: Source) -> None:
        self.source = source
        self.words = f"{error.context or ''} / {error.problem or ''}"
        self.span = _span(error.problem_mark or error.context_mark, source)
        self.context = _span(error.context_mark or error.problem_mark, source)
        found = re.search(r"(?:found|got) (['\"])(.*)\1", error.problem or "")
        self.found = found.group(2) if found else ""

    @property
    def before(self) -> str:
        """The text of the line before the place."""
        return self.source.line(self.span.line)[: self.span.column - 1]

    @property
    def character(self) -> str:
        """The character at the place."""
        return self.source.line(self.span.line)[self.span.column - 1 : self.span.column]


def explain(error: yaml.MarkedYAMLError, source: Source) -> Problem:
    """Return the problem that a syntax error of PyYAML stands for."""
    mistake = _Mistake(error, source)
    for words, explanation in _EXPLANATIONS:
        if words in mistake.words:
            return explanation(mistake)
    return Problem("this is not valid YAML from here on", mistake.span, (_QUOTE,))


def _span(mark: yaml.Mark | None, source: Source) -> Span:
    """Return the place of a mark; the end of the text becomes the end of its last line that is not blank."""
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    while line > 1 and not source.line(line).strip():
        line -= 1
        column = len(source.line(line).rstrip()) + 1
    return Span(source, line, column)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _tab_or_sign(mistake: _Mistake) -> Problem:
    if mistake.character != "\t":
        sign = "a backtick" if mistake.character == "`" else f"`{mistake.character}`"
        return Problem(f"a text cannot begin with {sign}", mistake.span, ("put the text in quotes",))
    if mistake.before.strip():
        return Problem("a tab stands where YAML wants spaces", mistake.span)
    lines = mistake.source.lines
    more = [n for n, line in enumerate(lines, 1) if n > mistake.span.line and "\t" in line[: _indent(line)]]
    notes = (f"so {'are' if len(more) > 1 else 'is'} {counted(len(more), 'more line')} below",) if more else ()
    return Problem("this line is indented with a tab; YAML wants spaces", mistake.span, notes)


def _colon(mistake: _Mistake) -> Problem:
    above = _line_above(mistake)
    line = mistake.source.line(above)
    if re.search(r":\s", mistake.before):
        return Problem("a second `: ` in one entry", mistake.span, (_QUOTE,))
    if (joined := _WORD_COLON.match(line)) and not re.search(r":(\s|$)", line):
        return _space_after_colon(Span(mistake.source, above, joined.end()), joined.group(1))
    if above and _indent(mistake.before) > _indent(line):
        return _too_deep(mistake, above)
    return Problem("a `: ` cannot stand here", mistake.span, (_QUOTE,))


def _line_above(mistake: _Mistake) -> int:
    return next((n for n in range(mistake.span.line - 1, 0, -1) if mistake.source.line(n).strip()), 0)


def _too_deep(mistake: _Mistake, above: int) -> Problem:
    place = Span(mistake.source, mistake.span.line, _indent(mistake.source.line(mistake.span.line)) + 1)
    note = "entries of one level begin in the same column"
    return Problem(f"this line is indented deeper than line {above}, which has a value already", place, (note,))


def _space_after_colon(place: Span, key: str) -> Problem:
    return Problem(f"a space is missing after `{key}:`", place)


def _no_colon(mistake: _Mistake) -> Problem:
    place = mistake.context
    line = place.source.line(place.line)
    text = line[place.column - 1 :].rstrip()
    if joined := _WORD_COLON.match(line):
        return _space_after_colon(Span(place.source, place.line, joined.end()), joined.group(1))
    if re.match(r"-\S", text):
        return Problem("a space is missing after `-`", place)
    return Problem(f"expected `key: value`; found `{text}`", Span(place.source, place.line, place.column, len(text)))


def _open_quote(mistake: _Mistake) -> Problem:
    return Problem("this quote is never closed", mistake.context, ("a text that holds an apostrophe goes in double quotes",))


def _escape(mistake: _Mistake) -> Problem:
    place = Span(mistake.source, mistake.span.line, max(1, mistake.span.column - 1), 2)
    notes = (r"write \\ for a backslash, or put the text in single quotes",)
    return Problem(f"`\\{mistake.character}` means nothing in double quotes", place, notes)


def _hex_escape(mistake: _Mistake) -> Problem:
    return Problem("an escape such as \\x41 or \\u00e9 is incomplete here", mistake.span, ("put the text in single quotes",))


def _special_start(mistake: _Mistake) -> Problem:
    place = mistake.context
    sign = place.source.line(place.line)[place.column - 1 : place.column]
    return Problem(f"`{sign}` at the beginning of a text has a meaning of its own in YAML", place, ("put the text in quotes",))


def _block_end(mistake: _Mistake) -> Problem:
    began = f"the {'list' if 'collection' in mistake.words else 'mapping'} began on line {mistake.context.line}"
    if mistake.found in ("<block mapping start>", "<block sequence start>"):
        return _indentation(mistake)
    if mistake.found == "-":
        return Problem("a list item stands among `key: value` lines", mistake.span, (began,))
    if mistake.found == "?":
        return Problem("a `key: value` line stands among list items", mistake.span, (began,))
    if mistake.found == ":":
        return Problem("a key is missing before `:`", mistake.span)
    if mistake.found in ("}", "]"):
        return Problem(f"this `{mistake.found}` closes nothing", mistake.span)
    notes = ["a text that holds an apostrophe goes in double quotes"] if "'" in mistake.before else [_QUOTE]
    lines = mistake.source.lines[: mistake.span.line - 1]
    odd = next((n for n, line in enumerate(lines, 1) if line.count('"') % 2), 0)
    if odd and '"' in mistake.before:
        notes = [f"the quote on line {odd} is perhaps never closed"]
    return Problem("text goes on after the end of the value", mistake.span, tuple(notes))


def _indentation(mistake: _Mistake) -> Problem:
    above = _line_above(mistake)
    if above and mistake.span.column - 1 > _indent(mistake.source.line(above)):
        return _too_deep(mistake, above)
    level = f"entries of one level begin in the same column; line {above} begins in column {_indent(mistake.source.line(above)) + 1}"
    return Problem("the indentation of this line fits no line above", mistake.span, (level,) if above else ())


def _flow(mistake: _Mistake) -> Problem:
    """An error inside `{...}` or `[...]`: never closed, closed by the wrong sign, or a comma or quotes missing."""
    sign, closing = ("{", "}") if "flow mapping" in mistake.words else ("[", "]")
    opening = mistake.context
    later = mistake.span.line > opening.line
    outside = _indent(mistake.source.line(mistake.span.line)) <= _indent(mistake.source.line(opening.line))
    if mistake.found == "<stream end>" or (later and outside and mistake.found not in ("}", "]")):
        return Problem(
            f"this `{sign}` is never closed", opening, (f"expected `{closing}` before line {mistake.span.line}",) if later else ()
        )
    if mistake.found in ("}", "]"):
        return Problem(f"`{mistake.found}` closes the `{sign}` of column {opening.column}", mistake.span, (f"expected `{closing}`",))
    if mistake.found == ":":
        hint = "separate entries by commas, or put the text in quotes if it is one text"
        return Problem(f"a second `: ` in one entry of `{sign}...{closing}`", mistake.span, (hint,))
    return Problem(f"expected `,` or `{closing}` before this", mistake.span, (_QUOTE,))


def _no_content(mistake: _Mistake) -> Problem:
    if mistake.found in ("}", "]") and "block node" in mistake.words:
        return Problem(f"this `{mistake.found}` closes nothing", mistake.span)
    return Problem(f"a value is missing before `{mistake.found}`", mistake.span, ("put the text in quotes if the sign belongs to it",))


def _document_start(mistake: _Mistake) -> Problem:
    if mistake.found in ("<block mapping start>", "<block sequence start>"):
        return _indentation(mistake)
    if mistake.found in ("}", "]"):
        return Problem(f"this `{mistake.found}` closes nothing", mistake.span)
    return Problem("text goes on after the end of the value", mistake.span)


def _fixed(message: str, *notes: str) -> Callable[[_Mistake], Problem]:
    return lambda mistake: Problem(message, mistake.span, notes)


# The first explanation whose words occur in those of PyYAML is used.
_EXPLANATIONS: tuple[tuple[str, Callable[[_Mistake], Problem]], ...] = (
    ("cannot start any token", _tab_or_sign),
    ("mapping values are not allowed", _colon),
    ("sequence entries are not allowed", _fixed("a list item cannot begin in the middle of a line", "write the list below, or as [a, b]")),
    ("mapping keys are not allowed", _fixed("`?` cannot stand here", "put the text in quotes")),
    ("could not find expected ':'", _no_colon),
    ("found unknown escape character", _escape),
    ("escape sequence of", _hex_escape),
    ("quoted scalar", _open_quote),
    ("scanning an alias", _special_start),
    ("scanning an anchor", _special_start),
    ("scanning a block scalar", _special_start),
    ("scanning a tag", _special_start),
    ("parsing a tag", _special_start),
    ("undefined tag handle", _special_start),
    ("expected <block end>", _block_end),
    ("parsing a flow mapping", _flow),
    ("parsing a flow sequence", _flow),
    ("expected the node content", _no_content),
    ("expected '<document start>'", _document_start),
    ("directive", _fixed("a line that begins with `%` is not understood")),
    ("incompatible YAML document", _fixed("a line that begins with `%` is not understood")),
)
