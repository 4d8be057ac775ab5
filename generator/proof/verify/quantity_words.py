"""What is compared and how it is measured, for people."""

from __future__ import annotations

from collections.abc import Mapping

from generator.in_bytes import PEAK_BYTES, SAVED_BYTES
from generator.proof.verify.measurements import MEASUREMENTS

MEASURED_BY: Mapping[str, str] = {
    "shape of ...": "the outputs of the module",
    "rows of the right shape": "the local variables of its `forward`, one for each row",
    **{key: measurement.how for key, measurement in MEASUREMENTS.items()},
    SAVED_BYTES.key: "saved-tensor hooks, each storage once with the size of its elements, in float32 and in bfloat16",
    PEAK_BYTES.key: (
        "every storage followed from where it is made to where nothing refers to it any more, forward and backward, in float32 and in "
        "bfloat16; the caller holds inputs, outputs and a gradient for each output; weights and their gradients do not count"
    ),
}
SIZE_ONE = (
    "All sizes and axes are two at least, those inside of rows included; of layers there is one at least. Where one has size one, "
    "shapes, parameters and state are still exact. So are matmul and pointwise FLOPs, but for an einsum that contracts an axis of size one"
    " (PyTorch multiplies element by element there, which counts as pointwise FLOPs), a factor that comes to 1, and a norm over a single "
    "element (which cost nothing or less). What is saved and moved is not: copies that size one makes needless are skipped, and what is"
    " then kept may be a smaller tensor, or a larger one that it is part of. So a batch of one alone changes only what is saved and "
    "moved. A preset with a size of one is held against the same formulas, and where one of them differs, against the count that is "
    "derived with that number in the place of the size, which must be exactly what is measured."
)
DECODING = (
    "A module that keeps a state between decoding steps is given the same tokens step by step: one at a time, a prompt and then single "
    "tokens, and random pieces. In float64, with random weights, each step must come to what one pass over all tokens comes to for its "
    "own, within 1e-10 of the greatest value. Where a token depends on later ones in one pass, no step can come to the same: then that is "
    "said instead."
)
