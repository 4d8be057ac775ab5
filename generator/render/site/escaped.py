"""Data inside of scripts and texts inside of HTML: nothing from a spec ends what is around it."""

from __future__ import annotations

import json
from html import escape
from typing import Any


def script_json(data: Any, *, is_ascii: bool = True) -> str:
    """Return data as JSON that may stand in any script, without the signs that could open or close an element or end a line.

    Args:
        is_ascii: whether in ASCII; pages say that they are in UTF-8, in which Chinese takes half as many bytes.
    """
    text = json.dumps(data, ensure_ascii=is_ascii, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def html_text(raw: str) -> str:
    """Return a text for HTML, in one line."""
    return escape(" ".join(raw.split()))


def script_comment(raw: str) -> str:
    """Return a text that cannot end the comment around it."""
    return json.dumps(" ".join(raw.split())).strip('"').replace("*/", "*\\/")
