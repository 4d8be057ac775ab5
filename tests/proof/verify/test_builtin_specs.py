"""Every spec of the repository: what the generated module measures is what the formulas say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from generator.files.resources import builtin_specs_dir
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import Extent, Verification, verify
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
MANY_SAMPLES = 50
FULL = Extent()
# Of most rows that are run: random sizes that come to more are drawn again.
SHORT = Extent(most_runs=120, has_passes=False)


def check(bench: Workbench, name: str, *, samples: int, presets: int | None, extent: Extent = FULL) -> None:
    # Steps of decoding are compared in test_decoding.py, for every spec that decodes.
    result = verify(bench, name, samples=samples, presets=presets, extent=extent, decodes=False)
    assert not differences(result)
    assert not result.skipped
    sheet = bench.compiled(name).sheet
    published = len(sheet.presets) + len(sheet.other_presets)
    assert len(result.cases) == samples + (published if presets is None else min(presets, published))


@pytest.mark.parametrize("name", QUICK)
def test_a_random_size_measures_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check(bench, name, samples=1, presets=0)


@pytest.mark.proof
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_random_size_of_every_spec_measures_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check(bench, name, samples=1, presets=0, extent=SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_random_size_and_the_shallowest_preset_measure_what_the_formulas_say(bench: Workbench, name: str) -> None:
    """With the passes that the proof leaves out: their highest moments, forward alone and with an optimiser's step."""
    check(bench, name, samples=1, presets=1, extent=Extent(most_runs=120, keeps_experts=False))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_every_preset_at_its_full_depth_measures_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check(bench, name, samples=0, presets=None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_many_random_sizes_measure_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check(bench, name, samples=MANY_SAMPLES, presets=0)
