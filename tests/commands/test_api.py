"""`from generator import load`."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import archsheet
import generator
from generator import MissingSizeError, SizeError, SpecError, load
from tests.support.small_specs import BROKEN, write_specs


def test_a_quantity_needs_only_the_sizes_that_it_depends_on() -> None:
    cost = load("mine/pair.yaml").cost(preset="tiny")
    assert cost.params == 2 * (8 * 8 + 8)
    assert cost.dims == {"h": 2, "k": 8, "e": 4}
    with pytest.raises(MissingSizeError, match=r"^macs needs `b`, which is not given") as error:
        _ = cost.macs
    assert error.value.missing == ("b",)


def test_sizes_win_over_the_preset() -> None:
    assert load("mine/layer.yaml").cost("small", b=2, m=7).macs == 2 * 3 * 7


def test_the_package_has_the_name_by_which_it_is_installed() -> None:
    assert archsheet.__all__ == generator.__all__
    assert all(getattr(archsheet, name) is getattr(generator, name) for name in archsheet.__all__)
    with pytest.raises(AttributeError, match="module 'archsheet' has no attribute 'cli'"):
        _ = archsheet.cli


def test_formulas_are_text() -> None:
    spec = load("mine/pair.yaml")
    assert spec.formulas["params"] == "2*k**2 + 2*k"
    assert spec.cost(h=1).formulas == spec.formulas


def test_arrays_broadcast() -> None:
    b, k = np.arange(1, 4), np.array([[10], [20]])
    macs = load("mine/layer.yaml").cost(b=b, k=k, m=5).macs
    assert macs.dtype == np.int64
    assert macs.tolist() == [[50, 100, 150], [100, 200, 300]]


def test_arrays_stay_exact_beyond_64_bits() -> None:
    macs = load("mine/layer.yaml").cost(b=np.array([10**12]), k=10**12, m=7).macs
    assert macs.tolist() == [7 * 10**24]


def test_derived_sizes_and_conditions_follow_arrays() -> None:
    spec = load("mine/pair.yaml")
    assert spec.cost(h=np.arange(1, 4)).params.tolist() == [2 * (k * k + k) for k in (4, 8, 12)]
    with pytest.raises(SizeError, match="these sizes break `k % h == 0`"):
        spec.cost(h=np.arange(1, 4), k=8)


@pytest.mark.parametrize("size", [np.int64(3), np.uint8(3), 3])
def test_whole_numbers_of_all_kinds_are_sizes(size) -> None:
    params = load("mine/layer.yaml").cost(k=size, m=5).params
    assert (params, type(params)) == (20, int)


@pytest.mark.parametrize("size", [3.0, "3", None, True, np.array([1.5]), np.array(["3"])])
def test_nothing_else_is_a_size(size) -> None:
    with pytest.raises(SizeError, match=r"^size `k` must"):
        load("mine/layer.yaml").cost(k=size)


@pytest.mark.parametrize("size", [0, -1, np.array([4, 0])])
def test_sizes_are_at_least_1(size) -> None:
    with pytest.raises(SizeError, match=r"^size `k` must be at least 1, not (0|-1)$"):
        load("mine/layer.yaml").cost(k=size)


def test_rows_are_leaves_that_sum_to_the_total() -> None:
    cost = load("mine/pair.yaml").cost("tiny", b=3)
    assert [(row.name, row.op, row.shape, row.repeat) for row in cost.rows] == [
        ("first.y", "linear", (3, 8), 1),
        ("bent", "activation", (3, 8), 1),
        ("second.y", "linear", (3, 8), 1),
    ]
    assert sum(row.macs for row in cost.rows) == cost.macs


def test_options_are_arguments_of_load() -> None:
    assert load("mine/pair.yaml", second=False).cost(h=1).params == 4 * 4 + 4
    with pytest.raises(SizeError, match=r"^`secnd` is not an option of `pair`\n  did you mean `second` or `bend`\?"):
        load("mine/pair.yaml", secnd=False)
    with pytest.raises(SizeError, match="option `second` is true or false, not `2`"):
        load("mine/pair.yaml", second=2)


def test_specs_are_found_by_name_in_folders(specs) -> None:
    assert load("pair", specs="mine").name == "pair"
    assert load("pair", specs=[specs]).name == "pair"
    assert load(specs / "pair.yaml").name == "pair"
    assert load("multi_head_attention").title == "Multi-head self-attention"


def test_errors_are_value_errors_with_the_messages_of_the_command_line(specs) -> None:
    write_specs(specs, alone=BROKEN)
    with pytest.raises(SpecError, match=r"mine/alone.yaml:9:11: error: unknown op `linaer`") as error:
        load("mine/alone.yaml")
    assert isinstance(error.value, ValueError)
    assert error.value.problems[0].message == "unknown op `linaer`"
    with pytest.raises(SpecError, match="there is no spec named `pare`"):
        load("pare")
    with pytest.raises(SpecError, match="nowhere: no such file or folder"):
        load("pair", specs="nowhere")


def test_what_is_shown_in_a_notebook_helps() -> None:
    spec = load("mine/pair.yaml")
    assert repr(spec) == "<spec pair: Two layers; sizes b, h, k, e; presets tiny>"
    shown = repr(spec.cost("tiny")).splitlines()
    assert shown[0] == "<cost of pair (tiny) at h=2, k=8, e=4"
    assert shown[1].split() == ["params", "144"]
    assert ["macs", "2*b*k**2", "(give", "b)"] in [line.split() for line in shown]
    assert "array of 2, 40 to 144" in repr(spec.cost(h=np.array([1, 2])))


def test_importing_the_package_imports_nothing_else() -> None:
    program = "import sys, generator; print(sorted({'sympy', 'yaml', 'numpy', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_package_has_no_other_names() -> None:
    assert set(generator.__all__) >= {"load", "__version__"}
    for name in generator.__all__:
        assert getattr(generator, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'loda'"):
        _ = generator.loda  # type: ignore[attr-defined]
