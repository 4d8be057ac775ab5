"""How `gen verify` sums up, without PyTorch where only words are at stake."""

from __future__ import annotations

import json
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from generator.cli import main
from generator.proof.verify.instance_checks import Check
from generator.proof.verify.report import render_report
from generator.proof.verify.verdict_words import outcome, word
from generator.proof.verify.verification import Case, Verification
from generator.text.problems import Problem
from tests.support.small_specs import BROKEN, LAYER, write_specs

GOOD = Verification("good", (Case("", {"b": 2}, (Check("params", 5, 5),)),))
BAD = Verification("bad", (Case("", {"b": 2}, (Check("params", 5, 6),)),))
PARTLY = Verification("partly", GOOD.cases, skipped=("preset one: no sizes satisfy n > 5",))
NOTHING = Verification("nothing", (), skipped=("no sizes satisfy n > 5",))


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([GOOD], "all equal"),
        ([GOOD, BAD], "1 spec differs: bad"),
        ([BAD, BAD], "2 specs differ: bad, bad"),
        ([NOTHING], "nothing was compared"),
        ([], "nothing was compared"),
        ([GOOD, NOTHING], "equal where compared; nothing was compared of nothing"),
        ([GOOD, PARTLY], "equal where compared; not all was compared of partly"),
        ([BAD, PARTLY], "1 spec differs: bad; not all was compared of partly"),
    ],
)
def test_the_outcome_calls_only_what_was_compared_equal(results: list[Verification], said: str) -> None:
    assert outcome(results) == said


def test_a_spec_of_which_nothing_was_compared_is_not_equal() -> None:
    assert [word(result) for result in (GOOD, BAD, NOTHING, PARTLY)] == ["equal", "differs", "nothing was compared", "equal where compared"]
    page = render_report([NOTHING], {})
    assert "**1 spec, 0 measurements and 0 comparisons with public implementations: nothing was compared.**" in page
    assert "equal |" not in page


