"""`gen compare`: tables, ratios, crossings, and files."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from openpyxl import load_workbook

from generator.cli import main
from tests.support.small_specs import write_specs

SQUARE = """
title: Every pair
dims: {b: batch, n: length, k: {is: width, default: 8}}
inputs: {x: [b, n, k]}
layers:
  scores: {op: einsum, in: [x, x], eq: "b i k, b j k -> b i j"}
presets: {small: {set: {k: 4}}}
"""
LINE = """
title: A product with itself
dims: {b: batch, n: length, k: width, m: {is: width out, default: 4*k}}
inputs: {x: [b, n, k]}
layers:
  up: {op: linear, out: [b, n, m], bias: false}
"""


@pytest.fixture(autouse=True)
def two_specs(specs: Path) -> None:
    """`square` costs b*n^2*k multiply-accumulates, `line` 4*b*n*k^2: they cross at n = 4*k."""
    write_specs(specs, square=SQUARE, line=LINE)


def run(capsys, *words: str) -> str:
    assert main(["compare", *words, "--specs", "mine"]) == 0
    return capsys.readouterr().out


def test_a_sweep_is_a_table_with_ratios_and_the_crossing_below(capsys) -> None:
    assert run(capsys, "square", "line", "b=1", "k=4", "--sweep", "n=4..64:x4", "--quantity", "macs") == (
        "square: Every pair; b=1, k=4\n"
        "line: A product with itself; b=1, k=4, m=16\n"
        "\n"
        "MACs (multiply-accumulates)\n"
        " n  square   line  ratio\n"
        " 4      64    256  4.000\n"
        "16   1,024  1,024  1.000\n"
        "64  16,384  4,096  0.250\n"
        "  line costs less from n = 17 on (n = m = 16)\n"
    )


def test_without_a_sweep_there_is_one_table_of_all_quantities(capsys) -> None:
    shown = run(capsys, "square", "line", "--preset", "small", "b=2", "n=3", "--quantity", "params,macs,total_flops")
    assert [line.split() for line in shown.splitlines()[3:]] == [
        ["square", "line", "ratio"],
        ["Parameters", "0", "64"],
        ["MACs", "72", "384", "5.333"],
        ["Total", "FLOPs", "144", "768", "5.333"],
    ]


def test_json_holds_exact_integers_signs_and_roots(capsys) -> None:
    data = json.loads(run(capsys, "square", "line", "b=1", "k=1000003", "--sweep", "n=1e6,1e9", "--quantity", "macs", "--json"))
    assert data["at"] == [10**6, 10**9]
    assert data["values"]["macs"] == {
        "square": [10**12 * 1000003, 10**18 * 1000003],
        "line": [4 * 10**6 * 1000003**2, 4 * 10**9 * 1000003**2],
    }
    (found,) = data["crossings"]
    assert (found["signs"], found["roots"]) == ([-1, 1], [{"exact": "4000012", "near": 4000012.0, "between": [4000012, 4000012]}])


def test_csv_has_a_line_for_each_size_and_side(capsys) -> None:
    rows = list(csv.reader(io.StringIO(run(capsys, "square", "line", "b=1", "k=4", "--sweep", "n=4,8", "--quantity", "macs", "--csv"))))
    assert rows == [["n", "side", "macs"], ["4", "square", "64"], ["4", "line", "256"], ["8", "square", "256"], ["8", "line", "512"]]


def test_a_default_size_can_be_swept(capsys) -> None:
    shown = run(capsys, "square", "line", "b=1", "n=4", "m=20", "--sweep", "k=2,4", "--quantity", "macs")
    assert "line costs more at every k" in shown


def test_presets_of_one_spec_stand_side_by_side(capsys) -> None:
    data = json.loads(run(capsys, "square@small", "square", "b=1", "n=2", "--quantity", "macs", "--json"))
    assert data["values"]["macs"] == {"square@small": [16], "square": [32]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("square", "two specs at least are needed to compare"),
        ("n=3", "two specs at least are needed to compare"),
        ("square line b=1 n=2", "params of `line` needs `k`, which is not given"),
        ("square line b=1 z=2", "`z` is not a size of `square` and `line`"),
        ("square line b=1 k=2 --sweep n=9..3", "`n=9..3`: 3 is less than 9"),
        ("square line b=1 k=2 n=4 --sweep n=1..9", "`n` is both given and swept"),
        ("square line b=1 n=2 --quantity makes", "`makes` is no quantity\n  did you mean `macs`?"),
        ("square line --preset smal", "no spec has a preset `smal`"),
        ("square@smal line b=1 k=1 n=1", "`square` has no preset `smal`\n  did you mean `small`?"),
        ("square line b=1 k=1 --sweep n=1,2 --workbook x.txt", "--workbook: x.txt must end in .xlsx"),
        ("square line b=1 k=1 --sweep n=1,2 --plot x.pdf", "--plot: x.pdf must end in .svg or .png"),
        ("square line b=1 k=1 --sweep n=1,2 --workbook gone/x.xlsx", "--workbook: there is no folder gone"),
        ("square line b=1 k=1 --sweep n=1,2 --plot mine", "--plot: mine must end in .svg or .png"),
        ("square line b=1 k=1 --sweep n=1,2 --lang zj", "--lang: there are no texts in `zj`\n  languages: `en` and `zh`"),
    ],
)
def test_what_is_wrong_is_said(capsys, words, message) -> None:
    assert main(["compare", *words.split(), "--specs", "mine"]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""
    assert not list(Path().glob("x.*"))


def test_a_workbook_can_be_in_chinese(capsys) -> None:
    run(capsys, "square", "line", "b=1", "k=4", "--sweep", "n=4..64:x2", "--quantity", "macs", "--workbook", "a.xlsx", "--lang", "zh")
    assert load_workbook("a.xlsx").sheetnames == ["概览", "乘加次数 (MAC)", "交叉点"]


def test_chart_and_workbook_are_written(capsys) -> None:
    pytest.importorskip("matplotlib")
    sweep = ["square", "line", "b=1", "k=4", "--sweep", "n=4..64:x2", "--quantity", "macs"]
    run(capsys, *sweep, "--plot", "a.svg", "--workbook", "a.xlsx")
    run(capsys, *sweep, "--plot", "a.png")
    assert Path("a.svg").read_text().startswith("<?xml")
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert Path("a.xlsx").read_bytes().startswith(b"PK")


def test_without_matplotlib_the_table_still_comes_and_the_message_says_what_to_install(capsys, monkeypatch) -> None:
    monkeypatch.setattr("generator.render.comparison.chart.draw.find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["compare", "square", "line", "b=1", "k=4", "--sweep", "n=4,8", "--specs", "mine", "--plot", "a.svg"]) == 1
    shown = capsys.readouterr()
    assert "line costs less from n = 17 on" in shown.out
    assert "pip install 'archsheet[plot]'" in shown.err
    assert not Path("a.svg").exists()
