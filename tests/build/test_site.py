"""`gen build --formats site`: pages for a browser, which nobody gets who does not ask for them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from generator.cli import main

SHARED = {"app.js", "app.css", "index.html", "index.js", "compare.html", "imports.js", "lists.js", "zh.js"}


def files(*specs: str) -> set[str]:
    return SHARED | {f"{name}.{kind}" for name in specs for kind in ("html", "js")}


def test_a_site_has_a_page_for_each_spec_and_what_they_share(specs, out) -> None:
    assert main(["build", "mine", "--out", str(out), "--formats", "site", "--jobs", "1"]) == 0
    assert {file.name for file in (out / "site").iterdir()} == files("alone", "layer", "pair")
    assert not (out / "modules").exists()
    index = json.loads(re.search(r"archsheet\.index = (.*);", (out / "site" / "index.js").read_text())[1])
    assert {one["name"]: one["presets"] for one in index} == {
        "alone": [["lonely", "20", "30"]],
        "layer": [["small", "20", "30"]],
        "pair": [["tiny", "144", "256"]],
    }
    before = {file.name: file.stat().st_mtime_ns for file in (out / "site").iterdir()}
    assert main(["build", "mine", "--out", str(out), "--formats", "site", "--jobs", "1"]) == 0
    assert {file.name: file.stat().st_mtime_ns for file in (out / "site").iterdir()} == before
    (specs / "models" / "pair.yaml").unlink()
    assert main(["build", "mine", "--out", str(out), "--formats", "site", "--jobs", "1"]) == 0
    assert {file.name for file in (out / "site").iterdir()} == files("alone", "layer")


def test_pages_load_nothing_from_elsewhere_and_hold_no_scripts_of_their_own(out) -> None:
    assert main(["build", "mine", "--out", str(out), "--formats", "site", "--jobs", "1"]) == 0
    for page in (out / "site").glob("*.html"):
        text = page.read_text()
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in text
        assert not re.search(r"<script(?![^>]* src=\"[\w.]+\")|<style|\sstyle=|\son\w+=|https?://", text)
        for name in re.findall(r'(?:src|href)="([\w.]+)"', text):
            assert (Path(out) / "site" / name).exists()


def test_what_is_built_without_asking_is_no_site(out, gen) -> None:
    assert gen() == 0
    assert not (out / "site").exists()
