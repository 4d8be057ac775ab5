"""The page that `gen verify --report` writes."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from generator.cli import main
from generator.proof.verify.differing_rows import RowDifference
from generator.proof.verify.instance import Workbench
from generator.proof.verify.instance_checks import Check
from generator.proof.verify.references.reference_runs import ReferenceCheck
from generator.proof.verify.report import MADE_BY, render_report
from generator.proof.verify.verification import Case, Verification, verify
from generator.trace.tracer import Tracer
from tests.render.markdown import rendered
from tests.support.builtin import builtin_library
from tests.support.small_specs import LAYER, PAIR, write_specs

SIZES = {"b": 2, "n": 3}
GOOD = Verification(
    "good",
    (Case("", SIZES, (Check("params", 5, 5), Check("macs", 7, 7))), Case("base", SIZES, (Check("params", 1234567, 1234567),))),
    references=(ReferenceCheck("timm 1.0, Net", "outputs, float64", "< 1e-09"),),
)
BAD = Verification(
    "bad",
    (Case("", SIZES, (Check("params", 5, 5), Check("macs", 1007, 8)), (RowDifference("x.y", "linear", "macs", 1007, 8),)),),
    skipped=("no sizes satisfy d % h == 0",),
    references=(ReferenceCheck("timm 1.0, Net", "outputs, float64", "< 1e-09", "differ by 0.5 in output 0"),),
    not_run=("transformers Net: transformers is not installed",),
)


def test_everything_equal_is_said_at_the_top_and_spec_by_spec() -> None:
    page = render_report([GOOD], {"good": "good.md"})
    assert page.startswith(f"<!-- {MADE_BY}")
    assert "**1 spec, 3 measurements and 1 comparison with public implementations: all equal.**" in page
    assert "| [`good`](good.md) | 1 | 1 | 3 | timm 1.0, Net | ✓ equal |" in page
    assert "| `base` | `b=2, n=3` | 1 equal |" in page
    assert "differ" not in page.split("## All specs")[1]


def test_a_difference_is_shown_with_the_first_row_that_differs() -> None:
    page = render_report([GOOD, BAD], {})
    assert "1 spec differs: `bad`." in page
    assert "| `bad` | 1 | 0 | 2 | timm 1.0, Net | ✗ differs |" in page
    assert "| `b=2, n=3` | `macs` | 1,007 | 8 |" in page
    assert "| `b=2, n=3` | `x.y` | `linear` | `macs` | 1,007 | 8 |" in page
    assert "✗ differ by 0.5 in output 0" in page
    assert "- Not compared: transformers Net: transformers is not installed." in page
    assert "- Not compared: no sizes satisfy d % h == 0." in page


def families(*results: Verification) -> list[str]:
    page = render_report(results, {"good": "good.md"})
    lines = page.partition("## Families")[2].partition("## All specs")[0].splitlines()
    return [line for line in lines if line.startswith("| ")][2:]


def test_each_family_is_shown_with_what_was_compared_and_nothing_else() -> None:
    def checked(model: str, **kinds: str) -> tuple[ReferenceCheck, ...]:
        return tuple(ReferenceCheck(model, kind, "equal", found, kind) for kind, found in kinds.items())

    both = (*checked("timm 1.0, Net", outputs="", parameters=""), *checked("transformers 5, Net", gradients="differ by 1", FLOPs=""))
    good = replace(GOOD, references=both, family="Nets")
    printed = Verification("a_table", (), family="Nets", not_run=("no public implementation is known",), printed=2)
    own = Verification("own", (), family="Decoders", not_run=("no public implementation is known",))
    assert families(good, printed, own, BAD) == [
        "| Decoders | `own` |  | no public implementation is known |",
        "| Nets | `a_table` |  | published table only |",
        "|  | [`good`](good.md) | timm 1.0, Net | parameters, outputs |",
        "|  |  | transformers 5, Net | FLOPs, ✗ gradients |",
    ]
    assert families(GOOD) == []  # it is of no family


@pytest.mark.slow
def test_the_table_of_families_holds_what_the_comparison_of_a_spec_has_found() -> None:
    with Workbench(builtin_library()) as bench:
        result = verify(bench, "electra_small", samples=0, presets=0, decodes=False, references=True)
        (line,) = families(result)
    implementation = f"transformers {version('transformers')}, ElectraModel"
    compared = "parameters, FLOPs, outputs, gradients, import"
    assert line == f"| Encoder-only Transformers | `electra_small` | {implementation} | {compared} |"
    assert [check.what for check in result.references if check.kind == "import"] == [
        "params and matmul_flops of the config.json of electra-small"
    ]


def test_what_differs_stands_open_before_what_is_equal_which_is_folded_away() -> None:
    page = render_report([GOOD, BAD], {})
    assert rendered.headings(page) == ["Proof", "What is compared", "All specs", "`bad`", "What was measured of each"]
    folded = page[page.index("<summary><code>good</code>: ✓ equal, 3 measurements</summary>\n\n") :]
    assert "| `base` | `b=2, n=3` | 1 equal |" in folded
    assert "| `b=2, n=3` | `macs` | 1,007 | 8 |" not in folded
    assert page.count("<details>") == page.count("\n\n</details>\n\n") + page.endswith("</details>\n")


def test_the_page_names_the_versions_and_is_the_same_each_time() -> None:
    import torch

    assert f"Measured with torch {torch.__version__.partition('+')[0]}" in render_report([GOOD], {})
    assert render_report([GOOD, BAD], {}) == render_report([GOOD, BAD], {})


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_specs(Path("mine"), layer=LAYER, pair=PAIR)


def test_gen_verify_proves_a_folder_of_ones_own_and_says_what_it_could_not_compare(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(specs), "--samples", "2", "--report", "out/proof.md"]) == 0
    said = capsys.readouterr().out
    assert "layer                            equal" in said
    assert "  not compared: no public implementation is known" in said
    page = Path("out/proof.md").read_text(encoding="utf-8")
    assert "| `layer` | 2 | 1 |" in page
    assert "| `pair` | 2 | 1 |" in page


def test_a_report_replaces_an_earlier_one_and_nothing_else(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.md").write_text("mine", encoding="utf-8")
    arguments = ["verify", str(specs / "layer.yaml"), "--samples", "1", "--report"]
    assert main([*arguments, "notes.md"]) == 2
    assert "notes.md was not written by gen verify" in capsys.readouterr().err
    assert main([*arguments, "proof.md"]) == main([*arguments, "proof.md"]) == 0


def test_a_broken_formula_fails_and_the_row_is_named(
    specs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = Tracer.kernel
    monkeypatch.setattr(Tracer, "kernel", lambda t, name, *tensors, **costs: kernel(t, name, *tensors, **costs | {"vector": 0}))
    assert main(["verify", str(specs / "pair.yaml"), "--samples", "1", "--report", "proof.md"]) == 1
    said = capsys.readouterr().out
    assert "first row that differs in vector_flops: first.y (linear)" in said
    assert "| `first.y` | `linear` | `vector_flops` | 0 |" in Path("proof.md").read_text(encoding="utf-8")