def test_verify_does_not_succeed_where_nothing_is_compared(specs, capsys) -> None:
    pytest.importorskip("torch")
    write_specs(specs, bare=LAYER.partition("presets:")[0])
    assert main(["verify", "mine/bare.yaml", "--samples", "0"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 spec, 0 comparisons: nothing was compared"
    assert main(["verify", "mine/layer.yaml", "--samples", "0"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("comparisons: all equal")


def test_a_spec_with_mistakes_is_said_to_have_them_and_keeps_the_others_from_being_called_different() -> None:
    broken = Verification("broken", (), mistakes=(Problem("unknown op `linaer`", None),))
    assert word(broken) == "has mistakes"
    assert outcome([GOOD, broken]) == "all equal; 1 spec has mistakes: broken"
    assert outcome([broken, broken]) == "2 specs have mistakes: broken, broken"


def test_verify_measures_the_good_specs_beside_broken_ones_and_shows_all_mistakes(specs, capsys) -> None:
    pytest.importorskip("torch")
    write_specs(specs, broken=BROKEN, also_broken=BROKEN.replace("op: linaer", "op: lineer"))
    assert main(["verify", "mine", "--samples", "1", "--report", "proof.md"]) == 1
    said = capsys.readouterr()
    assert "mine/broken.yaml:9:11: error: unknown op `linaer`" in said.err
    assert "mine/also_broken.yaml:9:11: error: unknown op `lineer`" in said.err
    assert said.out.splitlines()[-1].endswith("all equal; 2 specs have mistakes: also_broken, broken")
    page = Path("proof.md").read_text(encoding="utf-8")
    assert "| `pair` | 1 | 1 |" in page
    assert "| `broken` | 0 | 0 | 0 |  | ✗ has mistakes |" in page
    assert "- Not compared: mine/broken.yaml:9:11: unknown op `linaer`." in page


def test_verify_lists_mistakes_in_its_json_too(specs, capsys) -> None:
    pytest.importorskip("torch")
    write_specs(specs, broken=BROKEN)
    assert main(["verify", "mine/broken.yaml", "mine/layer.yaml", "--samples", "0", "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["spec"], first["mistakes"], first["equal"]) == ("broken", ["mine/broken.yaml:9:11: unknown op `linaer`"], False)
    assert (second["spec"], second["mistakes"], second["equal"]) == ("layer", [], True)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("mine", "--report takes a file, and mine is a folder"),
        ("mine/layer.yaml/proof.md", "mine/layer.yaml/proof.md cannot be written, as mine/layer.yaml is not a folder"),
        ("mine/layer.yaml", "mine/layer.yaml was not written by gen verify, so it is left alone"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_measured(capsys, file: str, said: str) -> None:
    pytest.importorskip("torch")
    assert main(["verify", "mine", "--report", file]) == 2
    found = capsys.readouterr()
    assert said in found.err
    assert found.out == ""


def test_verify_refuses_what_is_not_there_and_says_all_of_it(capsys) -> None:
    pytest.importorskip("torch")
    assert main(["verify", "nothing/"]) == 2
    assert "nothing: no such file or folder" in capsys.readouterr().err
    assert main(["verify", "layre", "--specs", "mine", "berd"]) == 2
    said = capsys.readouterr().err
    assert "there is no spec named `layre`" in said
    assert "there is no spec named `berd`" in said


def test_a_preset_is_measured_alone_and_that_is_said(specs, capsys) -> None:
    pytest.importorskip("torch")
    write_specs(
        specs,
        other=LAYER.replace("small:", "other-small:").replace(
            "expect: {params: 20}}", "expect: {params: 20}}\n  wide: {set: {k: 7, m: 5}}"
        ),
    )
    assert main(["verify", "other-small", "other@wide", "--specs", "mine", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["spec"], one["preset"], [case["preset"] for case in one["cases"]]) for one in found] == [
        ("other", "other-small", ["other-small"]),
        ("other", "wide", ["wide"]),
    ]
    assert [(one["cases"][0]["sizes"]["k"], one["cases"][0]["sizes"]["m"]) for one in found] == [(3, 5), (7, 5)]
    assert main(["verify", "other@wide", "--specs", "mine", "--report", "proof.md"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("comparisons at preset wide alone")
    assert said[1].startswith("  nothing else of it: `gen verify other` takes random sizes")
    assert said[-1].startswith("1 spec, ")
    assert "all else than preset wide" in Path("proof.md").read_text(encoding="utf-8")


def test_a_preset_that_a_spec_does_not_have_is_named(capsys) -> None:
    pytest.importorskip("torch")
    assert main(["verify", "layer@smal", "--specs", "mine"]) == 2
    assert "`layer` has no preset `smal`\n  did you mean `small`?" in capsys.readouterr().err


@pytest.mark.slow
def test_two_processes_find_what_one_finds_and_say_it_in_the_same_order(specs, capsys) -> None:
    pytest.importorskip("torch")
    wrong = write_specs(specs, broken=BROKEN)
    said = []
    for jobs in ("1", "2"):
        assert main(["verify", str(wrong), "--samples", "1", "--json", "--jobs", jobs]) == 1  # a broken spec is no success
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert [result["spec"] for result in json.loads(said[0])] == ["alone", "broken", "layer", "pair"]


class _Dead(ThreadPoolExecutor):
    """Processes that have all ended."""

    def __init__(self, *_: object) -> None:
        super().__init__()

    def submit(self, *_: object) -> Future[None]:
        future: Future[None] = Future()
        future.set_exception(BrokenProcessPool())
        return future


def test_a_process_that_ends_unexpectedly_is_no_success(specs, capsys, monkeypatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("generator.proof.verify.workers.ProcessPoolExecutor", _Dead)
    assert main(["verify", str(specs), "--samples", "1", "--jobs", "2"]) == 1
    said = capsys.readouterr().out
    assert "layer                            NOTHING WAS COMPARED" in said
    assert "not checked: the process that verified it has ended unexpectedly" in said
