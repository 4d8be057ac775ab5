"""What is compared and how it is measured, for people."""

from __future__ import annotations

from collections.abc import Mapping

MEASURED_BY: Mapping[str, str] = {
    "shape of ...": "the outputs of the module",
    "rows of the right shape": "the local variables of its `forward`, one for each row",
    "params": "its parameters, each once however many names it has",
    "matmul_flops": "PyTorch's FlopCounterMode, where it is wrong corrected (grouped convolutions, fused attention on CPU)",
    "backward_matmul_flops": (
        "the same around the backward pass: with gradients on the inputs as the spec declares them, on all float inputs, and on none"
    ),
    "vector_flops": "a dispatch mode over PyTorch's own decompositions: one for each primitive operation and element",
    "saved_elements": "saved-tensor hooks: each storage once, parameters excluded; with gradients on the inputs as above",
    "saved_bytes": "the same in bytes, in float32 and in bfloat16",
    "traffic_elements": "a dispatch mode over what each unfused operation reads and writes",
    "state_elements": "the state that the module keeps after a decoding step",
}
SIZE_ONE = "No axis has size one: there PyTorch skips some copies."
