"""Text from specs as GitHub-flavoured Markdown that shows exactly that text.

Titles, meanings and notes are plain text with two liberties: words between backticks are code, and web addresses are links.
Everything else that Markdown (or GitHub's dollar math) would take for markup is escaped.
"""

from __future__ import annotations

import re
from html import escape

# An underscore between letters is never emphasis.
_SPECIAL = re.compile(r"[\\`*\[\]<>|~&#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_TOKEN = re.compile(r"`(?P<code>[^`]*[^`\s][^`]*)`|(?P<url>https?://[^\s<>`|\\\"]+)")
_LINE_START = re.compile(r"^(?:(?=[-+=])|(\d+)(?=[.)]))")
_RAW_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")  # behind two backslashes, which are one, a pipe is as bare as alone


def text(raw: str) -> str:
    """Return a text as one line of inline Markdown."""
    line = " ".join(raw.split())
    found, end = [], 0
    for token in _TOKEN.finditer(line):
        found.append(_plain(line[end : token.start()]))
        end = token.end()
        found.append(code(token["code"]) if token["code"] is not None else address(token["url"]))
    return "".join([*found, _plain(line[end:])])


def label(raw: str) -> str:
    """Return a text for the label of a link, in which an address is no link of its own."""
    return "".join(part if i % 2 else _plain(part) for i, part in enumerate(_split_code(" ".join(raw.split()))))


def item(raw: str) -> str:
    """Return a text at the beginning of a line, where it begins no list and no rule."""
    return _LINE_START.sub(lambda start: (start[1] or "") + "\\", text(raw), count=1)


def paragraphs(raw: str) -> tuple[str, ...]:
    """Return a text as paragraphs of one line each; empty lines part them."""
    return tuple(item(part) for part in re.split(r"\n\s*\n", raw) if part.strip())


def code(raw: str) -> str:
    """Return a code span; the text may hold backticks."""
    line = " ".join(raw.split())
    if not line:
        return ""
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def tag_code(raw: str) -> str:
    """Return a text as code inside of an HTML element, such as the summary of what is folded away, where Markdown is not read."""
    return f"<code>{tag_text(raw)}</code>"


def tag_text(raw: str) -> str:
    """Return a text inside of an HTML element."""
    return escape(" ".join(raw.split()), quote=False).replace("$", "<span>$</span>")


def link(label: str, target: str) -> str:
    """Return a link; `label` is Markdown already."""
    return f"[{label}](<{_destination(target)}>)" if re.search(r"[\s()<>\\]", target) else f"[{label}]({_destination(target)})"


def is_web_address(url: str) -> bool:
    """Say whether a text is an address that a page may link to."""
    return re.fullmatch(r"https?://[^\s<>`|\\\"]+", url) is not None


def cell(markdown: str) -> str:
    """Return inline Markdown for a table's cell, in which even code must not hold a bare `|`."""
    return _RAW_PIPE.sub(r"\1\\|", markdown)


def comment(raw: str) -> str:
    """Return a text that cannot end the HTML comment around it."""
    return " ".join(raw.split()).replace("--", "-\\-").replace("<!", "<\\!")


def _split_code(line: str) -> list[str]:
    """Return what is plain and what is code, in turns; the code as spans."""
    parts, end = [], 0
    for token in _TOKEN.finditer(line):
        if token["code"] is not None:
            parts += [line[end : token.start()], code(token["code"])]
            end = token.end()
    return [*parts, line[end:]]


def _plain(raw: str) -> str:
    # GitHub pairs up dollar signs across a line even where they are escaped; a tag around them is the way out that it documents.
    return _SPECIAL.sub(r"\\\g<0>", raw).replace("$", "<span>$</span>")


def address(url: str) -> str:
    """Return a web address as a link, the punctuation of the sentence around it left outside."""
    bare = url.rstrip(".,;:!?'\"" + ("" if "(" in url else ")"))
    return f"<{bare}>{_plain(url[len(bare) :])}"


def _destination(target: str) -> str:
    encoded = {" ": "%20", "<": "%3C", ">": "%3E", "\\": "%5C", "|": "%7C", "\n": "%0A"}
    return "".join(encoded.get(character, character) for character in target)
