"""What check, list, show and schema print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from generator.build.fixed import SCHEMA
from generator.cli import main
from generator.commands import show
from generator.files.resources import builtin_specs_dir
from generator.spec.library import spec_files
from tests.support.small_specs import BROKEN, LAYER, write_specs


def test_check_finds_nothing_wrong_with_good_specs(capsys) -> None:
    assert main(["check", "mine"]) == 0
    assert capsys.readouterr().out == "3 specs: no mistakes\n"
    assert not Path("generated").exists()


def test_check_shows_all_mistakes_of_all_specs(specs, capsys) -> None:
    wrong = LAYER.replace("params: 20", "params: 21")
    write_specs(specs, alone=BROKEN, layer=f"{wrong}claims:\n  - {{of: macs, equals: 2*b*k*m}}\n")
    assert main(["check", "mine"]) == 1
    shown = capsys.readouterr()
    assert "mine/alone.yaml:9:11: error: unknown op `linaer`" in shown.err
    assert "mine/layer.yaml:11:47: error: preset `small` expects params to be 21, but it is 20" in shown.err
    assert "mine/layer.yaml:13:24: error: this claim does not hold: macs is not 2*b*k*m" in shown.err
    assert shown.out == "3 specs: 3 mistakes, in 2 of them\n"


def test_two_specs_of_one_name_hide_no_other_mistakes(specs, capsys) -> None:
    write_specs(specs, alone=BROKEN, more__layer=BROKEN, most__layer=LAYER.replace("out: [b, m]", "out: [b, w]"))
    assert main(["check", "mine"]) == 1
    shown = capsys.readouterr()
    assert [line for line in shown.err.splitlines() if " error: " in line] == [
        "mine/alone.yaml:9:11: error: unknown op `linaer`",
        "mine/more/layer.yaml:1:1: error: two specs are named `layer`",
        "mine/more/layer.yaml:9:11: error: unknown op `linaer`",
        "mine/most/layer.yaml:1:1: error: two specs are named `layer`",
        "mine/most/layer.yaml:9:28: error: unknown size `w`",
    ]
    assert shown.out == "3 specs: 5 mistakes, in 3 of them\n"


def test_two_specs_of_one_name_matter_only_where_the_name_is_used(specs, capsys) -> None:
    write_specs(specs, more__layer=LAYER)
    assert main(["cost", "alone", "b=2", "--preset", "lonely", "--specs", "mine"]) == 0
    assert main(["cost", "pair", "b=2", "h=1", "--specs", "mine"]) == 1
    assert "mine/more/layer.yaml:1:1: error: two specs are named `layer`" in capsys.readouterr().err


def test_list_shows_what_can_be_read_beside_two_specs_of_one_name(specs, capsys) -> None:
    write_specs(specs, more__layer=LAYER)
    assert main(["list", "mine"]) == 1
    shown = capsys.readouterr()
    lines = [line.split() for line in shown.out.splitlines()]
    assert ["layer", "(has", "mistakes)", "mine/layer.yaml"] in lines
    assert ["layer", "(has", "mistakes)", "mine/more/layer.yaml"] in lines
    assert ["alone", "Nothing", "to", "do", "with", "the", "others", "lonely", "mine/alone.yaml"] in lines
    assert "mistakes in layer" in shown.err


def test_check_of_a_file_checks_only_that(specs, capsys) -> None:
    write_specs(specs, alone=BROKEN)
    assert main(["check", "mine/pair.yaml"]) == 0
    assert capsys.readouterr().out == "1 spec: no mistakes\n"


def test_list_shows_own_and_builtin_specs(capsys) -> None:
    assert main(["list", "mine"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["name", "title", "presets", "from"]
    assert ["layer", "One", "layer", "small", "mine/layer.yaml"] in lines
    assert ["alone", "Nothing", "to", "do", "with", "the", "others", "lonely", "mine/alone.yaml"] in lines
    assert ["mlp", "Position-wise", "feed-forward", "network", "built-in", "blocks/ffn/mlp.yaml"] in lines


def test_list_finds_the_folder_named_specs(specs, capsys) -> None:
    specs.rename("specs")
    main(["list"])
    assert "specs/pair.yaml" in capsys.readouterr().out


def test_list_marks_broken_specs(specs, capsys) -> None:
    write_specs(specs, alone=BROKEN)
    assert main(["list", "mine"]) == 1
    shown = capsys.readouterr()
    assert "alone" in shown.out
    assert "mistakes in alone" in shown.err


def test_show_prints_the_rows(capsys) -> None:
    assert main(["show", "mine/pair.yaml"]) == 0
    assert capsys.readouterr().out == (
        "Two layers (pair)\n"
        "  b: rows\n"
        "  h: heads\n"
        "  k: width, by default 4*h\n"
        "  e: width of a head = k/h\n"
        "  where k % h == 0\n"
        "  preset tiny: h=2\n"
        "\n"
        "row     op          shape   times  Parameters    MACs      Matmul FLOPs  Activation memory\n"
        "first   use layer   [b, k]         k**2 + k      b*k**2    2*b*k**2      b*k\n"
        "  y     linear      [b, k]         k**2 + k      b*k**2    2*b*k**2      b*k\n"
        "bent    activation  [b, k]         0             0         0             b*k\n"
        "second  use layer   [b, k]         k**2 + k      b*k**2    2*b*k**2      0\n"
        "  y     linear      [b, k]         k**2 + k      b*k**2    2*b*k**2      0\n"
        "total                              2*k**2 + 2*k  2*b*k**2  4*b*k**2      2*b*k\n"
    )


def test_show_puts_in_the_sizes_that_are_given(capsys) -> None:
    assert main(["show", "mine/layer.yaml", "--preset", "small"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  k: width in = 3" in lines
    assert lines[-1].split() == ["total", "20", "15*b", "30*b", "3*b"]
    assert main(["show", "mine/layer.yaml", "--preset", "small", "b=1000", "m=7"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["total", "28", "21,000", "42,000", "3,000"]


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_show_fits_the_terminal(capsys, monkeypatch, columns) -> None:
    monkeypatch.setattr(show, "width", lambda: columns)
    main(["show", "multi_head_attention", "d=12345678"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert any("…" in line for line in lines)


@pytest.mark.parametrize("columns", [60, 80, 100])
@pytest.mark.parametrize("given", [["b=7", "n=1234567"], ["b=7"], []])
def test_no_number_is_cut_to_fit(capsys, monkeypatch, columns, given) -> None:
    main(["show", "multi_head_attention", "d=12345678", "h=1", *given])
    whole = set(re.findall(r"[0-9]+", capsys.readouterr().out.replace(",", "")))
    monkeypatch.setattr(show, "width", lambda: columns)
    main(["show", "multi_head_attention", "d=12345678", "h=1", *given])
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= columns
    shown = re.findall(r"[0-9][0-9.]*(?: [kMGTPEZYB])?\b", out.replace(",", ""))
    powers = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "Z": 1e21}
    for number in shown:
        digits, _, power = number.partition(" ")
        assert digits in whole or any(abs(float(digits) * powers[power] / int(one) - 1) < 6e-4 for one in whole if int(one)), number


def test_numbers_are_rounded_where_exact_ones_do_not_fit(capsys, monkeypatch) -> None:
    words = ["show", "bert", "--preset", "bert-base", "n=512", "b=8"]
    monkeypatch.setattr(show, "width", lambda: 80)
    main(words)
    out = capsys.readouterr().out
    assert ("109.5 M  386.6 G    773.1 G    912.5 M" in out, "numbers are rounded to fit" in out) == (True, True)
    monkeypatch.setattr(show, "width", lambda: 200)
    main(words)
    out = capsys.readouterr().out
    assert ("109,482,240  386,551,775,232" in out, "rounded" in out) == (True, False)


def test_show_names_the_presets_with_their_sizes(capsys) -> None:
    assert main(["show", "mine/layer.yaml"]) == 0
    assert "  preset small: k=3 m=5\n" in capsys.readouterr().out


def test_show_as_json_has_numbers_where_sizes_are_known_and_formulas_elsewhere(capsys) -> None:
    assert main(["show", "mine/layer.yaml", "--preset", "small", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["totals"] == {"params": 20, "macs": "15*b", "matmul_flops": "30*b", "saved_elements": "3*b"}
    assert found["rows"] == [{"row": "y", "op": "linear", "shape": ["b", 5], "times": 1, **found["totals"]}]
    assert found["presets"] == {"small": {"set": {"k": 3, "m": 5}, "options": {}}}
    assert found["sizes"]["b"] == {"meaning": "rows", "kind": "free", "value": None}


@pytest.mark.parametrize(
    ("words", "names"),
    [(["mine", "One layer"], ["layer"]), (["mine", "with the others"], ["alone"]), (["mine", "nothing", "alone"], ["alone"])],
)
def test_list_finds_words_in_names_titles_and_presets(capsys, words, names) -> None:
    assert main(["list", *words]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == names


def test_list_of_a_word_that_nothing_has_suggests_a_name(capsys) -> None:
    assert main(["list", "mine", "layr"]) == 2
    said = capsys.readouterr().err
    assert said == "error: no spec or preset has `layr` in its name or title\n  did you mean `layer`?\n  `gen list` shows all\n"


def test_list_of_presets_gives_sizes_that_can_be_typed(capsys) -> None:
    assert main(["list", "mine", "--presets", "small", "One layer"]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["preset", "spec", "sizes"],
        ["small", "layer", "k=3", "m=5"],
    ]
    assert main(["list", "--presets", "bert-large", "--json"]) == 0
    found = {one["spec"]: one for one in json.loads(capsys.readouterr().out)}["bert"]
    assert (found["preset"], found["set"]["d"], found["options"]) == ("bert-large", 1024, {})


def test_list_as_json(specs, capsys) -> None:
    write_specs(specs, pair=BROKEN)
    assert main(["list", "mine", "--json"]) == 1
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["layer"] == {"name": "layer", "title": "One layer", "from": "mine/layer.yaml", "presets": ["small"]}
    assert found["pair"]["title"] is None


def test_show_is_whole_where_nothing_needs_to_fit(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    main(["show", "multi_head_attention"])
    assert "4*b*n*d**2 + 2*b*n**2*d  8*b*n*d**2 + 4*b*n**2*d" in capsys.readouterr().out


def test_schema_prints_a_valid_schema_that_accepts_a_spec(capsys) -> None:
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    spec = {"title": "T", "dims": {"n": "size"}, "inputs": {"x": ["n"]}, "layers": {"y": {"op": "linear", "out": ["n"]}}}
    assert validator.is_valid(spec)
    assert not validator.is_valid(spec | {"layers": {"y": {"op": "linaer"}}})


@pytest.mark.parametrize("file", sorted(spec_files(builtin_specs_dir())), ids=lambda file: file.stem)
def test_built_in_specs_tell_editors_where_the_schema_is_written(file) -> None:
    heading = file.read_text(encoding="utf-8").splitlines()[0]
    assert (file.parent / heading.partition("$schema=")[2]).resolve() == builtin_specs_dir().parent / "generated" / SCHEMA
