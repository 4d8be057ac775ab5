"""Comparisons as files: what is read, and what is said about mistakes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from sympy import Rational

from generator.cli import main
from generator.formulas.symbols import symbol
from generator.questions.comparison.comparison_reader import read_comparison
from generator.questions.comparison.result import compared
from generator.spec.library import Library
from generator.spec.yaml_reader import load_source, plain, read_yaml
from generator.text.problems import ProblemsError

GOOD = """
title: Two layers
question: Which is cheaper?
sweep: {size: n, values: 4..64:x2}
hold: {b: 1, d: 8, h: 2}
compare:
  - {spec: multi_head_attention, label: all}
  - {spec: linear_attention}
measures: [macs]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine" / "comparisons").mkdir(parents=True)
    return tmp_path / "mine"


def read(folder: Path, text: str):
    file = folder / "comparisons" / "one.yaml"
    file.write_text(text, encoding="utf-8")
    return read_comparison(file, Library([folder]))


def test_a_comparison_is_read(folder) -> None:
    comparison = read(folder, GOOD)
    assert [subject.label for subject in comparison.subjects] == ["all", "linear_attention"]
    assert list(comparison.axis.values) == [4, 8, 16, 32, 64]
    assert compared(comparison).pairs[0].crossing.roots[0].value == Rational(8, 2) + Rational(1, 2)  # n = d/h + 1/2


def test_sizes_may_follow_from_the_swept_one(folder) -> None:
    text = GOOD.replace("size: n,", "size: s,").replace("label: all}", "label: all, set: {n: (s/2)**2 + 1}}")
    comparison = read(folder, text.replace("{spec: linear_attention}", "{spec: linear_attention, set: {n: s}}"))
    values = compared(comparison).tables[0].values
    assert values[0][0] == 4 * 5 * 64 + 2 * 25 * 8


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("linear_attention}", "linaer_attention}", "one.yaml:8:12: error: there is no spec named `linaer_attention`"),
        ("[macs]", "[makes]", "one.yaml:9:12: error: `makes` is no quantity"),
        ("label: all}", "set: {k: 3}}", "one.yaml:7:40: error: `k` is not a size of `multi_head_attention` that can be set"),
        ("label: all}", "row: nothing}", "`multi_head_attention` has no row `nothing`"),
        ("label: all}", "preset: none}", "`multi_head_attention` has no preset `none`"),
        ("label: all}", "options: {biass: true}}", "`biass` is not an option of `multi_head_attention`"),
        ("label: all}", "set: {d: s + }}", "the expression ends after `+`"),
        ("h: 2", "h: 3", "these sizes break `d % h == 0`"),
        ("4..64:x2", "64..4", "`n=64..4`: 4 is less than 64"),
        ("title:", "titel:", "unknown key `titel`"),
        ("measures: [macs]", "measures: [macs]\ncite: [nobody2020]", "`nobody2020` is not in references.yaml"),
        ("measures: [macs]", "measures: [macs]\nratios: [1/0]", "`1/0` is no factor"),
    ],
)
def test_mistakes_are_shown_with_their_line(folder, old, new, message) -> None:
    with pytest.raises(ProblemsError) as caught:
        read(folder, GOOD.replace(old, new))
    assert message in str(caught.value)
    assert "comparisons/one.yaml:" in str(caught.value)


def test_all_mistakes_are_reported_together(folder) -> None:
    with pytest.raises(ProblemsError) as caught:
        read(folder, GOOD.replace("[macs]", "[makes]").replace("linear_attention}", "linaer}").replace("4..64:x2", "4..x"))
    assert len(caught.value.problems) == 3


