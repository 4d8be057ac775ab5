"""MathML without its angle brackets: a page has hundreds of formulas, and in scripts each bracket takes six characters.

A number and a letter stand for themselves, as do operators of one sign; what has two arguments is a sign before them (`^` a power, `_` a
name with a mark, `/` a fraction), what has any number of them is a sign before square brackets. `templates/site/dom.js` reads it.
"""

from __future__ import annotations

from typing import Final
from xml.etree import ElementTree as ET

PAIRS: Final = {"msup": "^", "msub": "_", "mfrac": "/"}
LISTS: Final = {"math": "", "mrow": "", "msqrt": "$", "mtable": "%", "mtr": "!", "mtd": "?"}
SIGNS: Final = {"\u2062": "*", "\u2061": ".", "−": "-", "⋅": ":"}
QUOTES: Final = {"mi": "`", "mo": "|", "mtext": "~"}  # around texts of more than one character
_TAKEN: Final = frozenset([*PAIRS.values(), *LISTS.values(), *SIGNS.values(), *QUOTES.values(), *"[];"])


def compact(markup: str) -> str:
    """Return the content of a `<math>` element in the short form. Raises ValueError for an element or a text that it cannot hold."""
    if not markup:
        return ""
    return _joined([_short(child) for child in ET.fromstring(f"<math>{markup}</math>")])  # noqa: S314 - our own text


def _short(element: ET.Element) -> str:
    tag, text = element.tag, element.text or ""
    if tag in PAIRS and len(element) == 2:
        return PAIRS[tag] + _joined([_short(child) for child in element])
    if tag in LISTS:
        return f"{LISTS[tag]}[{_joined([_short(child) for child in element])}]"
    if tag == "mn" and text.isascii() and text.isdigit():
        return text
    if len(text) == 1 and tag in {"mi", "mo"} and text.isalpha() == (tag == "mi"):
        sign = SIGNS.get(text, text)
        if sign is not text or text not in _TAKEN:
            return sign
    if tag in QUOTES and text and QUOTES[tag] not in text:
        return QUOTES[tag] + text + QUOTES[tag]
    raise ValueError(f"there is no short form of <{tag}>{text}</{tag}>")


def _joined(parts: list[str]) -> str:
    """Return parts side by side, numbers parted from numbers."""
    text = ""
    for part in parts:
        text += (";" if text[-1:].isdigit() and part[:1].isdigit() else "") + part
    return text
