"""What a verification has come to, in words: an absence of comparisons is never called equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from generator.formulas.human import counted
from generator.proof.verify.stepwise import Decoding
from generator.proof.verify.verification import Verification

EQUAL_WHERE_COMPARED = "equal where compared"


def measurements(results: Sequence[Verification]) -> int:
    """Return how many numbers and stepwise runs were compared."""
    runs = sum(len(result.decoding.checks) for result in results if result.decoding is not None)
    return runs + sum(len(case.checks) for result in results for case in result.cases)


def is_compared(result: Verification) -> bool:
    """Say whether anything of a spec was compared."""
    return measurements([result]) + len(result.references) > 0


def word(result: Verification) -> str:
    """Return the verdict on one spec."""
    if result.mistakes:
        return "has mistakes"
    if not result.equal:
        return "differs"
    if not is_compared(result):
        return "nothing was compared"
    return EQUAL_WHERE_COMPARED if result.skipped else "equal"


def decoding_words(decoding: Decoding) -> str:
    """Return what the stepwise runs came to: `equal at splits 1+1+1, 2+1`, or why there are none."""
    if decoding.reason:
        return f"not compared with the whole pass: {decoding.reason}"
    parts = []
    for word, equal in (("equal", True), ("differs", False)):
        splits = list(dict.fromkeys(check.steps for check in decoding.checks if check.equal is equal))
        parts += [f"{word} at splits {', '.join(splits)}"] if splits else []
    parts += [f"not run: {one}" for one in decoding.left_out]
    return "; ".join(parts)


def outcome(results: Sequence[Verification], shown: Callable[[str], str] = str) -> str:
    """Return the verdict on all specs, with the names of those that differ, that have mistakes, and of which nothing is known."""
    broken = [shown(result.spec) for result in results if result.mistakes]
    sound = [result for result in results if not result.mistakes]
    said = [f"{counted(len(broken), 'spec')} {'has' if len(broken) == 1 else 'have'} mistakes: {', '.join(broken)}"] if broken else []
    return "; ".join([_compared(sound, shown), *said] if sound or not broken else said)


def _compared(results: Sequence[Verification], shown: Callable[[str], str]) -> str:
    different = [shown(result.spec) for result in results if not result.equal]
    partly = [shown(result.spec) for result in results if result.skipped and result.equal and is_compared(result)]
    unknown = [shown(result.spec) for result in results if not is_compared(result)]
    if len(unknown) == len(results):
        return "nothing was compared"
    said = (
        f"{counted(len(different), 'spec')} differ{'s' if len(different) == 1 else ''}: {', '.join(different)}"
        if different
        else EQUAL_WHERE_COMPARED
        if partly or unknown
        else "all equal"
    )
    said = f"{said}; nothing was compared of {', '.join(unknown)}" if unknown else said
    return f"{said}; not all was compared of {', '.join(partly)}" if partly else said
