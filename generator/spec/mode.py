"""What modules are taken to do: to train, or to be used as they are (`module.eval()`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MODES = ("training", "inference")
_in_force: ContextVar[str] = ContextVar("mode", default="training")


def is_training() -> bool:
    """Say whether what is asked now is asked of training."""
    return _in_force.get() == "training"


@contextmanager
def asked_of(mode: str) -> Iterator[None]:
    """Take all libraries that are opened inside for those of a mode."""
    token = _in_force.set(mode)
    try:
        yield
    finally:
        _in_force.reset(token)
