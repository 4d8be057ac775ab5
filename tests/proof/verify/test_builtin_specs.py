"""Every spec of the repository: what the generated module measures is what the formulas say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from generator.proof.verify.instance import Workbench
from generator.proof.verify.run import Verification, verify
from generator.resources import builtin_specs_dir
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


MODELS = {file.stem for file in spec_files(builtin_specs_dir() / "models")}
SAMPLES = 5
MANY_SAMPLES = 50


@pytest.mark.parametrize("name", [*[name for name in NAMES if name not in MODELS][::3], "bert", "gpt2"])
def test_random_sizes_measure_what_the_formulas_say(bench: Workbench, name: str) -> None:
    result = verify(bench, name, samples=1, presets=False)
    assert not differences(result)
    assert not result.skipped
    assert len(result.cases) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_presets_measure_what_the_formulas_say(bench: Workbench, name: str) -> None:
    result = verify(bench, name, samples=0)
    assert not differences(result)
    assert not result.skipped
    assert len(result.cases) == len(bench.compiled(name).sheet.presets)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_some_random_sizes_measure_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check_samples(bench, name, SAMPLES)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_many_random_sizes_measure_what_the_formulas_say(bench: Workbench, name: str) -> None:
    check_samples(bench, name, MANY_SAMPLES)


def check_samples(bench: Workbench, name: str, samples: int) -> None:
    result = verify(bench, name, samples=samples, presets=False)
    assert not differences(result)
    assert not result.skipped
    assert len(result.cases) == samples
