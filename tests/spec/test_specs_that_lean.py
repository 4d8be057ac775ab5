"""Specs that are like others, have sizes of others, or hold blocks: what they come to, and what is said where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cli import main
from generator.formulas.symbols import symbol
from generator.pull.preset_text import add_presets
from generator.pull.typed_numbers import OwnPreset
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.spec.lookup import collect
from generator.text.problems import ProblemsError

BASE = """\
title: Base
dims: {b: batch size, n: length, d: width, f: {is: inner width, default: 4*d}, P: positions}
inputs: {x: [b, n, d]}
options: {bias: {is: biases, default: false}}
slots: {inner: {use: mlp, is: what each position does}}
where: n <= P
layers:
  positions: {op: positional, kind: learned, length: P}
  placed: {op: add, in: [x, positions]}
  norm: {op: rms_norm, eps: 1e-6}
  first: {op: linear, out: [b, n, d], bias: bias}
  body: {slot: inner}
  y: {op: activation, kind: relu}
presets:
  small: {set: {d: 8, P: 4}}
"""
BLOCKS = """\
title: Small
dims: {b: batch size, n: length, d: width, f: {is: inner width, default: 4*d}, h: heads, L: layers, Z: classes}
inputs: {x: [b, n, d]}
blocks:
  ffn:
    inputs: {x: [b, n, d]}
    layers:
      up: {op: linear, out: [b, n, f]}
      down: {op: linear, out: [b, n, d]}
  cell:
    title: A cell
    dims: {e: {is: head width, value: d / h}}
    inputs: {x: [b, n, d]}
    layers:
      attended: {use: multi_head_attention}
      y: {use: ffn}
layers:
  body: {use: cell, repeat: L}
  y: {op: linear, out: [b, n, Z]}
"""


def _library(folder: Path, **specs: str) -> Library:
    for name, text in specs.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return Library([folder])


def _params(library: Library, name: str) -> str:
    return str(compile_spec(library, name).sheet.totals["params"])


def _said(library: Library, name: str) -> str:
    with pytest.raises(ProblemsError) as caught:
        compile_spec(library, name)
    return str(caught.value)


def test_a_variant_is_what_it_would_be_written_out(tmp_path: Path) -> None:
    variant = """\
title: Variant
like: base
dims: {f: {default: 2*d}, Q: more positions}
options: {bias: true}
slots: {inner: {use: gated_mlp}}
where: P <= Q
without: [positions, placed]
layers:
  second: {op: linear, out: [b, n, d], follows: norm}
  norm: {eps: 1e-5}
  y: {op: softmax}
  last: {op: layer_norm}
"""
    written = """\
title: Variant
dims: {b: batch size, n: length, d: width, f: {is: inner width, default: 2*d}, P: positions, Q: more positions}
inputs: {x: [b, n, d]}
options: {bias: {is: biases, default: true}}
slots: {inner: {use: gated_mlp, is: what each position does}}
where: [n <= P, P <= Q]
layers:
  norm: {op: rms_norm, eps: 1e-5}
  second: {op: linear, out: [b, n, d]}
  first: {op: linear, out: [b, n, d], bias: bias}
  body: {slot: inner}
  y: {op: softmax}
  last: {op: layer_norm}
