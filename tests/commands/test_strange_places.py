"""Where there is no room, no home, or nothing to work in, a command says so in words, and leaves no half file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from generator.cli import main
from tests.support.rights import bound_by_rights
from tests.support.small_specs import ALONE, contents, tree, write_specs

BUILD = [sys.executable, "-m", "generator.cli", "build", "mine", "--formats", "modules,markdown", "--jobs", "1"]
ROOT = Path(__file__).resolve().parents[2]


def run(command: list[str], prepare: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command behind some lines of shell, with these variables of the environment; an empty one is not set."""
    variables = {key: value for key, value in {**os.environ, "PYTHONPATH": str(ROOT), **environment}.items() if value}
    shell = ["sh", "-c", f'{prepare}\nexec "$@"', "sh", *command]
    return subprocess.run(shell, capture_output=True, text=True, check=False, timeout=120, env=variables)


def leftovers(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and (path.name.endswith(".gen-tmp") or not path.stat().st_size)]


@pytest.mark.slow
def test_where_there_is_no_room_each_file_is_named_and_none_is_half() -> None:
    done = run(BUILD, "ulimit -f 1")  # half a KiB or one, after which writing fails as on a full disk
    assert done.returncode == 1
    assert "error: generated/modules/_state.py: File too large\n" in done.stderr
    assert "error: generated/.manifest.json: File too large\n" in done.stderr
    assert "a mistake in gen itself" not in done.stderr
    assert leftovers(Path("generated")) == []


def test_a_working_folder_that_is_gone_is_said_to_be_gone() -> None:
    Path("gone").mkdir()
    for command in ("list", "cost mlp b=1 n=2 d=3 f=4"):
        done = run([*BUILD[:3], *command.split()], "cd gone && rmdir ../gone; mkdir -p ../gone")
        assert (done.returncode, done.stderr) == (1, "error: the working folder does not exist any more\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prepare", "environment"), [("", {"HOME": ""}), ("exec >&-", {}), ("", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})]
)
def test_home_stdout_and_locale_may_be_missing(prepare: str, environment: dict[str, str]) -> None:
    done = run([*BUILD, "--out", "wörter"], prepare, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path("wörter/modules/layer.py").exists()


@pytest.mark.slow
def test_two_builds_at_once_leave_what_one_leaves() -> None:
    assert run([*BUILD, "--out", "alone"]).returncode == 0
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    both = [subprocess.Popen(BUILD, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    said = [process.communicate(timeout=120)[1] for process in both]
    assert [(process.returncode, error) for process, error in zip(both, said, strict=True)] == [(0, ""), (0, "")]
    outputs = [tree(Path(out)) for out in ("alone", "generated")]
    files = [{path: data for path, (data, _) in found.items()} for found in outputs]
    assert files[0] == files[1]


@pytest.mark.parametrize("in_the_way", ["modules", "modules/layer.py", ".manifest.json"])
def test_a_folder_in_the_place_of_a_file_or_the_other_way_round_is_named(in_the_way: str, capsys) -> None:
    path = Path("generated") / in_the_way
    path.parent.mkdir(parents=True)
    path.touch() if in_the_way == "modules" else path.mkdir()
    assert main(BUILD[3:]) == 1
    assert f"error: generated/{in_the_way}" in capsys.readouterr().err
    assert Path("generated/markdown/pair.md").exists()


@contextmanager
def closed(*paths: Path, mode: int) -> Iterator[None]:
    """Take rights away from files and folders for a while."""
    before = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(mode)
    try:
        yield
    finally:
        for path, old in zip(paths, before, strict=True):
            path.chmod(old)


@pytest.mark.slow
def test_a_folder_that_may_not_be_written_is_named_and_keeps_what_it_has() -> None:
    allowed, out = bound_by_rights(), Path("generated")
    assert run([*allowed, *BUILD]).returncode == 0
    before = contents(out)
    write_specs(Path("mine"), alone=ALONE.replace("rows", "rows of numbers"))
    with closed(out, mode=0o500):
        done = run([*allowed, *BUILD])
        assert (done.returncode, done.stderr) == (1, "error: generated: Permission denied\n")
    assert contents(out) == before
    with closed(out / "modules", mode=0o500):
        done = run([*allowed, *BUILD])
        assert (done.returncode, done.stderr) == (1, "error: generated/modules/alone.py: Permission denied\n")
    changed = contents(out)
    assert {path for path in changed if changed[path] != before[path]} >= {"markdown/alone.md"}
    assert changed["modules/alone.py"] == before["modules/alone.py"]
    assert run([*allowed, *BUILD]).returncode == 0
    assert "rows of numbers" in (out / "modules/alone.py").read_text(encoding="utf-8")
    assert run([*allowed, *BUILD, "--out", "anew"]).returncode == 0
    assert contents(out) == contents(Path("anew"))


def test_what_may_not_be_read_is_named_and_what_may_not_be_kept_is_derived() -> None:
    allowed, kept = bound_by_rights(), Path("kept")
    kept.mkdir()
    question = [*allowed, *BUILD[:3], "cost", "mine/layer.yaml", "b=2", "k=3", "m=5", "--json"]
    with closed(kept, mode=0o500):
        done = run(question, ARCHSHEET_CACHE=str(kept))
    assert (done.returncode, done.stderr) == (0, "")
    assert '"params": 20' in done.stdout
    assert list(kept.iterdir()) == []
    with closed(Path("mine/layer.yaml"), mode=0):
        done = run(question[:-1])
    assert done.returncode == 1
    assert done.stderr.startswith("mine/layer.yaml:1:1: error: the file cannot be read: Permission denied\n")


@pytest.mark.slow
@pytest.mark.parametrize("output", ["sweep mine/layer.yaml k=2,4 m=3 b=1 --csv closed/p.csv", "workbook mine/layer.yaml -o closed/l.xlsx"])
def test_a_file_in_a_folder_that_may_not_be_written_is_named(output: str) -> None:
    allowed, folder = bound_by_rights(), Path("closed")
    folder.mkdir()
    with closed(folder, mode=0o500):
        done = run([*allowed, *BUILD[:3], *output.split()])
    assert (done.returncode, done.stderr) == (1, f"error: {output.rsplit(maxsplit=1)[-1]}: Permission denied\n")
    assert list(folder.iterdir()) == []
