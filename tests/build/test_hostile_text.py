"""Text from specs is text in every output: put into every place that the schema has for one, it never runs and never is markup."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from openpyxl import load_workbook

from generator.cli import main
from generator.ops.registry import ops
from generator.resolve.resolver import Resolver
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.spec.schema_builder import build_schema
from generator.text.problems import ProblemsError, render
from tests.render.markdown.rendered import headings, shown, tokens
from tests.support.hostile_texts import HOSTILE, MARK, SHOWN, UNSEEN
from tests.support.text_fields import EACH, NAME, Place, placed, text_fields

ROOT = Path(__file__).parents[2]
PLAIN = "plain words"
SOME = (SHOWN[0], SHOWN[2], SHOWN[6], SHOWN[10], SHOWN[31], SHOWN[33], SHOWN[37])
PART = {
    "title": "A part",
    "dims": {"b": "batch", "d": "width"},
    "options": {"bias": {"is": "whether there is one", "default": True}},
    "inputs": {"x": ["b", "d"]},
    "slots": {"inner": "leaf"},
    "layers": {"y": {"op": "linear", "out": ["b", "d"], "bias": "bias"}, "z": {"slot": "inner"}},
}
LEAF = {"title": "A leaf", "dims": {"b": "batch", "d": "width"}, "inputs": {"x": ["b", "d"]}, "layers": {"y": {"op": "scale", "by": 2}}}
BASE: dict[str, Any] = {
    "title": PLAIN,
    "description": PLAIN,
    "cite": ["here2020"],
    "dims": {
        "d": {"is": "width"},
        "h": {"is": "heads", "default": "d / 2"},
        "e": {"is": "width of a head", "value": "d / h"},
        "b": "batch",
        "n": "length",
    },
    "options": {
        "style": {"is": PLAIN, "default": PLAIN},
        "kind": {"is": "a function", "default": "relu", "choices": ["relu", "silu"]},
        "more": {"is": "more", "default": True},
    },
    "inputs": {"x": {"shape": ["b", "d"], "is": PLAIN}},
    "slots": {"last": {"use": "part", "is": PLAIN, "with": {"d": "d"}, "options": {"bias": True}, "slots": {"inner": "leaf"}}},
    "where": ["d % h == 0"],
    "layers": {
        "lin": {"op": "linear", "in": "x", "out": ["b", "d"], "is": PLAIN, "note": PLAIN},
        "act": {"op": "activation", "kind": "kind"},
        "blk": {"use": "part", "in": ["x"], "with": {"d": "d"}, "options": {"bias": True}, "note": PLAIN, "when": "more"},
        "end": {"slot": "last"},
    },
    "outputs": ["act", "end"],
    "presets": {"small": {"set": {"d": 4, "b": 1}, "cite": ["here2020"], "note": PLAIN}},
    "checkpoint": {"lib": {"model": PLAIN, "weights": {"lin": {"from": ["fc"]}}, "ignore": ["rest"]}},
    "claims": [
        {"id": "one", "of": "params", "row": ["lin"], "equals": "d**2 + d", "cite": ["here2020"], "note": PLAIN, "given": {"d": "d"}},
        {"of": "macs", "row": ["lin"], "equals": "b*d", "erratum": PLAIN, "correct": "b*d**2", "where": ["d > 0"], "ignore": ["bias"]},
        {"of": "macs", "row": ["lin"], "order": "b*d**2", "in": ["d"], "preset": "small"},
        {"of": "macs", "row": ["lin"], "exceeds": "b*d", "once": "d > 1"},
        {"states": PLAIN, "equals": "d", "because": PLAIN, "cite": ["here2020"]},
    ],
}
REFERENCE = {"label": "Here, 2020", "text": PLAIN, "url": "https://example.org/here"}
FIELDS = text_fields(build_schema())
FREE: list[Place] = [  # at the least
    *[("title", "en"), ("title", "zh"), ("description", "zh"), ("dims", EACH, "is", "zh"), ("layers", "linear", "is", "zh")],
    *[("inputs", EACH, "is", "zh"), ("layers", "linear", "is"), ("layers", "use", "note", "zh"), ("presets", EACH, "note", "zh")],
    *[("claims", 0, "note", "zh"), ("claims", 0, "because", "zh"), ("options", EACH, "is", "zh"), ("slots", EACH, "is", "zh")],
    *[("title",), ("description",), ("dims", EACH), ("dims", EACH, "is"), ("options", EACH, "is"), ("options", EACH, "default")],
    *[("inputs", EACH, "is"), ("slots", EACH, "is"), ("layers", "linear", "note"), ("layers", "use", "note"), ("presets", EACH, "note")],
    *[("checkpoint", EACH, "model"), ("checkpoint", EACH, "weights", NAME), ("checkpoint", EACH, "weights", EACH, "from", 0)],
    *[
        ("checkpoint", EACH, "ignore", 0),
        ("claims", 0, "note"),
        ("claims", 0, "erratum"),
        ("claims", 0, "states"),
        ("claims", 0, "because"),
    ],
]


def write(folder: Path, name: str, data: Any, *, escaped: bool = True) -> None:
    """Write data as JSON, which is YAML too: with the escapes of JSON, or all characters as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(json.dumps(data, ensure_ascii=escaped), encoding="utf-8")