"""
    library = _library(tmp_path, base=BASE, variant=variant, written=written)
    one, other = (compile_spec(library, name).sheet for name in ("variant", "written"))
    assert (one.totals, one.sizes, one.options, one.constraints) == (other.totals, other.sizes, other.options, other.constraints)
    assert [(row.path, row.op, row.shapes) for row in one.rows] == [(row.path, row.op, row.shapes) for row in other.rows]
    assert one.presets == ()  # those of the other are of the other


def test_what_a_size_was_gives_way_to_what_it_is_in_the_variant(tmp_path: Path) -> None:
    variant = "title: V\nlike: base\ndims: {f: {value: 3*d}}\n"
    sizes = {size.name: size for size in compile_spec(_library(tmp_path, base=BASE, v=variant), "v").sheet.sizes}
    assert (sizes["f"].kind, str(sizes["f"].value), sizes["f"].meaning) == ("derived", "3*d", "inner width")


def test_without_drops_a_size_and_the_conditions_on_it(tmp_path: Path) -> None:
    sheet = compile_spec(_library(tmp_path, base=BASE, v="title: V\nlike: base\nwithout: [positions, placed, P]\n"), "v").sheet
    assert [size.name for size in sheet.sizes] == ["b", "n", "d", "f"]
    assert sheet.constraints == ()


def test_a_change_of_the_other_changes_the_variant(tmp_path: Path) -> None:
    library = _library(tmp_path, base=BASE, v="title: V\nlike: base\n")
    before = compile_spec(library, "v").sheet.source_hash
    assert compile_spec(_library(tmp_path, base=BASE.replace("relu", "gelu")), "v").sheet.source_hash != before
    assert library.closure("v", read=True) == ("v", "mlp", "base")


def test_sizes_of_another_stand_where_from_does(tmp_path: Path) -> None:
    layers = "layers:\n  y: {use: base}\n  z: {op: linear, out: [b, n, B]}\n"
    spec = "title: W\ndims: {B: more, from: base, d: own width}\ninputs: {x: [b, n, d]}\n" + layers
    sizes = compile_spec(_library(tmp_path, base=BASE, w=spec), "w").sheet.sizes
    assert [(size.name, size.meaning) for size in sizes] == [
        ("B", "more"),
        ("b", "batch size"),
        ("n", "length"),
        ("d", "own width"),
        ("f", "inner width"),
        ("P", "positions"),
    ]


def test_a_block_has_the_sizes_of_its_file_that_it_needs(tmp_path: Path) -> None:
    library = _library(tmp_path, small=BLOCKS)
    assert [size.name for size in compile_spec(library, "small_ffn").sheet.sizes] == ["b", "n", "d", "f"]
    assert [size.name for size in compile_spec(library, "small_cell").sheet.sizes] == ["b", "n", "d", "f", "h", "e"]
    assert compile_spec(library, "small_ffn").sheet.title == "Small: ffn"
    whole, cell = (compile_spec(library, name).sheet for name in ("small", "small_cell"))
    assert (whole.totals["params"] - symbol("Z") * (symbol("d") + 1) - symbol("L") * cell.totals["params"]).expand() == 0


ROWS_CALLED_AS_SIZES = """\
title: A model with experts
dims: {b: batch size, n: length, d: width, k: experts of a token, E: experts}
inputs: {x: [b, n, d]}
blocks:
  pair:
    inputs: {x: [b, n, d]}
    layers:
      k: {op: linear, in: x, out: [b, n, d]}
      y: {op: mul, in: [x, k]}
    outputs: [k, y]
layers:
  pair: {use: pair}
  scores: {op: linear, in: pair.y, out: [b, n, E]}
  top: {op: top_k, k: k}
