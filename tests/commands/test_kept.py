"""What was derived before is not derived again, and is never out of date."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from generator.cli import main
from generator.files import user_cache

SPEC = """\
title: Two layers
dims: {b: batch size, n: length, d: {is: width, default: 4*n}, h: {is: half, value: d / 2}}
options: {bias: {default: true, is: add a bias}}
inputs: {x: [b, n, d]}
where: ["d % 2 == 0"]
presets: {small: {set: {n: 2, d: 6}}, only-mine: {set: {d: 6, n: 2}}}
layers:
  a: {op: linear, out: [b, n, h], bias: bias}
  y: {use: part, in: a, with: {d: h}}
"""
PART = """\
title: A part
dims: {b: batch size, n: length, d: width}
inputs: {x: [b, n, d]}
layers:
  y: {op: softmax, over: d}
"""
QUESTIONS = (
    ["cost", "mine.yaml", "b=3", "n=5"],
    ["cost", "mine.yaml", "b=3", "--preset", "small", "--json"],
    ["cost", "mine.yaml", "b=3", "n=5", "bias=false", "--dtype", "bfloat16"],
    ["cost", "mine.yaml", "b=3", "n=5", "--json", "--dtype", "float64"],
    ["show", "mine.yaml"],
    ["show", "mine.yaml", "bias=false", "n=7"],
    ["show", "mine.yaml", "b=3", "--preset", "small"],
    ["cost", "mine.yaml", "b=3", "n=5", "d=7"],
    ["cost", "mine.yaml", "b=3"],
    ["cost", "mine.yaml", "b=3", "n=5", "c=7"],
    ["cost", "mine.yaml", "b=3", "--preset", "large"],
    ["cost", "mine.yaml", "b=3", "n=5", "--weights", "int4", "--cache", "fp8"],
    ["list", "."],
    ["cost", "only-mine", "b=3", "--specs", "."],
    ["cost", "mixture_of_experts", "b=1", "n=7", "d=8", "f=16", "E=4", "k=2", "--json"],
    ["show", "mixture_of_experts", "b=1", "n=7", "d=8", "f=16", "E=4", "k=2"],
)
# which layer is the last of a pattern depends on sizes: its highest moment is kept for those that were asked for
PATTERN = ["cost", "gemma3", "b=1", "n=3", "d=8", "L=7", "h=2", "g=1", "e=4", "f=8", "V=11", "P=8", "w=2"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with specs of one's own and a folder of caches that is not there yet."""
    (tmp_path / "mine.yaml").write_text(SPEC)
    (tmp_path / "part.yaml").write_text(PART)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(user_cache.FOLDER, str(tmp_path / "kept"))
    return tmp_path


def said(question: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(question)
    return code, *capsys.readouterr()


def params(capsys: pytest.CaptureFixture[str]) -> int:
    return json.loads(said(["cost", "mine.yaml", "b=3", "n=5", "--json"], capsys)[1])["params"]


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_the_answer_is_the_same_when_it_was_kept(question, folder, capsys, monkeypatch) -> None:
    monkeypatch.setenv(user_cache.FOLDER, "")
    derived = said(question, capsys)
    assert not (folder / "kept").exists()
    monkeypatch.setenv(user_cache.FOLDER, str(folder / "kept"))
    assert said(question, capsys) == derived
    assert said(question, capsys) == derived


@pytest.mark.parametrize("question", [*(QUESTIONS[i] for i in (3, 4, *range(11, len(QUESTIONS)))), PATTERN], ids=" ".join)
@pytest.mark.usefixtures("folder")
def test_a_kept_answer_needs_no_sympy(question, capsys) -> None:
    code, _, told = said(question, capsys)
    assert code == 0, told
    code = f"import sys; from generator.cli import main; code = main({question!r}); sys.exit(code or 'sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("mine.yaml", "d / 2", "2 * d", 20 * 40 + 40),
        ("part.yaml", "{op: softmax, over: d}", "{op: linear, out: [b, n, d]}", 20 * 10 + 10 + 10 * 10 + 10),
    ],
)
def test_an_edit_of_a_spec_or_of_what_it_uses_is_seen(name, old, new, expected, folder, capsys) -> None:
    assert params(capsys) == params(capsys) == 20 * 10 + 10
    file = folder / name
    file.write_text(file.read_text().replace(old, new))
    assert params(capsys) == params(capsys) == expected


def test_a_preset_that_comes_to_have_a_namesake_is_seen(folder, capsys) -> None:
    question = ["cost", "only-mine", "b=3", "--specs", "."]
    assert said(question, capsys) == said(question, capsys)
    (folder / "part.yaml").write_text(PART + "presets: {only-mine: {set: {n: 2, d: 6}}}\n")
    code, _, told = said(question, capsys)
    assert (code, "`mine` and `part` have a preset `only-mine`" in told) == (1, True), told


def test_a_spec_that_comes_to_hide_a_used_one_is_seen(folder, capsys) -> None:
    text = SPEC.replace("use: part", "use: mlp").replace("{d: h}", "{d: h, f: h}")
    (folder / "mine.yaml").write_text(text)
    assert params(capsys) == params(capsys) == 20 * 10 + 10 + 2 * (10 * 10 + 10)
    (folder / "mlp.yaml").write_text(PART.replace("d: width}", "d: width, f: inside}"))
    assert params(capsys) == 20 * 10 + 10


