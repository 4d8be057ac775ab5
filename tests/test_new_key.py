"""A key of rows that is only shown takes two edits: where it is declared, and where it is shown. Both are made in a copy of the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
NOTE = "    note: str = key(TEXT,"
DECLARED = f'    colour: str = key(TEXT, "the colour that a figure gives the row", example="red", told=True)\n{NOTE}'
SHOWN = ("text(row.note)", "text(f\"{row.note} ({row.told.get('colour', 'no colour')})\")")
SPEC = """\
title: A layer
dims: {b: batch size, k: input width, m: output width}
inputs: {x: [b, k]}
layers:
  wide: {op: linear, out: [b, m], colour: dark red, note: the widest}
  y: {op: activation, kind: relu}
"""


@pytest.mark.slow
def test_a_key_that_is_declared_and_shown_is_in_schema_and_page(tmp_path: Path) -> None:
    for name in ("generator", "templates", "specs"):
        copytree(REPOSITORY / name, tmp_path / name)
    for file, old, new in (("spec/row.py", NOTE, DECLARED), ("render/markdown/row_tables.py", *SHOWN)):
        path = tmp_path / "generator" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "layer.yaml").write_text(SPEC, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "generator.cli", "build", "mine", "--formats", "markdown"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "generated" / "markdown" / "layer.md").read_text(encoding="utf-8").splitlines()
    assert [line.split("|")[-2].strip() for line in lines if line.startswith(("| `wide`", "| `y`"))] == [
        "the widest (dark red)",
        "(no colour)",
    ]
    schema = json.loads((tmp_path / "generated" / "schema.json").read_text(encoding="utf-8"))
    assert schema["$defs"]["op_linear"]["properties"]["colour"]["description"] == "the colour that a figure gives the row"
