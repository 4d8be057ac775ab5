"""Every spec of the repository: what the generated module measures is what the formulas say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from generator.files.resources import builtin_specs_dir
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import MOST_RUNS, Verification, verify
from generator.spec.library import spec_files
from tests.support.builtin import builtin_library

NAMES = sorted(file.stem for file in spec_files(builtin_specs_dir()))


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


def differences(result: Verification) -> list[str]:
    return [
        f"{case.preset} {dict(case.sizes)}: {[c for c in case.checks if not c.equal]} {case.differences}"
        for case in result.cases
        if not case.equal
    ]


QUICK = ["bert", "convolution_layer", "cross_attention", "gated_mlp", "gpt2", "linear_attention", "lstm", "top_k_router"]
SAMPLES = 1
MANY_SAMPLES = 50
ROWS = 120  # that are run at a preset in `make test`: one that comes to more has fewer layers there, and fewer experts in each


def check(bench: Workbench, name: str, *, samples: int, presets: int | None, is_short: bool = False) -> None:
    most_runs = ROWS if is_short else MOST_RUNS
    # Steps of decoding are compared in test_decoding.py, for every spec that decodes.
    result = verify(bench, name, samples=samples, presets=presets, most_runs=most_runs, keeps_experts=not is_short, decodes=False)
    assert not differences(result)
    assert not result.skipped
    sheet = bench.compiled(name).sheet
    published = len(sheet.presets) + len(sheet.other_presets)
    assert len(result.cases) == samples + (published if presets is None else min(presets, published))


@pytest.mark.parametrize("name", QUICK)
def test_a_random_size_measures_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check(bench, name, samples=1, presets=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_random_size_and_the_shallowest_preset_measure_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check(bench, name, samples=SAMPLES, presets=1, is_short=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_every_preset_at_its_full_depth_measures_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check(bench, name, samples=0, presets=None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_many_random_sizes_measure_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check(bench, name, samples=MANY_SAMPLES, presets=0)
