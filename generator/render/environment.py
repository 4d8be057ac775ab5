"""The Jinja environment that all text renderers share."""

from __future__ import annotations

from functools import lru_cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from generator.resources import templates_dir


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment: templates interpolate and loop; an undefined name is an error."""
    return Environment(
        loader=FileSystemLoader(templates_dir()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
