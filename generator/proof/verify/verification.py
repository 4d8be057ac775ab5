"""Verifies specs: random small sizes and every preset, each measured in full, and the public implementations that are known."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from generator.formulas.evaluate import evaluate
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import RowDifference
from generator.proof.verify.failures import described
from generator.proof.verify.initial_weights import initial_checks
from generator.proof.verify.instance import Workbench
from generator.proof.verify.instance_checks import Check, check_instance
from generator.proof.verify.measurements import require_measurements
from generator.proof.verify.ones import at_sizes_of_one
from generator.proof.verify.passes import pass_checks
from generator.proof.verify.references.reference_runs import ReferenceCheck, reference_checks
from generator.proof.verify.row_shapes import wrong_shapes_when_stopped
from generator.proof.verify.sample_sizes import NoSampleError, depths, sample
from generator.proof.verify.stepwise import Decoding, check_decoding
from generator.proof.verify.tables import table_checks
from generator.proof.verify.variants import byte_checks, gradient_checks
from generator.render.module.view import may_be_refused
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet, SheetPreset
from generator.spec.choices import Choices
from generator.text.problems import Problem, ProblemsError

MOST_RUNS = 2500  # of rows
DRAWS = 4


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
class Extent:
    """How much is run of a spec at its random sizes and presets.

    Args:
        most_runs: of rows; a preset that comes to more of them is run with fewer layers, and random sizes are drawn a few times.
        keeps_experts: whether a preset that is run with fewer layers has all its experts, each of which is run in every layer.
        has_passes: whether a forward pass alone and an optimiser's step are replayed at random sizes too.
    """

    most_runs: int = MOST_RUNS
    keeps_experts: bool = True
    has_passes: bool = True


@dataclass(frozen=True)
class Verification:
    """All cases of one spec.

    Args:
        skipped: sizes that were not measured, and why; not a success.
        references: comparisons with public implementations.
        not_run: comparisons that could not be run here, and why.
        mistakes: what keeps the spec from being built, so that nothing of it was measured.
        decoding: stepwise runs beside whole passes; None where the module keeps nothing between steps.
        shortened: presets that were run with fewer layers, because each has many experts.
        preset: the one preset that was measured; empty where all of the spec was.
        family: the heading under which the catalogue has the spec; empty where it has none.
        printed: how many figures of sources its presets are held against.
    """

    spec: str
    cases: tuple[Case, ...]
    skipped: tuple[str, ...] = ()
    references: tuple[ReferenceCheck, ...] = ()
    not_run: tuple[str, ...] = ()
    mistakes: tuple[Problem, ...] = ()
    decoding: Decoding | None = None
    shortened: tuple[str, ...] = ()
    preset: str = ""
    family: str = ""
    printed: int = 0

    @property
    def equal(self) -> bool:
        """Whether every comparison came out equal."""
        compared = (*self.cases, *self.references, *((self.decoding,) if self.decoding else ()))
        return not self.mistakes and all(one.equal for one in compared)


def mistakes(bench: Workbench, names: Iterable[str]) -> dict[str, tuple[Problem, ...]]:
    """Return what keeps specs from being built, by the name of the spec. It is known before the first of them is measured."""
    found: dict[str, tuple[Problem, ...]] = {}
    for name in names:
        try:
            if may_be_refused(bench.compiled(name).architecture):
                bench.modules.view(name)
        except ProblemsError as error:
            found[name] = error.problems
    return found


def verify(
    bench: Workbench,
    name: str,
    *,
    samples: int,
    presets: int | None = None,
    extent: Extent = Extent(),
    decodes: bool = True,
    references: bool = False,
) -> Verification:
    """Measure a spec at random sizes (the same ones each time) and at its presets.

    Args:
        presets: how many of its presets are run, the shallowest first; by default all of them.
        extent: how much of each is run.
        decodes: whether to hold steps of a module that keeps something between them beside a whole pass.
        references: whether to compare with public implementations too.

    Raises:
        UnmeasuredError: a quantity has no measurement.
        ProblemsError: the spec has problems.
    """
    require_measurements()
    sheet = bench.compiled(name).sheet
    rng = random.Random(name)  # noqa: S311  sizes to try, not secrets
    cases: list[Case] = []
    skipped: list[str] = []
    for _ in range(samples):
        try:
            sizes = _drawn(sheet, rng, extent.most_runs)
        except NoSampleError as error:
            skipped.append(str(error))
            break
        cases.append(check_case(bench, name, sizes, of_values=_further_checks if extent.has_passes else _value_checks))
    shortened: list[str] = []
    published = sheet.every_preset
    for preset in published if presets is None else sorted(published, key=lambda one: row_runs(sheet, one.sizes))[:presets]:
        found = _at_preset(bench, name, preset, rng, extent)
        cases += found.cases
        skipped += found.skipped
        shortened += found.shortened
    compared, not_run = reference_checks(bench, name) if references else ((), ())
    decoding = check_decoding(bench, name) if decodes else None
    printed = sum(len(preset.published) for preset in bench.library.spec(name).presets.values())
    return Verification(
        name,
        tuple(cases),
        tuple(skipped),
        compared,
        not_run,
        decoding=decoding,
        shortened=tuple(shortened),
        family=sheet.family,
        printed=printed,
    )


def _drawn(sheet: Sheet, rng: random.Random, most_runs: int) -> dict[str, int]:
    """Return random sizes: the first ones, or of a few the ones with the fewest rows to run. Raises NoSampleError."""
    found = sample(sheet, rng)
    for _ in range(DRAWS - 1):
        if row_runs(sheet, found) <= most_runs:
            break
        found = min(found, sample(sheet, rng), key=lambda sizes: row_runs(sheet, sizes))
    return found


def verify_preset(bench: Workbench, name: str, preset: str) -> Verification:
    """Measure a spec at the sizes of one preset, with the options and blocks that go with it, and nothing else. Raises as `verify`."""
    require_measurements()
    sheet = bench.compiled(name).sheet
    published = next(one for one in sheet.every_preset if one.name == preset)
    return _at_preset(bench, name, published, random.Random(name), Extent())  # noqa: S311  as above


def _at_preset(bench: Workbench, name: str, preset: SheetPreset, rng: random.Random, extent: Extent) -> Verification:
    """Measure a spec at a preset: under other options or blocks than those in force, where it goes with such."""
    if preset.under is not None:
        published = bench.library.spec(name).presets[preset.name]
        with Workbench(bench.library.chosen(Choices.of(name, published))) as under:
            return _at_sizes_of(under, name, preset, rng, extent)
    return _at_sizes_of(bench, name, preset, rng, extent)


def _at_sizes_of(bench: Workbench, name: str, preset: SheetPreset, rng: random.Random, extent: Extent) -> Verification:
    sheet = bench.compiled(name).sheet
    given = runnable(sheet, preset.sizes, extent.most_runs, keeps_experts=extent.keeps_experts)
    try:
        case = check_case(bench, name, preset_sizes(sheet, given, rng), preset.name)
    except NoSampleError as error:
        return Verification(name, (), (f"preset {preset.name}: {error}",), preset=preset.name)
    left = [f"{size} = {case.sizes[size]}" for size in preset.sizes if size not in given]
    shortened = (f"preset {preset.name}: run with {', '.join(left)}, where all else is as published",) if left else ()
    return Verification(name, (case,), shortened=shortened, preset=preset.name)


def _value_checks(instance: Instance) -> Iterator[Check]:
    yield from initial_checks(instance)
    yield from table_checks(instance)


def _further_checks(instance: Instance) -> Iterator[Check]:
    yield from _value_checks(instance)
    yield from pass_checks(instance)


def row_runs(sheet: Sheet, given: Mapping[str, int]) -> int:
    """Return how often rows run at the sizes of a preset, as far as these say."""
    known = {name: value for name, value in complete(sheet.sizes, given).items() if value is not None}
    times = [row.repeat for row in sheet.rows if not row.is_group]
    return sum(int(evaluate(one, known)) for one in times if {size.name for size in one.free_symbols} <= known.keys())


def runnable(sheet: Sheet, given: Mapping[str, int], most_runs: int, *, keeps_experts: bool = True) -> dict[str, int]:
    """Return the sizes of a preset, without those that only count layers where it takes too long to run all rows that they come to.

    Args:
        keeps_experts: whether the sizes stay that count blocks and are an axis too, as experts are: of what their router returns.
    """
    if row_runs(sheet, given) <= most_runs:
        return dict(given)
    blocks = {size.name for row in sheet.rows if row.is_group for size in row.repeat.free_symbols}
    left = depths(sheet).keys() if keeps_experts else blocks
    return {name: value for name, value in given.items() if name not in left}


def preset_sizes(sheet: Sheet, given: Mapping[str, int], rng: random.Random) -> dict[str, int]:
    """Return a preset's sizes with small random values for those that it leaves open. Raises NoSampleError."""
    return sample(sheet, rng, fixed=given)


def check_case(
    bench: Workbench, name: str, sizes: Mapping[str, int], preset: str = "", of_values: Callable[[Instance], Iterable[Check]] = lambda _: ()
) -> Case:
    """Measure one instance in full; whatever stops it is a difference too.

    Args:
        of_values: further comparisons, which take numbers in memory, or time.
    """
    try:
        instance = Instance.of(bench, name, sizes)
        compared = (*check_instance(instance), *gradient_checks(instance), *byte_checks(instance), *of_values(instance))
        checks = at_sizes_of_one(compared, bench.compiled(name).sheet, sizes)
        found = [check.difference() for check in checks if not check.equal]
    except Exception as error:  # noqa: BLE001  whatever stops a generated module is a finding to report
        stopped = Check("run", "no error", described(bench, error))
        return Case(preset, dict(sizes), (stopped,), tuple(wrong_shapes_when_stopped(bench, name, sizes, error)[:1]))
    firsts = tuple(d for i, d in enumerate(found) if d is not None and d not in found[:i])
    return Case(preset, dict(sizes), tuple(check.settled() for check in checks), firsts)
