"""The counters on published models, on meta tensors, against the papers' arithmetic."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

from generator.proof.measure import (
    backward_matmul_flops,
    matmul_flops,
    matmul_kernels,
    module_labels,
    parameters,
    saved,
    traffic,
    vector_flops,
)
from generator.proof.verify.references.timm_models import import_timm

pytestmark = pytest.mark.slow


@pytest.mark.skipif(find_spec("timm") is None, reason="timm is not installed")
def test_timm_vit_tiny() -> None:
    timm = import_timm()
    with torch.device("meta"):
        model = timm.create_model("vit_tiny_patch16_224")
    images = torch.empty(1, 3, 224, 224, device="meta")
    assert parameters(model).trainable == 5_717_416
    p, n, d, layers, h = 196, 197, 192, 12, 3  # patches, with the class token, width, layers, heads
    patches = 2 * p * d * 768
    expected = patches + layers * (24 * n * d**2 + 4 * n**2 * d) + 2 * d * 1000
    assert matmul_flops(model, images) == expected
    assert backward_matmul_flops(model, [images], input_gradients=False) == 2 * expected - patches
    with module_labels(model):
        labels = matmul_kernels(model, images).by_label()
    assert labels["blocks.11.mlp.fc1"] == 8 * n * d**2
    assert labels["blocks.0.attn"] == 4 * n**2 * d
    # per block: two norms (8 an element, 4 a token); biases 3d + d + 4d + d, GELU 5 * 4d, residuals 2d a token;
    # attention scales query and key (2d a token) and takes a softmax of h rows of n
    block = n * (2 * (8 * d + 4) + 9 * d + 20 * d + 2 * d + 2 * d + 5 * h * n)
    # the patches' bias, the positions, the last norm, the head's bias
    assert vector_flops(model, images).total == p * d + n * d + layers * block + n * (8 * d + 4) + 1000


@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_transformers_bert(attention: str) -> None:
    from transformers import BertConfig, BertModel

    config = BertConfig(attn_implementation=attention)
    with torch.device("meta"):
        model = BertModel(config).eval()
    b, n, d, layers = 2, 64, 768, 12
    tokens = torch.zeros(b, n, dtype=torch.long, device="meta")
    mask = torch.ones(b, 1, n, n, dtype=torch.bool, device="meta")  # in four axes, so that no value is read
    assert parameters(model).trainable == 109_482_240
    expected = layers * (24 * b * n * d**2 + 4 * b * n**2 * d) + 2 * b * d**2  # and the pooler
    assert matmul_flops(model, input_ids=tokens, attention_mask=mask) == expected
    assert matmul_kernels(model, input_ids=tokens, attention_mask=mask).total == expected
    # at least the input of each linear layer is kept, and each weight is read
    assert saved(model, input_ids=tokens, attention_mask=mask).elements > layers * b * n * 9 * d
    assert traffic(model, input_ids=tokens, attention_mask=mask).read > parameters(model).trainable - 30522 * d
    assert vector_flops(model, input_ids=tokens, attention_mask=mask).total > 0
