"""CvT and the non-local block in evaluation mode, which uses the running statistics of batch norms, compute what transformers computes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
import torch

from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.references.implementations import public_models
from generator.proof.verify.references.module_comparison import LIMITS, compare
from tests.support.builtin import builtin_library

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (find_spec("transformers") and find_spec("timm")), reason="needs transformers and timm"),
]


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


@pytest.mark.parametrize("spec", ["cvt", "non_local_block"])
@pytest.mark.parametrize("dtype", LIMITS, ids=str)
def test_running_statistics_are_used_in_evaluation_as_in_the_public_implementations(
    bench: Workbench, spec: str, dtype: torch.dtype
) -> None:
    torch.manual_seed(0)
    (model,) = public_models()[spec]
    with default_dtype(dtype):
        small = model.small(dtype)
        for name, buffer in small.other.named_buffers():
            if name.endswith(("running_mean", "running_var")):
                buffer.copy_(torch.rand_like(buffer) + 0.5)
        own: Any = bench.build(spec, small.sizes)
        own.load_reference(small.other.state_dict(), model.layout)
        own.eval()
        small.other.eval()
        outputs, gradients = compare(own, small.other, model.layout, lambda: [own(*small.inputs)], small.run)
    assert outputs.value < LIMITS[dtype]
    assert gradients.value < LIMITS[dtype]