outputs: [pair.k, top.values]
"""


def test_a_row_of_a_block_may_be_called_as_a_size_of_its_file(tmp_path: Path) -> None:
    library = _library(tmp_path, model=ROWS_CALLED_AS_SIZES)
    assert list(library.spec("model_pair").dims) == ["b", "n", "d"]
    assert "k" in library.spec("model").dims


def test_blocks_come_with_the_folder_that_is_asked_for(tmp_path: Path) -> None:
    _library(tmp_path, small=BLOCKS)
    collection = collect([tmp_path])
    assert collection.requested == ("small", "small_cell", "small_ffn")
    assert collection.is_whole


MISSING = "without: [norn]\n      |           ^^^^\n  did you mean `norm`?"
FOLLOWING = BASE.replace("kind: relu", "kind: relu, follows: body")
NO_BLOCK = BLOCKS.replace("  cell:\n    title: A cell", "  cell: 5\n  other:\n    title: A cell")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: V\nlike: basis\n", "v.yaml:2:7: error: there is no spec named `basis`"),
        ("title: V\nlike: v\n", "v.yaml:2:7: error: `v` is built on itself: `like` and `from` lead back to it"),
        ("title: V\nlike: base\nwithout: [norn]\n", f"v.yaml:3:11: error: there is no `norn` to leave out\n    3 | {MISSING}"),
        ("title: V\nlike: base\nlayers:\n  z: {op: softmax, follows: firts}\n", "v.yaml:4:29: error: there is no row `firts` to follow"),
        ("title: V\nlike: base\nlayers:\n  norm: {epz: 1}\n", "v.yaml:4:10: error: unknown key `epz` in `layers.norm`"),
        ("title: V\nlike: base\nlayers:\n  first: {out: [b, n, q]}\n", "v.yaml:4:23: error: unknown size `q`"),
        (BASE + "without: [norm]\n", "this spec is not `like` another"),
        (FOLLOWING, "this spec is not `like` another"),
        (BLOCKS.replace("{op: linear, out: [b, n, f]}", "{op: linear, out: [b, n, q]}"), "v.yaml:8:36: error: unknown size `q`"),
        (NO_BLOCK, "v.yaml:10:3: error: block `cell` is no spec"),
    ],
)
def test_what_is_said(text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in _said(_library(Path(), base=BASE, v=text), "v")


@pytest.mark.parametrize("written", ["blocks:", '"blocks":', "blocks :"])
def test_blocks_are_found_wherever_they_stand(written: str, tmp_path: Path) -> None:
    head, _, rest = BLOCKS.partition("blocks:")
    inner, _, tail = rest.partition("\nlayers:")
    first = f"{written}{inner}\n{head}layers:{tail}"
    assert collect([_library(tmp_path, small=first).roots[0]]).requested == ("small", "small_cell", "small_ffn")


def test_a_block_and_a_file_of_one_name(tmp_path: Path) -> None:
    library = _library(tmp_path, small=BLOCKS, small_ffn=BASE)
    assert "two specs are named `small_ffn`" in _said(library, "small")


def test_one_mistake_in_a_spec_that_many_lean_on_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = BASE.replace("out: [b, n, d]", "out: [b, n, q]")
    user = "title: U\ndims: {from: base}\ninputs: {x: [b, n, d]}\nlayers:\n  y: {use: base}\n"
    _library(tmp_path, base=wrong, like="title: L\nlike: base\n", first=user, second=user)
    assert main(["check", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.err.count("error:") == 1
    assert "4 specs: 1 mistake, in 4 of them" in said.out


@pytest.mark.parametrize("command", [("check",), ("build", "--out", "out"), ("build", "--out", "out", "--jobs", "2")])
def test_every_command_says_a_shared_mistake_once_and_which_specs_have_it(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = BASE.replace("out: [b, n, d]", "out: [b, n, d], when: gaet")  # the message names the spec, so it is another one in each
    user = "title: U\ndims: {from: base}\ninputs: {x: [b, n, d]}\nlayers:\n  y: {use: base}\n"
    alone = BASE.replace("{slot: inner}", "{slot: iner}").replace("small:", "other:")
    _library(Path(), base=wrong, one="title: One\nlike: base\n", two="title: Two\nlike: base\n", user=user, alone=alone)
    assert main([command[0], ".", *command[1:]]) == 1
    said = capsys.readouterr().err
    assert said.count("yaml:11:") == 1
    assert said.count("yaml:12:") == 1
    assert said.count("`when` names `gaet`, which is not an option of `base`") == 1
    assert said.count("4 specs have this mistake: `base`, `one`, `two` and `user`") == 1
    assert said.count("have this mistake") == 1  # the other is of one spec alone


def test_one_mistake_that_names_the_spec_is_said_once_and_of_the_spec_that_declares_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = BASE.replace("out: [b, n, d]", "out: [b, n, d], when: gaet")
    _library(Path(), base=wrong, one="title: One\nlike: base\n", two="title: Two\nlike: base\n")
    assert main(["check", "."]) == 1
    said = capsys.readouterr()
    assert said.err.count("error:") == 1
    assert "`when` names `gaet`, which is not an option of `base`" in said.err
    assert "3 specs: 1 mistake, in 3 of them" in said.out
    _library(Path(), base=BASE, one="title: One\nlike: base\nwithout: [n]\n", two="title: Two\nlike: base\n")
    assert main(["check", "."]) == 1  # only the variant is wrong, and the caret stands where what it has is declared
    said = capsys.readouterr()
    assert said.err.startswith("base.yaml:")
    assert "as part of `one` (one.yaml)" in said.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BASE + "extends: base\n", "unknown key `extends`\n   16 | extends: base\n      | ^^^^^^^\n  did you mean `like`?"),
        (BASE + "components: {}\n", "did you mean `blocks`?"),
        (BASE.replace("{set: {d: 8, P: 4}}", "{set: {d: 8, P: 4}, layers: {y: mlp}}"), "it is one of a variant"),
        (BASE.replace("{slot: inner}", "{use: mlp, num_experts: 8}"), "did you mean `experts`?"),
        (BASE.replace("{slot: inner}", "{use: mlp, shared: true}"), "did you mean `share`?"),
        (BASE.replace("{slot: inner}", "{use: mlp, freeze: true}"), "did you mean `frozen`?"),
        (BASE.replace("{slot: inner}", "{use: mlp, repaet: d}"), "did you mean `repeat` or `experts`?"),
    ],
)
def test_a_construct_under_another_name_is_named(text: str, said: str, tmp_path: Path) -> None:
    assert said in _said(_library(tmp_path, base=BASE, v=text), "v")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BASE + "blocks: [a]\n", "v.yaml:16:9: error: expected `key: value` entries in `blocks`"),
        ("title: V\nlike: [base]\n", "v.yaml:2:7: error: expected the name of the spec that this one is like"),
        ("title: V\nlike: base\nwithout: {a: b}\n", "v.yaml:3:10: error: expected the name of what is left out"),
        (BASE.replace("dims: {", "dims: {from: {a: b}, "), "v.yaml:2:14: error: expected the name of the block whose sizes these are"),
    ],
)
def test_what_is_no_name_is_not_passed_over(text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in _said(_library(Path(), base=BASE, v=text), "v")


def test_a_block_that_cannot_have_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = _said(_library(Path(), small=BLOCKS.replace("  ffn:", "  Ffn:")), "small_Ffn")
    assert said.startswith("small.yaml:5:3: error: `Ffn` cannot be the name of a block")


def test_shapes_that_do_not_fit_in_a_block_of_the_file_are_shown_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = """\
title: A block whose rows are none of the file's own
dims: {b: rows, d: width, e: other width}
inputs: {x: [b, d]}
blocks:
  part:
    inputs: {x: [b, d]}
    layers:
      first:  {op: linear, out: [b, e]}
      second: {op: add, in: [x, first]}
