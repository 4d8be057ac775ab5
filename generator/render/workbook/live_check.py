"""One check: what is found, what is expected, the verdict, and what is wrong where it fails."""

from __future__ import annotations

from dataclasses import dataclass

from generator.render.workbook.cells import quoted
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.stamp import Value


@dataclass(frozen=True)
class CheckLine:
    """What a cell beside a check shows: a formula with its value, or plain text where there is no formula."""

    formula: str
    value: Value
    style: str = "Link, total"


@dataclass(frozen=True)
class LiveCheck:
    """One line. Formulas may speak of their own row as `{row}`.

    Args:
        text: what is checked.
        found: what is looked at.
        expected: what it must be.
        condition: the formula of the verdict.
        verdict: what the condition comes to when the file is written.
        wrong: the formula of a sentence that says what is wrong if the check fails; empty where the line says it all.
    """

    text: str
    found: CheckLine
    expected: CheckLine
    condition: str
    verdict: str
    wrong: str = ""


def verdict(plan: Plan, holds: bool) -> str:
    """Return the word for a check that holds, or fails."""
    return plan.words("result.ok" if holds else "result.wrong")


def judged(plan: Plan, condition: str) -> str:
    """Return the formula of a verdict; an error counts as a failure."""
    return f"IF(IFERROR({condition},FALSE),{quoted(plan.words('result.ok'))},{quoted(plan.words('result.wrong'))})"
