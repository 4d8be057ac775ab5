"""Names for stretches of a forward pass, so that what is measured can be told apart row by row.

A measurement notes the label in force at each kernel. Labels nest: inside `record("blocks")` and `record("q")` the label is
`blocks.q`. `module_labels(model)` sets the label to a submodule's qualified name while that submodule computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token

from torch import nn
from torch.utils import hooks as torch_hooks

_LABEL: ContextVar[str] = ContextVar("label", default="")


def current_label() -> str:
    """The label in force: the nested labels joined by dots, or "" outside of all."""
    return _LABEL.get()


@contextmanager
def record(label: str) -> Iterator[None]:
    """Puts `label`, below the label already in force, on everything that is measured inside the block."""
    outer = _LABEL.get()
    token = _LABEL.set(f"{outer}.{label}" if outer else label)
    try:
        yield
    finally:
        _LABEL.reset(token)


@contextmanager
def module_labels(module: nn.Module) -> Iterator[None]:
    """Labels what each submodule of `module` computes with its qualified name (`encoder.layers.0.linear1`).

    A submodule registered under several names goes by the first one. The innermost submodule wins, and `record` inside a
    forward adds to its name. The hooks are removed on leaving the block.
    """
    handles = []
    for name, child in module.named_modules():
        if name:
            handles += _label_calls(child, name)
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _label_calls(module: nn.Module, name: str) -> list[torch_hooks.RemovableHandle]:
    tokens: list[Token[str]] = []  # a stack, because a module may be called from within itself

    def enter(_module: nn.Module, _args: object) -> None:
        tokens.append(_LABEL.set(name))

    def leave(_module: nn.Module, _args: object, _output: object) -> None:
        _LABEL.reset(tokens.pop())

    return [module.register_forward_pre_hook(enter), module.register_forward_hook(leave, always_call=True)]
