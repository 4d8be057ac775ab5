"""`make fuzz`: draws specs for some minutes, batch after batch, and says what was found.

Each batch is a process of its own, so that no memory is kept; its seed gives the same specs again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

EXAMPLES = 40
NUMBERS = ("drawn", "verified", "built", "recalculated")
STOPPED = "the batch stops"
LONGEST = 1500  # seconds that a batch may take, shrinking included


class Total:
    """What came of all batches."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.constructs: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.examples: dict[str, tuple[str, str]] = {}
        self.repeated: Counter[str] = Counter()
        self.found: list[tuple[int, str, str, str]] = []

    def add(self, batch: dict[str, Any]) -> None:
        self.numbers.update({key: batch[key] for key in NUMBERS})
        for name in ("constructs", "refused", "repeated"):
            getattr(self, name).update(batch[name])
        self.examples = {key: tuple(value) for key, value in batch["examples"].items()} | self.examples
        for signature, message, spec in batch["findings"]:
            self.found.append((batch["seed"], signature, message, spec))
            say(f"\nFINDING {signature}\n{message}\n{spec}\nagain: make fuzz FUZZ_SEED={batch['seed']} FUZZ_MINUTES=0\n")

    def show(self) -> None:
        n = self.numbers
        built = f"{n['built']} built, {n['recalculated']} workbooks recalculated"
        say(f"{n['drawn']} specs drawn, {n['verified']} verified; of these {built}")
        say("by construct: " + ", ".join(f"{name} {count}" for name, count in self.constructs.most_common()))
        say(f"{sum(self.refused.values())} refused:")
        for why, count in self.refused.most_common():
            say(f"  {count:5} {why}")
        for signature, count in self.repeated.most_common():
            say(f"  {count:5} times again: {signature}")
        say(f"{len(self.found)} findings")
        for number, signature, _, _ in self.found:
            say(f"  seed {number}: {signature}")


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def one_batch(number: int, skip: list[str]) -> dict[str, Any]:
    """Run a batch in a process of its own; that it stops is a finding too."""
    command = [sys.executable, "-m", "tests.fuzz.batch", "--seed", str(number), "--examples", str(EXAMPLES), "--skip", json.dumps(skip)]
    empty: dict[str, Any] = dict.fromkeys(NUMBERS, 0)
    empty |= {"seed": number} | {key: {} for key in ("constructs", "refused", "repeated", "examples")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return empty | {"findings": [("the batch does not end", f"after {LONGEST} s", "")]}
    if done.returncode:
        return empty | {"findings": [(f"{STOPPED}: {done.stderr.strip().splitlines()[-1:]}", done.stderr[-3000:], "")]}
    batch: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return batch


def main() -> int:
    """Run batches until the time is over: at least one. Returns 1 on a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the first batch; the next ones follow")
    parser.add_argument("--examples", type=Path, help="a file for one example of each reason to refuse a spec")
    args = parser.parse_args()
    total, end, number = Total(), time.monotonic() + 60 * args.minutes, args.seed
    try:
        while number == args.seed or time.monotonic() < end:
            total.add(one_batch(number, [signature for _, signature, _, _ in total.found]))
            say(f"seed {number}: {total.numbers['drawn']} drawn, {total.numbers['verified']} verified, {len(total.found)} findings")
            number += 1
            if total.found and total.found[-1][1].startswith(STOPPED):  # the next batch would too
                break
    except KeyboardInterrupt:
        say("stopped")
    total.show()
    if args.examples is not None:
        args.examples.write_text(json.dumps(total.examples, indent=1), encoding="utf-8")
    return 1 if total.found else 0


if __name__ == "__main__":
    sys.exit(main())
