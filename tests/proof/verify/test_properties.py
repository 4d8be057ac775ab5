"""Sizes drawn by hypothesis, which shrinks those that fail; and what still holds where an axis has size one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, assume, find, given, reject, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from generator.files.resources import builtin_specs_dir
from generator.formulas.evaluate import evaluate
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.instance_checks import Check, check_instance, run_forward
from generator.proof.verify.sample_sizes import NoSampleError, sample
from generator.proof.verify.variants import byte_checks, gradient_checks
from generator.sheet.sheet import Sheet
from generator.spec.library import Library, spec_files
from generator.trace import kernels
from tests.support.builtin import builtin_library

NAMES = sorted(file.stem for file in spec_files(builtin_specs_dir()))
MODELS = {file.stem for file in spec_files(builtin_specs_dir() / "models")}
BLOCKS = [name for name in NAMES if name not in MODELS]
FEW = ["mlp", "gated_mlp", "multi_head_attention", "pre_norm_block"]
# What an axis of size one does not change, if no einsum contracts it (see the tests at the end).
WITH_SIZE_ONE = ("shape", "rows of the right shape", "params", "state_elements", "matmul_flops", "backward_matmul_flops", "vector_flops")

T = TypeVar("T")

quick = settings(max_examples=5, deadline=None, derandomize=True, database=None)


def thorough(name: str) -> settings:
    """Fewer examples for models, which are stacks of the blocks, and slower."""
    examples = 2 if name in MODELS else 8
    return settings(max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


class Drawn:
    """Stands in for random.Random: what it chooses is drawn by hypothesis, which shrinks it towards the first choice."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def choice(self, values: Sequence[T]) -> T:
        return self.draw(st.sampled_from(values))

    def random(self) -> float:
        return self.draw(st.sampled_from([1.0, 0.0]))  # 1: defaults are left alone


@st.composite
def sizes_of(draw: st.DrawFn, sheet: Sheet, fixed: Mapping[str, int] | None = None) -> dict[str, int]:
    """Sizes that satisfy the spec's conditions; where those are hard to meet, random ones that do not shrink as well."""
    least = 1 if fixed else 2
    try:
        return sample(sheet, Drawn(draw), fixed=fixed, least=least, attempts=5)
    except NoSampleError:
        seed = draw(st.integers(0, 1000))
    try:
        return sample(sheet, Random(seed), fixed=fixed, least=least)
    except NoSampleError:
        reject()


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


def wrong(bench: Workbench, name: str, sizes: Mapping[str, int]) -> list[Check]:
    instance = Instance.of(bench, name, sizes)
    return [c for c in (*check_instance(instance), *gradient_checks(instance), *byte_checks(instance)) if not c.equal]


def no_other_is_one(sheet: Sheet, sizes: Mapping[str, int], name: str) -> bool:
    """Whether all sizes and axes are two at least but `name`, and those that are one by default, such as a stride."""
    ones = {size.name: 2 for size in sheet.sizes if size.name == name or size.value == 1}
    return min(*{**sizes, **ones}.values(), *(evaluate(axis, {**sizes, **ones}) for axis in sheet.axes)) >= 2


@pytest.mark.parametrize("name", FEW)
def test_every_quantity_is_exact_at_drawn_sizes(bench: Workbench, name: str) -> None:
    @quick
    @given(sizes_of(bench.compiled(name).sheet))
    def holds(sizes: dict[str, int]) -> None:
        assert not wrong(bench, name, sizes)

    holds()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BLOCKS)  # models are stacks of them; their sizes are drawn in test_builtin_specs
def test_every_quantity_of_every_block_is_exact_at_drawn_sizes(bench: Workbench, name: str) -> None:
    @thorough(name)
    @given(sizes_of(bench.compiled(name).sheet))
    def holds(sizes: dict[str, int]) -> None:
        assert not wrong(bench, name, sizes)

    holds()


@pytest.mark.parametrize("name", FEW)
def test_counts_that_do_not_depend_on_copies_are_exact_for_a_batch_of_one(bench: Workbench, name: str) -> None:
    check_size_one(bench, name, "b", quick)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_counts_that_do_not_depend_on_copies_are_exact_for_a_batch_of_one_in_every_spec(bench: Workbench, name: str) -> None:
    if "b" not in bench.library.spec(name).dims:
        pytest.skip("no size is called b")
    check_size_one(bench, name, "b", thorough(name))


def check_size_one(bench: Workbench, name: str, size: str, how: settings) -> None:
    sheet = bench.compiled(name).sheet

    @how
    @given(sizes_of(sheet, {size: 1}))
    def holds(sizes: dict[str, int]) -> None:
        assume(no_other_is_one(sheet, sizes, size))
        assert not [check for check in wrong(bench, name, sizes) if check.quantity.startswith(WITH_SIZE_ONE)]

    try:
        holds()
    except Unsatisfiable:
        pytest.skip(f"where {size} is one, so is another size of {name} by default")


@pytest.mark.slow
def test_a_failing_size_is_shrunk_to_the_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kernels.KERNELS, "gelu", replace(kernels.KERNELS["gelu"], costs=(kernels.VectorCost(6),)))
    with Workbench(Library()) as bench:

        def fails(sizes: dict[str, int]) -> bool:
            instance = Instance.of(bench, "mlp", sizes)
            return run_forward(instance).vector_flops != instance.derived("vector_flops")

        smallest = find(sizes_of(bench.compiled("mlp").sheet), fails, settings=quick)
        assert smallest == {"b": 2, "n": 2, "d": 2, "f": 8}  # f is 4*d by default


# ---- an axis of size one ------------------------------------------------------------------------------------------------------------


def measured(name: str, **sizes: int) -> dict[str, Check]:
    with Workbench(builtin_library()) as bench:
        sheet = bench.compiled(name).sheet
        checks = check_instance(Instance.of(bench, name, sample(sheet, Random(0), fixed=sizes, least=1)))
        return {check.quantity: check for check in checks}


def test_an_einsum_that_contracts_an_axis_of_size_one_is_a_product_of_elements_for_torch() -> None:
    checks = measured("linformer_attention", b=3, n=1, d=4, h=2, k=5)
    product = 3 * 5 * 4  # keys and values [b, k, d] from [b, n, d] and [k, n], summed over n = 1
    assert checks["matmul_flops"].derived - checks["matmul_flops"].measured == 2 * 2 * product
    assert checks["vector_flops"].measured - checks["vector_flops"].derived == 2 * product


def test_a_factor_that_comes_to_one_is_no_vector_operation() -> None:
    checks = measured("multi_head_attention", b=2, n=3, d=5, h=5)  # scores are scaled by e**-0.5 = 1
    assert checks["vector_flops"].derived - checks["vector_flops"].measured == 2 * 5 * 3 * 3
    assert checks["matmul_flops"].equal


def test_a_batch_of_one_saves_torch_copies() -> None:
    checks = measured("multi_head_attention", b=1, n=3, d=6, h=2)
    assert checks["traffic_elements"].measured < checks["traffic_elements"].derived
    assert all(checks[key].equal for key in ("params", "matmul_flops", "backward_matmul_flops", "vector_flops"))
