"""What a CommonMark parser with GitHub's tables makes of a page; it was not written by us."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def tokens(markdown: str) -> list[Token]:
    return _PARSER.parse(markdown)


def blocks(markdown: str) -> list[str]:
    """The kinds of the outermost blocks."""
    return [token.type for token in tokens(markdown) if token.level == 0 and token.nesting >= 0]


def inline_kinds(markdown: str) -> set[str]:
    """The kinds of inline markup that the parser sees, beside plain text."""
    return {child.type for token in tokens(markdown) for child in token.children or ()} - {"text", "softbreak", "text_special"}


def shown(markdown: str) -> str:
    """The text that a reader sees of inline Markdown; the tags around dollar signs are not seen."""
    children = [child for token in tokens(markdown) for child in token.children or ()]
    return "".join(child.content for child in children if child.content not in ("<span>", "</span>"))


def headings(markdown: str) -> list[str]:
    found = tokens(markdown)
    return [found[i + 1].content for i, token in enumerate(found) if token.type == "heading_open"]


def fences(markdown: str, language: str) -> list[str]:
    return [token.content for token in tokens(markdown) if token.type == "fence" and token.info == language]


def formulas(markdown: str) -> list[str]:
    """All LaTeX: code between dollar signs, and `math` fences."""
    found = fences(markdown, "math")
    for token in tokens(markdown):
        children = token.children or []
        for before, child, after in zip(children, children[1:], children[2:], strict=False):
            if child.type == "code_inline" and before.content.endswith("$") and after.content.startswith("$"):
                found.append(child.content)
    return found


def tables(markdown: str) -> list[list[list[str]]]:
    """Each table as rows of the Markdown in their cells, head first."""
    found: list[list[list[str]]] = []
    for token in tokens(markdown):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and found and token.level >= 4:
            found[-1][-1].append(token.content)
    return found


def table_lines(markdown: str) -> Iterator[list[str]]:
    """The source lines of each table: a parser fills up short rows and cuts long ones, so cells are counted here."""
    lines = markdown.splitlines()
    for token in tokens(markdown):
        if token.type == "table_open" and token.map:
            yield lines[slice(*token.map)]


def cell_count(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line)) - 1
