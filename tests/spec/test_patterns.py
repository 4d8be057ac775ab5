"""Layers of several kinds in turn: exact for any number of them, as the same layers written out one by one are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from archsheet import load
from generator.quantities import QUANTITIES
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from tests.support.bad_specs import errors

FIXTURES = Path(__file__).parents[1] / "fixtures" / "patterns"
SIZES = {"b": 2, "n": 3, "m": 5, "d": 4, "f": 6, "g": 7}


def _kind(row: dict[str, Any], number: int, total: int, sizes: dict[str, int]) -> tuple[str, dict[str, Any]]:
    """Return what stands in one place of a stack, by the meaning of the words, and a name for its kind."""

    def times(layers: dict[str, Any] | None) -> int:
        if layers is None:
            return 0
        given = layers.get("times", 1)
        return sizes[given] if isinstance(given, str) else int(given)

    first, last = row.get("first"), row.get("last")
    if first is not None and number < times(first):
        return "first", dict(first)
    if last is not None and number >= total - times(last):
        return "last", dict(last)
    pattern = row.get("pattern", [{key: row[key] for key in ("use", "with", "options") if key in row}])
    turns = [kind for kind in (pattern.values() if isinstance(pattern, dict) else pattern) for _ in range(times(kind))]
    kind = turns[(number - times(first)) % len(turns)]
    return str(kind), dict(kind)


def _by_hand(name: str, total: int, folder: Path, sizes: dict[str, int]) -> Path:
    """Write a stack out as so many rows."""
    data = yaml.safe_load((FIXTURES / f"{name}.yaml").read_text(encoding="utf-8"))
    row = data["layers"].pop("layers")
    rest = dict(data["layers"])
    before = {key: rest.pop(key) for key in [*rest] if key in ("norm", "given")}
    reads = row.get("in", [[*before, *data["inputs"]][0]])
    rows: dict[str, Any] = {}
    owners: dict[str, str] = {}
    for number in range(total):
        name_of_kind, found = _kind(row, number, total, sizes)
        kind = {key: value for key, value in found.items() if key not in ("times", "share")}
        if found.get("share") or row.get("share"):
            kind |= {"tie": owners[name_of_kind]} if name_of_kind in owners else {}
            owners.setdefault(name_of_kind, f"layer{number}")
        rows[f"layer{number}"] = {**kind, "in": [f"layer{number - 1}", *reads[1:]] if number else reads}
    data["layers"] = {**before, **rows, **rest}
    for gone in {"L", "k"} & data["dims"].keys():
        data["dims"].pop(gone)
    data.pop("where", None)
    file = folder / f"{name}_{total}.yaml"
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "totals", "others"),
    [
        ("five_to_one", [*range(1, 8), 12, 14], {}),
        ("alternating", [*range(4, 9), 12], {"k": 1}),
        ("alternating", [6, 7, 8], {"k": 3}),
        ("first_layers", [4, 5, 9], {}),
        ("caches_in_turn", [1, 2, 3, 5, 6], {}),
        ("masked", [1, 2, 3, 5, 6], {}),
        ("shared_in_turn", [3, 4, 5, 6, 11], {}),
        ("tied_in_turn", [5, 6, 7, 11], {}),
        ("shared_kinds", [6, 7, 9, 13], {"k": 2}),
        ("filled_in_turn", [1, 2, 3, 4, 7], {}),
    ],
)
def test_counts_are_those_of_layers_written_out(name: str, totals: list[int], others: dict[str, int], tmp_path: Path) -> None:
    spec = load(FIXTURES / f"{name}.yaml")
    sizes = {size: value for size, value in {**SIZES, **others}.items() if size in spec.sizes}
    for total in totals:
        by_hand = load(_by_hand(name, total, tmp_path, sizes), specs=FIXTURES)
        given = {size: value for size, value in sizes.items() if size in by_hand.sizes}
        short, long = spec.cost(L=total, **sizes), by_hand.cost(**given)
        for quantity in QUANTITIES:
            assert short.value(quantity.key) == long.value(quantity.key), (total, quantity.key)


def test_formulas_are_short_and_rows_are_kinds() -> None:
    spec = load(FIXTURES / "five_to_one.yaml")
    assert [(row.path, row.op) for row in spec.rows if row.is_group] == [
        ("layers", "pattern"),
        ("layers.pattern_layer1", "use pattern_layer"),
        ("layers.pattern_layer2", "use pattern_layer"),
    ]
    assert [str(row.repeat) for row in spec.rows if row.depth == 1] == ["L - floor(L/6)", "floor(L/6)"]


def test_module_is_a_loop_as_a_person_writes_it() -> None:
    from generator.render.module.view import ModuleSet
    from generator.render.module.writer import render_module

    library = Library([FIXTURES])
    text = render_module(compile_spec(library, "alternating"), ModuleSet(library))
    assert (
        """\
        self.layers = nn.ModuleList()
        for i in range(L):
            if i < k:
                self.layers.append(PatternPostNorm(d=d, **factory))
            elif i >= L - 2:
                self.layers.append(PatternLayer(d=d, f=d, **factory))
            elif (i - k) % 4 == 0:
                self.layers.append(PatternLayer(d=d, f=f, **factory))
            elif (i - k) % 4 < 3:
                self.layers.append(PatternPostNorm(d=d, **factory))
            else:
                self.layers.append(PatternLayer(d=d, f=3 * f, gated=True, **factory))
