# Made by `gen build`; do not edit (content 0bfac3a25ea30282).
"""Loads the weights of public implementations into generated modules."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn


def weight_names(name: str) -> dict[str, Any]:
    """Return how public implementations name the weights of a module, by layout, as the file beside it says."""
    text = Path(__file__).with_name(f"{name}.weights.json").read_text(encoding="utf-8")
    layouts: dict[str, Any] = json.loads(text)["layouts"]
    return layouts


def load_reference(module: nn.Module, weights: Mapping[str, Tensor], references: Mapping[str, Mapping[str, Any]], layout: str) -> None:
    """Copy the weights of another implementation into `module`.

    Args:
        weights: that implementation's state dict.
        references: by layout, `weights` and `ignore`. `weights` says where what begins with a name of ours comes from: one name, or
            several that are joined along the first axis (`name[*]` is one entry along it); with more to do, they stand under `from`:
            `part` i of n equal parts of the first axis; `transpose`d; or given our shape (`reshape`). `*` is the same layer number on
            both sides; on their side `(2*+1)` counts with it. `ignore` lists names of theirs that hold no weights of ours.

    Raises:
        ValueError: no such layout; names of ours that nothing fills, names of theirs that nothing uses, or shapes that differ (all
            are listed).
    """
    if layout not in references:
        raise ValueError(f"unknown layout {layout!r}; known: {', '.join(references)}")
    rules = {name: rule if isinstance(rule, dict) else {"from": rule} for name, rule in references[layout]["weights"].items()}
    ignore: Sequence[str] = references[layout]["ignore"]
    problems: list[str] = []
    used: set[str] = set()
    filled: set[int] = set()
    copies: list[tuple[Tensor, Tensor]] = []
    unfilled: list[tuple[str, int]] = []
    for name, own in module.state_dict(keep_vars=True).items():
        found = _source(name, rules, weights)
        if found is None:
            unfilled.append((name, id(own)))
            continue
        rule, names, value = found
        used.update(names)
        if rule.get("reshape") and value.numel() == own.numel():
            value = value.reshape(own.shape)
        if value.shape != own.shape:
            problems.append(f"{name} is {list(own.shape)}, but {' + '.join(names)} gives {list(value.shape)}")
            continue
        filled.add(id(own))
        copies.append((own, value))
    problems += [f"nothing fills {name}" for name, own in unfilled if own not in filled]
    patterns = [re.compile(_pattern(text) + r"(\..*)?$") for text in ignore]
    problems += [f"nothing uses {name}" for name in weights if name not in used and not any(p.match(name) for p in patterns)]
    if problems:
        raise ValueError("the weights do not fit:\n  " + "\n  ".join(problems))
    with torch.no_grad():
        for own, value in copies:
            own.copy_(value)


def _source(
    name: str, rules: Mapping[str, Mapping[str, Any]], weights: Mapping[str, Tensor]
) -> tuple[Mapping[str, Any], list[str], Tensor] | None:
    """Find what fills one of our names: the rule, their names, and the value."""
    for start, rule in rules.items():
        match = _match(start, name)
        if match is None:
            continue
        rest = name[match.end() :]
        texts = [rule["from"]] if isinstance(rule["from"], str) else rule["from"]
        filled = [_filled(text, match.groups()) + rest for text in texts]
        names = [text.partition("[")[0] for text in filled]
        if not all(other in weights for other in names):
            return None
        values = [_entry(weights[other], text) for other, text in zip(names, filled, strict=True)]
        value = torch.cat(values) if len(values) > 1 else values[0]
        if "part" in rule:
            index, count = rule["part"]
            value = value.chunk(count)[index]
        if rule.get("transpose") and value.dim() == 2:
            value = value.T
        return rule, names, value
    return None


def _entry(value: Tensor, text: str) -> Tensor:
    """Return the entry along the first axis that a name such as `experts.down_proj[3]` asks for; all of it by a name without one."""
    index = re.search(r"\[(\d+)\]$", text)
    return value if index is None else value[int(index[1])]


def _match(pattern: str, name: str) -> re.Match[str] | None:
    """Match the beginning of a dotted name, up to the end or a dot."""
    return re.match(_pattern(pattern) + r"(?=\.|$)", name)


def _pattern(text: str) -> str:
    return re.escape(text).replace(r"\*", r"(\d+)")


def _filled(text: str, numbers: Sequence[str]) -> str:
    """Put layer numbers in the places of `*`, and what they come to in those of `(2*)`, `(2*+1)`, `(*-1)`."""
    rest = iter(numbers)

    def filled(place: re.Match[str]) -> str:
        number = next(rest, None)
        factor, added = place.groups()
        return place[0] if number is None else str(int(factor or 1) * int(number) + int(added or 0))

    return re.sub(r"\((\d*)\*([+-]\d+)?\)|\*", filled, text)
