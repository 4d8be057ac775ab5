"""What a verification has come to, in words: an absence of comparisons is never called equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from generator.human import counted
from generator.verify.run import Result


def measurements(results: Sequence[Result]) -> int:
    """Return how many numbers were measured and compared."""
    return sum(len(case.checks) for result in results for case in result.cases)


def is_compared(result: Result) -> bool:
    """Say whether anything of a spec was compared."""
    return measurements([result]) + len(result.references) > 0


def word(result: Result) -> str:
    """Return the verdict on one spec."""
    if result.mistakes:
        return "has mistakes"
    if not result.equal:
        return "differs"
    if not is_compared(result):
        return "nothing was compared"
    return "equal, in part" if result.skipped else "equal"


def outcome(results: Sequence[Result], shown: Callable[[str], str] = str) -> str:
    """Return the verdict on all specs, with the names of those that differ, that have mistakes, and of which nothing is known."""
    broken = [shown(result.spec) for result in results if result.mistakes]
    sound = [result for result in results if not result.mistakes]
    said = [f"{counted(len(broken), 'spec')} {'has' if len(broken) == 1 else 'have'} mistakes: {', '.join(broken)}"] if broken else []
    return "; ".join([_compared(sound, shown), *said] if sound or not broken else said)


def _compared(results: Sequence[Result], shown: Callable[[str], str]) -> str:
    different = [shown(result.spec) for result in results if not result.equal]
    unknown = [shown(result.spec) for result in results if not is_compared(result)]
    if len(unknown) == len(results):
        return "nothing was compared"
    said = (
        f"{counted(len(different), 'spec')} differ{'s' if len(different) == 1 else ''}: {', '.join(different)}"
        if different
        else "all equal"
    )
    return f"{said}; nothing was compared of {', '.join(unknown)}" if unknown else said
