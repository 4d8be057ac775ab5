"""Verifies specs: random small sizes and every preset, each measured in full."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from generator.sheet import Sheet
from generator.verify.checks import Check, Instance, check_instance
from generator.verify.instance import Workbench
from generator.verify.rows import RowDifference, first_difference
from generator.verify.sampling import NoSampleError, sample


@dataclass(frozen=True)
class Case:
    """One instance that was measured."""

    preset: str  # "" for random sizes
    sizes: Mapping[str, int]
    checks: tuple[Check, ...]
    differences: tuple[RowDifference, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether every comparison came out equal."""
        return all(check.equal for check in self.checks)


@dataclass(frozen=True)
class Result:
    """All cases of one spec."""

    spec: str
    cases: tuple[Case, ...]
    skipped: tuple[str, ...] = ()  # what was not checked, and why

    @property
    def equal(self) -> bool:
        """Whether every case came out equal."""
        return all(case.equal for case in self.cases)


def verify(bench: Workbench, name: str, *, samples: int) -> Result:
    """Measure a spec at random sizes (the same ones each time) and at its presets.

    Raises:
        ProblemsError: the spec has problems.
    """
    sheet = bench.compiled(name).sheet
    rng = random.Random(name)  # noqa: S311  sizes to try, not secrets
    cases: list[Case] = []
    skipped: list[str] = []
    for _ in range(samples):
        try:
            sizes = sample(sheet, rng)
        except NoSampleError as error:
            skipped.append(str(error))
            break
        cases.append(_case(bench, name, "", sizes))
    for preset in sheet.presets:
        try:
            cases.append(_case(bench, name, preset.name, preset_sizes(sheet, preset.sizes, rng)))
        except NoSampleError as error:
            skipped.append(f"preset {preset.name}: {error}")
    return Result(name, tuple(cases), tuple(skipped))


def preset_sizes(sheet: Sheet, given: Mapping[str, int], rng: random.Random) -> dict[str, int]:
    """Return a preset's sizes with small random values for those that it leaves open. Raises NoSampleError."""
    return sample(sheet, rng, fixed=given)


def _case(bench: Workbench, name: str, preset: str, sizes: Mapping[str, int]) -> Case:
    try:
        instance = Instance.of(bench, name, sizes)
        checks = tuple(check_instance(instance))
    except Exception as error:  # noqa: BLE001  whatever stops a generated module is a finding to report
        return Case(preset, dict(sizes), (Check("run", "no error", f"{type(error).__name__}: {error}"),))
    found = [_first_difference(bench, name, instance, check.quantity) for check in checks if not check.equal]
    return Case(preset, dict(sizes), checks, tuple(d for d in found if d is not None))


def _first_difference(bench: Workbench, name: str, instance: Instance, quantity: str) -> RowDifference | None:
    own = instance.measured_by(quantity)
    with own.mode:
        return first_difference(bench, name, quantity, instance.sizes, (own.runner(), own.inputs))
