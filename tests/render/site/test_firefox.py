"""A page in Firefox: it shows what it does in Chromium, and says no error. Firefox starts once, without a window or a driver."""

from __future__ import annotations

import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from generator.sheet.compiled import compile_spec
from generator.sheet.costing import cost_of
from generator.spec.library import Library

from .sites import write_site

NAMES = ("firefox-esr", "firefox")
SECONDS = 120
# Put beside the page's own scripts: it goes to an address that says what is shown, and what went wrong.
PROBE = """\
"use strict";
let wrong = "";
window.addEventListener("error", event => { wrong += event.message; });
document.addEventListener("securitypolicyviolation", event => { wrong += event.violatedDirective; });
window.addEventListener("load", () => setTimeout(() => {
  const shown = document.querySelector("[data-total=params]").textContent;
  const drawn = document.querySelectorAll("math mi, .chart polyline").length;
  location.href = `/said?${new URLSearchParams({ shown, drawn, wrong })}`;
}, 500));
"""


class _Listening(SimpleHTTPRequestHandler):
    """Serves files, and keeps what a page says."""

    server: _Server

    def do_GET(self) -> None:
        """Take down what is said, or serve a file."""
        address = urlsplit(self.path)
        if address.path == "/said":
            self.server.said = {key: values[0] for key, values in parse_qs(address.query).items()}
            self.server.is_said.set()
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that its base has
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Listening, directory=str(folder)))
        self.said: dict[str, str] = {}
        self.is_said = threading.Event()


@pytest.mark.slow
def test_a_page_shows_its_numbers_in_firefox(tmp_path: Path) -> None:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("Firefox is not installed")
    sheet = compile_spec(Library(), "bert").sheet
    page = write_site(tmp_path, sheet) / "bert.html"
    page.write_text(page.read_text(encoding="utf-8").replace("<script", '<script src="probe.js"></script>\n<script', 1), encoding="utf-8")
    (tmp_path / "probe.js").write_text(PROBE, encoding="utf-8")
    with _Server(tmp_path) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/bert.html#1&p=bert-large"
        profile = tmp_path / "profile"
        profile.mkdir()
        command = [program, "--headless", "--no-remote", "--profile", str(profile), address]
        firefox = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            server.is_said.wait(SECONDS)
        finally:
            firefox.terminate()
            firefox.wait(30)
            server.shutdown()
    said = server.said
    assert said.get("shown") == f"{cost_of(sheet, 'bert-large', {}).value('params'):,}"
    assert int(said["drawn"]) > 20
    assert said.get("wrong", "") == ""