"""
        in text
    )


IN_ONE_FILE = """\
title: Layers in turn of blocks in the same file
dims: {b: batch size, n: tokens, d: width, f: inner width, L: layers}
inputs: {x: [b, n, d]}
options: {bias: {is: biases, default: true}}
blocks:
  cell:
    inputs: {x: [b, n, d]}
    options: {bias: {is: biases, default: true}}
    layers:
      up: {op: linear, out: [b, n, f], bias: bias}
      y: {op: linear, out: [b, n, d], bias: bias}
  other:
    inputs: {x: [b, n, d]}
    layers:
      y: {op: linear, out: [b, n, d]}
layers:
  y: {repeat: L, pattern: [cell, {use: other, times: 2}], first: other, last: {use: cell, options: {bias: true}}}
"""


def test_layers_may_be_blocks_of_the_same_file_and_take_what_is_chosen_on_the_line(tmp_path: Path) -> None:
    (tmp_path / "net.yaml").write_text(IN_ONE_FILE, encoding="utf-8")
    sizes = {"b": 1, "n": 1, "d": 4, "f": 6, "L": 5}  # other, then cell, other, other, then cell
    assert load(tmp_path / "net.yaml").cost(**sizes).params == 2 * (4 * 6 + 6 + 6 * 4 + 4) + 3 * (4 * 4 + 4)
    assert load("net", specs=tmp_path, bias=False).cost(**sizes).params == 4 * 6 + 6 * 4 + (4 * 6 + 6 + 6 * 4 + 4) + 3 * (4 * 4 + 4)


HEAD = "title: Mine\ndims: {b: batch size, n: length, d: width, L: layers}\ninputs: {x: [b, n, d]}\nlayers:\n"
MISTAKES = {
    "keys that do not go together": (
        """\
  y: {pattern: [keep, keep]}
  z: {use: keep, repeat: L, pattern: [keep]}
  v: {repeat: L, pattern: {first: keep, other: {use: keep, when: x}}}
  w: {use: keep, first: keep}
""",
        """\
mine.yaml:5:7: error: row `y` has `pattern` without `repeat`
    5 |   y: {pattern: [keep, keep]}
      |       ^^^^^^^
  the number of all layers is `repeat: L`
mine.yaml:6:7: error: row `z` has both `pattern` and `use`
    6 |   z: {use: keep, repeat: L, pattern: [keep]}
      |       ^^^
  what is used stands in the pattern
mine.yaml:7:60: error: unknown key `when` in `layers.v.pattern.other`
    7 |   v: {repeat: L, pattern: {first: keep, other: {use: keep, when: x}}}
      |                                                            ^^^^
  layers stand in their places whatever options say; `when` switches rows inside of their blocks, or the whole stack
mine.yaml:8:18: error: row `w` has `first` without `repeat`
    8 |   w: {use: keep, first: keep}
      |                  ^^^^^
  the number of all layers is `repeat: L`; stages are `each: 1..4`""",
    ),
    "layers that do not fit each other": (
        """\
  y: {repeat: L, pattern: [keep, {use: widen, times: 2}]}
""",
        """\
mine.yaml:5:54: error: `widen` cannot be repeated: its result must have the shape of its first input
    5 |   y: {repeat: L, pattern: [keep, {use: widen, times: 2}]}
      |                                                      ^
  x is [b, n, d]; the result is [b, n, 2*d]""",
    ),
    "weights that cannot be those of others": (
        """\
  one: {use: keep, in: x}
  many: {use: keep, repeat: L}
  other: {repeat: L, pattern: [{use: keep, tie: one, share: true}]}
  held: {repeat: L, pattern: [{use: keep, tie: one}], frozen: true}
  all: {repeat: L, pattern: [keep, keep], tie: many}
