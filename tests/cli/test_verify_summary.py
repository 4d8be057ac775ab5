"""How `gen verify` sums up, without PyTorch where only words are at stake."""

from __future__ import annotations

import pytest

from generator.cli import main
from generator.verify.checks import Check
from generator.verify.report import render_report
from generator.verify.run import Case, Result
from generator.verify.summary import outcome, word
from tests.support.small_specs import LAYER, write_specs

GOOD = Result("good", (Case("", {"b": 2}, (Check("params", 5, 5),)),))
BAD = Result("bad", (Case("", {"b": 2}, (Check("params", 5, 6),)),))
NOTHING = Result("nothing", (), skipped=("no sizes satisfy n > 5",))


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([GOOD], "all equal"),
        ([GOOD, BAD], "1 spec differs: bad"),
        ([BAD, BAD], "2 specs differ: bad, bad"),
        ([NOTHING], "nothing was compared"),
        ([], "nothing was compared"),
        ([GOOD, NOTHING], "all equal; nothing was compared of nothing"),
    ],
)
def test_the_outcome_calls_only_what_was_compared_equal(results: list[Result], said: str) -> None:
    assert outcome(results) == said


def test_a_spec_of_which_nothing_was_compared_is_not_equal() -> None:
    assert [word(result) for result in (GOOD, BAD, NOTHING)] == ["equal", "differs", "nothing was compared"]
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
