"""einops notation: `b n (h e) -> b h n e`.

A label that stands alone for an axis is that axis, whatever sizes are called, as in einops; in a group, where it says how an axis is split,
it is the size of its name, or what the others leave of the axis.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Integer

from generator.formulas.human import counted
from generator.ops.base import OpError, RowScope
from generator.ops.divisibility import suggested_condition
from generator.trace.tensor import Shape, Tensor, product

Group = tuple[str, ...]
_TOKEN = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)|([()])|(1)|(\S))")


@dataclass(frozen=True)
class Axes:
    """One side of a pattern: each axis is a group of labels; the number 1 is an axis of size one (an empty group)."""

    groups: tuple[Group, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels in order."""
        return tuple(label for group in self.groups for label in group)


def parse_axes(text: str, *, at: str, twice_allowed: bool = False) -> Axes:
    """Parse one side of a pattern. Raises OpError."""
    groups: list[Group] = []
    inside: list[str] | None = None
    for label, bracket, one, other in _TOKEN.findall(text.strip()):
        if other:
            raise OpError(
                f"`{other}` does not belong in the pattern `{text.strip()}`", "axes are names, 1, and groups in parentheses", at=at
            )
        if bracket == "(":
            if inside is not None:
                raise OpError(f"a group within a group in `{text.strip()}`", at=at)
            inside = []
        elif bracket == ")":
            if inside is None:
                raise OpError(f"`)` without `(` in `{text.strip()}`", at=at)
            groups.append(tuple(inside))
            inside = None
        elif one:
            if inside is None:
                groups.append(())
        elif inside is not None:
            inside.append(label)
        else:
            groups.append((label,))
    if inside is not None:
        raise OpError(f"`(` is never closed in `{text.strip()}`", at=at)
    labels = [label for group in groups for label in group]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice and not twice_allowed:
        raise OpError(f"`{twice}` stands twice in `{text.strip()}`", at=at)
    return Axes(tuple(groups))


def parse_arrow(text: str, *, at: str) -> tuple[str, str]:
    """Split a pattern at its one arrow. Raises OpError."""
    sides = text.split("->")
    if len(sides) != 2:
        raise OpError(f"a pattern has one `->` between what comes in and what goes out; found `{text}`", at=at)
    return sides[0], sides[1]


def solve(
    row: RowScope, axes: Axes, x: Tensor, source: str, known: dict[str, Expr], *, at: str, declared: Mapping[str, Expr] | None = None
) -> None:
    """Give each label of a side its size, from the tensor at hand; `known` is extended.

    Args:
        declared: what the row's `out` says of labels, for groups that the shape does not decide.

    Raises:
        OpError: a different number of axes, a clash of sizes, a name that belongs to another axis, or a group with two unknown labels.
    """
    shape = x.shape
    if len(axes.groups) != len(shape):
        message = f"the pattern has {counted(len(axes.groups), 'axis', 'axes')}, but {source} has {len(shape)}"
        raise OpError(message, f"{source} is {row.show(shape)}", *apart(",".join(axes.labels)), at=at)
    for place, (group, size) in enumerate(zip(axes.groups, shape, strict=True)):
        if len(group) == 1 and not row.names_another_axis(x, place, *group):
            known[group[0]] = size
            continue
        undecided = [label for label in group if label not in known and label not in row.sizes]
        if declared and len(undecided) > 1:
            known.update({label: declared[label] for label in undecided if label in declared})
        _solve_group(row, group, size, (source, shape), known, at)


def _solve_group(row: RowScope, group: Group, size: Expr, where: tuple[str, Shape], known: dict[str, Expr], at: str) -> None:
    source, shape = where
    for label in group:
        if label in row.sizes:
            known.setdefault(label, row.sizes[label])
    unknown = [label for label in group if label not in known]
    found = f"{source} is {row.show(shape)}"
    if len(unknown) > 1:
        decide = "all but one of them must be sizes of this spec, or stand alone on an axis of a declared `out`"
        raise OpError(f"`{' '.join(group)}` has {len(unknown)} unknown sizes: {', '.join(unknown)}", found, decide, at=at)
    rest = product(tuple(known[label] for label in group if label in known))
    if unknown:
        if not row.t.facts.divisible(size, rest):
            raise OpError(
                f"cannot split an axis of {row.text(size)} into `{' '.join(group)}`: {row.text(rest)} does not always divide it",
                found,
                *suggested_condition(row, size, rest),
                at=at,
            )
        known[unknown[0]] = row.t.facts.simplify(size / rest)
    elif not row.same(rest if group else Integer(1), size):
        text = " ".join(group) if group else "1"
        raise OpError(
            f"`{text}` is {row.text(rest)}, but that axis of {source} is {row.text(size)}",
            found,
            *(f"{label} is {row.text(known[label])}" for label in group if row.text(known[label]) != label),
            at=at,
        )


def apart(text: str) -> tuple[str, ...]:
    """Return the note that labels stand apart, for a pattern such as `bhie,bhje->bhij` that looks as in torch.einsum; else nothing."""
    words = re.findall(r"\w+", text)
    if re.search(r"\w\s+\w|\(", text) or not any(len(word) > 1 for word in words):
        return ()
    sides = [", ".join(" ".join(term.strip()) for term in side.split(",")) for side in text.split("->")]
    return (f"spaces stand between labels: {' -> '.join(sides)}",)


def declared_labels(axes: Axes, shape: Shape | None, sizes: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the sizes of the labels that stand alone on their axis of a declared shape and are no sizes of the spec."""
    if shape is None or len(shape) != len(axes.groups):
        return {}
    alone = ((group[0], size) for group, size in zip(axes.groups, shape, strict=True) if len(group) == 1)
    return {label: size for label, size in alone if label not in sizes}


def shape_of(axes: Axes, known: Mapping[str, Expr]) -> Shape:
    """Return the shape of a side whose labels are all known."""
    return tuple(product(tuple(known[label] for label in group)) for group in axes.groups)


def letters(labels: Sequence[str]) -> dict[str, str]:
    """Give each label one letter, its own first letter where that is free, as torch.einsum needs."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    taken: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        wanted = [label[0]] if len(label) == 1 else [label[0], *label[1:]]
        taken[label] = next(letter for letter in [*wanted, *alphabet] if letter in alphabet and letter not in taken.values())
    return taken
