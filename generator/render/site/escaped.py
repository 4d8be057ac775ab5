"""Data inside of scripts and texts inside of HTML: nothing from a spec ends what is around it."""

from __future__ import annotations

import json
from html import escape
from typing import Any


def script_json(data: Any) -> str:
    """Return data as JSON that may stand in any script: in ASCII, and without the sign that could open or close an element."""
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")


def html_text(raw: str) -> str:
    """Return a text for HTML, in one line."""
    return escape(" ".join(raw.split()))


def script_comment(raw: str) -> str:
    """Return a text that cannot end the comment around it."""
    return json.dumps(" ".join(raw.split())).strip('"').replace("*/", "*\\/")
