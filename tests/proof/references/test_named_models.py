"""A user's own spec names a public model under `checkpoint`, and is compared with it in values."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cli import main
from generator.proof.verify.instance import Workbench
from generator.proof.verify.references.reference_runs import ReferenceCheck, reference_checks
from generator.spec.lookup import everything
from generator.text.problems import ProblemsError
from tests.support.small_specs import LAYER, write_specs

# The bias of the patches is a factor of its own here, which is added in the shape of an image.
MIXER = """\
title: A mixer of one's own
family: My mixers
dims: {b: batch, s: side, p: side of a patch, d: width, L: layers, K: classes, n: {is: patches, value: (s/p)**2}}
inputs: {image: [b, 3, s, s]}
where: s % p == 0
blocks:
  block:
    inputs: {x: [b, n, d]}
    where: d % 2 == 0
    layers:
      token_norm:   {op: layer_norm, eps: 1e-6}
      turned:       {op: rearrange, to: b n d -> b d n}
      token_mlp:    {use: mlp, with: {n: d, d: n, f: d/2}}
      tokens:       {op: rearrange, to: b d n -> b n d}
      mixed:        {op: add, in: [x, tokens]}
      channel_norm: {op: layer_norm, eps: 1e-6}
      channel_mlp:  {use: mlp, with: {f: 4*d}}
      y:            {op: add, in: [mixed, channel_mlp]}
layers:
  patches:    {op: conv2d, channels: d, kernel: p, stride: p, bias: false, out: [b, d, s/p, s/p]}
  offset:     {op: parameter, out: [d, 1, 1]}
  shifted:    {op: add, in: [patches, offset]}
  sequence:   {op: rearrange, to: b d i j -> b (i j) d}
  blocks:     {use: block, repeat: L}
  norm:       {op: layer_norm, eps: 1e-6}
  averaged:   {op: mean, over: 1, out: [b, d]}
  logits:     {op: linear, out: [b, K]}
checkpoint:
  timm:
    model: MlpMixer
    build: {img_size: s, patch_size: p, embed_dim: d, num_blocks: L, num_classes: K}
    weights:
      patches: stem.proj
      offset: {from: stem.proj.bias, reshape: true}
      blocks.*.token_norm: blocks.*.norm1
      blocks.*.token_mlp.up: blocks.*.mlp_tokens.fc1
      blocks.*.token_mlp.down: blocks.*.mlp_tokens.fc2
      blocks.*.channel_norm: blocks.*.norm2
      blocks.*.channel_mlp.up: blocks.*.mlp_channels.fc1
      blocks.*.channel_mlp.down: blocks.*.mlp_channels.fc2
      norm: norm
      logits: head
presets:
  my-b16: {set: {s: 224, p: 16, d: 768, L: 12, K: 1000}}
"""
# By its name there, which says all sizes but that of the image.
NAMED = MIXER.partition("presets:")[0].replace(
    "model: MlpMixer\n    build: {img_size: s, patch_size: p, embed_dim: d, num_blocks: L, num_classes: K}",
    "model: mixer_s32_224\n    build: {img_size: s}\n    at: {b: 2, s: 64, p: 32, d: 512, L: 8, K: 1000}",
)
BERT = """\
title: A BERT without segments of one's own
dims: {b: batch, n: tokens, d: width, L: layers, h: heads, V: words, P: positions}
inputs: {words: {shape: [b, n], dtype: int, below: V}, kinds: {shape: [b, n], dtype: int, below: 2}}
where: [n <= P, "d % h == 0"]
layers:
  token:    {op: embedding, in: words, count: V, width: d}
  position: {op: positional, in: token, kind: learned, length: P}
  kind:     {op: embedding, in: kinds, count: 2, width: d}
  sum:      {op: add, in: [token, position, kind]}
  norm:     {op: layer_norm, eps: 1e-12}
  blocks:   {use: post_norm_block, repeat: L, with: {f: 4*d}, options: {eps: 1e-12}}
  first:    {op: select, axis: 1, index: 0}
  pooler:   {op: linear, out: [b, d]}
  pooled:   {op: activation, kind: tanh}