@cache
def fixture(op: str) -> dict[str, Any]:
    """Return the content of the first fixture of an op that has a row of it."""
    for file in sorted((ROOT / "tests" / "fixtures" / "ops" / op).glob("*.yaml")):
        data = yaml.safe_load(re.sub(r"\by:", '"y":', file.read_text(encoding="utf-8")))
        if any(isinstance(row, dict) and row.get("op") == op for row in data["layers"].values()):
            return dict(data)
    raise AssertionError(f"there is no fixture of {op}")


def with_text(place: Place, text: str) -> dict[str, Any]:
    """Return a spec with a text at a place; a row of an op that the base has not is taken from the op's fixture."""
    in_base = place[0] != "layers" or place[1] in (NAME, "use", "linear", "activation")
    return placed(BASE if in_base else fixture(str(place[1])), place, text)


def outcome(folder: Path, data: dict[str, Any], *, escaped: bool = True) -> str:
    """Return what is said about a spec, every mistake of it with a place; nothing where it is sound."""
    write(folder, "mine", data, escaped=escaped)
    try:
        library = Library([folder])
        Resolver(library).architecture(library.spec("mine"))
    except ProblemsError as error:
        problems = list(error.problems)
        assert all(problem.span is not None for problem in problems), problems
        return "\n".join(map(render, problems))
    return ""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of specs, behind which there are no built-in ones: to look through those takes as long as to read a spec."""
    none = tmp_path / "none"
    none.mkdir()
    monkeypatch.setattr("generator.spec.library.builtin_specs_dir", lambda: none)
    folder = tmp_path / "mine"
    write(folder, "part", PART)
    write(folder, "leaf", LEAF)
    write(folder, "references", {"here2020": REFERENCE})
    return folder


def check_fields(folder: Path, pairs: Iterator[tuple[Place, str]]) -> set[Place]:
    """Hold every pair of a place and a text against the reader; return the places that took any text."""
    took = set()
    for number, (place, text) in enumerate(pairs):
        said = outcome(folder, with_text(place, text), escaped=number % 2 == 0 or "\ud83d" in text)
        if text in UNSEEN:
            assert said, (place, text)
        if not said:
            took.add(place)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", said), (place, text)
    return took


def rotated(fields: Sequence[Place], texts: Sequence[str], each: int) -> Iterator[tuple[Place, str]]:
    """Yield some texts for each place, others for the next, so that all are used."""
    for i, place in enumerate(fields):
        for k in range(each):
            yield place, texts[(i * each + k) % len(texts)]


def free_fields(folder: Path) -> list[Place]:
    """Return the places at which any words are right; all others hold names, expressions and the like."""
    own = [place for place in FIELDS if place[0] != "layers" or place[1] in (NAME, "use", "linear", "activation")]
    found = []
    for place in own:
        if outcome(folder, with_text(place, PLAIN)):
            continue
        try:
            compile_spec(Library([folder]), "mine")  # which looks at claims and references, too
        except ProblemsError:
            continue
        found.append(place)
    return found


def test_the_list_of_fields_is_that_of_the_schema(folder: Path) -> None:
    assert {place[1] for place in FIELDS if place[0] == "layers"} == {NAME, "use", *ops()}
    assert outcome(folder, BASE) == ""
    assert not [place for place in FREE if place not in FIELDS or outcome(folder, with_text(place, PLAIN))]


@pytest.mark.parametrize(
    ("unseen", "each", "of_ops"),
    [pytest.param(2, 2, 3, marks=pytest.mark.slow), pytest.param(len(UNSEEN), 7, 1, marks=pytest.mark.exhaustive)],
    ids=["some", "many"],
)
def test_hostile_texts_at_every_place_are_text_or_refused_with_a_place(folder: Path, unseen: int, each: int, of_ops: int) -> None:
    """So many texts at each place that all specs have, and one at each place, or at one of so many, that rows of an op have."""
    own = [place for place in FIELDS if place[0] != "layers" or place[1] in (NAME, "use")]
    check_fields(folder, rotated(FREE, UNSEEN, unseen))
    assert check_fields(folder, rotated(FREE, SHOWN, 1)) == set(FREE)
    check_fields(folder, rotated([place for place in own if place not in FREE], HOSTILE, each))
    check_fields(folder, rotated([place for place in FIELDS if place not in own][::of_ops], HOSTILE, 1))


def hostile_library(folder: Path, texts: Sequence[str], fields: Sequence[Place], every: int = 1) -> list[str]:
    """Write specs that each hold all texts, and together each text at each place that takes any; return their names.

    Args:
        every: write one of so many of them.
    """
    write(folder, "benign", BASE)
    references: dict[str, Any] = {"here2020": REFERENCE}
    for shift, text in enumerate(texts):
        references[f"k{shift}"] = {"label": text[:200], "text": text, "url": text}
        if shift % every:
            continue
        data = BASE
        for i, place in enumerate(fields):
            words = texts[(i + shift) % len(texts)]
            if len(words) <= 200 or place[-1] in ("note", "description", "because", "model"):
                data = placed(data, place, one_line(words) if place[-1] == NAME else words)
        style = data["options"]["style"]  # whose default is one of its choices
        data = placed(data, ("options", EACH, "choices", 0), style["default"])
        cited = [f"k{number}" for number in range(shift, min(shift + every, len(texts)))]
        write(folder, f"hostile_{shift}", {**data, "cite": cited}, escaped=shift % 2 == 0)
    write(folder, "references", references)
    return [f"hostile_{shift}" for shift in range(0, len(texts), every)]


def write_around(folder: Path, texts: Sequence[str], names: Sequence[str]) -> None:
    """Write comparisons and a list of formulas that hold each text at each place."""
    _write_comparisons(folder, [text for text in texts if len(text) <= 200])
    keys = ("what", "section", "printed", "remark", "erratum", "check")
    entries = [{**dict.fromkeys(keys, text), "spec": "benign"} for text in texts]
    letters = {one_line(text)[:40]: text for text in texts}
    told = {"title": texts[0], "cite": "here2020", "counts": texts[2], "letters": letters}
    claims = [{"what": "claims", "claim": [f"{name}/1", f"{name}/5"]} for name in ("benign", *names)]
    write(folder / "documents", "list", {**told, "entries": [*entries, *claims]})


def _write_comparisons(folder: Path, texts: Sequence[str]) -> None:
    for number in range(0, len(texts), 12):
        some = [texts[(number + k) % len(texts)] for k in range(12)]
        sides = [{"spec": "part", "label": text[:60].strip() or "x"} for text in some[4:8]]
        compare = {
            "title": some[0],
            "question": some[1],
            "answer": f"{some[2]}\n\n{some[3]}",
            "notes": some,
            "cite": ["k0", "k1"],
            "sweep": {"size": "d", "values": "8,16", "is": some[8]},
            "hold": {"b": 1},
            "compare": [{**side, "set": {"b": i + 1}} for i, side in enumerate(sides)],
            "measures": ["params", "macs"],
        }
        write(folder / "comparisons", f"c{number}", compare, escaped=number % 24 == 0)
    write(folder / "comparisons", "benign", {**compare, "title": PLAIN, "question": PLAIN, "answer": PLAIN, "notes": [PLAIN] * 12})


def check_module(source: str) -> None:
    """See that a module holds what modules hold: no statement and no call that a text could have brought."""
    tree = ast.parse(source)
    for node in tree.body:
        assert isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef | ast.AnnAssign | ast.Expr)
        if isinstance(node, ast.Expr):
            assert isinstance(node.value, ast.Constant)
    for node in next(node for node in tree.body if isinstance(node, ast.ClassDef)).body:
        if isinstance(node, ast.AnnAssign):
            ast.literal_eval(node.value)  # type: ignore[arg-type]
        else:
            assert isinstance(node, ast.FunctionDef | ast.Assign) or isinstance(node.value, ast.Constant)  # type: ignore[attr-defined]
    assert "open" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert "__import__" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


FOLDED = r"<details>\n<summary>(?:[\w ,.:;()]|</?code>)+</summary>\n|</details>\n?"
OWN_HTML = re.compile(r"</?span>|<br>|<a id=\"formula-\d+\">|</a>|</?code>")


def check_page(markdown: str) -> None:
    """See that a page has no raw HTML but ours, no picture but ours, and no link but our own and those that show where they lead."""
    for token in tokens(markdown):
        if token.type == "html_block":
            assert re.fullmatch(rf"(<!-- (?:(?!--).)* -->\n?)+|{FOLDED}", token.content) or OWN_HTML.match(token.content), token.content
        assert token.type != "fence" or token.info in ("mermaid", "math"), token.info
        children = token.children or []
        for before, child in zip([None, *children], children, strict=False):
            if child.type == "html_inline":
                assert OWN_HTML.fullmatch(child.content), child.content
            if child.type == "image":
                assert re.fullmatch(r"[a-z0-9_]+\.svg", str(child.attrs["src"])), child.attrs
            if before is not None and before.type == "link_open":
                target = str(before.attrs["href"])
                is_shown = child.type == "text" and before.markup == "autolink"
                assert is_shown or (MARK not in target and re.match(r"(\.\./|#|[a-z0-9_/]+\.(md|py|xlsx)|https://example\.org)", target)), (
                    target
                )


def check_workbook(file: Path, benign: Path) -> None:
    """See that all formulas stand where those of a harmless workbook stand, and that all parts are XML within Excel's limits."""
    cells = [
        {(sheet.title, cell.coordinate) for sheet in load_workbook(one) for row in sheet for cell in row if cell.data_type == "f"}
        for one in (file, benign)
    ]
    assert cells[0] == cells[1]
    with zipfile.ZipFile(file) as archive:
        for part in archive.namelist():
            if part.endswith((".xml", ".rels")):
                root = ET.fromstring(archive.read(part))  # noqa: S314 - our own
                footers = [node.text or "" for node in root.iter() if node.tag.endswith("oddFooter")]
                assert all(len(text) <= 255 for text in footers)
                assert all(len(node.get("prompt", "")) <= 255 for node in root.iter())
                external = [node.get("Target", "") for node in root.iter() if node.get("TargetMode") == "External"]
                assert all(target == REFERENCE["url"] or re.fullmatch(r"[a-z0-9_]+\.xlsx", target) for target in external), external


