"""Puts counts that carry the names of submodules together into the tree of a module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from torch import Tensor, nn

from generator.proof.count.count_result import ADDED, ModuleCount
from generator.quantities import ACTIVE_PARAMS, PARAMS, TRAINABLE_PARAMS

ByLabel = Mapping[str, int]


def tree_of(module: nn.Module, calls: Mapping[str, int], labelled: Mapping[str, ByLabel], read: Callable[[Tensor], int]) -> ModuleCount:
    """Return a module and its submodules with their counts.

    Args:
        module: a module that was counted.
        calls: how often each submodule was called, by its qualified name.
        labelled: by the key of a quantity, its counts by the name of the submodule that was running.
        read: how many scalars of a parameter were read.
    """
    names = {name for name, _ in module.named_modules()}
    own: dict[str, dict[str, int]] = {name: dict.fromkeys(ADDED, 0) for name in names}
    for key, by_label in labelled.items():
        for label, count in by_label.items():
            own[_known(label, names)][key] += count
    for parameter, owner in _owners(module):
        own[owner][PARAMS.key] += parameter.numel()
        own[owner][TRAINABLE_PARAMS.key] += parameter.numel() * parameter.requires_grad
        own[owner][ACTIVE_PARAMS.key] += read(parameter)
    return _node(module, "", {}, calls, own)


def tied(module: nn.Module) -> list[tuple[str, str]]:
    """Return the names of parameters that are another one, each with the first name of that."""
    first: dict[int, str] = {}
    found = []
    for name, parameter in module.named_parameters(remove_duplicate=False):
        before = first.setdefault(id(parameter), name)
        if before != name and not _is_of_shared_module(module, name):
            found.append((name, before))
    return found


def _is_of_shared_module(module: nn.Module, name: str) -> bool:
    """Say whether the parameter has another name only because a module around it has."""
    paths = {path for path, _ in module.named_modules()}
    return name.rpartition(".")[0] not in paths


def _owners(module: nn.Module) -> list[tuple[Tensor, str]]:
    """Return each parameter once, with the first submodule that has it."""
    return [(parameter, name.rpartition(".")[0]) for name, parameter in module.named_parameters()]


def _known(label: str, names: set[str]) -> str:
    while label not in names:
        label = label.rpartition(".")[0]
    return label


def _node(module: nn.Module, path: str, seen: dict[int, str], calls: Mapping[str, int], own: Mapping[str, dict[str, int]]) -> ModuleCount:
    kind = type(module).__name__
    if id(module) in seen:
        return ModuleCount(path, kind, 0, dict.fromkeys(ADDED, 0), same_as=seen[id(module)])
    seen[id(module)] = path
    children = [(name, child) for name, child in module._modules.items() if child is not None]  # noqa: SLF001  # named_children leaves shared ones out
    parts = tuple(_node(child, f"{path}.{name}" if path else name, seen, calls, own) for name, child in children)
    counts: dict[str, int] = defaultdict(int)
    for key in ADDED:
        counts[key] = own[path][key] + sum(part.counts[key] for part in parts)
    return ModuleCount(path, kind, calls.get(path, 0) if path else 1, dict(counts), parts)
