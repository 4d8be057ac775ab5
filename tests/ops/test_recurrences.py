"""Recurrences: the formulas hold for the generated modules, which compute what PyTorch's own recurrent layers compute."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.instance_checks import check_instance
from generator.proof.verify.sample_sizes import sample
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library, spec_files
from generator.text.problems import ProblemsError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "scan"


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(Library([FIXTURES])) as open_bench:
        yield open_bench


def built(bench: Workbench, name: str, **sizes: int) -> tuple[Any, Tensor]:
    torch.manual_seed(0)
    (x,) = bench.inputs(name, sizes, dtype=torch.float64)
    return bench.build(name, sizes, dtype=torch.float64), x


def with_weights_of(cell: Any, layer: Any) -> Any:
    """Return PyTorch's layer with the weights of a generated cell."""
    with torch.no_grad():
        layer.weight_ih_l0.copy_(cell.from_input.weight)
        layer.bias_ih_l0.copy_(cell.from_input.bias)
        layer.weight_hh_l0.copy_(cell.from_state.weight)
        layer.bias_hh_l0.copy_(torch.zeros_like(layer.bias_hh_l0) if cell.from_state.bias is None else cell.from_state.bias)
    return layer


@pytest.mark.parametrize("name", sorted(file.stem for file in spec_files(FIXTURES)))
def test_the_generated_module_measures_what_the_formulas_say(bench: Workbench, name: str) -> None:
    rng = random.Random(name)
    for _ in range(4):
        sizes = sample(bench.compiled(name).sheet, rng)
        wrong = [check for check in check_instance(Instance.of(bench, name, sizes)) if not check.equal]
        assert not wrong, f"{name} at {sizes}: {wrong}"


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_single_step_that_reads_its_state_before_changing_it_is_derived_apart(bench: Workbench, n: int) -> None:
    wrong = [check for check in check_instance(Instance.of(bench, "late_reader", {"b": 2, "n": n, "d": 3})) if not check.equal]
    assert not wrong
    assert "Min(1, n - 1)" in str(bench.compiled("late_reader").sheet.totals["saved_elements"])


def test_a_recurrent_network_is_pytorchs_rnn(bench: Workbench) -> None:
    module, x = built(bench, "rnn", b=2, n=5, k=3, d=4)
    layer = with_weights_of(module.hidden, nn.RNN(3, 4, batch_first=True, dtype=torch.float64))
    torch.testing.assert_close(module(x), module.y(layer(x)[0]))


def test_gated_recurrent_units_are_pytorchs_gru(bench: Workbench) -> None:
    module, x = built(bench, "gru", b=2, n=5, k=3, d=4)
    layer = with_weights_of(module.hidden, nn.GRU(3, 4, dtype=torch.float64))
    torch.testing.assert_close(module(x), layer(x.permute(2, 0, 1))[0])


def test_a_long_short_term_memory_is_pytorchs_lstm(bench: Workbench) -> None:
    module, x = built(bench, "lstm", b=2, n=5, k=3, d=4)
    layer = with_weights_of(module.memory, nn.LSTM(3, 4, batch_first=True, dtype=torch.float64))
    steps, (h, c) = layer(x)
    found, last = module(x)
    torch.testing.assert_close(found, steps)
    torch.testing.assert_close(last, h[0] + c[0])


def test_a_matrix_state_with_an_output_of_its_own_is_causal_linear_attention(bench: Workbench) -> None:
    module, x = built(bench, "recurrent_linear_attention_layer", b=2, n=5, d=4)
    q, k, v = module.qkv(x).chunk(3, -1)
    torch.testing.assert_close(module(x), x + (q @ k.mT).tril() @ v)


@pytest.mark.parametrize(
    ("name", "axis"),
    [("rnn", 1), ("rnn_on_data", 0), ("gru", 2), ("recurrent_linear_attention_layer", 1), ("recurrent_linear_attention", 1)],
)
def test_running_in_parts_with_a_state_gives_the_whole_run(bench: Workbench, name: str, axis: int) -> None:
    module, x = built(bench, name, b=2, n=6, k=3, d=4, L=2)
    state: dict[str, Any] = {}
    parts = [module(part, state) for part in x.split([1, 2, 3], axis)]
    along = 0 if name == "gru" else axis
    torch.testing.assert_close(torch.cat(parts, along), module(x))


CELL = """title: A cell
dims: {b: batch, d: width}
inputs: {x: [b, d], s: [b, d]}
layers:
  y: {op: add, in: [x, s]}
  z: {op: linear, out: [b, 2*d]}
outputs: OUTPUTS
"""
NETWORK = """title: A network
dims: {b: batch, n: length, d: width}
inputs: {x: [b, n, d]}
layers:
  a: {scan: n, use: cell, carry: {s: [b, d]}}
"""


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ("[z]", "the state `s` is [b, d], but after a step of `cell` it is [b, 2*d]"),
        ("[z, y, s]", "`cell` has 3 outputs (`z`, `y` and `s`), which do not fit its states (`s`)"),
    ],
)
def test_a_cell_must_return_its_states_as_they_came(tmp_path: Path, outputs: str, message: str) -> None:
    (tmp_path / "cell.yaml").write_text(CELL.replace("OUTPUTS", outputs), encoding="utf-8")
    (tmp_path / "network.yaml").write_text(NETWORK, encoding="utf-8")
    with pytest.raises(ProblemsError) as problems:
        compile_spec(Library([tmp_path]), "network")
    assert message in str(problems.value)
