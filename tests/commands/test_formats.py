"""What commands print for other programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from generator.cli import main
from tests.support.small_specs import BROKEN, LAYER, write_specs


@pytest.fixture
def broken(specs: Path) -> Path:
    """A file with a comma and a percent sign in its path, and a mistake on line 9."""
    (specs / "odd, 1%").mkdir()
    (specs / "odd, 1%" / "wrong.yaml").write_text(BROKEN.split("presets:")[0])
    return specs


@pytest.mark.usefixtures("broken")
def test_mistakes_as_json(capsys) -> None:
    assert main(["check", "mine", "--json"]) == 1
    out, err = capsys.readouterr()
    (found,) = json.loads(out)
    assert (found["file"], found["line"], found["column"], found["message"], err) == (
        "mine/odd, 1%/wrong.yaml",
        9,
        11,
        "unknown op `linaer`",
        "",
    )
    assert "did you mean `linear`?" in found["notes"]


@pytest.mark.usefixtures("broken")
def test_annotations_follow_the_rules_of_github(capsys) -> None:
    assert main(["check", "mine", "--format", "github"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    match = re.fullmatch(r"::error (?P<properties>[^:]*)::(?P<message>.*)", line)
    assert match
    properties = dict(one.split("=", 1) for one in match["properties"].split(","))
    unescaped = {name: unquote(value) for name, value in properties.items()}  # %25, %0A, %3A and %2C are all that is escaped
    assert unescaped["file"] == "mine/odd, 1%/wrong.yaml"
    assert (unescaped["line"], unescaped["col"], unescaped["endColumn"]) == ("9", "11", "17")
    assert unquote(match["message"]).startswith("unknown op `linaer`\ndid you mean `linear`?")


def test_sarif_names_file_line_and_column(broken, capsys) -> None:
    assert main(["check", "mine", "--format", "sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    (result,) = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (log["version"], result["level"]) == ("2.1.0", "error")
    assert unquote(place["artifactLocation"]["uri"]) == "mine/odd, 1%/wrong.yaml"
    assert place["region"] == {"startLine": 9, "startColumn": 11, "endColumn": 17}
    line = (broken / "odd, 1%" / "wrong.yaml").read_text().splitlines()[8]
    assert line[10:16] == "linaer"
    assert result["ruleId"] == log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]


@pytest.mark.parametrize(("kind", "empty"), [("json", []), ("github", ""), ("sarif", {"results": []})])
def test_no_mistakes(kind, empty, capsys) -> None:
    assert main(["check", "mine", "--format", kind]) == 0
    out = capsys.readouterr().out
    found = out if kind == "github" else json.loads(out)
    assert (found["runs"][0] | empty == found["runs"][0]) if kind == "sarif" else found == empty


@pytest.mark.parametrize(
    ("words", "code", "place", "message"),
    [
        ("cost wrong b=1", 1, ("mine/odd, 1%/wrong.yaml", 9, 11), "unknown op `linaer`"),
        ("cost layr b=1", 2, (None, None, None), "there is no spec named `layr`"),
        ("cost layer b=1", 2, (None, None, None), ""),
        ("cost layer b=1 --nonsense", 2, (None, None, None), "`gen cost` has no option `--nonsense`"),
        ("memory layer b=one", 2, (None, None, None), "`b=one`"),
        ("check nowhere", 2, (None, None, None), "nowhere: no such file or folder"),
        ("build mine --out mine/layer.yaml/x", 1, (None, None, None), "mine/layer.yaml/x: Not a directory"),
    ],
)
@pytest.mark.usefixtures("broken")
def test_errors_are_json_where_json_is_asked_for(words, code, place, message, capsys) -> None:
    asked = [*words.split(), "--json", *(("--specs", "mine/odd, 1%", "--specs", "mine") if words.startswith(("cost", "memory")) else ())]
    assert main(asked) == code
    out, err = capsys.readouterr()
    assert err == ""
    first = json.loads(out)["errors"][0]
    assert (first["file"], first["line"], first["column"]) == place
    assert message in first["message"]


def test_a_mistake_of_ours_is_json_where_json_is_asked_for(capsys, monkeypatch) -> None:
    from generator.commands import cost

    monkeypatch.setattr(cost, "run", lambda _: 1 // 0)
    assert main(["cost", "layer", "--json"]) == 70
    (error,) = json.loads(capsys.readouterr().out)["errors"]
    assert error["message"].startswith("a mistake in gen itself: ZeroDivisionError")


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_a_sweep_without_a_file_writes_to_stdout(kind, capsys) -> None:
    assert main(["sweep", "layer", "--specs", "mine", "b=1,2", "--preset", "small", "--quantity", "macs", f"--{kind}"]) == 0
    out = capsys.readouterr().out
    rows = json.loads(out) if kind == "json" else out.splitlines()
    assert rows == ([{"b": 1, "k": 3, "m": 5, "macs": 15}, {"b": 2, "k": 3, "m": 5, "macs": 30}] if kind == "json" else rows)
    assert len(rows) == (2 if kind == "json" else 3)


def test_a_size_is_not_taken_for_the_name_of_a_file(capsys) -> None:
    assert main(["sweep", "layer", "--specs", "mine", "--json", "b=1,2", "--preset", "small"]) == 2
    assert "--json: `b=1,2` would be the name of the file; put sizes before this option" in capsys.readouterr().err
    assert not Path("b=1,2").exists()


@pytest.mark.slow
def test_bench_as_json(capsys) -> None:
    words = ["bench", "layer", "--specs", "mine", "--preset", "small", "--sweep", "b=1..2", "--repeats", "2", "--warmup", "0", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["b"], one["flops"]) for one in found["points"]] == [(1, 35), (2, 70)]  # 2*3*5 for the matrix, 5 for the biases
    assert all(one["seconds"] > 0 for one in found["points"])


@pytest.mark.slow
def test_a_workbook_of_a_comparison_needs_no_sweep(specs, capsys) -> None:
    write_specs(specs, wide=LAYER.replace("m: 5", "m: 7").replace("20", "28"))
    assert (
        main(["compare", "layer", "wide", "--specs", "mine", "--preset", "small", "b=1", "--quantity", "macs", "--workbook", "a.xlsx"]) == 0
    )
    out, err = capsys.readouterr()
    assert err == "note: a chart needs a size that runs: this one is over b=1..8:x2; --sweep names another\n"
    assert re.findall(r"^ *(\d+) ", out, re.MULTILINE) == ["1", "2", "4", "8"]
    assert Path("a.xlsx").stat().st_size > 1000
