"""Shapes with `...`: a spec for tensors of any rank, such as an elementwise helper.

`x: [..., d]` has any axes in front of the last. By itself the spec is one with a single axis there, whose size has a name; where it is
used, all axes of the tensor stand in its place.
"""

from __future__ import annotations

from dataclasses import replace

from generator.spec.yaml_nodes import Entry, Node, Scalar
from generator.spec.yaml_nodes import Mapping as MappingNode
from generator.spec.yaml_nodes import Sequence as SequenceNode
from generator.text.problems import Problems

DOTS = "..."
NAMES = ("rest", "others", "leading", "surroundings")  # of the size: the first that no size of the spec has


def with_rest(tree: MappingNode, problems: Problems) -> tuple[MappingNode, str]:
    """Return a file's tree with a size for all axes that `...` stands for, and its name; empty where no input has such."""
    inputs = tree.get("inputs")
    shapes = [_shape(entry.value) for entry in inputs.entries] if isinstance(inputs, MappingNode) else []
    dotted = [item for shape in shapes for item in shape if _is_dots(item)]
    if not dotted:
        return tree, ""
    for shape in shapes:
        twice = [item for item in shape if _is_dots(item)][1:]
        if twice:
            problems.add("`...` stands twice in a shape", twice[0].span, "it stands for all other axes")
    dims = tree.get("dims")
    own = dims.entries if isinstance(dims, MappingNode) else ()
    name = next(one for one in NAMES if one not in {entry.key.text for entry in own})
    at = dotted[0].span
    size = Entry(Scalar(name, name, at, "plain"), Scalar("elements along all other axes", "elements along all other axes", at, "plain"))
    whole = MappingNode((size, *own), tree.span)
    entries = [replace(entry, value=_spelled(entry.key.text, entry.value, name)) for entry in tree.entries if entry.key.text != "dims"]
    return replace(tree, entries=(Entry(Scalar("dims", "dims", at, "plain"), whole), *entries)), name


def _shape(node: Node) -> tuple[Node, ...]:
    shape = node.get("shape") if isinstance(node, MappingNode) else node
    return shape.items if isinstance(shape, SequenceNode) else ()


def _is_dots(node: Node) -> bool:
    return isinstance(node, Scalar) and node.text == DOTS


def _spelled(section: str, node: Node, name: str) -> Node:
    """Return the inputs or the rows with the name of the size in the place of `...` in shapes."""
    if section not in ("inputs", "layers") or not isinstance(node, MappingNode):
        return node
    is_shape = section == "inputs"
    return replace(node, entries=tuple(replace(one, value=_in_shapes(one.value, name, is_shape=is_shape)) for one in node.entries))


def _in_shapes(node: Node, name: str, *, is_shape: bool) -> Node:
    if isinstance(node, MappingNode):
        return replace(
            node,
            entries=tuple(
                replace(entry, value=_in_shapes(entry.value, name, is_shape=entry.key.text in ("shape", "out", "carry") or is_shape))
                for entry in node.entries
            ),
        )
    if isinstance(node, SequenceNode):
        return replace(node, items=tuple(_in_shapes(item, name, is_shape=is_shape) for item in node.items))
    return replace(node, text=name, value=name) if is_shape and _is_dots(node) else node
