"""An output that was edited by hand is recognised by its own seal, also in a fresh clone without a record, and left as it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.comments import Comment

from generator.cli import main
from generator.files.seal import State, sealed, state_of
from tests.questions.documents.lists import write_list
from tests.render.workbook.libreoffice import convert, needs_libreoffice
from tests.support.small_specs import contents

COMPARISON = """\
title: Two widths
question: Which is cheaper?
sweep: {size: n, values: 4..64:x2}
hold: {b: 1}
compare:
  - {spec: mixer, label: narrow, set: {d: 8}}
  - {spec: mixer, label: wide, set: {d: 16}}
measures: [macs]
"""
KINDS = {
    "__init__.py",
    "schema.json",
    "modules/__init__.py",
    "modules/_frozen.py",
    "modules/_recompute.py",
    "modules/_state.py",
    "modules/mixer.py",
    "markdown/README.md",
    "markdown/claims.md",
    "markdown/documents/notes.md",
    "markdown/mixer.md",
    "markdown/ops.md",
    "comparisons/README.md",
    "comparisons/widths.md",
    "comparisons/widths.svg",
    "comparisons/widths.xlsx",
    "excel/catalogue.xlsx",
    "excel/mixer.xlsx",
}
SEAL = re.compile(rb" \(content [0-9a-f]{16}\)")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with specs, a document, a comparison and all outputs, built once."""
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("built")
    specs = write_list(folder)
    (specs / "comparisons").mkdir()
    (specs / "comparisons/widths.yaml").write_text(COMPARISON)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["build", "mine", "--jobs", "1"]) == 0
    return folder


@pytest.fixture
def clone(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it without the record, as a fresh clone has none; the working directory."""
    import shutil

    shutil.copytree(built, tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    Path("generated/.manifest.json").unlink()
    return Path("generated")


def edited(path: Path) -> None:
    if path.suffix == ".xlsx":
        book = load_workbook(path)
        book.worksheets[0]["C40"] = 7
        book.save(path)
    else:
        path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.slow
def test_edits_of_every_kind_of_output_are_kept_named_and_given_up_only_by_force(clone: Path, capsys) -> None:
    fresh = contents(clone)
    assert {path for path in fresh if path != "modules/_reference.py"} == KINDS
    for path in KINDS:
        edited(clone / path)
    before = contents(clone)
    assert main(["build", "mine", "--check", "--jobs", "1"]) == 1
    shown = capsys.readouterr().err
    assert {path for path in KINDS if f"generated/{path}: edited by hand\n" in shown} == KINDS
    (clone / "modules/_reference.py").unlink()
    assert main(["build", "mine", "--jobs", "1"]) == 1
    shown = capsys.readouterr().err
    assert {path for path in KINDS if f"generated/{path} was edited by hand, so it is left alone" in shown} == KINDS
    assert contents(clone) == {**before, "modules/_reference.py": fresh["modules/_reference.py"]}
    assert main(["build", "mine", "--jobs", "1", "--force"]) == 0
    assert contents(clone) == fresh
    assert main(["build", "mine", "--check"]) == 0


@pytest.mark.slow
def test_outputs_of_versions_without_seals_are_replaced_at_the_first_build_of_a_clone(clone: Path) -> None:
    fresh = contents(clone)
    for path, data in fresh.items():
        if not path.endswith(".xlsx"):
            assert len(SEAL.findall(data)) == 1, path
            (clone / path).write_bytes(SEAL.sub(b"", data).replace(b"batch", b"bulk"))
    assert main(["build", "mine", "--jobs", "1"]) == 0
    assert contents(clone) == fresh


def test_an_edited_output_that_has_lost_its_spec_is_not_removed(specs: Path, out: Path, gen: Callable[..., int], capsys) -> None:
    gen()
    edited(out / "modules/alone.py")
    (specs / "alone.yaml").unlink()
    assert gen("--check") == 1
    assert "modules/alone.py: its spec is gone, and edited by hand" in capsys.readouterr().err
    assert gen() == 1
    assert "modules/alone.py was edited by hand" in capsys.readouterr().err
    assert (out / "modules/alone.py").exists()
    assert not (out / "markdown/alone.md").exists()
    assert gen("--force") == 0
    assert not (out / "modules/alone.py").exists()


def test_a_module_of_which_only_the_seal_or_the_line_of_it_was_changed_counts_as_edited(out: Path, gen: Callable[..., int]) -> None:
    gen()
    module = out / "modules/pair.py"
    data = module.read_bytes()
    assert state_of(module, data) is State.OURS
    assert state_of(module, SEAL.sub(b" (content 0123456789abcdef)", data)) is State.EDITED
    assert state_of(module, data.replace(b"edit the spec", b"read the spec")) is State.EDITED
    assert state_of(module, data.replace(b"\n", b"\r\n")) is State.OURS  # as Git may write it out on Windows
    assert state_of(module, b"x = 1\n") is State.FOREIGN


def test_a_title_that_looks_like_a_seal_is_only_a_title() -> None:
    head = "Generated from a.yaml (sha256 0123456789abcdef); edit the spec, not this file."
    data = sealed(f'"""Made by `gen build`; do not edit (content 0123).\n\n{head}\n"""\n')
    assert state_of(Path("a.py"), data) is State.OURS
    assert state_of(Path("a.py"), data + b"x = 1\n") is State.EDITED


@pytest.fixture
def workbook(built: Path, tmp_path: Path) -> Path:
    path = tmp_path / "mixer.xlsx"
    path.write_bytes((built / "generated/excel/mixer.xlsx").read_bytes())
    return path


@pytest.mark.slow
def test_a_workbook_counts_as_edited_by_what_its_cells_hold(workbook: Path) -> None:
    def state_after(change: Callable[..., None]) -> State:
        book = load_workbook(workbook)
        change(book)
        book.save(workbook.with_name("changed.xlsx"))
        return state_of(Path("a.xlsx"), workbook.with_name("changed.xlsx").read_bytes())

    def note(book) -> None:
        book["Presets"]["Z9"] = "a note"

    def comment(book) -> None:
        book.worksheets[1]["A1"].comment = Comment("look", "me")

    def formula(book) -> None:
        sheet = next(sheet for sheet in book.worksheets if any(cell.data_type == "f" for row in sheet.iter_rows() for cell in row))
        cell = next(cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f")
        cell.value = f"{cell.value}+1"

    assert state_of(workbook, workbook.read_bytes()) is State.OURS
    assert state_after(lambda _: None) is State.OURS  # only saved again
    assert state_after(lambda book: book.create_sheet("Mine")) is State.EDITED
    assert {state_after(change) for change in (note, comment, formula)} == {State.EDITED}


@pytest.mark.slow
@needs_libreoffice
def test_a_workbook_that_libreoffice_has_only_saved_again_does_not_count_as_edited(built: Path, tmp_path: Path) -> None:
    files = [built / "generated" / path for path in sorted(KINDS) if path.endswith(".xlsx")]
    saved = convert(files, tmp_path, "xlsx")
    assert {file.name: state_of(file, file.read_bytes()) for file in saved} == {file.name: State.OURS for file in files}
    assert all(file.read_bytes() != other.read_bytes() for file, other in zip(files, saved, strict=True))
