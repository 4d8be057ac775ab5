"""The Jinja environment that all text renderers share."""

from __future__ import annotations

from functools import lru_cache

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined

from generator.files.resources import op_packages, templates_dir


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment: templates interpolate and loop; an undefined name is an error."""
    own_ops = [folder for folders in op_packages().values() for folder in folders]
    return Environment(
        loader=ChoiceLoader([FileSystemLoader(templates_dir()), PrefixLoader({"ops": FileSystemLoader(own_ops)})]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
