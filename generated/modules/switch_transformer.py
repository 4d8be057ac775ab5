"""Switch Transformer.

Generated from models/switch_transformer.yaml (sha256 54a5623a39a7673d); edit the spec, not this file (content 02c36e306b775457).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import advance, remember, substate
from .switch_layer import SwitchLayer
from .t5_decoder_block import T5DecoderBlock
from .t5_encoder_block import T5EncoderBlock


def tabulated(
    lengths: tuple[int, ...], value: Callable[..., Tensor], device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a table of values, each computed of the numbers of its place along the axes, which count from 0."""
    values = value(*torch.meshgrid(*(torch.arange(length) for length in lengths), indexing="ij"))
    return values.to(device=device, dtype=dtype or torch.get_default_dtype())


class SwitchTransformer(nn.Module):
    """Switch Transformer (Fedus et al., 2022).

    T5 in which one layer of S has a mixture of E experts, of which each token uses one. An expert takes at most c
    tokens for each sequence of a batch; a token that comes too late gets nothing from it, and passes by in the
    residual. Counts are those of an even spread, in which none comes too late. The sequences of a batch share these
    places, as in the paper; transformers counts the c of each sequence apart, which is the same for one sequence, and
    for more wherever no expert is full.

    Sizes: b (batch_size) batch size, s source length, n new target tokens, m target tokens so far, the new ones
        included, d (embed_dim) model width, L (num_layers) number of layers in each of encoder and decoder, h
        (num_heads) number of heads, e (head_dim) head width, f (mlp_dim) inner width of feed-forward networks and
        experts, V (vocab_size) shared vocabulary size, B (num_buckets) number of buckets, D (max_distance) distance
        from which on all share the last bucket, P (max_length) greatest sequence length, E (num_experts) number of
        experts, S (sparse_step) layers of which one has experts, c (capacity) tokens of a sequence that an expert takes
        at most.
    Parameters: 12*d*L*h*e + 4*d*L*f + 4*d*f*E + 4*d*floor((L - 2)/S)*f*E + 5*d*L - 4*d*f - 4*d*floor((L - 2)/S)*f +
        2*d*E + 2*d*floor((L - 2)/S)*E + 2*h*B + d*V + 2*d.
    Active parameters: 12*d*L*h*e + 4*d*L*f + 5*d*L + 2*d*E + 2*d*floor((L - 2)/S)*E + 2*h*B + d*V + 2*d.
    MACs: 6*b*s*d*L*h*e - 6*b*s*min(m - n, 1)*d*L*h*e - 2*b*s**2*min(m - n, 1)*L*h*e + 6*b*n*d*L*h*e + 2*b*s**2*L*h*e +
        2*b*s*n*L*h*e - 2*b*s*min(m - n, 1)*d*L*f + 2*b*n*m*L*h*e + 2*b*s*d*L*f + 2*b*n*d*L*f - b*s*min(m - n, 1)*d*E -
        b*s*min(m - n, 1)*d*floor((L - 2)/S)*E + b*s*d*E + b*s*d*floor((L - 2)/S)*E + b*n*d*V + b*n*d*E + b*n*d*floor((L
        - 2)/S)*E.
    KV cache and state: 2*b*s*L*h*e + 2*b*m*L*h*e + b*s*d.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "switch-base-8": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 32128, "num_experts": 8},
        "switch-base-16": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 32128, "num_experts": 16},
        "switch-base-32": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 32128, "num_experts": 32},
        "switch-base-64": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 32128, "num_experts": 64},
        "switch-base-128": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 32128, "num_experts": 128},
        "switch-base-256": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 32128, "num_experts": 256},
        "switch-large-128": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 32128, "num_experts": 128},
    }

    SIZES: ClassVar[dict[str, str]] = {"b": "batch_size", "d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "E": "num_experts", "e": "head_dim", "f": "mlp_dim", "B": "num_buckets", "D": "max_distance", "P": "max_length", "S": "sparse_step", "c": "capacity"}

    def __init__(
        self,
        *,
        batch_size: int,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        num_experts: int,
        head_dim: int | None = None,
        mlp_dim: int | None = None,
        num_buckets: int = 32,
        max_distance: int = 128,
        max_length: int = 512,
        sparse_step: int = 2,
        capacity: int = 64,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        if num_buckets % 4 != 0:
            raise ValueError(f"num_buckets % 4 == 0 must hold; found num_buckets = {num_buckets}")
        if num_buckets >= 2 * max_distance:
            raise ValueError(
                "num_buckets < 2*max_distance must hold; "
                f"found num_buckets = {num_buckets}, max_distance = {max_distance}"
            )
        if sparse_step < 2:
            raise ValueError(f"sparse_step >= 2 must hold; found sparse_step = {sparse_step}")
        if num_layers < 2:
            raise ValueError(f"num_layers >= 2 must hold; found num_layers = {num_layers}")
        self.embed_dim, self.max_length = embed_dim, max_length
        factory = {"device": device, "dtype": dtype}
        self.source_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.register_buffer(
            "both_sides",
            tabulated(
                (max_length, max_length),
                lambda i, j: torch.where(j > i, num_buckets // 2, 0) + torch.where(
                    (j - i).abs() < num_buckets // 4,
                    (j - i).abs(),
                    (num_buckets // 4 + (((j - i).abs().clamp(min=1) / (num_buckets // 4)).log() / math.log(max_distance / (num_buckets // 4)) * (num_buckets // 4)).floor()).clamp(max=num_buckets // 2 - 1),
                ),
                device=device,
                dtype=torch.int64,
            ),
            persistent=False,
        )
        self.source_numbers = nn.Embedding(num_buckets, num_heads, **factory)
        self.encoder = nn.ModuleList()
        for i in range(num_layers):
            if i < 1:
                self.encoder.append(
                    T5EncoderBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        head_dim=head_dim,
                        mlp_dim=mlp_dim,
                        **factory,
                    )
                )
            elif (i - 1) % sparse_step == 0:
                self.encoder.append(
                    T5EncoderBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        head_dim=head_dim,
                        mlp_dim=mlp_dim,
                        ffn=SwitchLayer(
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            num_experts=num_experts,
                            capacity=batch_size * capacity,
                            **factory,
                        ),
                        **factory,
                    )
                )
            else:
                self.encoder.append(
                    T5EncoderBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        head_dim=head_dim,
                        mlp_dim=mlp_dim,
                        **factory,
                    )
                )
        recompute_layers(self.encoder, recompute)
        self.encoder_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.register_buffer(
            "one_side",
            tabulated(
                (max_length, max_length),
                lambda i, j: torch.where(
                    (i - j).clamp(min=0) < num_buckets // 2,
                    (i - j).clamp(min=0),
                    (num_buckets // 2 + (((i - j).clamp(min=1) / (num_buckets // 2)).log() / math.log(max_distance / (num_buckets // 2)) * (num_buckets - num_buckets // 2)).floor()).clamp(max=num_buckets - 1),
                ),
                device=device,
                dtype=torch.int64,
            ),
            persistent=False,
        )
        self.target_numbers = nn.Embedding(num_buckets, num_heads, **factory)
        self.decoder = nn.ModuleList()
        for i in range(num_layers):
            if i < 1:
                self.decoder.append(
                    T5DecoderBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        head_dim=head_dim,
                        mlp_dim=mlp_dim,
                        **factory,
                    )
                )
            elif (i - 1) % sparse_step == 0:
                self.decoder.append(
                    T5DecoderBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        head_dim=head_dim,
                        mlp_dim=mlp_dim,
                        ffn=SwitchLayer(
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            num_experts=num_experts,
                            capacity=batch_size * capacity,
                            **factory,
                        ),
                        **factory,
                    )
                )
            else:
                self.decoder.append(
                    T5DecoderBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        head_dim=head_dim,
                        mlp_dim=mlp_dim,
                        **factory,
                    )
                )
        recompute_layers(self.decoder, recompute)
        self.decoder_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.logits.weight = self.source_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> SwitchTransformer:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (SwitchTransformersForConditionalGeneration).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("switch_transformer"), layout)

    def forward(self, source: Tensor, target: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        s = source.shape[1]
        n = target.shape[1]
        m = advance(state, "m", n) + n
        if s > self.max_length:
            raise ValueError(f"s <= max_length must hold; found s = {s}, max_length = {self.max_length}")
        is_first = state is None or "memory" not in state
        if is_first:
            source_embedding = self.source_embedding(source)              # b s d
            source_rows = self.both_sides.narrow(0, 0, s)                 # s P
            source_buckets = source_rows.narrow(1, 0, s)                  # s s
            source_numbers = self.source_numbers(source_buckets)          # s s h
            source_bias = source_numbers.permute(2, 0, 1)                 # h s s
            encoder = source_embedding
            for layer in self.encoder:
                encoder = layer(encoder, source_bias)                     # b s d
            encoder_norm = self.encoder_norm(encoder)                     # b s d
        memory = remember(state, "memory", encoder_norm) if is_first else state["memory"]  # b s d
        target_embedding = self.source_embedding(target)                  # b n d
        target_rows = self.one_side.narrow(0, m - n, n)                   # n P
        target_buckets = target_rows.narrow(1, 0, m)                      # n m
        target_numbers = self.target_numbers(target_buckets)              # n m h
        target_bias = target_numbers.permute(2, 0, 1)                     # h n m
        decoder = target_embedding
        for index, layer in enumerate(self.decoder):
            decoder = layer(decoder, target_bias, memory, substate(state, f"decoder.{index}"))  # b n d
        decoder_norm = self.decoder_norm(decoder)                         # b n d
        scaled = decoder_norm * self.embed_dim**-0.5                      # b n d
        logits = self.logits(scaled)                                      # b n V
        return logits