def test_the_schema_is_valid_and_accepts_what_is_committed() -> None:
    import json

    from generator.files.resources import builtin_specs_dir
    from generator.questions.comparison import comparison_reader
    from generator.questions.comparison.comparison_folder import comparison_files

    schema = json.loads(Path(comparison_reader.__file__).with_name("schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    for file in comparison_files(Library([builtin_specs_dir()])).values():
        assert Draft202012Validator(schema).is_valid(plain(read_yaml(load_source(file, file.name))))


LAYER = "title: A layer\ndims: {b: batch, n: rows, d: width}\ninputs: {x: [b, n, d]}\nlayers:\n  y: {op: linear, out: [b, n, d]}\n"


@pytest.mark.slow
def test_build_writes_page_chart_and_workbook_and_removes_what_is_gone(folder, capsys) -> None:
    pytest.importorskip("matplotlib")
    (folder / "layer.yaml").write_text(LAYER)
    file = folder / "comparisons" / "one.yaml"
    file.write_text(GOOD)
    assert main(["build", "mine"]) == 0
    assert "1 spec and 1 comparison" in capsys.readouterr().out
    written = {path.name for path in Path("generated/comparisons").iterdir()}
    assert written == {"README.md", "one.md", "one.svg", "one.xlsx"}
    before = {path: path.stat().st_mtime_ns for path in Path("generated/comparisons").iterdir()}
    assert main(["build", "mine"]) == 0
    assert {path: path.stat().st_mtime_ns for path in Path("generated/comparisons").iterdir()} == before
    assert main(["build", "mine", "--check"]) == 0
    file.write_text(GOOD.replace("d: 8", "d: 16"))
    assert main(["build", "mine", "--check"]) == 1
    assert "generated/comparisons/one.md: out of date" in capsys.readouterr().err
    file.unlink()
    assert main(["build", "mine"]) == 0
    assert {path.name for path in Path("generated/comparisons").iterdir()} == {"README.md"}


def test_a_broken_comparison_keeps_its_outputs_and_everything_else_is_built(folder, capsys) -> None:
    (folder / "layer.yaml").write_text(LAYER)
    (folder / "comparisons" / "one.yaml").write_text(GOOD.replace("[macs]", "[makes]"))
    assert main(["build", "mine", "--formats", "markdown"]) == 1
    shown = capsys.readouterr()
    assert "`makes` is no quantity" in shown.err
    assert Path("generated/markdown/layer.md").is_file()
    assert main(["check", "mine"]) == 1
    assert "`makes` is no quantity" in capsys.readouterr().err


def test_without_matplotlib_the_page_is_built_and_the_message_says_what_to_install(folder, capsys, monkeypatch) -> None:
    monkeypatch.setattr("generator.build.comparisons._plot_version", lambda: "")
    (folder / "layer.yaml").write_text(LAYER)
    (folder / "comparisons" / "one.yaml").write_text(GOOD)
    assert main(["build", "mine", "--formats", "markdown"]) == 0
    assert "pip install 'archsheet[plot]'" in capsys.readouterr().err
    assert {path.name for path in Path("generated/comparisons").iterdir()} == {"README.md", "one.md"}


STAGES = """
title: Stages of two widths
question: Which is cheaper?
sweep: {size: n, values: 64..1024:x2}
hold: {b: 1, K: 10, L: 2}
compare:
  - {spec: pyramid, label: narrow, set: {C: [8, 16, 32, 64], L4: 1}}
  - {spec: pyramid, label: wide, preset: tiny, set: {C: [64, 128, n, 512], E: 2}}
measures: [params, macs]
"""


@pytest.fixture
def stages(folder: Path) -> Path:
    for file in (Path(__file__).parents[2] / "fixtures" / "stages").glob("stage_*.yaml"):
        shutil.copy(file, folder)
    shutil.copy(Path(__file__).parents[2] / "fixtures" / "stages" / "pyramid.yaml", folder)
    return folder


def test_sizes_with_an_entry_for_each_stage_are_lists_or_one_for_all(stages: Path) -> None:
    narrow, wide = read(stages, STAGES).subjects
    entries = {f"{size}{i}" for size in "CLE" for i in range(1, 5)}
    n = symbol("n")
    assert {name: value for name, value in narrow.given.items() if name in entries} == (
        {"C1": 8, "C2": 16, "C3": 32, "C4": 64} | {"L1": 2, "L2": 2, "L3": 2, "L4": 1}
    )
    assert {name: value for name, value in wide.given.items() if name in entries} == (
        {"C1": 64, "C2": 128, "C3": n, "C4": 512} | {f"L{i}": 2 for i in range(1, 5)} | {f"E{i}": 2 for i in range(1, 5)}
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[8, 16, 32, 64]", "[8, 16, 32]", "one.yaml:7:45: error: `C` has 4 entries, and 3 numbers are given"),
        ("L: 2}", "n: [1, 2]}", "one.yaml:5:24: error: `n` is one size, and a list of 2 numbers is given"),
        ("[64, 128, n, 512]", "[64, 128, m, 512]", "one.yaml:8:67: error: unknown name `m`"),
    ],
)
def test_lists_that_do_not_fit_are_shown_with_their_line(stages: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ProblemsError) as caught:
        read(stages, STAGES.replace(old, new))
    assert message in str(caught.value)
