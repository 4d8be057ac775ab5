"""Attentions without a public implementation at hand compute their definitions: loops over positions, or full attention with a mask."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor, nn

from archsheet import load
from generated.modules.causal_linear_attention import CausalLinearAttention
from generated.modules.convolution_layer import ConvolutionLayer
from generated.modules.flash_attention import FlashAttention
from generated.modules.linear_attention import LinearAttention
from generated.modules.local_window_attention import LocalWindowAttention
from generated.modules.longformer_attention import LongformerAttention
from generated.modules.luna import Luna
from generated.modules.luna_attention import LunaAttention
from generated.modules.multi_head_attention import MultiHeadAttention
from generated.modules.performer_attention import PerformerAttention
from generated.modules.relative_attention import RelativeAttention
from generated.modules.rnn import Rnn
from generated.modules.rotary_attention import RotaryAttention
from generated.modules.single_head_linear_attention import SingleHeadLinearAttention
from generated.modules.sparse_fixed_attention import SparseFixedAttention
from generated.modules.sparse_strided_attention import SparseStridedAttention
from generated.modules.taylor_attention import TaylorAttention
from generator.proof.verify.instance import default_dtype

B, N, D, H, E = 2, 12, 8, 2, 4
Similarity = Callable[[Tensor, Tensor], Tensor]


@pytest.fixture(autouse=True)
def _in_float64() -> Iterator[None]:
    torch.manual_seed(0)
    with default_dtype(torch.float64):
        yield


def heads(y: Tensor) -> Tensor:
    return y.unflatten(-1, (H, -1)).transpose(1, 2)


def together(y: Tensor) -> Tensor:
    return y.transpose(1, 2).flatten(2)


def all_pairs(_i: int, _j: int) -> bool:
    return True


def weighted(q: Tensor, k: Tensor, v: Tensor, similarity: Similarity, sees: Callable[[int, int], bool] = all_pairs) -> Tensor:
    """The definition: a mean of the values of all j that i sees, weighted by similarity; one pair after the other."""
    result = torch.zeros_like(v)
    for i in range(q.shape[2]):
        total = torch.zeros(*q.shape[:2], 1)
        for j in range(k.shape[2]):
            if sees(i, j):
                weight = similarity(q[:, :, i], k[:, :, j])[..., None]
                result[:, :, i] += weight * v[:, :, j]
                total += weight
        result[:, :, i] /= total
    return result


def exponential(q: Tensor, k: Tensor) -> Tensor:
    return ((q * k).sum(-1) / q.shape[-1] ** 0.5).exp()


def positive(q: Tensor, k: Tensor) -> Tensor:
    def features(y: Tensor) -> Tensor:
        return torch.where(y > 0, y + 1, y.exp())

    return (features(q) * features(k)).sum(-1)


def taylor(q: Tensor, k: Tensor) -> Tensor:
    return 1 + (q * k).sum(-1) / (q.square().sum(-1) * k.square().sum(-1)).sqrt()


def expected(own: nn.Module, x: Tensor, similarity: Similarity, sees: Callable[[int, int], bool] = all_pairs) -> Tensor:
    q, k, v = (heads(getattr(own, name)(x)) for name in ("q", "k", "v"))
    return own.out(together(weighted(q, k, v, similarity, sees)))


def same(a: Tensor, b: Tensor) -> None:
    assert a.shape == b.shape
    assert (a - b).abs().max().item() < 1e-12


def test_multi_head_attention_is_its_double_loop() -> None:
    own, x = MultiHeadAttention(embed_dim=D, num_heads=H), torch.randn(B, N, D)
    same(own(x), expected(own, x, exponential))


@pytest.mark.parametrize("causal", [False, True])
def test_fused_attention_is_its_double_loop(causal: bool) -> None:
    own, x = FlashAttention(embed_dim=D, num_heads=H, causal=causal), torch.randn(B, N, D)
    same(own(x), expected(own, x, exponential, lambda i, j: j <= i or not causal))


def test_linear_attention_is_its_double_loop() -> None:
    own, x = LinearAttention(embed_dim=D, num_heads=H), torch.randn(B, N, D)
    same(own(x), expected(own, x, positive))


def test_causal_linear_attention_is_its_double_loop() -> None:
    own, x = CausalLinearAttention(embed_dim=D, num_heads=H), torch.randn(B, N, D)
    same(own(x), expected(own, x, positive, lambda i, j: j <= i))


def test_single_head_linear_attention_is_its_double_loop() -> None:
    own, x = SingleHeadLinearAttention(embed_dim=D, e=3, v=5), torch.randn(B, N, D)
    q, k, v = (layer(x)[:, None] for layer in (own.queries, own.keys, own.values))
    same(own(x), weighted(q, k, v, positive)[:, 0])


def test_taylor_attention_is_its_double_loop() -> None:
    own, x = TaylorAttention(embed_dim=D, num_heads=H), torch.randn(B, N, D)
    same(own(x), expected(own, x, taylor))


@pytest.mark.parametrize("w", [2, 3, 4])
def test_local_window_attention_sees_its_block_and_the_neighbours(w: int) -> None:
    own, x = LocalWindowAttention(embed_dim=D, num_heads=H, w=w), torch.randn(B, N, D)
    same(own(x), expected(own, x, exponential, lambda i, j: abs(i // w - j // w) <= 1))


@pytest.mark.parametrize("w", [2, 3, 4])
def test_separate_window_attention_sees_its_window_alone(w: int) -> None:
    own, x = load("separate_window_attention").module(embed_dim=D, num_heads=H, window_size=w), torch.randn(B, N, D)
    same(own(x), expected(own, x, exponential, lambda i, j: i // w == j // w))


@pytest.mark.parametrize("w", [2, 3, 4])
def test_exact_local_window_attention_sees_w_on_either_side(w: int) -> None:
    own, x = LocalWindowAttention(embed_dim=D, num_heads=H, w=w, exact=True), torch.randn(B, N, D)
    same(own(x), expected(own, x, exponential, lambda i, j: abs(i - j) <= w))


@pytest.mark.parametrize(("w", "g"), [(2, 1), (2, 3), (3, 5), (4, 11)])
def test_longformer_attention_sees_a_window_and_the_global_positions(w: int, g: int) -> None:
    own, x = LongformerAttention(embed_dim=D, num_heads=H, w=w, g=g), torch.randn(B, N, D)
    q, k, v = (heads(layer(x)) for layer in (own.q, own.k, own.v))
    local = weighted(q, k, v, exponential, lambda i, j: abs(i - j) <= w or j < g)
    q, k, v = (heads(layer(x)) for layer in (own.global_q, own.global_k, own.global_v))
    everywhere = weighted(q, k, v, exponential)
    same(own(x), own.out(together(torch.cat((everywhere[:, :, :g], local[:, :, g:]), 2))))


@pytest.mark.parametrize("s", [2, 3, 4, 6])
def test_strided_sparse_attention_sees_the_last_s_and_every_sth(s: int) -> None:
    own, x = SparseStridedAttention(embed_dim=D, num_heads=H, s=s), torch.randn(B, N, D)
    same(own(x), expected(own, x, exponential, lambda i, j: j <= i and (i - j <= s or (i - j) % s == 0)))


@pytest.mark.parametrize(("s", "c"), [(2, 1), (3, 1), (4, 2), (6, 3), (4, 4)])
def test_fixed_sparse_attention_sees_its_block_and_the_ends_of_earlier_ones(s: int, c: int) -> None:
    own, x = SparseFixedAttention(embed_dim=D, num_heads=H, s=s, c=c), torch.randn(B, N, D)
    same(own(x), expected(own, x, exponential, lambda i, j: j <= i and (j // s == i // s or j % s >= s - c)))


def asked(layer: nn.Module, one: Tensor, other: Tensor) -> Tensor:
    q, k, v = heads(layer.q(one)), heads(layer.k(other)), heads(layer.v(other))
    weights = (q @ k.mT / E**0.5).softmax(-1)
    return layer.out(together(weights @ v))


def test_luna_packs_and_unpacks() -> None:
    own, x, p = LunaAttention(embed_dim=D, num_heads=H), torch.randn(B, N, D), torch.randn(B, 3, D)
    packed = asked(own.packed, p, x)
    unpacked, kept = own(x, p)
    same(kept, packed)
    same(unpacked, asked(own.unpacked, x, packed))


def test_luna_hands_its_short_sequence_from_layer_to_layer() -> None:
    own, words = Luna(embed_dim=D, num_layers=3, num_heads=H, mlp_dim=5, l=3, vocab_size=7, max_length=N), torch.randint(0, 7, (B, N))
    x, p = own.embedding_norm(own.token_embedding(words) + own.position_embedding), own.p_parameter.expand(B, -1, -1)
    for layer in own.blocks:
        packed = asked(layer.attention.packed, p, x)
        x, p = layer.attention_norm(x + asked(layer.attention.unpacked, x, packed)), layer.p_next(p + packed)
        x = layer.y(x + layer.mlp(x))
    for found, wanted in zip(own(words), (x, p), strict=True):
        same(found, wanted)


def test_relative_attention_adds_the_sinusoid_of_the_distance_to_keys_and_values() -> None:
    reach = 3
    own, x = RelativeAttention(embed_dim=D, num_heads=H, K=reach), torch.randn(B, N, D)
    q, k, v = (heads(layer(x)) for layer in (own.q, own.k, own.v))
    mixed = torch.zeros(B, H, N, E)
    for i in range(N):
        code = torch.zeros(N, E)
        for j in range(N):
            distance = max(-reach, min(reach, j - i))
            for pair in range(E // 2):
                angle = torch.tensor(distance / 10000 ** (2 * pair / E))
                code[j, 2 * pair], code[j, 2 * pair + 1] = angle.sin(), angle.cos()
        scores = torch.einsum("bhe,bhje->bhj", q[:, :, i], k + code) / E**0.5
        mixed[:, :, i] = torch.einsum("bhj,bhje->bhe", scores.softmax(-1), v + code)
    same(own(x), own.out(together(mixed)))


def test_rotary_scores_depend_on_the_distance_alone() -> None:
    own = RotaryAttention(embed_dim=D, num_heads=H, max_length=N)
    row = torch.randn(1, 1, D).expand(1, N, D)  # the same token everywhere: only positions differ
    q, k = heads(own.q(row)), heads(own.k(row))
    frequencies = torch.tensor([10000 ** (-2 * pair / E) for pair in range(E // 2)])

    def turned(y: Tensor, position: int) -> Tensor:
        """As complex numbers: a product with exp(i p theta) (Su et al., 2021, equation 12)."""
        pairs = torch.view_as_complex(y.unflatten(-1, (-1, 2)).contiguous())
        angles = position * frequencies
        return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)

    scores = torch.stack(
        [torch.stack([(turned(q[0, :, i], i) * turned(k[0, :, j], j)).sum(-1) for j in range(N)], -1) for i in range(N)], -2
    )
    same(scores[:, 1:, 1:], scores[:, :-1, :-1])
    other = torch.randn(B, N, D)
    q, k, v = (heads(layer(other)) for layer in (own.q, own.k, own.v))
    q, k = (torch.stack([turned(y[:, :, i], i) for i in range(N)], 2) for y in (q, k))
    same(own(other), own.out(together(weighted(q, k, v, exponential))))


def test_performer_attention_approaches_softmax_attention_with_more_features() -> None:
    own = {m: PerformerAttention(embed_dim=D, num_heads=H, m=m) for m in (8, 512)}
    x = torch.randn(B, N, D)
    distances = []
    for layer in own.values():
        layer.load_state_dict(
            {name: w for name, w in own[8].state_dict().items() if name != "projection"} | {"projection": layer.projection}
        )
        distances.append((layer(x) - expected(layer, x, exponential)).abs().mean().item())
    assert distances[1] < distances[0] / 2


def test_random_directions_are_orthogonal_in_groups() -> None:
    directions = PerformerAttention(embed_dim=D, num_heads=H, m=10).projection
    for group in directions.split(E):
        products = group @ group.T
        same(products - products.diagonal().diag_embed(), torch.zeros_like(products))


def test_the_recurrent_layer_is_its_loop() -> None:
    own, x = Rnn(embed_dim=D), torch.randn(B, N, D)
    read, handed = own.y.input_projection.weight, own.y.state_projection.weight
    state, steps = torch.zeros(B, D), []
    for i in range(N):
        state = torch.tanh(x[:, i] @ read.T + state @ handed.T)
        steps.append(state)
    same(own(x), torch.stack(steps, 1))


def test_the_convolutional_layer_multiplies_three_neighbours() -> None:
    own, x = ConvolutionLayer(embed_dim=D), torch.randn(B, N, D)
    padded = nn.functional.pad(x, (0, 0, 1, 1))
    weight = own.conv.weight.permute(2, 1, 0).flatten(0, 1)  # (X_(i-1), X_i, X_(i+1)) W
    same(own(x), torch.cat((padded[:, :-2], padded[:, 1:-1], padded[:, 2:]), -1) @ weight)
