"""Where a spec is traced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from generator.resolve.architecture import Architecture
from generator.spec.model import Use
from generator.text.source import Span


@dataclass(frozen=True)
class Frame:
    """A spec being traced: where it stands and what it may refer to outside."""

    arch: Architecture
    path: str
    spans: tuple[tuple[str, Span | None], ...]  # the chain of specs that led here
    fills: Mapping[str, tuple[Use, Frame]] = field(default_factory=dict)  # slot: block, and the frame whose sizes it may name