outputs: [pooled, blocks]
checkpoint:
  transformers:
    model: bert
    build:
      hidden_size: d
      num_hidden_layers: L
      num_attention_heads: h
      intermediate_size: 4*d
      vocab_size: V
      max_position_embeddings: P
      hidden_act: gelu
      pad_token_id: [null]
    inputs: {kinds: token_type_ids, words: input_ids}
    outputs: [pooler_output, last_hidden_state]
    weights:
      token: embeddings.word_embeddings
      position: embeddings.position_embeddings.weight
      kind: embeddings.token_type_embeddings
      norm: embeddings.LayerNorm
      blocks.*.attention.q: encoder.layer.*.attention.self.query
      blocks.*.attention.k: encoder.layer.*.attention.self.key
      blocks.*.attention.v: encoder.layer.*.attention.self.value
      blocks.*.attention.out: encoder.layer.*.attention.output.dense
      blocks.*.attention_norm: encoder.layer.*.attention.output.LayerNorm
      blocks.*.mlp.up: encoder.layer.*.intermediate.dense
      blocks.*.mlp.down: encoder.layer.*.output.dense
      blocks.*.y: encoder.layer.*.output.LayerNorm
      pooler: pooler.dense
presets:
  my-bert: {set: {d: 768, L: 12, h: 12, V: 30522, P: 512}}
"""
# Norms, angles and the softmax of which transformers works out in float32.
LLAMA = """\
title: A Llama of one's own
like: llama3
checkpoint:
  transformers:
    build:
      hidden_size: d
      num_hidden_layers: L
      num_attention_heads: h
      num_key_value_heads: g
      head_dim: e
      intermediate_size: f
      vocab_size: V
      max_position_embeddings: P
      rope_theta: 500000.0
      rms_norm_eps: 1e-5
      pad_token_id: [null]
    at: {b: 2, n: 7, d: 20, L: 2, h: 4, g: 2, e: 6, f: 11, V: 50, P: 16}
    inputs: {tokens: input_ids}
"""


def checks_of(folder: Path, text: str) -> list[ReferenceCheck]:
    write_specs(folder, mine=text)
    with Workbench(everything([folder])) as bench:
        checks, not_run = reference_checks(bench, "mine")
    assert not_run == ()
    return list(checks)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "model"),
    [(MIXER, "MlpMixer"), pytest.param(NAMED, "mixer_s32_224", marks=pytest.mark.exhaustive), (BERT, "bert"), (LLAMA, "LlamaForCausalLM")],
)
def test_values_are_those_of_the_model_that_the_spec_names(tmp_path: Path, text: str, model: str) -> None:
    checks = checks_of(tmp_path, text)
    assert [(check.what, check.found) for check in checks if not check.equal] == []
    assert {check.model.rpartition(", ")[2] for check in checks} == {model}
    kinds = {(check.kind, check.bound) for check in checks}
    values = {(kind, bound) for kind in ("outputs", "gradients") for bound in ("< 1e-09", "< 0.0001")}
    assert kinds == values | ({("parameters", "equal")} if "presets" in text else set())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "what", "found"),
    [
        ("kind: tanh", "kind: relu", "outputs, float64", "differ by"),
        ("{f: 4*d}", "{f: 3*d}", "small model, float64", "blocks.0.mlp.up.weight is"),
        ("vocab_size: V", "vocab_size: V + 1", "small model, float64", "token.weight is"),
        ("model: bert", "model: bird", "small model, float64", "bird"),
    ],
)
def test_what_differs_is_said(tmp_path: Path, right: str, wrong: str, what: str, found: str) -> None:
    said = {check.what: check.found for check in checks_of(tmp_path, BERT.replace(right, wrong))}
    assert found in said[what]


@pytest.mark.slow
def test_gen_verify_compares_a_folder_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_specs(Path("own"), mine=MIXER.partition("presets:")[0])
    assert main(["verify", "own", "--samples", "1", "--report", "proof.md"]) == 0
    assert "MlpMixer: 4 of 4 comparisons as required" in capsys.readouterr().out
    assert "| My mixers | `mine` |" in Path("proof.md").read_text(encoding="utf-8")


NAMES = "checkpoint:\n  timm: {model: Layer, weights: {y: fc}, at: {q: 3}, inputs: {z: x}}\n"


def test_sizes_and_inputs_that_there_are_not_are_said_in_their_place(tmp_path: Path) -> None:
    write_specs(tmp_path, layer=LAYER.replace("presets:", f"{NAMES}presets:"))
    with pytest.raises(ProblemsError) as error:
        everything([tmp_path]).spec("layer")
    said = str(error.value)
    assert "checkpoint `timm` sets `q`, which is not a size of `layer` that can be set" in said
    assert "checkpoint `timm` names `z`, which is not an input of `layer`" in said
