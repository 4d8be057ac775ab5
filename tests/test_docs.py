"""The documents of the project itself: what they name is there, and what they show is so."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

from generator.cli import main
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import verify
from generator.spec.library import Library

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TOP = "|".join(sorted(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")))
PATH = re.compile(rf"(?<![\w/.-])(?:{TOP})/[\w./-]*\w/?")
NAMED = re.compile(r"`(generator/[\w/]+)\.py: ([\w.]+)`")
SPEC = re.compile(r"```yaml\n# (\w+\.yaml)\n(.*?)```", re.DOTALL)
BUILT = {"generated/schema.json", "generated/excel/bert.xlsx", "generated/excel/bert.zh.xlsx"}  # by `gen build`, not committed
MADE = re.compile(r"dist/|build/|generated/site\b|my-specs/|tests/fixtures/ops/NAME")  # by those who follow the document


def document(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", DOCUMENTS, ids=document)
def test_every_path_that_is_named_exists(path: Path) -> None:
    text = re.sub(r"\b[a-z]+://[^\s)]+", "", path.read_text(encoding="utf-8"))
    named = {found.rstrip("/.") for found in PATH.findall(text)}
    missing = {found for found in named if not (ROOT / found).exists() and not MADE.match(found) and "NAME" not in found}
    links = {link for link in re.findall(r"\]\(([^)#:]+?)(?:#[\w-]+)?\)", text) if not (path.parent / link).exists()}
    assert (missing | links) - BUILT == set()


@pytest.mark.parametrize("path", DOCUMENTS, ids=document)
def test_every_function_and_class_that_is_named_exists(path: Path) -> None:
    for module, name in NAMED.findall(path.read_text(encoding="utf-8")):
        found: object = importlib.import_module(module.replace("/", "."))
        for part in name.split("."):
            assert hasattr(found, part), f"{module}.py has no {name}"
            found = getattr(found, part)


def test_every_folder_of_the_code_is_explained() -> None:
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    folders = [path.parent.relative_to(ROOT / "generator").parts for path in (ROOT / "generator").glob("*/**/__init__.py")]
    for room, *inside in sorted(folders):
        [line] = [line for line in lines if line.startswith("|") and f"`generator/{room}/`" in line]
        assert not inside or f"`{inside[0]}/`" in line, f"{room}/{inside[0]} is not explained"
    loose = [path.name for path in sorted((ROOT / "generator").glob("*.py")) if path.name != "__init__.py"]
    told = [line.split("|")[1] for line in lines if line.startswith("|")]
    assert [name for name in loose if not any(f"`generator/{name}`" in cell for cell in told)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["architecture.md", "trace.md"])
def test_what_stands_behind_a_prompt_is_what_comes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "docs" / name
    for file, spec in SPEC.findall(path.read_text(encoding="utf-8")):
        (tmp_path / file).write_text(spec, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(path), module_relative=False, report=True)
    assert (failed, tried > 5) == (0, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["turned", "stack"])
def test_the_examples_of_the_trace_are_what_pytorch_does(name: str, tmp_path: Path) -> None:
    for file, spec in SPEC.findall((ROOT / "docs" / "trace.md").read_text(encoding="utf-8")):
        (tmp_path / file).write_text(spec, encoding="utf-8")
    with Workbench(Library([tmp_path])) as bench:
        result = verify(bench, name, samples=2)
    assert result.equal


def test_the_first_answer_in_the_readme_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```sh\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert found
    install, question = found[1].splitlines()
    assert (install, question.split()[0]) == ("pip install .", "gen")
    assert main(question.split()[1:]) == 0
    assert capsys.readouterr().out.startswith(f"{found[2]}\n")
    assert all(f"\n- {what}: `make {what.lower()}` " in text for what in ("Build", "Test"))


@pytest.mark.slow
def test_the_spec_in_the_readme_is_read_and_its_mistake_is_the_one_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    spec = text[text.index("# my-specs/mixer_block.yaml") :].partition("```")[0]
    shown = text[text.index("my-specs/mixer_block.yaml:16") :].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-specs").mkdir()
    file = tmp_path / "my-specs" / "mixer_block.yaml"
    file.write_text(spec, encoding="utf-8")
    assert main(["check", "my-specs/"]) == 0
    file.write_text(spec.replace("{op: linear, out: [b, d, n]}", "{op: linear, out: [b, n, d]}"), encoding="utf-8")
    assert main(["check", "my-specs/"]) == 1
    assert shown in capsys.readouterr().err