def one_line(text: str) -> str:
    return " ".join(text.split())


def as_shown(text: str) -> str:
    """What a heading shows of a text: all but the marks of code."""
    return re.sub(r"[`<>\s]", "", text)


@pytest.fixture
def quick(folder: Path) -> Path:
    hostile_library(folder, SOME, FREE)
    assert main(["build", str(folder), "--out", str(folder / "out"), "--formats", "modules,markdown", "--jobs", "1"]) == 0
    return folder


def test_no_text_runs_or_is_markup(quick: Path) -> None:
    out = quick / "out"
    for file in (out / "modules").glob("hostile_*.py"):
        check_module(file.read_text(encoding="utf-8"))
    for file in (out / "markdown").rglob("*.md"):
        check_page(file.read_text(encoding="utf-8"))
    assert len(list((out / "modules").glob("hostile_*.py"))) == len(SOME)


IMPORT = """
import sys, importlib
sys.path.insert(0, {out!r})
for name in {names!r}:
    module = importlib.import_module(f"modules.{{name}}")
    found = next(one for one in vars(module).values() if getattr(one, "PRESETS", None))
    found.from_preset("small")
"""


@pytest.mark.parametrize("every", [pytest.param(5, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.exhaustive)])
def test_every_hostile_text_in_every_output_is_text(folder: Path, capsys: pytest.CaptureFixture[str], every: int) -> None:
    """In one of so many of the specs that together hold each text at each place; every one of them holds all texts."""
    fields = free_fields(folder)
    assert set(fields) >= set(FREE)
    names = hostile_library(folder, SHOWN, fields, every)
    write_around(folder, SHOWN, names)
    (folder / "mine.yaml").unlink()
    out = folder / "out"
    built = ["build", str(folder), "--out", str(out), "--jobs", "1", "--formats"]
    assert main([*built, "modules,markdown"]) == 0, capsys.readouterr().err
    capsys.readouterr()
    check_modules(folder, out, names)
    pages = list(out.rglob("*.md"))
    assert len(pages) > len(names)
    for file in pages:
        check_page(file.read_text(encoding="utf-8"))
    for name in names[::6]:
        check_commands(folder, name, capsys)
    for name in names:
        title = one_line(json.loads((folder / f"{name}.yaml").read_text(encoding="utf-8"))["title"]["en"])
        page = (out / "markdown" / f"{name}.md").read_text(encoding="utf-8")
        assert as_shown(shown(f"# {headings(page)[0]}")) == as_shown(title)
        assert str(ast.get_docstring(ast.parse((out / "modules" / f"{name}.py").read_text(encoding="utf-8")))).startswith(title)
    for name in names[1::2]:  # in workbooks all texts go through one function; half of them show it
        (folder / f"{name}.yaml").unlink()
    for suffix, language in ((".xlsx", "en"), (".zh.xlsx", "zh")):
        command = [*built[:3], str(folder / "books"), *built[4:], "excel", "--lang", language]
        assert main(command) == 0, capsys.readouterr().err
        files = [folder / "books" / "excel" / f"{name}{suffix}" for name in names[::2]]
        for file in files:
            check_workbook(file, folder / "books" / "excel" / f"benign{suffix}")
    check_charts(out / "comparisons", folder / "books" / "comparisons")