layers:
  y: {use: part}
"""
    library = _library(Path(), outer=text)
    for name in ("outer", "outer_part"):
        said = _said(library, name)
        assert said.startswith("outer.yaml:9:29: error: `second` cannot add x and first: their shapes do not fit")
        assert "first comes from line 8" in said


def test_presets_are_written_into_variants_and_files_with_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _library(tmp_path, base=BASE, v="title: V\nlike: base\n", small=BLOCKS)
    add_presets(tmp_path / "v.yaml", [OwnPreset("ours", {"d": 8, "P": 4})])
    add_presets(tmp_path / "small.yaml", [OwnPreset("ours", {"d": 8, "L": 4})])
    library = Library([tmp_path])
    assert dict(library.spec("v").presets["ours"].sizes) == {"d": 8, "P": 4}
    assert dict(library.spec("small").presets["ours"].sizes) == {"d": 8, "L": 4}
    with pytest.raises(ProblemsError, match="sets `q`"):
        add_presets(tmp_path / "v.yaml", [OwnPreset("theirs", {"q": 8})])


def test_a_mistake_in_what_comes_from_another_spec_names_the_variant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = _said(_library(Path(), base=BASE, v="title: V\nlike: base\nwithout: [f, d]\n"), "v")
    assert "base.yaml:3:" in said
    assert "as part of `v` (v.yaml)" in said
    said = _said(_library(Path(), base=BASE, v="title: V\nlike: base\nlayers:\n  placed: {op: mean, over: d}\n"), "v")
    assert "base.yaml:" in said
    assert "as part of `v` (v.yaml)" in said


@pytest.mark.parametrize(
    "written",
    [
        BLOCKS,
        BLOCKS.replace("  ffn:", "  # a comment\n\n  ffn:"),
        BLOCKS.replace("  ffn:", "  ffn: &one").replace("  cell:", "  'cell':"),
        BLOCKS.replace("\n", "\r\n"),
        BLOCKS.replace("blocks:\n", "blocks:   # two\n"),
        "{title: A, blocks: {ffn: {title: B}, cell: {title: C}}}\n",
    ],
)
def test_names_of_blocks_are_those_that_yaml_has(written: str, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_bytes(written.encode())
    assert Library([tmp_path]).blocks_of("small") == ("small_ffn", "small_cell")