def test_a_mistake_is_told_though_the_spec_was_kept_without_it(folder, capsys) -> None:
    params(capsys)
    (folder / "part.yaml").write_text(PART.replace("softmax", "softmaxx"))
    code, _, told = said(["cost", "mine.yaml", "b=3", "n=5"], capsys)
    assert (code, "softmaxx" in told) == (1, True)


def test_a_doubt_is_told_each_time(folder, capsys) -> None:
    (folder / "mine.yaml").write_text(SPEC.replace("d: 6}}", "d: 6}, expect: {params: 1}}"))
    first, second = (said(["cost", "mine.yaml", "b=3", "n=5"], capsys) for _ in range(2))
    assert first == second
    assert "expects params to be 1" in first[2]


@pytest.mark.parametrize("damage", [b"", b"{}", b"0\n{}", "cut", "changed"])
def test_damaged_entries_are_not_believed(damage, folder, capsys) -> None:
    expected = params(capsys)
    for entry in (folder / "kept").iterdir():
        whole = entry.read_bytes()
        entry.write_bytes({"cut": whole[:-9], "changed": whole.replace(b"Mul", b"Add")}[damage] if isinstance(damage, str) else damage)
    assert params(capsys) == expected


def test_another_entry_in_the_place_of_one_is_not_believed(folder, capsys) -> None:
    """A well-formed entry that is no sheet."""
    expected = params(capsys)
    keys = [entry.name for entry in (folder / "kept").iterdir()]
    user_cache.keep("something else", {"sizes": ["b"], "options": [], "uses": []})
    other = next(entry for entry in (folder / "kept").iterdir() if entry.name not in keys)
    for key in keys:
        (folder / "kept" / key).write_bytes(other.read_bytes())
    assert params(capsys) == expected


def test_where_nothing_can_be_kept_all_is_derived(folder, capsys) -> None:
    (folder / "kept").write_text("a file in the place of the folder")
    assert params(capsys) == params(capsys) == 20 * 10 + 10
    assert (folder / "kept").read_text() == "a file in the place of the folder"


def test_not_more_is_kept_than_some_hundred_entries(folder) -> None:
    for index in range(user_cache.MOST_ENTRIES + 2):
        user_cache.keep(str(index), index)
    assert len(list((folder / "kept").iterdir())) < user_cache.MOST_ENTRIES
    assert user_cache.recall(str(user_cache.MOST_ENTRIES + 1)) == user_cache.MOST_ENTRIES + 1


def test_a_size_that_becomes_an_option_is_one(folder, capsys) -> None:
    question = ["cost", "mine.yaml", "b=3", "n=5", "m=2", "--json"]
    (folder / "mine.yaml").write_text(SPEC.replace("h: {is: half", "m: {is: more, default: 1}, h: {is: half").replace("d / 2", "m * d"))
    assert [json.loads(said(question, capsys)[1])["params"] for _ in range(2)] == [20 * 40 + 40] * 2
    (folder / "mine.yaml").write_text(SPEC.replace("options: {", "options: {m: {default: 1, is: more}, "))
    assert [json.loads(said(question, capsys)[1])["params"] for _ in range(2)] == [20 * 10 + 10] * 2


SLOTTED = """\
title: A slot
dims: {b: batch size, n: length, d: width}
inputs: {x: [b, n, d]}
slots: {tail: {use: part, is: the end}}
layers:
  y: {slot: tail, in: x}
"""


def test_a_slot_that_was_chosen_is_looked_up_with_what_it_uses(folder, capsys) -> None:
    (folder / "mine.yaml").write_text(SLOTTED)
    (folder / "other.yaml").write_text(PART.replace("{op: softmax, over: d}", "{op: linear, out: [b, n, d]}"))
    plain, chosen = (["cost", "mine.yaml", "b=3", "n=5", "d=10", *slot, "--json"] for slot in ([], ["tail=other"]))
    assert [json.loads(said(chosen, capsys)[1])["params"] for _ in range(2)] == [10 * 10 + 10] * 2
    assert [json.loads(said(plain, capsys)[1])["params"] for _ in range(2)] == [0] * 2
    (folder / "other.yaml").write_text(PART)
    assert json.loads(said(chosen, capsys)[1])["params"] == 0


def test_an_edit_of_what_a_spec_is_like_is_seen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.yaml").write_text("title: Other\nlike: mine\noptions: {bias: false}\n")
    before = said(["cost", "other.yaml", "b=3", "n=5", "--json"], capsys)
    (folder / "mine.yaml").write_text(SPEC.replace("default: 4*n", "default: 6*n"))
    after = said(["cost", "other.yaml", "b=3", "n=5", "--json"], capsys)
    assert (json.loads(before[1])["params"], json.loads(after[1])["params"]) == (200, 450)


def test_where_options_come_from_is_kept_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = PART.replace("inputs:", "options: {bias: {is: biases, default: false}}\ninputs:")
    part = part.replace("softmax, over: d", "linear, out: [b, n, d], bias: bias")
    (folder / "part.yaml").write_text(part)
    first, second = (said(["show", "mine.yaml"], capsys) for _ in range(2))
    assert "bias of part = true, from mine" in first[1]
    assert first == second
