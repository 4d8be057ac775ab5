"""Which characters a text may hold: those that people can see, spaces, tabs and line breaks.

What cannot be seen can lie: an override of the direction of writing shows code in another order than it runs, a character of no width makes
two equal names different, and a control character is obeyed by a terminal. No output format would keep such characters apart from its
own markup, so they are refused where a file is read, whether they stand in it raw or as an escape such as `\u202e`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# Written out, not asked of `unicodedata`, whose answer depends on the version of Python. U+200C and U+200D stay: they join letters of
# Persian and Hindi, and emoji.
_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, and U+0085, the line break of another age
    "\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u3164\uffa0"  # soft hyphen, marks of direction, and blanks of no or some width
    "\u2028-\u202e\u2060-\u206f"  # other line breaks, overrides and isolates of direction, operators without a sign
    "\ud800-\udfff"  # one half of a character
    "\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff"  # the mark of byte order, annotations, and what is no character
    "\U000e0000-\U000e007f"  # tags
    "]"
)
_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")


def unseen(text: str) -> Iterator[re.Match[str]]:
    """Yield each character that cannot be seen; a carriage return is one."""
    return _UNSEEN.finditer(text)


def unseen_beside_pairs(text: str) -> Iterator[re.Match[str]]:
    """Yield each character that cannot be seen once halves of characters are joined; places are those before that."""
    return unseen(_PAIR.sub(lambda pair: f"{joined(pair.group())}x", text))


def without_unseen(text: str, by: Callable[[str], str]) -> str:
    """Return a text in which `by` has replaced each character that cannot be seen."""
    return _UNSEEN.sub(lambda one: by(one.group()), text)


def joined(text: str) -> str:
    """Return a text in which the two halves of a character, as JSON escapes those beyond U+FFFF, are one."""
    return _PAIR.sub(lambda pair: "".join(pair.groups()).encode("utf-16", "surrogatepass").decode("utf-16"), text)


def code_point(character: str) -> str:
    """Return how people name a character that they cannot see: U+202E."""
    return f"U+{ord(character):04X}"
