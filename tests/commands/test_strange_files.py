"""What stands in the place of a spec's file may be anything; each is said in one line, and nothing waits for ever."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from generator.cli import main
from tests.support.small_specs import LAYER


def pipe(file: Path) -> str:
    os.mkfifo(file)
    return "it is a pipe, not a file"


def unix_socket(file: Path) -> str:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(file))
    return "it is a socket, not a file"


def device(file: Path) -> str:
    file.symlink_to("/dev/zero")
    return "it is a device, not a file"


def circle(file: Path) -> str:
    file.symlink_to(file.name)
    return "Too many levels of symbolic links"


def link_to_nowhere(file: Path) -> str:
    file.symlink_to("gone.yaml")
    return "No such file or directory"


def huge(file: Path) -> str:
    with file.open("wb") as stream:
        stream.truncate(100 << 20)
    return "the file is larger than 1 MiB"


def binary(file: Path) -> str:
    file.write_bytes(bytes(range(256)))
    return "the byte 0x80 is not UTF-8"


def utf16(file: Path) -> str:
    file.write_bytes(LAYER.encode("utf-16"))
    return "the byte 0xFF is not UTF-8"


KINDS = [pipe, unix_socket, device, circle, link_to_nowhere, huge, binary, utf16]


@pytest.mark.parametrize("place", ["odd.yaml", "references.yaml", "comparisons/odd.yaml", "documents/odd.yaml"])
@pytest.mark.parametrize("kind", KINDS)
def test_in_a_folder_it_is_a_mistake_in_one_line_and_the_rest_is_built(specs: Path, kind, place: str, capsys) -> None:
    file = specs / place
    file.parent.mkdir(exist_ok=True)
    said = kind(file)
    assert main(["check", "mine"]) == 1
    shown = capsys.readouterr().err
    assert f"mine/{place}:" in shown
    assert said in shown
    assert main(["build", "mine", "--formats", "modules,markdown", "--jobs", "1"]) == 1
    shown = capsys.readouterr().err
    assert said in shown
    assert "a mistake in gen itself" not in shown
    assert "cannot be built" not in shown
    assert Path("generated/modules/layer.py").exists() == (place != "references.yaml")  # which every spec reads


@pytest.mark.parametrize("command", ["check", "build", "show", "cost"])
@pytest.mark.parametrize("kind", [pipe, unix_socket, device])
def test_named_directly_it_is_refused(specs: Path, kind, command: str, capsys) -> None:
    said = kind(specs / "odd.yaml").partition(",")[0]
    assert main([command, "mine/odd.yaml"]) == 2
    assert f"mine/odd.yaml: {said.removeprefix('it is ') if command in ('show', 'cost') else said}" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_specs_can_be_listed_beside_it(specs: Path, kind, capsys) -> None:
    kind(specs / "odd.yaml")
    assert main(["list", "mine"]) == 1
    shown = capsys.readouterr()
    assert "mistakes in odd" in shown.err
    assert "One layer" in shown.out


def test_a_folder_named_like_a_spec_is_a_folder(specs: Path) -> None:
    (specs / "more.yaml").mkdir()
    (specs / "more.yaml/other.yaml").write_text(LAYER.replace("small", "others"))
    assert main(["check", "mine"]) == 0
    assert main(["cost", "mine/more.yaml/other.yaml", "b=1", "--preset", "others"]) == 0


def test_a_file_that_vanishes_after_the_folder_was_read_is_named(specs: Path, capsys, monkeypatch) -> None:
    from generator.spec import library

    def listed(path: Path):
        yield from real(path)
        (specs / "alone.yaml").unlink(missing_ok=True)

    real = library.spec_files
    monkeypatch.setattr(library, "spec_files", listed)
    assert main(["build", "mine", "--formats", "modules", "--jobs", "1"]) == 1
    assert "mine/alone.yaml:1:1: error: the file cannot be read: No such file or directory" in capsys.readouterr().err
    assert Path("generated/modules/pair.py").exists()


def test_a_very_long_name_is_refused(capsys) -> None:
    assert main(["check", f"{'a' * 3000}.yaml"]) in (1, 2)
    assert "File name too long" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["modules/layer.py", "markdown/README.md", ".manifest.json"])
def test_a_pipe_in_the_place_of_an_output_is_no_trap(specs: Path, where: str) -> None:
    file = Path("generated") / where
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    command = [sys.executable, "-m", "generator.cli", "build", str(specs), "--formats", "modules,markdown", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert "a mistake in gen itself" not in done.stderr
    assert Path("generated/modules/pair.py").exists()
    if where != ".manifest.json":
        assert done.returncode == 1
        assert f"generated/{where}: it is a pipe, not a file" in done.stderr
