"""Every link of a committed document leads somewhere in a fresh clone: to a file that is committed, and to an anchor on its page."""

from __future__ import annotations

import posixpath
import re
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from tests.render.markdown import rendered

ROOT = Path(__file__).parents[1]
ELSEWHERE = re.compile(r"[a-z]+:", re.IGNORECASE)


@lru_cache(maxsize=1)
def committed() -> frozenset[str]:
    found = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return frozenset(found.split("\0")) - {""}


@lru_cache(maxsize=1)
def folders() -> frozenset[str]:
    return frozenset(parent.as_posix() for path in committed() for parent in Path(path).parents)


@lru_cache(maxsize=1)
def documents() -> list[str]:
    """All Markdown but that of tests, which is compared with pages of specs that are not there."""
    return sorted(path for path in committed() if path.endswith(".md") and not path.startswith("tests/"))


def links(markdown: str) -> Iterator[str]:
    for token in rendered.tokens(markdown):
        for child in token.children or ():
            address = child.attrGet("href") or child.attrGet("src")
            if address is not None and not ELSEWHERE.match(str(address)):
                yield str(address)


@lru_cache(maxsize=256)
def anchors(document: str) -> frozenset[str]:
    """As GitHub names headings (small letters, hyphens for spaces, a number behind those that come again), and those set by hand."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = re.findall(r'<a id="([^"]+)"', text)
    times: dict[str, int] = {}
    tokens = rendered.tokens(text)
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            words = "".join(child.content for child in tokens[i + 1].children or () if child.type in ("text", "code_inline"))
            slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            found.append(f"{slug}-{times[slug]}" if slug in times else slug)
            times[slug] = times.get(slug, 0) + 1
    return frozenset(found)


def dead(document: str) -> Iterator[str]:
    for address in links((ROOT / document).read_text(encoding="utf-8")):
        path, _, anchor = address.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(document), path)) if path else document
        if target not in committed() | folders():
            yield f"{address}: not committed"
        elif anchor.startswith("L") and anchor[1:].partition("-")[0].isdigit():
            last = max(int(number) for number in re.findall(r"\d+", anchor))
            if last > len((ROOT / target).read_text(encoding="utf-8").splitlines()):
                yield f"{address}: no such line"
        elif anchor and target.endswith(".md") and anchor not in anchors(target):
            yield f"{address}: no such anchor"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what is committed is known only in a clone")
def test_every_link_of_a_fresh_clone_leads_somewhere() -> None:
    assert len(documents()) > 100
    found = {document: [*dict.fromkeys(dead(document))] for document in documents()}
    assert {document: lost for document, lost in found.items() if lost} == {}
