"""Names for stretches of a forward pass, so that what is measured can be told apart row by row.

A measurement notes the label in force at each kernel. Labels nest: inside `record("blocks")` and `record("q")` the label is
`blocks.q`. `module_labels(model)` sets the label to a submodule's qualified name while that submodule computes.

Autograd numbers the nodes of its graph in the order in which they are made, so that it can also be said which submodule made the node
that runs in a backward pass.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any

import torch
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


class ModuleCalls:
    """What `module_labels` has seen: how often each submodule was called, and which nodes of autograd's graph were made in which.

    Attributes:
        calls: by qualified name; a call that a backward pass repeats (a checkpoint) counts too.
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self._begins: list[int] = [0]  # numbers of nodes, from each of which on another label is in force
        self._labels: list[str] = [current_label()]

    def mark(self) -> None:
        """Note that another label is in force from now on."""
        number = torch._C._autograd._get_sequence_nr()  # noqa: SLF001  # the only way to ask for it
        if self._begins[-1] == number:
            self._labels[-1] = current_label()
        else:
            self._begins.append(number)
            self._labels.append(current_label())

    def of_running_node(self) -> str:
        """The label under which the node was made that runs now; "" outside of a backward pass."""
        node: Any = torch._C._current_autograd_node()  # noqa: SLF001  # as above
        return "" if node is None else self._labels[bisect_right(self._begins, node._sequence_nr()) - 1]  # noqa: SLF001  # as above


@contextmanager
def module_labels(module: nn.Module) -> Iterator[ModuleCalls]:
    """Labels what each submodule of `module` computes with its qualified name (`encoder.layers.0.linear1`).

    A submodule registered under several names goes by the first one; what one that TorchScript runs does has the label of what is
    around it. The innermost submodule wins, and `record` inside a forward adds to its name. The hooks are removed on leaving the block.
    """
    seen = ModuleCalls()
    handles = []
    for name, child in module.named_modules():
        if name and not isinstance(child, torch.jit.ScriptModule):  # which takes no hooks
            handles += _label_calls(child, name, seen)
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


def _label_calls(module: nn.Module, name: str, seen: ModuleCalls) -> list[torch_hooks.RemovableHandle]:
    tokens: list[Token[str]] = []  # a stack, because a module may be called from within itself

    def enter(_module: nn.Module, _args: object) -> None:
        tokens.append(_LABEL.set(name))
        seen.calls[name] += 1
        seen.mark()

    def leave(_module: nn.Module, _args: object, _output: object) -> None:
        _LABEL.reset(tokens.pop())
        seen.mark()

    return [module.register_forward_pre_hook(enter), module.register_forward_hook(leave, always_call=True)]
