"""Lists of documents' formulas: every pointer leads to a claim, and every claim that cites a document stands in its list."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cli import main
from generator.files.resources import builtin_specs_dir
from generator.questions.documents.checking import check_documents
from generator.questions.documents.document_folder import document_files
from generator.questions.documents.document_reader import read_document
from generator.spec.library import Library
from tests.questions.documents.lists import MIXER, NOTES, write_list


def found(specs: Path) -> list[tuple[str, tuple[str, ...]]]:
    return [(problem.message, problem.notes) for problem in check_documents(Library([specs]))["notes"]]


def test_a_complete_list_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    specs = write_list(tmp_path)
    assert found(specs) == []
    assert main(["check", str(specs)]) == 0
    assert capsys.readouterr().out == "1 spec and 1 document: no mistakes\n"


def test_the_folder_holds_no_architectures(tmp_path: Path) -> None:
    assert set(Library([write_list(tmp_path)]).own) == {"mixer"}


@pytest.mark.parametrize(
    ("old", "new", "message", "note"),
    [
        ("mixer/width", "mixer/with", "`mixer` has no claim `with`", "did you mean `width`?"),
        ("mixer/2", "mixer/3", "`mixer` has no claim `3`", "its claims: `width`, 2 in all"),
        ("mixer/width", "mxer/width", "there is no spec named `mxer`", "did you mean `mixer` or `mlp_mixer`?"),
        ("spec: mixer, row", "spec: mxer, row", "there is no spec named `mxer`", "did you mean `mixer` or `mlp_mixer`?"),
        ("cite: notes", "cite: noted", "`noted` is not in references.yaml", "did you mean `notes`?"),
        (
            "remark: of one",
            "reconstructed: true, remark: of one",
            "`reconstructed` needs `lost` above: what of the document's text is lost",
            None,
        ),
        ("remark: of one", "reconstructed: maybe, remark: of one", "expected true or false; found `maybe`", None),
        ("mixer/width", "width", "a claim is named by spec and id or number, such as mlp/2; found `width`", None),
        ("remark: of one", "remrk: of one", "unknown key `remrk`", "did you mean `remark`?"),
        ("what: weights, ", "", "`what` is missing", None),
        (", claim: mixer/width", "", "an entry has `claim`, `remark`, `erratum` or `measured`", None),
    ],
)
def test_a_pointer_that_leads_nowhere_is_a_problem(tmp_path: Path, old: str, new: str, message: str, note: str | None) -> None:
    assert old in NOTES
    problems = dict(found(write_list(tmp_path, NOTES.replace(old, new, 1))))
    assert message in problems
    assert note is None or problems[message][0] == note


def test_a_claim_that_the_list_leaves_out_is_a_problem_of_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    specs = write_list(tmp_path, mixer=f"{MIXER}  - {{of: macs, row: q, equals: b*n*d**2, cite: notes}}\n")
    assert main(["check", str(specs)]) == 1
    shown = capsys.readouterr().err
    assert "mixer.yaml:10:48: error: this claim cites `notes`, but " in shown
    assert "point to it from an entry: `claim: mixer/3`" in shown


# Each line of the list of what the five documents say, by the words with which it is printed in our lists.
REQUIRED = {
    "000": [
        "3 * 2bNd^2 = 6bNd^2",
        "2bN^2d",
        "2bNd^2",
        "8bNd^2 + 4bN^2d",
        "8bNd^2",
        "16bNd^2",
        "24bNd^2 + 4bN^2d",
        "2bNdV",
        "l(24bNd^2 + 4bN^2d) + 2bNdV",
        "V d",
        "no weights of its own",
        "softmax(Q K^T / sqrt(d)) V W_o + x",
        "x = gelu(x_out W_1) W_2 + x_out",
        "parameters: 8bNd^2 + 4bN^2d",
    ],
    "001": [
        "V = X @ Vk",
        "scores.masked_fill(attention_mask.unsqueeze(1) == 0, -1e9)",
        "3 O(n d^2) = O(n d^2)",
        "O(n^2 d)",
        "O(n^2)",
        "O(n d^2)",
        "O(n^2 d + n d^2)",
        "O(n^2 d_h)",
        "h O(n^2 d_h) = O(n^2 d)",
        "[5, 64] x [64, 5] -> [5, 5], O(n^2 d)",
        "O(n w)",
        "theoretical complexity unchanged",
        "O(n^2) memory",
        "time grows with n^2",
    ],
    "002": [
        "F x D x 3 x H = 3F^2",
        "F^2",
        "4F^2",
        "F x 4F + 4F x F = 8F^2",
        "E x F",
        "L(12F^2) + EF",
        "110M",
        "340M",
        "12",
        "N^2 D + N^2 M",
        "NDM + DMN = 2NDM",
        "O(N)",
        "softmax_2(Q) softmax_1(K)^T V",
        "sim = 1 + (q/|q|) (k/|k|)",
        "y = (x - mu) / sqrt(sigma) * gamma + beta",
        "Y = N(X + F(Z))",
        "Y_i = tanh(X_i W + Y_(i-1) U)",
        "Y_i = (X_(i-1), X_i, X_(i+1)) W",
        "y = x / sqrt(mean(x^2) + eps) * gamma",
        "where D != F, A(X) cannot be used",
        "A(X) = concat(A^1(X), ..., A^H(X)) W_O, D x H = F",
        "y.contiguous().view(B, N, F)",
        "T(X) = T_L o ... o T_2 o T_1 (X)",
    ],
    "003": [
        "3n(hd)^2",
        "n^2 hd",
        "n(hd)^2",
        "4n h^2 d^2 + 2n^2 h d",
        "8n h^2 d^2",
        "12n h^2 d^2 + 2n^2 h d",
        "n > 2hd",
        "n > 1536",
        "n > 6hd",
        "n > 4608",
        "2n h d^2",
        "thousands",
        "NEZHA, RoFormer",
    ],
    "004": [
        "3hwC^2",
        "(hw)^2 C",
        "hwC^2",
        "4hwC^2 + 2(hw)^2 C",
        "4M^2 C + 2M^4 C",
        "4hwC + 2M^2 hwC",
        "3hw s^2 C^2",
        "3hw s^2 C",
        "4 times fewer tokens, and 4 times less attention",
        "3N^2 C^2",
        "N^4 C^2",
        "N^2 C^2",
        "4N^2 C^2 + 2N^4 C^2",
        "4HWC^2 + 2N^2 HWC^2",
        "3HWN^2",
        "(HW)^2/N^2",
        "HWN^2",
        "4N^2 HW + 2(HW/N)^2",
        "4N^2 HWC + 2(HW/N)^2 C",
    ],
}


@pytest.mark.parametrize("name", REQUIRED)
def test_every_formula_of_the_five_documents_is_listed(name: str) -> None:
    document = read_document(document_files([builtin_specs_dir()])[name])
    printed = {entry.printed for entry in document.entries}
    assert [formula for formula in REQUIRED[name] if formula not in printed] == []


def test_the_lists_of_the_five_documents_lead_somewhere_and_leave_nothing_out() -> None:
    assert {name: problems for name, problems in check_documents(Library([builtin_specs_dir()])).items() if problems} == {}


def test_a_formula_that_the_text_of_a_document_has_lost_is_called_reconstructed() -> None:
    documents = {name: read_document(file) for name, file in document_files([builtin_specs_dir()]).items()}
    lost = {name: {entry.printed for entry in document.entries if entry.reconstructed} for name, document in documents.items()}
    assert {name for name, document in documents.items() if document.lost} == {"000", "001", "003"}
    assert lost["000"] == {"l(24bNd^2 + 4bN^2d) + 2bNdV"}  # the text ends before it
    # pictures: of the numbers and formulas, the text has these alone
    numbers = {
        entry.printed for entry in documents["003"].entries if any(sign in entry.printed for sign in "^>=") or entry.printed == "abc"
    }
    assert numbers - lost["003"] == {"abc", "n > 1536", "n > 4608"}
    assert "O(n^2 d + n d^2)" in lost["001"]  # without its sign


@pytest.mark.slow
def test_no_document_is_faulted_for_what_it_has_lost() -> None:
    from generator.sheet.compiled import compile_spec

    library = Library([builtin_specs_dir()])
    entries = read_document(document_files([builtin_specs_dir()])["003"]).entries
    for pointer in {pointer for entry in entries if entry.reconstructed for pointer in entry.claims}:
        (claim,) = [claim for claim in compile_spec(library, pointer.spec).sheet.claims if claim.id == pointer.claim]
        assert claim.verdict != "differs", pointer.text


def test_all_that_looks_like_a_misprint_is_resolved_with_a_reason() -> None:
    from generator.sheet.compiled import compile_spec

    library = Library([builtin_specs_dir()])
    suspects = {
        "000": ["softmax(Q K^T / sqrt(d)) V W_o + x", "parameters: 8bNd^2 + 4bN^2d"],
        "001": ["V = X @ Vk", "scores.masked_fill(attention_mask.unsqueeze(1) == 0, -1e9)"],
        "002": [
            "12",
            "340M",
            "where D != F, A(X) cannot be used",
            "y.contiguous().view(B, N, F)",
            "y = (x - mu) / sqrt(sigma) * gamma + beta",
            "Y = N(X + F(Z))",
        ],
        "004": ["4M^2 C + 2M^4 C", "4hwC + 2M^2 hwC", "3hw s^2 C", "N^4 C^2", "4N^2 C^2 + 2N^4 C^2", "4HWC^2 + 2N^2 HWC^2"],
    }
    for name, formulas in suspects.items():
        document = read_document(document_files([builtin_specs_dir()])[name])
        for entry in document.entries:
            if entry.printed in formulas:
                sheets = {pointer: compile_spec(library, pointer.spec).sheet for pointer in entry.claims}
                claims = [claim for pointer, sheet in sheets.items() for claim in sheet.claims if claim.id == pointer.claim]
                assert entry.erratum or any(claim.verdict == "differs" and claim.erratum for claim in claims), (name, entry.printed)
