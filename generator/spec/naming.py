"""What a spec may be called: its name is its file's name, that of a Python module, and that of its outputs."""

from __future__ import annotations

import keyword
import re

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
# Outputs that come from no single spec; `generator.build.fixed` says where they lie, and a test holds this list against it.
RESERVED = frozenset({"catalogue", "claims", "ops", "proof", "readme"})


def name_problem(name: str) -> tuple[str, ...]:
    """Return why a spec cannot have a name, with notes; an empty tuple if it can."""
    message = f"`{name}` cannot be the name of a spec"
    if name.lower() in RESERVED:
        return (f"{message}: another output has that name", "rename its file")
    if _is_allowed(name):
        return ()
    lower = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")
    likely = (f"did you mean {lower}.yaml?",) if _is_allowed(lower) else ()
    rule = "a spec's name is its file's name, and a Python module's: a-z, digits and _, beginning with a letter, no word of Python"
    return (message, *likely, rule)


def _is_allowed(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not keyword.iskeyword(name)
