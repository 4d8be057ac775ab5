"""`gen serve`: what was built, at an address of this machine."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from generator.cli import main
from generator.commands.serve import server_of


def test_files_below_the_folder_are_served_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("not for others")
    folder = tmp_path / "generated" / "site"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("the start")
    with server_of(folder.parent, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with urllib.request.urlopen(f"{address}/site/index.html") as answer:  # noqa: S310 - our own address
            assert answer.read() == b"the start"
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}/../secret")  # noqa: S310 - likewise
        refused.value.close()
        server.shutdown()


def test_without_pages_it_says_what_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--out", str(tmp_path)]) == 2
    assert "gen build specs/ --formats site writes it" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("the start")
    with server_of(tmp_path, 0) as server:
        assert main(["serve", "--out", str(tmp_path), "--port", str(server.server_port)]) == 2
    assert "cannot be served" in capsys.readouterr().err
