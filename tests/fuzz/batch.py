"""Some specs in one process: drawn by hypothesis, judged, and the first new finding made as simple as can be."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from zlib import crc32

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from tests.fuzz.specs import ROWS, Drawn, choices_for, simplest, spec
from tests.fuzz.verdict import Finding, Verdict, judge, reason
from tests.fuzz.workbooks import recalculated

SHARE_BUILT = 8  # one spec of so many is built too
SHARE_IN_USE = 5  # and one of so many is measured as after module.eval()
SHRINKING = 90.0  # seconds of work for one finding
MOST_RECALCULATED = 6  # workbooks of a batch that LibreOffice calculates
KNOWN: tuple[str, ...] = ()  # classes of faults that are not drawn
KNOWN_SIGNATURES: frozenset[str] = frozenset()


@dataclass
class Batch:
    """What came of a batch. Specs that are tried while a finding is made simpler are not counted.

    Args:
        refused: how many specs were refused for each reason, with an example.
        findings: signature, message and the simplest spec of each.
    """

    seed: int
    drawn: int = 0
    verified: int = 0
    built: int = 0
    recalculated: int = 0
    constructs: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[str, str]] = field(default_factory=dict)
    findings: list[tuple[str, str, str]] = field(default_factory=list)
    repeated: Counter[str] = field(default_factory=Counter)


class FoundError(Exception):
    """Ends the drawing at a spec that fails."""


class _Run:
    def __init__(self, number: int, skip: Collection[str]) -> None:
        self.batch = Batch(number)
        self.skip = {*skip, *KNOWN_SIGNATURES}
        self.to_recalculate: list[Drawn] = []
        self.failing: tuple[bytes, Finding] | None = None

    def check(self, data: bytes) -> None:
        """Judge the spec of some choices. Raises FoundError at a new finding."""
        drawn = spec(data, KNOWN)
        number = crc32(data)
        mode = "inference" if number // SHARE_BUILT % SHARE_IN_USE == 0 else "training"
        verdict = judge(drawn, seed=self.batch.seed, build=number % SHARE_BUILT == 0 and mode == "training", mode=mode)
        self.count(drawn, verdict)
        for finding in verdict.findings:
            if finding.signature not in self.skip:
                self.failing = (data, finding)
                raise FoundError
            self.batch.repeated[finding.signature] += 1

    def count(self, drawn: Drawn, verdict: Verdict) -> None:
        batch = self.batch
        batch.drawn += 1
        why = verdict.refused or (verdict.unsampled and "no sizes: " + verdict.unsampled)
        if why:
            kind = reason(why) if verdict.refused else "no sizes are found"
            batch.refused[kind] += 1
            batch.examples.setdefault(kind, (why, repr(drawn)))
            return
        batch.verified += 1
        batch.built += verdict.built
        batch.constructs.update(verdict.constructs)
        if verdict.built and not verdict.findings and len(self.to_recalculate) < MOST_RECALCULATED:
            self.to_recalculate.append(drawn)

    def shrink(self, data: bytes, found: Finding) -> tuple[str, str, str]:
        """Return signature, message and text of the simplest spec with the same finding, as far as the time allows."""
        end = process_time() + SHRINKING
        tried: dict[str, list[Finding]] = {}

        def fails(choices: bytes) -> bool:
            drawn = spec(choices, KNOWN)
            text = repr(drawn)
            if text not in tried and process_time() < end:
                findings = judge(drawn, seed=self.batch.seed, build=found.needs_build, mode=found.mode).findings
                tried[text] = [finding for finding in findings if finding.signature == found.signature]
            return bool(tried.get(text))

        text = repr(spec(simplest(data, fails), KNOWN))
        return found.signature, next(iter(tried.get(text, [])), found).message, text


def run_batch(number: int, examples: int, skip: Collection[str] = ()) -> Batch:
    """Draw specs with a seed and judge them until one is a new finding.

    Args:
        skip: signatures of findings that are known.
    """
    run = _Run(number, skip)
    how = settings(
        max_examples=examples, deadline=None, database=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False, verbosity=Verbosity.quiet, print_blob=False,
    )  # fmt: skip
    every_spec_holds = seed(number)(how(given(choices_for(ROWS))(run.check)))
    try:
        every_spec_holds()
    except FoundError:
        assert run.failing is not None
        run.batch.findings.append(run.shrink(*run.failing))
    if run.to_recalculate:
        with TemporaryDirectory() as folder:
            done, wrong = recalculated(run.to_recalculate, Path(folder))
        run.batch.recalculated += done
        run.batch.findings += [(signature, message, repr(drawn)) for signature, message, drawn in wrong if signature not in run.skip]
    return run.batch


def main() -> None:
    """Run one batch and print what came of it as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--skip", default="[]")
    args = parser.parse_args()
    batch = run_batch(args.seed, args.examples, json.loads(args.skip))
    sys.stdout.write(json.dumps(vars(batch)) + "\n")


if __name__ == "__main__":
    main()
