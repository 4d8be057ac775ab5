"""Each op has fixtures: small specs whose generated module is run and measured against the formulas."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from generator.ops.registry import ops
from generator.proof.verify.instance import Workbench
from generator.proof.verify.instance_checks import Instance, check_instance
from generator.proof.verify.sample_sizes import sample
from generator.spec.library import spec_files
from tests.support.builtin import OPS, ops_library

SPECS = sorted(spec_files(OPS))


@pytest.mark.parametrize("name", sorted(ops()))
def test_every_op_has_a_fixture_in_a_folder_of_its_name(name: str) -> None:
    used = {row.op for file in spec_files(OPS / name) for row in ops_library().spec(file.stem).rows.values()}
    assert name in used


@pytest.mark.parametrize(
    "which",
    [
        pytest.param(slice(1), marks=pytest.mark.proof),
        pytest.param(slice(1, 2), marks=pytest.mark.slow),
        pytest.param(slice(2, 4), marks=pytest.mark.exhaustive),
    ],
    ids=["first sizes", "second sizes", "further sizes"],
)
@pytest.mark.parametrize("file", SPECS, ids=lambda file: file.stem)
def test_the_generated_module_measures_what_the_formulas_say(file: Path, which: slice) -> None:
    rng = random.Random(file.stem)
    with Workbench(ops_library()) as bench:
        drawn = [sample(bench.compiled(file.stem).sheet, rng) for _ in range(which.stop)]
        for sizes in drawn[which]:
            wrong = [check for check in check_instance(Instance.of(bench, file.stem, sizes)) if not check.equal]
            assert not wrong, f"{file.stem} at {sizes}: {wrong}"
