"""How far a command is stands on the terminal, out of the way of what is printed, and nowhere else."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from generator.cli import main
from generator.render.terminal import console
from generator.render.terminal.progress import Progress, in_words, tracked
from tests.support.small_specs import LAYER, write_specs

GEN = [sys.executable, "-m", "generator.cli"]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_follows_from_the_time_that_was_taken() -> None:
    clock = Clock()
    line = Progress(io.StringIO(), "gen check", clock)
    texts = []
    for _ in tracked(line, range(10), lambda item: f"checking s{item}"):
        texts.append(line.text())
        clock.now += 4
    assert texts[:4] == [
        "[0/10] checking s0, 0 s",
        "[1/10] checking s1, 4 s",
        "[2/10] checking s2, 8 s, about 32 s left",
        "[3/10] checking s3, 12 s, about 28 s left",
    ]
    assert texts[9] == "[9/10] checking s9, 36 s, about 4 s left"


def test_what_is_soon_done_shows_nothing() -> None:
    clock, stream = Clock(), io.StringIO()
    line = Progress(stream, "gen cost", clock)
    clock.now = 0.9
    line.draw()
    assert stream.getvalue() == ""
    clock.now = 1.1
    line.draw()
    assert stream.getvalue() == "\r\033[Kgen cost, 1 s"


def test_the_line_makes_room_for_what_is_printed() -> None:
    clock, stream = Clock(), io.StringIO()
    line = Progress(stream, "gen build", clock)
    clock.now = 70
    line.draw()
    with line.away():
        stream.write("bert: built\n")
    with line.away():
        stream.write("vit: built\n")
    line.draw()
    assert stream.getvalue() == "\r\033[Kgen build, 1 min 10 s\r\033[Kbert: built\nvit: built\n\r\033[Kgen build, 1 min 10 s"


def test_the_line_is_no_longer_than_the_terminal(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    clock, stream = Clock(), io.StringIO()
    line = Progress(stream, "a very long name of a spec", clock)
    clock.now = 5
    line.draw()
    assert stream.getvalue() == "\r\033[Ka very long name of"


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (7500, "2 h 5 min")])
def test_times_are_said_as_people_say_them(seconds, text) -> None:
    assert in_words(seconds) == text


def on_terminal(*command: str, patience: float = 0.0) -> tuple[str, str]:
    """Return what a command prints, with stderr on a terminal: what comes to stdout, and what to the terminal."""
    program = (
        "import sys\nfrom generator.render.terminal import progress\n"
        f"progress.PATIENCE = {patience}\nfrom generator.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", program, *command],
        stdout=subprocess.PIPE,
        stderr=follower,
        text=True,
        check=False,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(follower)
    os.set_blocking(leader, False)
    shown = b""
    try:
        while part := os.read(leader, 1 << 16):
            shown += part
    except (BlockingIOError, OSError):
        pass
    os.close(leader)
    return done.stdout, shown.decode()


@pytest.mark.slow
def test_a_long_command_says_on_a_terminal_how_far_it_is_and_leaves_nothing_behind() -> None:
    out, shown = on_terminal("check", "mine")
    assert out == "3 specs: no mistakes\n"
    steps = re.findall(r"\[(\d)/3\] checking (\w+), ", shown)
    assert list(dict.fromkeys(steps)) == [("0", "alone"), ("1", "layer"), ("2", "pair")]
    assert shown.endswith("\r\033[K")


@pytest.mark.slow
def test_quiet_commands_print_results_alone() -> None:
    assert on_terminal("check", "mine", "--quiet") == ("", "")
    assert on_terminal("build", "mine", "-q", "--formats", "modules") == ("", "")
    out, shown = on_terminal("cost", "layer", "--specs", "mine", "b=1", "--preset", "small", "--quiet")
    assert ("Parameters" in out, shown) == (True, "")


def test_nothing_of_it_gets_into_files(capsys) -> None:
    assert main(["check", "mine"]) == 0
    assert capsys.readouterr() == ("3 specs: no mistakes\n", "")


def test_quiet_leaves_out_notes_but_not_errors(specs: Path, capsys) -> None:
    write_specs(
        specs, follows=LAYER.replace("m: width out", "m: {is: width out, default: 2*k}").replace("m: 5}, expect: {params: 20}", "m: 6}")
    )
    words = ["cost", "follows", "--specs", "mine", "b=1", "k=4", "--preset", "small"]
    assert main(words) == 0
    assert "note: `m` follows as 2*k" in capsys.readouterr().err
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*words, "--quiet", "x=3"]) == 2
    assert "error: " in capsys.readouterr().err


def test_a_command_inside_of_another_leaves_the_outer_one_its_quiet() -> None:
    with console.showing("outer", quiet=True):
        assert main(["list", "layer"]) == 0
        assert console.is_quiet()
    assert not console.is_quiet()
