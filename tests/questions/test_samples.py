"""Which size counts samples and which counts tokens, where axes of inputs have the same one."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.questions.workload.workload_formulas import workload_of
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from tests.support.small_specs import write_specs


@pytest.mark.parametrize(
    ("inputs", "batch", "length", "items"),
    [
        ("{x: [b, n, d]}", "b", "n", "samples"),
        ("{x: [b, b, n]}", "", "", "passes"),  # another sample makes all samples larger
        ("{x: [b, b, b], z: [b, n, d]}", "", "n", "passes"),
        ("{x: [b, b, n], z: [n, d, b]}", "", "d", "passes"),
        ("{x: [b, n, d], z: [n, b, d]}", "b", "", "samples"),  # what counts samples in one input is no length in another
        ("{x: [n, d], z: [n, n], w: [b]}", "", "", "passes"),  # nodes of a graph
    ],
)
def test_a_size_of_several_axes_counts_no_samples_and_no_tokens(inputs: str, batch: str, length: str, items: str, tmp_path: Path) -> None:
    rows = "".join(f"  {name}2: {{op: scale, in: {name}, by: 2}}\n" for name in "xzw" if f"{name}:" in inputs)
    outputs = ", ".join(f"{name}2" for name in "xzw" if f"{name}:" in inputs)
    head = f"title: Mine\ndims: {{b: one, n: another, d: a third}}\ninputs: {inputs}\nlayers:\n"
    write_specs(tmp_path, mine=f"{head}  v: {{op: parameter, out: [b, n, d]}}\n{rows}outputs: [v, {outputs}]\n")
    load = workload_of(compile_spec(Library([tmp_path]), "mine").sheet)
    assert (load.batch, load.length, load.items[1]) == (batch, length, items)
