"""Near names and lists of names, for the suggestions in error messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def near(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return the known names that `name` may have been meant to be, best first; case, `-` and `_` make no difference."""
    by_key: dict[str, list[str]] = {}
    for candidate in sorted(set(known) - {name}):
        by_key.setdefault(_key(candidate), []).append(candidate)
    keys = get_close_matches(_key(name), by_key, n=limit, cutoff=0.6)
    if not keys and len(name) > 2:  # a part of the name, such as `flops` for `matmul_flops`
        keys = [key for key in by_key if _key(name) in key.split("_")]
    return tuple(candidate for key in keys for candidate in by_key[key])[:limit]


def did_you_mean(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the note `did you mean ...?` as a tuple of one, or an empty tuple where no known name is near."""
    found = near(name, known)
    return (f"did you mean {listed(found, 'or')}?",) if found else ()


def add_condition(text: str) -> str:
    """Return the note that suggests a condition on the sizes."""
    return f'did you mean to add where: ["{text}"]?'


def listed(names: Iterable[str], joiner: str = "and", limit: int = 20) -> str:
    """Return names as people list them: `a`, `b` and `c`; beyond `limit` names only their number is said."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > limit:
        quoted[limit:] = [f"{len(quoted) - limit} more"]
    return joined(quoted, joiner)


def joined(texts: Iterable[str], joiner: str = "and") -> str:
    """Return texts as people list them: one, two and three."""
    *before, last = [*texts] or [""]
    return f"{', '.join(before)} {joiner} {last}" if before else last


def _key(name: str) -> str:
    return name.lower().replace("-", "_")
