"""Damaged and hostile workbooks end in clear words, soon, in little memory, and nothing is written."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from generator import load
from generator.cli import main
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import make_plan
from tests.pull import hostile
from tests.pull.test_pull import SPEC

SECONDS, MEBIBYTES = 5, 300
# One process takes all files, and the limits hold for each: one for each would mostly measure how long Python takes to start.
PROGRAM = """
import contextlib, io, json, re, time
from generator.cli import main
said, before = {}, open("specs/my_layer.yaml").read()
for name in json.load(open("names.json")):
    err, out, start = io.StringIO(), io.StringIO(), time.process_time()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(out):
        code = main(["pull", name, "--as", "ours", "--write"])
    if code == 0:  # what was flipped says nothing, and the sizes were taken
        open("specs/my_layer.yaml", "w").write(before)
    said[name] = (code, out.getvalue(), err.getvalue(), time.process_time() - start)
# Not getrusage's ru_maxrss: a process begins with what the one that started it had.
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(json.dumps({"said": said, "peak": peak}))
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    file = tmp_path / "specs" / "my_layer.yaml"
    file.write_text(SPEC, encoding="utf-8")
    return file


@pytest.mark.slow
def test_hostile_files_are_refused_in_words_within_bounds_of_time_and_memory(spec: Path) -> None:
    plan = make_plan(load(str(spec)).sheet, texts("en"))
    workbook = build_workbook(plan.sheet)
    expected = {}
    for name, data, said in (*hostile.archives(workbook), *hostile.contents(workbook, f"C{plan.size_rows['k']}")):
        file = f"{len(expected)} {name.replace('/', '_')}.xlsx"
        Path(file).write_bytes(data)
        expected[file] = said
    Path("names.json").write_text(json.dumps([*expected]))
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name, (code, out, err, seconds) in found["said"].items():
        assert (code, out) == (1, "") or name.partition(" ")[2].startswith("flipped"), (name, out, err)
        assert "a mistake in gen itself" not in err, (name, err)
        assert "object at 0x" not in err, (name, err)
        assert expected[name] in err, (name, err)
        assert seconds < SECONDS, (name, seconds)
    assert found["peak"] < MEBIBYTES
    assert spec.read_text(encoding="utf-8") == SPEC
    assert {path.name for path in Path().iterdir()} == {"names.json", "specs", *expected}


@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a socket", "a device"])
def test_what_is_no_file_is_said_to_be_none(spec: Path, kind: str, capsys) -> None:
    path = Path("a.xlsx")
    listening = socket.socket(socket.AF_UNIX)
    if kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a socket":
        listening.bind("a.xlsx")
    else:
        path.symlink_to("/dev/zero")
    assert main(["pull", str(path)]) == (1 if kind == "a folder" else 2)
    listening.close()
    assert f"a.xlsx: it is {kind}, " in capsys.readouterr().err
    assert spec.exists()
