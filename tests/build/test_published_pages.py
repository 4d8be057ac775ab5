"""The pages of published formulas: all claims by source, and each document's formulas in its order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generator.cli import main
from tests.questions.documents.lists import MIXER, NOTES, write_list
from tests.render.markdown import rendered
from tests.support.small_specs import ALONE, tree


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_list(tmp_path)


@pytest.fixture
def out(specs: Path) -> Path:
    return specs.parent / "generated"


def build(*arguments: str) -> int:
    return main(["build", "mine", "--formats", "modules,markdown", *arguments])


def table(markdown: str, first: str) -> list[dict[str, str]]:
    """The first table whose head begins with a word, each row by column."""
    found = next(table for table in rendered.tables(markdown) if table[0][0] == first)
    return [dict(zip(found[0], line, strict=True)) for line in found[1:]]


def test_claims_stand_by_source_and_errata_come_first_with_an_example(out: Path) -> None:
    assert build() == 0
    page = (out / "markdown/claims.md").read_text(encoding="utf-8")
    errata = ["1. Notes: MACs of `scores` in `mixer`", "2. The notes: the scale"]  # the second is of no quantity, from the list itself
    assert rendered.headings(page) == ["Published formulas", "Errata", *errata, "Notes"]
    assert "- Published: `sqrt(F)` ([no. 3 of The notes](documents/notes.md))\n- Why: there is none.\n- By hand, with F = 4: 2\n" in page
    assert table(page, "Source")[-1] == {
        "Source": "**all claims**",
        "equal": "1",
        "same order": "",
        "holds": "",
        "differs": "1",
        "stated": "",
        "claims": "2",
    }
    # one sequence of two positions and width three: 1*2*3 as published, 1*2**2*3 as derived
    assert "- By hand, with `b` = 1, `n` = 2, `d` = 3: published 6, derived 12\n" in page
    assert "- Term $`bnd`$: published 1, derived 0\n- Term $`bn^2d`$: published 0, derived 1, from `scores`\n" in page
    first, second = table(page, "Spec")
    assert (first["Published"], first["Verdict"]) == ("`d**2`", "✓ equal")
    assert second["Verdict"] == r"✗ published − derived = $`-bnd \left(n - 1\right)`$"
    assert second["Note"] == "every position meets every other one<br>Right is `b*n**2*d`, as derived."


def test_a_document_has_a_page_with_its_formulas_in_order(out: Path) -> None:
    build()
    page = (out / "markdown/documents/notes.md").read_text(encoding="utf-8")
    assert rendered.headings(page) == ["The notes", "First part", "Second part", "4. time"]
    weights, products = table(page, "No.")
    assert (weights["No."], weights["Printed"], weights["Ours"], weights["Verdict"]) == ("1", "`F^2`", "Parameters: $`d^2`$", "✓ equal")
    assert products["Remarks"].endswith("By hand, with `b` = 1, `n` = 2, `d` = 3: published 6, derived 12<br>of one sequence")
    assert "| 3 | the scale | `sqrt(F)` | ✗ misprint | there is none<br>By hand, with F = 4: 2 |" in page


def test_what_is_reconstructed_is_marked_and_the_letters_of_the_formulas_are_explained(specs: Path, out: Path) -> None:
    lost = NOTES.replace("letters:", "lost: Its pictures are lost.\nletters:").replace(
        "remark: of one", "reconstructed: true, remark: of one"
    )
    (specs / "documents/notes.yaml").write_text(lost, encoding="utf-8")
    build()
    page = (out / "markdown/documents/notes.md").read_text(encoding="utf-8")
    weights, products = table(page, "No.")
    assert (weights["Printed"], products["Printed"]) == ("`F^2`", "`n F` (reconstructed)")
    assert "Its pictures are lost. Formulas that are therefore *reconstructed* from the words around them are marked.\n" in page
    assert "Letters of ours here:\n\n- `mixer`: `b` batch size; `n` sequence length; `d` model width\n" in page


def test_links_lead_to_the_lines_of_the_claim_and_of_the_module(out: Path) -> None:
    build()
    page = (out / "markdown/documents/notes.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)#L(\d+)", page)
    lines = {
        (name, (out / "markdown/documents" / name).resolve().read_text(encoding="utf-8").splitlines()[int(at) - 1].strip())
        for name, at in links
    }
    assert ("../../../mine/mixer.yaml", MIXER.splitlines()[7].strip()) in lines
    assert any(name == "../../modules/mixer.py" and line.startswith("scores = ") for name, line in lines)
    for target in re.findall(r"\]\((\.\./[^)#]+\.(?:md|py|yaml))", page):
        assert (out / "markdown/documents" / target).resolve().exists(), target


def test_a_measured_series_stands_beside_what_is_predicted(out: Path) -> None:
    build()
    first, second = table((out / "markdown/documents/notes.md").read_text(encoding="utf-8"), "n")
    assert (first["ratio"], second["ratio"], second["exponent"]) == ("", "4.00", "2.00")
    # 2*(n*64 + n*n*8) for n = 10 and 20: 2,880 and 8,960
    assert (first["FLOPs"], second["predicted ratio"], second["predicted exponent"]) == ("2.88 kFLOP", "3.11", "1.64")


def test_nothing_is_written_twice_and_an_edited_list_changes_its_page_alone(specs: Path, out: Path) -> None:
    build()
    before = tree(out)
    assert build() == 0
    assert tree(out) == before
    (specs / "documents/notes.yaml").write_text(NOTES.replace("of one sequence", "of a sequence"), encoding="utf-8")
    build()
    after = tree(out)
    assert {path for path in after if after[path] != before[path]} == {".manifest.json", "markdown/documents/notes.md"}


def test_a_page_edited_by_hand_is_made_again_by_force(out: Path) -> None:
    build()
    page = out / "markdown/claims.md"
    fresh = page.read_text(encoding="utf-8")
    page.write_text(fresh.replace("equal", "wrong"), encoding="utf-8")
    assert build("--check") == 1
    assert build() == 1
    assert build("--force") == 0
    assert page.read_text(encoding="utf-8") == fresh


def test_pages_that_nothing_asks_for_are_removed(specs: Path, out: Path) -> None:
    build()
    (specs / "documents/notes.yaml").unlink()
    (specs / "mixer.yaml").write_text(ALONE, encoding="utf-8")
    assert build() == 0
    assert not (out / "markdown/claims.md").exists()
    assert not list((out / "markdown/documents").glob("*.md"))


def test_a_list_with_a_mistake_keeps_its_earlier_page(specs: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build()
    before = (out / "markdown/documents/notes.md").read_bytes()
    (specs / "documents/notes.yaml").write_text(NOTES.replace("mixer/width", "mixer/with"), encoding="utf-8")
    assert build() == 1
    assert "mine/documents/notes.yaml:6:63: error: `mixer` has no claim `with`" in capsys.readouterr().err
    assert (out / "markdown/documents/notes.md").read_bytes() == before


@pytest.mark.slow
def test_pages_do_not_depend_on_a_record_or_on_the_formats(specs: Path, out: Path) -> None:
    build()
    pages = {path: data for path, (data, _) in tree(out).items() if path.startswith("markdown/")}
    assert main(["build", "mine", "--formats", "markdown", "--out", "other"]) == 0
    assert {path: data for path, (data, _) in tree(specs.parent / "other").items() if path.startswith("markdown/")} == pages


def test_what_a_clone_does_not_have_is_not_linked(specs: Path, out: Path) -> None:
    (specs.parent / ".gitignore").write_text("generated/excel/*\n!generated/excel/other.xlsx\n", encoding="utf-8")
    build()
    page, document = (
        (out / "markdown/mixer.md").read_text(encoding="utf-8"),
        (out / "markdown/documents/notes.md").read_text(encoding="utf-8"),
    )
    assert "Workbook: `excel/mixer.xlsx`, which `gen build` makes\n" in page
    assert "mixer.xlsx" not in document
    (specs.parent / ".gitignore").write_text("generated/excel/*\n!generated/excel/mixer.xlsx\n", encoding="utf-8")
    build()
    assert "Workbook: [`excel/mixer.xlsx`](../excel/mixer.xlsx)\n" in (out / "markdown/mixer.md").read_text(encoding="utf-8")
    assert "[workbook](../../excel/mixer.xlsx)" in (out / "markdown/documents/notes.md").read_text(encoding="utf-8")


def test_where_pages_are_not_kept_either_the_workbooks_beside_them_are_linked(specs: Path, out: Path) -> None:
    (specs.parent / ".gitignore").write_text("generated/\n", encoding="utf-8")
    build()
    assert "](../excel/mixer.xlsx)" in (out / "markdown/mixer.md").read_text(encoding="utf-8")


def test_only_pages_with_claims_are_linked_at_their_claims(out: Path) -> None:
    build()
    page = (out / "markdown/documents/notes.md").read_text(encoding="utf-8")
    for name, anchor in re.findall(r"\[page\]\(\.\./(\w+\.md)(#claims)?\)", page):
        assert bool(anchor) == ("## Claims" in (out / "markdown" / name).read_text(encoding="utf-8"))
