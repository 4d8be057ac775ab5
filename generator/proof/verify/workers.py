"""Verifies specs in this process or in several, and yields what came of them in the order asked."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import torch

from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import Verification, verify, verify_preset
from generator.spec.library import Library
from generator.worker_process import begin_worker

LOST = "the process that verified it has ended unexpectedly; there may be too little memory for so many: try --jobs 1"


def verify_all(
    bench: Workbench, subjects: Sequence[tuple[str, str]], jobs: int, *, samples: int, references: bool
) -> Iterator[Verification]:
    """Yield what came of each subject, in their order.

    Args:
        bench: where modules are written when all is done in this process.
        subjects: specs, each with the one preset to measure of it; an empty one means the whole spec.
        jobs: the number of processes; with 1 all is done in this one.
        samples: the number of random sets of sizes.
        references: whether to compare with public implementations too.

    Raises:
        ProblemsError: a spec has problems.
    """
    asked = [_Asked(name, preset, samples, references) for name, preset in subjects]
    if min(jobs, len(asked)) <= 1:
        yield from (_verified(bench, one) for one in asked)
        return
    # Started afresh, not forked: the threads of PyTorch do not survive a fork. What a process is handed at its start goes through a pipe,
    # and whoever writes more than the pipe holds waits forever for one that has ended before it reads: the specs go through a file.
    kept = bench.package / "library.pickle"
    kept.write_bytes(pickle.dumps(bench.library))
    with ProcessPoolExecutor(min(jobs, len(asked)), get_context("spawn"), _start, (kept,)) as pool:
        waiting = [pool.submit(_verified_here, one) for one in asked]
        try:
            for one, done in zip(asked, waiting, strict=True):
                died = isinstance(done.exception(), BrokenProcessPool)
                yield Verification(one.spec, (), skipped=(LOST,), preset=one.preset) if died else done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class _Asked:
    spec: str
    preset: str
    samples: int
    references: bool


def _verified(bench: Workbench, asked: _Asked) -> Verification:
    if asked.preset:
        return verify_preset(bench, asked.spec, asked.preset)
    return verify(bench, asked.spec, samples=asked.samples, references=asked.references)


class _Verifier:
    """What a process keeps between its subjects."""

    library: Library


def _start(library: Path) -> None:
    """Prepare a process, given a file with specs."""
    begin_worker()
    torch.set_num_threads(1)  # the processes share the cores already
    _Verifier.library = pickle.loads(library.read_bytes())  # noqa: S301 - written above


def _verified_here(asked: _Asked) -> Verification:
    with Workbench(_Verifier.library) as bench:
        return _verified(bench, asked)
