"""An encoder that runs once, and keys and values of it that are made once, against BART's cache in transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from generator.api import load_from
from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.state import elements
from generator.spec.library import Library

BART = """\
title: BART, whose positions begin at 0
dims:
  b: batch size
  s: source length
  n: new target tokens
  m: {is: target tokens so far, default: n}
  d: width
  L: layers
  h: heads
  f: inner width
  V: words
  P: positions
where: [m >= n, m <= P, s <= P]
inputs:
  source: {shape: [b, s], dtype: int, below: V}
  target: {shape: [b, n], dtype: int, below: V}
layers:
  source_embedding: {op: embedding, in: source, count: V, width: d}
  source_positions: {op: positional, kind: learned, length: P}
  source_sum:       {op: add, in: [source_embedding, source_positions]}
  source_norm:      {op: layer_norm}
  encoder:
    {use: post_norm_block, repeat: L, with: {n: s}, slots: {ffn: {use: mlp, options: {activation: gelu}}}}
  memory:           {op: cache, once: true}
  target_embedding: {op: embedding, in: target, count: V, width: d, tie: source_embedding}
  target_positions: {op: positional, kind: learned, length: P, offset: m - n}
  target_sum:       {op: add, in: [target_embedding, target_positions]}
  target_norm:      {op: layer_norm}
  decoder:
    {use: decoder_block, in: [target_norm, memory], repeat: L, slots: {ffn: {use: mlp, options: {activation: gelu}}}}
checkpoint:
  transformers:
    model: BartModel
    weights:
      source_embedding: shared
      source_positions: encoder.embed_positions.weight
      source_norm: encoder.layernorm_embedding
      target_positions: decoder.embed_positions.weight
      target_norm: decoder.layernorm_embedding
      encoder.*.attention.q: encoder.layers.*.self_attn.q_proj
      encoder.*.attention.k: encoder.layers.*.self_attn.k_proj
      encoder.*.attention.v: encoder.layers.*.self_attn.v_proj
      encoder.*.attention.out: encoder.layers.*.self_attn.out_proj
      encoder.*.attention_norm: encoder.layers.*.self_attn_layer_norm
      encoder.*.mlp.up: encoder.layers.*.fc1
      encoder.*.mlp.down: encoder.layers.*.fc2
      encoder.*.y: encoder.layers.*.final_layer_norm
      decoder.*.self_attention.qkv:
        from: [decoder.layers.*.self_attn.q_proj, decoder.layers.*.self_attn.k_proj, decoder.layers.*.self_attn.v_proj]
      decoder.*.self_attention.out: decoder.layers.*.self_attn.out_proj
      decoder.*.self_attention_norm: decoder.layers.*.self_attn_layer_norm
      decoder.*.cross_attention.q: decoder.layers.*.encoder_attn.q_proj
      decoder.*.cross_attention.k: decoder.layers.*.encoder_attn.k_proj
      decoder.*.cross_attention.v: decoder.layers.*.encoder_attn.v_proj
      decoder.*.cross_attention.out: decoder.layers.*.encoder_attn.out_proj
      decoder.*.cross_attention_norm: decoder.layers.*.encoder_attn_layer_norm
      decoder.*.mlp.up: decoder.layers.*.fc1
      decoder.*.mlp.down: decoder.layers.*.fc2
      decoder.*.y: decoder.layers.*.final_layer_norm
    ignore: [encoder.embed_tokens.weight, decoder.embed_tokens.weight]
"""
SIZES = {"d": 24, "L": 2, "h": 4, "f": 40, "V": 31, "P": 20}


@pytest.mark.slow
@pytest.mark.parametrize("split", [[1] * 6, [3, 1, 2]])
def test_each_step_and_what_it_keeps_are_those_of_bart(tmp_path: Path, split: list[int]) -> None:
    from transformers import BartConfig, BartModel, DynamicCache, EncoderDecoderCache

    torch.manual_seed(0)
    (tmp_path / "bart.yaml").write_text(BART, encoding="utf-8")
    with Workbench(Library([tmp_path])) as bench, default_dtype(torch.float64), torch.no_grad():
        config = BartConfig(
            vocab_size=31, d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=40, decoder_ffn_dim=40, max_position_embeddings=20, dropout=0.0, attn_implementation="eager",
            bos_token_id=0, pad_token_id=1, eos_token_id=2, forced_eos_token_id=None, decoder_start_token_id=2,
        )  # fmt: skip
        other: Any = BartModel(config).to(torch.float64).eval()
        weights = {name: w[2:] if name.endswith("embed_positions.weight") else w for name, w in other.state_dict().items()}
        own: Any = bench.build("bart", SIZES)
        own.load_reference(weights, "transformers")
        source = torch.randint(3, 31, (2, 7))
        encoded = other.encoder(input_ids=source)
        cache, state, seen = EncoderDecoderCache(DynamicCache(config=config), DynamicCache(config=config)), {}, 0
        costs = load_from(bench.library, "bart", {})
        for words in torch.randint(3, 31, (2, sum(split))).split(split, 1):
            given = source if not seen else torch.zeros_like(source)  # later steps do not read it
            seen += words.shape[1]
            step = other.decoder(input_ids=words, encoder_hidden_states=encoded.last_hidden_state, cache=cache, use_cache=True)
            torch.testing.assert_close(own(given, words, state), step.last_hidden_state)
            halves = (cache.self_attention_cache, cache.cross_attention_cache)
            kept = sum(layer.keys.numel() + layer.values.numel() for half in halves for layer in half.layers)
            assert elements(state) == kept + encoded.last_hidden_state.numel()
            assert costs.cost(b=2, s=7, n=words.shape[1], m=seen, **SIZES).state_elements == elements(state)
