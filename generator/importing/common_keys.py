"""What the configurations of a library hold beside what specs import: one list for all of its models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from generator.spec.library import shown
from generator.spec.yaml_reader import load_source, plain, read_yaml


@dataclass(frozen=True)
class Shared:
    """What is known of keys.

    Args:
        ignore: keys without an effect on costs, with the reason.
        usual: keys with the value at which they have none, and what is not counted otherwise.
        buffers: how the names of stored tensors end that are no parameters.
    """

    ignore: Mapping[str, str]
    usual: Mapping[str, tuple[Any, str]]
    buffers: tuple[str, ...] = ()


@cache
def shared(library: str) -> Shared:
    """Return the list of a library; an empty one where there is none. Raises ProblemsError where it cannot be read."""
    file = {path.stem: path for path in Path(__file__).parent.glob("*.yaml")}.get(library)
    if file is None:
        return Shared({}, {})
    said = plain(read_yaml(load_source(file, shown(file))))
    return Shared(said["ignore"], {key: (one["is"], one["otherwise"]) for key, one in said["usual"].items()}, tuple(said["buffers"]))
