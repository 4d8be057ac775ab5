"""Good specs with random changes are either good still, or refused with places: never a traceback."""

from __future__ import annotations

import copy
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.files.resources import builtin_specs_dir
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError

NAMES = ("multi_head_attention", "cross_attention", "mlp", "rms_norm", "post_norm_block", "decoder_block", "rnn", "rnn_cell", "vit")
JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3.5, 10**20, "", " ", "x", "d", "n", "d/3", "d - 5", "0", "2*", "d**d", "h e", "é", "a.b", "y.z"),
    *([], {}, [[]], ["x"], ["x", "x"], ["b", "n", "d"], {"a": 1}, {"use": "mlp"}, {"op": "linear"}, {"op": "softmax", "over": 9}),
)
KEYS = (
    "in",
    "out",
    "op",
    "use",
    "slot",
    "with",
    "repeat",
    "scan",
    "carry",
    "when",
    "x",
    "d",
    "e",
    "y",
    "is",
    "value",
    "",
    "1",
    "__class__",
    "None",
)
PLACE = re.compile(r"[^:]+\.yaml:\d+:\d+: error: .+")
Path_ = tuple[str | int, ...]


@cache
def good(name: str) -> Any:
    return yaml.safe_load(Library().path(name).read_text(encoding="utf-8"))


def paths(node: Any, at: Path_ = ()) -> list[Path_]:
    """Return the places of all values in a tree, but the root's."""
    items = list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
    return [path for key, value in items for path in ((*at, key), *paths(value, (*at, key)))]


def parent(tree: Any, path: Path_) -> Any:
    for key in path[:-1]:
        tree = tree[key]
    return tree


def renamed(mapping: dict[Any, Any], old: Any, new: Any) -> None:
    entries = [(new if key == old else key, value) for key, value in mapping.items()]
    mapping.clear()
    mapping.update(entries)


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    tree = copy.deepcopy(good(draw(st.sampled_from(NAMES))))
    for _ in range(draw(st.integers(1, 3))):
        places = paths(tree)
        if not places:
            break
        path = draw(st.sampled_from(places))
        where, key = parent(tree, path), path[-1]
        change = draw(st.sampled_from(("delete", "copy", "rename", "junk", "graft")))
        if change == "delete":
            del where[key]
        elif change == "junk":
            where[key] = copy.deepcopy(draw(st.sampled_from(JUNK)))
        elif change == "graft":
            other = draw(st.sampled_from(places))
            where[key] = copy.deepcopy(parent(tree, other)[other[-1]])
        elif isinstance(where, list):
            where.insert(int(key), copy.deepcopy(where[key]))
        elif change == "copy":
            where[draw(st.sampled_from(KEYS))] = copy.deepcopy(where[key])
        else:
            renamed(where, key, draw(st.sampled_from(KEYS)))
    return tree


def refusal(folder: Path) -> str:
    """Return what is said about the changed spec; an empty text if it is good."""
    try:
        compile_spec(Library([folder]), "changed")
    except ProblemsError as error:
        return str(error)
    return ""


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(tree=mutated())
def test_a_changed_spec_compiles_or_is_refused_with_places(tree: Any, folder: Path) -> None:
    (folder / "changed.yaml").write_text(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True), encoding="utf-8")
    said = refusal(folder)
    heads = [line for line in said.split("\n") if "error: " in line and not line.startswith(" ")]
    assert bool(said) == bool(heads)
    assert all(PLACE.fullmatch(head) for head in heads), heads


def test_the_specs_that_are_changed_are_good() -> None:
    library = Library([builtin_specs_dir()])
    assert [compile_spec(library, name).sheet.name for name in NAMES] == list(NAMES)