def check_modules(folder: Path, out: Path, names: Sequence[str]) -> None:
    """Import and build the modules where a file would show that something of a text ran."""
    for name in names:
        check_module((out / "modules" / f"{name}.py").read_text(encoding="utf-8"))
    (out / "modules" / "__init__.py").touch()
    subprocess.run([sys.executable, "-c", IMPORT.format(out=str(out), names=names)], check=True, cwd=folder, timeout=120)
    assert not (folder / "ran").exists()


def check_charts(built: Path, books: Path) -> None:
    """See that charts hold the elements of a harmless one, and that their workbooks have no formula more."""
    tags = {node.tag for node in ET.parse(built / "benign.svg").iter()}  # noqa: S314 - our own
    charts = sorted(built.glob("c*.svg"))
    assert charts
    for file in charts:
        nodes = list(ET.fromstring(file.read_bytes()).iter())  # noqa: S314 - our own
        assert {node.tag for node in nodes} <= tags
        assert not [name for node in nodes for name in node.attrib if name.startswith("on")]
        check_workbook(books / f"{file.stem}.xlsx", books / "benign.xlsx")


def check_commands(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """See that what commands print for scripts is JSON."""
    assert main(["show", name, "--specs", str(folder)]) == 0
    capsys.readouterr()
    assert main(["cost", name, "--specs", str(folder), "--preset", "small", "n=2", "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), dict)
