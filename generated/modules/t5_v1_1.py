"""T5 1.1.

Generated from models/t5_v1_1.yaml (sha256 6a34c37302b83fea); edit the spec, not this file (content a2465b77e99eab28).
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
from .gated_mlp import GatedMlp
from .t5_decoder_block import T5DecoderBlock
from .t5_encoder_block import T5EncoderBlock


def tabulated(
    lengths: tuple[int, ...], value: Callable[..., Tensor], device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a table of values, each computed of the numbers of its place along the axes, which count from 0."""
    values = value(*torch.meshgrid(*(torch.arange(length) for length in lengths), indexing="ij"))
    return values.to(device=device, dtype=dtype or torch.get_default_dtype())


class T5V11(nn.Module):
    """T5 1.1 (Raffel et al., 2020).

    T5 with gated feed-forward networks and a head of its own, whose input is not scaled.

    Sizes: b batch size, s source length, n new target tokens, m target tokens so far, the new ones included, d
        (embed_dim) model width, L (num_layers) number of layers in each of encoder and decoder, h (num_heads) number of
        heads, e (head_dim) head width, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) shared
        vocabulary size, B (num_buckets) number of buckets, D (max_distance) distance from which on all share the last
        bucket, P (max_length) greatest sequence length.
    Parameters: 12*d*L*h*e + 6*d*L*f + 5*d*L + 2*d*V + 2*h*B + 2*d.
    MACs: 6*b*s*d*L*h*e - 6*b*s*min(m - n, 1)*d*L*h*e - 2*b*s**2*min(m - n, 1)*L*h*e + 6*b*n*d*L*h*e - 3*b*s*min(m - n,
        1)*d*L*f + 2*b*s**2*L*h*e + 2*b*s*n*L*h*e + 2*b*n*m*L*h*e + 3*b*s*d*L*f + 3*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*s*L*h*e + 2*b*m*L*h*e + b*s*d.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "t5-v1.1-small": {"embed_dim": 512, "num_layers": 8, "num_heads": 6, "vocab_size": 32128, "head_dim": 64, "mlp_dim": 1024},
        "t5-v1.1-base": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 32128, "mlp_dim": 2048},
        "t5-v1.1-large": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 32128, "mlp_dim": 2816},
        "t5-v1.1-xl": {"embed_dim": 2048, "num_layers": 24, "num_heads": 32, "vocab_size": 32128, "mlp_dim": 5120},
        "t5-v1.1-xxl": {"embed_dim": 4096, "num_layers": 24, "num_heads": 64, "vocab_size": 32128, "mlp_dim": 10240},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "e": "head_dim", "f": "mlp_dim", "B": "num_buckets", "D": "max_distance", "P": "max_length"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        head_dim: int | None = None,
        mlp_dim: int | None = None,
        num_buckets: int = 32,
        max_distance: int = 128,
        max_length: int = 512,
        tied: bool = False,
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
        self.max_length = max_length
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
        self.encoder = nn.ModuleList(
            T5EncoderBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                head_dim=head_dim,
                mlp_dim=mlp_dim,
                ffn=GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="gelu_tanh", **factory),
                **factory,
            )
            for _ in range(num_layers)
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
        self.decoder = nn.ModuleList(
            T5DecoderBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                head_dim=head_dim,
                mlp_dim=mlp_dim,
                ffn=GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="gelu_tanh", **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.decoder, recompute)
        self.decoder_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.logits.weight = self.source_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> T5V11:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (T5ForConditionalGeneration).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("t5_v1_1"), layout)

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
        logits = self.logits(decoder_norm)                                # b n V
        return logits
