"""`gen diff`: two specs, two presets, two revisions."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from generator.cli import main
from tests.support.small_specs import LAYER, write_specs


def diff(capsys, *words: str, code: int = 1) -> str:
    assert main(["diff", *words, "--specs", "mine"]) == code
    return capsys.readouterr().out


@pytest.fixture
def repository(specs: Path) -> Path:
    """The folder of specs under git, with a first commit; `layer` has a bias since then."""
    write_specs(
        specs,
        layer=LAYER.replace("{op: linear, out: [b, m]}", "{op: linear, out: [b, m], bias: false}").replace("params: 20", "params: 15"),
    )
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "First"]):
        subprocess.run([*git, *words], cwd=specs.parent, check=True)
    write_specs(specs, layer=LAYER)
    return specs


def test_equal_sides_differ_in_nothing(capsys) -> None:
    assert diff(capsys, "layer", "layer", code=0) == "layer and layer\nnothing differs\n"


def test_presets_differ_in_sizes_and_numbers_only(capsys) -> None:
    shown = diff(capsys, "bert@bert-base", "bert@bert-large", "b=1", "n=512")
    assert "  d: 768 → 1,024\n" in shown
    assert "rows" not in shown.splitlines()
    assert "all formulas are equal" in shown
    (params,) = [line.split() for line in shown.splitlines() if line.startswith("Parameters")]
    assert params == ["Parameters", "109,482,240", "335,141,888", "+225,659,648", "3.061"]  # the published counts


def test_specs_differ_in_rows_shapes_and_costs(capsys) -> None:
    data = json.loads(diff(capsys, "multi_head_attention", "linear_attention", "b=1", "n=512", "d=768", "h=12", "--json"))
    kinds = {row["path"]: row["kind"] for row in data["rows"]}
    assert (kinds["weights"], kinds["kv"], kinds["context"]) == ("gone", "new", "changed")
    assert "q" not in kinds
    assert data["totals"]["macs"]["numbers"] == [1_610_612_736, 1_258_684_416]
    assert data["totals"]["params"]["difference"] == "0"
    changed = {
        change["what"]: (change["before"], change["after"]) for row in data["rows"] if row["path"] == "context" for change in row["changes"]
    }
    assert changed["macs"] == ("b*n**2*d", None)  # the division by the sum of the weights contracts nothing


def test_a_revision_is_compared_with_the_working_tree(repository, capsys) -> None:
    assert repository.is_dir()
    shown = diff(capsys, "layer@git:HEAD", "layer", "b=2", "k=3", "m=5")
    assert "  ~ y\n      params: k*m → k*m + m\n" in shown
    (params,) = [line.split() for line in shown.splitlines() if line.startswith("Parameters")]
    assert params == ["Parameters", "15", "20", "+5", "1.333"]
    assert diff(capsys, "layer@git:HEAD", "layer@git:HEAD", code=0).endswith("nothing differs\n")


@pytest.mark.parametrize("revision", ["nowhere", "--output=x", "HEAD; rm -rf ."])
def test_a_revision_that_is_none_is_said(repository, capsys, revision) -> None:
    assert repository.is_dir()
    assert main(["diff", f"layer@git:{revision}", "layer", "--specs", "mine"]) == 2
    assert f"git knows no revision `{revision}`" in capsys.readouterr().err


def test_a_spec_outside_of_git_has_no_revisions(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["diff", "layer@git:HEAD", "layer", "--specs", "mine"]) == 2
    assert "is in no git repository" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("layer", "two sides are compared; found 1"),
        ("layer pair mlp", "two sides are compared; found 3"),
        ("layer@big pair", "`layer` has no preset `big`"),
        ("layer pair z=3", "`z` is neither a size nor an option of the two"),
        ("layer pear", "there is no spec named `pear`\n  did you mean `pair`?"),
    ],
)
def test_what_is_wrong_is_said(capsys, words, message) -> None:
    assert main(["diff", *words.split(), "--specs", "mine"]) == 2
    assert message in capsys.readouterr().err