""",
        """\
mine.yaml:7:54: error: layers of a pattern have both `tie` and `share`
    7 |   other: {repeat: L, pattern: [{use: keep, tie: one, share: true}]}
      |                                                      ^^^^^
  layers with the weights of another row share them anyway
mine.yaml:8:55: error: row `held` has layers with the weights of another, so `frozen` does not belong here
    8 |   held: {repeat: L, pattern: [{use: keep, tie: one}], frozen: true}
      |                                                       ^^^^^^
  say it of `one`, which the weights belong to, or of the blocks of other kinds
mine.yaml:9:43: error: row `all` has both `pattern` and `tie`
    9 |   all: {repeat: L, pattern: [keep, keep], tie: many}
      |                                           ^^^
  layers of several kinds have the weights of several blocks; a kind says it: `pattern: [{use: ..., tie: ...}]`""",
    ),
    "layers tied to what is no such layer": (
        """\
  one: {use: optional, in: x}
  many: {use: keep, repeat: L}
  y: {repeat: L, pattern: [{use: keep, tie: many}, {use: keep, tie: one}, {use: optional, tie: noe}]}
  z: {repeat: L, pattern: [{use: optional, tie: one, options: {bias: false}}]}
""",
        """\
mine.yaml:7:45: error: a layer of a pattern can be tied only to a row that uses its block once, and `many` does not
    7 |   y: {repeat: L, pattern: [{use: keep, tie: many}, {use: keep, tie: one}, {use: optional, tie: noe}]}
      |                                             ^^^^
  `many` has `repeat`
mine.yaml:7:69: error: `tie` names `one`, which uses `optional`; a block is tied to another use of the same spec
    7 |   y: {repeat: L, pattern: [{use: keep, tie: many}, {use: keep, tie: one}, {use: optional, tie: noe}]}
      |                                                                     ^^^
  `keep2` uses `keep`
mine.yaml:7:96: error: `tie` names `noe`, but no row above has that name
    7 |   y: {repeat: L, pattern: [{use: keep, tie: many}, {use: keep, tie: one}, {use: optional, tie: noe}]}
      |                                                                                                ^^^
  did you mean `one`?""",
    ),
    "more layers at the ends than there are": (
        """\
  y: {repeat: 3, pattern: [keep, keep], first: {use: keep, times: 2}, last: {use: keep, times: 2}}
""",
        """\
mine.yaml:5:15: error: `y` has 3 layers: there is no room for 2 first and 2 last ones
    5 |   y: {repeat: 3, pattern: [keep, keep], first: {use: keep, times: 2}, last: {use: keep, times: 2}}
      |               ^
  the first and the last layers count with the others""",
    ),
    "more layers in front than there are, whatever their number": (
        """\
  y: {use: keep, repeat: L, first: {use: keep, times: L + 1}}
""",
        """\
mine.yaml:5:26: error: `y` has L layers: there is no room for L + 1 first ones
    5 |   y: {use: keep, repeat: L, first: {use: keep, times: L + 1}}
      |                          ^
  the first and the last layers count with the others""",
    ),
    "shared weights of layers that stand nowhere": (
        """\
  y: {repeat: 2, pattern: {one: {use: keep, times: 2}, two: {use: keep, share: true}}}
""",
        """\
mine.yaml:5:80: error: `two` has no place among the 2 layers in turn
    5 |   y: {repeat: 2, pattern: {one: {use: keep, times: 2}, two: {use: keep, share: true}}}
      |                                                                                ^^^^
  layers that share their weights need a place in which one stands; leave out the kind, or its `share`""",
    ),
    "layers that hand on more than others read": (
        """\
  y: {repeat: L, pattern: [keep, two]}
""",
        """\
mine.yaml:5:34: error: `two` hands 2 results on, and `keep` 1
    5 |   y: {repeat: L, pattern: [keep, two]}
      |                                  ^^^
  each layer of `y` reads what the one before returns""",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistake(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows, said = MISTAKES[case]
    assert errors(tmp_path, HEAD + rows) == said


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("five_to_one", "alternating", "first_layers", "caches_in_turn", "masked"),
        *("shared_in_turn", "tied_in_turn", "shared_kinds", "switched_stack", "filled_in_turn"),
    ],
)
def test_modules_are_measured_as_derived(name: str) -> None:
    from generator.cli import main

    assert main(["verify", str(FIXTURES / f"{name}.yaml")]) == 0
