"""One row, built and run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from generator.proof.verify.instance import Workbench
from generator.spec.library import Library

SIZES = {"b": 2, "c": 4, "n": 12, "d": 6, "h": 8, "w": 6, "k": 3, "t": 4}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., SimpleNamespace]:
    """Build a one-row spec (or several rows) and run it: the input, the result and the row's submodule, as arrays."""

    def run_rows(row: str, x: str, *before: str) -> SimpleNamespace:
        dims = ", ".join(f"{name}: size {name}" for name in SIZES)
        layers = "".join(f"  {line}\n" for line in (*before, f"y: {row}"))
        head = f"title: One row\ndims: {{{dims}}}\nwhere: [c % 4 == 0, h % 2 == 0, w % 2 == 0]\ninputs: {{x: {x}}}\nlayers:\n"
        (tmp_path / "one.yaml").write_text(head + layers, encoding="utf-8")
        torch.manual_seed(0)
        with Workbench(Library([tmp_path])) as bench:
            module = bench.build("one", SIZES, dtype=torch.float64)
            (given,) = bench.inputs("one", SIZES, dtype=torch.float64)
            for weight in module.parameters():
                torch.nn.init.normal_(weight)
            result = module(given)
        layer = getattr(module, "y", None)
        weights = {name: value.detach().numpy() for name, value in layer.named_parameters()} if isinstance(layer, torch.nn.Module) else {}
        return SimpleNamespace(x=given.numpy(), y=result.detach().numpy(), layer=layer, module=module, **weights)

    return run_rows
