"""What things may be called: the parts of a spec, and a spec, whose name is that of its file, of a Python module and of its outputs."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection

# As JSON Schema writes patterns, so that editors know them too.
NAME = r"^[A-Za-z][A-Za-z0-9_]{0,39}$"  # of sizes, options, inputs, slots and rows
RESULT = r"^[A-Za-z_][A-Za-z0-9_]{0,39}$"  # of one of several results of a row
LABEL = r"^[A-Za-z0-9][A-Za-z0-9_.+/-]{0,59}$"  # of presets and checkpoints, such as vit-base-patch16-224
_SAID = {
    NAME: "a name is at most 40 letters, digits and _, and begins with a letter",
    RESULT: "a name is at most 40 letters, digits and _, and does not begin with a digit",
    LABEL: "a name is at most 60 letters, digits and the signs - _ . + /, and begins with a letter or a digit",
}
_SPEC = re.compile(r"[a-z][a-z0-9_]{0,59}")
# Outputs that come from no single spec; `generator.build.fixed` says where they lie, and a test holds this list against it.
RESERVED = frozenset({"app", "catalogue", "claims", "compare", "imports", "index", "lists", "ops", "proof", "readme", "zh"})
_DEVICES = frozenset({"aux", "con", "nul", "prn", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})


def name_notes(name: str, pattern: str, taken: Collection[str] = ()) -> tuple[str, ...]:
    """Suggest a name that a pattern of the schema allows in place of one that it does not, unless it is taken, and say the rule."""
    if pattern not in _SAID:
        return ()
    joint, allowed = ("-", "[^A-Za-z0-9_.+/-]+") if pattern == LABEL else ("_", "[^A-Za-z0-9_]+")
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()  # the letters of \u00e9 and \uff26 stay
    likely = re.sub(allowed, joint, plain).strip("_.+/-")
    likely = likely if pattern == LABEL else likely.lstrip("0123456789_")
    fits = re.fullmatch(pattern, likely) and not keyword.iskeyword(likely) and likely not in taken
    suggested = (f"did you mean `{likely}`?",) if fits else ()
    return (*suggested, _SAID[pattern])


def name_problem(name: str) -> tuple[str, ...]:
    """Return why a spec cannot have a name, with notes; an empty tuple if it can."""
    message = f"`{name}` cannot be the name of a spec"
    if name.lower() in RESERVED:
        return (f"{message}: another output has that name", "rename its file")
    if name.lower() in _DEVICES:
        return (f"{message}: on Windows no file can have it, whatever stands behind a point", f"did you mean {name.lower()}_block.yaml?")
    if _is_allowed(name):
        return ()
    lower = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")
    likely = (f"did you mean {lower}.yaml?",) if _is_allowed(lower) else ()
    rule = "a spec's name is its file's name, and a Python module's: a-z, digits and _, beginning with a letter, no word of Python"
    return (message, *likely, rule)


def output_name_problem(name: str, kind: str) -> tuple[str, ...]:
    """Return why a file that is no spec's, but has outputs of its name, cannot have it, with notes; an empty tuple if it can."""
    if re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,59}", name) and name not in _DEVICES:
        return ()
    rule = "its name is that of its outputs: a-z, digits, _ and -, and no device of Windows, such as con or nul"
    return (f"`{name}` cannot be the name of a {kind}", rule)


def _is_allowed(name: str) -> bool:
    return bool(_SPEC.fullmatch(name)) and not keyword.iskeyword(name) and name not in _DEVICES
