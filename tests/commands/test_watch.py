"""`gen watch`: what is saved is built, what is wrong is said at its line, and Ctrl-C ends it."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from argparse import Namespace
from contextlib import suppress
from pathlib import Path

import pytest

from generator.cli import main
from generator.commands import watch as watching

ROOT = Path(__file__).parents[2]


class StoppedError(Exception):
    """Ends a watch in a test."""


def builds_after(changes: list, monkeypatch: pytest.MonkeyPatch, paths: list[Path]) -> int:
    """Return how often is built while one change is made before each look; None is no change."""
    args = Namespace(paths=paths, specs=[])
    todo, built = iter(changes), []

    def look(_: float) -> None:
        change = next(todo, StoppedError)
        if change is StoppedError:
            raise StoppedError
        if change:
            change()

    monkeypatch.setattr(watching.time, "sleep", look)
    with pytest.raises(StoppedError):
        watching.watch(args, lambda: built.append(1), watching.stamps_of(args))
    return len(built)


def test_a_save_a_new_file_and_a_removal_are_built_once_each_and_nothing_else_is(specs: Path, monkeypatch) -> None:
    layer, extra = specs / "layer.yaml", specs / "deeper" / "extra.yml"
    extra.parent.mkdir()
    alike = [None, None, None]

    def save() -> None:
        layer.write_text(layer.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")

    def add() -> None:
        extra.write_text("title: t\n", encoding="utf-8")

    assert builds_after(alike, monkeypatch, [specs]) == 0
    assert builds_after([save, *alike, add, *alike, extra.unlink, *alike], monkeypatch, [specs]) == 3
    assert builds_after([lambda: (specs / "notes.txt").write_text("no spec"), *alike], monkeypatch, [specs]) == 0
    assert builds_after([save, *alike, (specs / "alone.yaml").unlink, *alike], monkeypatch, [layer]) == 2


def test_a_file_that_an_editor_takes_away_and_puts_back_is_built_when_it_is_there(specs: Path, monkeypatch) -> None:
    layer = specs / "layer.yaml"
    text = layer.read_text(encoding="utf-8")

    def back() -> None:
        layer.write_text(text + "# more\n", encoding="utf-8")

    assert builds_after([layer.unlink, back, None, None, None], monkeypatch, [specs]) == 1


def test_wrong_arguments_end_it_at_once(capsys) -> None:
    assert main(["watch", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
    assert main(["watch", "mine", "--check"]) == 2


@pytest.mark.slow
def test_in_a_process_of_its_own(specs: Path) -> None:
    """A suite in the background of a shell hands an ignored SIGINT down; here it is heeded."""
    heeding = (
        "import signal, sys; from generator.cli import main; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "sys.exit(main(['watch', 'mine']))"
    )
    lines: queue.Queue[str] = queue.Queue()
    with subprocess.Popen(
        [sys.executable, "-c", heeding],
        cwd=specs.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
    ) as process:
        stdout = process.stdout
        assert stdout is not None
        threading.Thread(target=lambda: [lines.put(line) for line in stdout], daemon=True).start()

        def until(words: str) -> str:
            said = ""
            while words not in said:
                said += lines.get(timeout=60)
            return said

        try:
            until("watching mine")
            layer = specs / "layer.yaml"
            text = layer.read_text(encoding="utf-8")
            module = specs.parent / "generated" / "modules" / "layer.py"
            before = module.read_bytes()
            layer.write_text(text.replace("title: ", "titel: ", 1), encoding="utf-8")
            assert "mine/layer.yaml:1:1: error: unknown key `titel`" in until("failed")
            assert module.read_bytes() == before
            layer.write_text(text.replace("title: ", "title: My ", 1), encoding="utf-8")
            until("layer: modules/layer.py")
            until("written")
            assert module.read_bytes() != before
            for _ in range(6):
                process.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=5)
                    break
            assert until("stopped").endswith("stopped\n")
            assert process.returncode == 0
        finally:
            process.kill()
