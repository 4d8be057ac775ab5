"""What a shell offers where the cursor is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GEN = [sys.executable, "-m", "generator.cli"]


def offered(line: str) -> list[str]:
    """Return the words that argcomplete hands to the shell, which calls `gen` with the line in the environment."""
    asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "|"}
    environment = {**os.environ, **asked, "_ARGCOMPLETE_STDOUT_FILENAME": "answer"}
    subprocess.run([*GEN[:1], "-c", "from generator.cli import main; main()"], check=True, env=environment)
    return [word for word in Path("answer").read_text().split("|") if word]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gen com", ["compare", "completion"]),
        ("gen cost pai", ["pair "]),
        ("gen cost --specs mine pai", ["pair "]),
        ("gen cost layer --specs mine --preset s", ["small "]),
        ("gen cost --specs mine layer@", ["layer@small "]),
        ("gen cost mlp bi", ["bias="]),
        ("gen cost bert --mode i", ["inference "]),
        ("gen cost bert --pre", ["--preset "]),
        ("gen cost bert-large --preset bert-l", ["bert-large "]),
        ("gen compare bert gpt2 --quantity mac", ["macs "]),
        ("gen count net.py:Net --specs mine --against pai", ["pair "]),
        ("gen check mine/lay", ["mine/layer.yaml "]),
        ("gen show mine/l", ["mine/layer.yaml "]),
    ],
)
def test_words_are_completed(line, words) -> None:
    if line == "gen cost pai":
        Path("mine").rename("specs")
    assert offered(line) == words


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gen cost bert attention=linear_at", {"attention=linear_attention"}),
        ("gen cost mlp bias=", {"bias=true", "bias=false"}),
        ("gen sweep mine/layer.yaml ", {"b=", "k=", "m="}),
        ("gen compare mlp bert-base ", {"n=", "d=", "V=", "bias=", "gpt2"}),
    ],
)
def test_sizes_options_and_slots_of_the_spec_are_offered(line, words) -> None:
    assert words <= {word.strip() for word in offered(line)}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_with_what_is_printed() -> None:
    function = subprocess.run([*GEN, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    Path("bin").mkdir()
    Path("bin/gen").write_text(f'#!/bin/sh\nexec {sys.executable} -m generator.cli "$@"\n')
    Path("bin/gen").chmod(0o755)
    line = "gen cost bert --preset bert-b"
    program = f"""{function}
COMP_LINE='{line}' COMP_POINT={len(line)} COMP_TYPE=9 COMP_WORDS=({line}) COMP_CWORD=4
_python_argcomplete gen
printf '[%s]' "${{COMPREPLY[@]}}"
complete -p gen
"""
    environment = {**os.environ, "PATH": f"{Path('bin').absolute()}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.startswith("[bert-base ]complete ")
    assert "_python_argcomplete gen" in done.stdout


def test_without_completion_nothing_of_it_is_imported() -> None:
    program = "import sys\nfrom generator.cli import main\nmain(['list', 'bert'])\nprint('argcomplete' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")
