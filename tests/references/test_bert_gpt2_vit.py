"""BERT, GPT-2 and ViT compute what transformers and timm compute."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from tests.references.compare import compare
from tests.support.timm_models import import_timm

from generated.modules.bert import Bert
from generated.modules.gpt2 import Gpt2
from generated.modules.vit import Vit
from generator.verify.instance import default_dtype

pytestmark = pytest.mark.slow
transformers = pytest.importorskip("transformers")


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> Iterator[torch.dtype]:
    torch.manual_seed(0)
    with default_dtype(request.param):
        yield request.param


def test_bert_computes_what_transformers_computes(dtype: torch.dtype) -> None:
    config = transformers.BertConfig(
        vocab_size=97, hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=56, max_position_embeddings=19,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation="eager",
    )  # fmt: skip
    other = transformers.BertModel(config).to(dtype)
    own = Bert(d=24, L=3, h=4, f=56, V=97, P=19, T=2)
    own.load_reference(other.state_dict())
    tokens, segments = torch.randint(0, 97, (2, 13)), torch.randint(0, 2, (2, 13))

    def run_other() -> list[torch.Tensor]:
        result = other(input_ids=tokens, token_type_ids=segments)
        return [result.last_hidden_state, result.pooler_output]

    compare(own, other, lambda: own(tokens, segments), run_other, dtype)


def test_gpt2_computes_what_transformers_computes(dtype: torch.dtype) -> None:
    config = transformers.GPT2Config(
        vocab_size=97, n_positions=29, n_embd=24, n_layer=3, n_head=4, n_inner=56, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        attn_implementation="eager",
    )  # fmt: skip
    other = transformers.GPT2LMHeadModel(config).to(dtype)
    own = Gpt2(d=24, L=3, h=4, f=56, V=97, P=29)
    own.load_reference(other.state_dict())
    tokens = torch.randint(0, 97, (2, 17))
    compare(own, other, lambda: [own(tokens)], lambda: [other(input_ids=tokens).logits], dtype)


def test_gpt2_decodes_step_by_step_what_transformers_computes_at_once(dtype: torch.dtype) -> None:
    config = transformers.GPT2Config(vocab_size=97, n_positions=29, n_embd=24, n_layer=2, n_head=4, attn_implementation="eager")
    other = transformers.GPT2LMHeadModel(config).to(dtype).eval()
    own = Gpt2(d=24, L=2, h=4, V=97, P=29)
    own.load_reference(other.state_dict())
    tokens = torch.randint(0, 97, (2, 11))
    state: dict[str, object] = {}
    steps = [own(tokens[:, :5], state), own(tokens[:, 5:6], state), own(tokens[:, 6:], state)]
    expected = other(input_ids=tokens).logits
    assert (torch.cat(steps, 1) - expected).abs().max().item() < (1e-9 if dtype == torch.float64 else 1e-4)


def test_vit_computes_what_transformers_computes(dtype: torch.dtype) -> None:
    config = transformers.ViTConfig(
        hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=56, image_size=24, patch_size=8, num_labels=11,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, layer_norm_eps=1e-6,
        attn_implementation="sdpa",  # its eager softmax computes in float32, whatever the model's type
    )  # fmt: skip
    other = transformers.ViTForImageClassification(config).to(dtype)
    own = Vit(p=8, d=24, L=3, h=4, f=56, s=24, K=11)
    own.load_reference(other.state_dict(), "transformers")
    image = torch.randn(2, 3, 24, 24)
    compare(own, other, lambda: [own(image)], lambda: [other(image).logits], dtype)


def test_vit_computes_what_timm_computes(dtype: torch.dtype) -> None:
    vision_transformer = import_timm().models.vision_transformer.VisionTransformer
    other = vision_transformer(img_size=24, patch_size=8, num_classes=11, embed_dim=24, depth=3, num_heads=4, mlp_ratio=2).to(dtype)
    own = Vit(p=8, d=24, L=3, h=4, f=48, s=24, K=11)
    own.load_reference(other.state_dict(), "timm")
    image = torch.randn(2, 3, 24, 24)
    compare(own, other, lambda: [own(image)], lambda: [other(image)], dtype)
