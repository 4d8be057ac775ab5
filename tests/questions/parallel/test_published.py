"""What devices keep for the backward pass, against table 2 of Korthikanti et al. 2022, in its own letters.

s tokens, b samples, h the model width, a heads, t devices of a tensor parallel group; bytes of a layer in 16 bits. What the paper says
that it leaves out is here a term with a name: the statistics of two norms, 16 bytes for each token, and the causal mask of s x s.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from generator.api import load
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.recomputation import recompute_of
from generator.questions.memory.stored_formats import stored_format
from generator.questions.parallel.heaviest_device import Splitting
from generator.questions.parallel.splits import DeviceSplit
from generator.sheet.costing import cost_of

S, B, H, A, LAYERS = 64, 2, 32, 4, 8
SBH, SCORES = S * B * H, 5 * A * S * S * B
STATISTICS, MASK = 16 * B * S, S * S
STACK = """\
title: A stack of layers with dropout
dims: {b: batch size, n: sequence length, d: model width, h: number of heads, L: number of layers}
inputs: {x: [b, n, d]}
layers:
  blocks: {use: pre_norm_block_with_dropout, in: x, repeat: L}
"""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("specs") / "dropout_stack.yaml"
    path.write_text(STACK, encoding="utf-8")
    return path


def _kept(path: Path, split: DeviceSplit, rule: str = "none") -> int:
    stored = stored_format("float16")
    cost = cost_of(load(path).sheet, None, {"b": B, "n": S, "d": H, "h": A, "L": LAYERS}, "float16")
    splitting = Splitting(cost, MemorySetting("float16", stored, stored, "adamw", recompute=recompute_of(rule)))
    return next(part.bytes or 0 for part in splitting.shares(split)[0].needs.parts if part.key == "kept_bytes")


@pytest.mark.parametrize("t", [1, 2, 4])
def test_tensor_parallel_groups(stack: Path, t: int) -> None:
    """Eq. 2: sbh(10 + 24/t + 5as/(ht)); the mask belongs to the part that is divided, the norms are whole."""
    published = 10 * SBH + Fraction(24 * SBH, t) + Fraction(SCORES, t)
    assert _kept(stack, DeviceSplit(tensor=t, sequence=False)) == LAYERS * (published + STATISTICS + Fraction(MASK, t))


@pytest.mark.parametrize("t", [2, 4])
def test_sequence_parallel_groups(stack: Path, t: int) -> None:
    """Eq. 4: sbh/t (34 + 5as/h)."""
    assert _kept(stack, DeviceSplit(tensor=t)) == LAYERS * Fraction(34 * SBH + SCORES + STATISTICS + MASK, t)


def test_the_first_stage_of_a_pipeline(stack: Path) -> None:
    """Eq. 5: the first stage keeps sbhL/t (34 + 5as/h), that of all L layers, however many stages there are."""
    for p in (2, 4):
        split = DeviceSplit(tensor=2, pipeline=p, micro=p)
        assert _kept(stack, split) == LAYERS * Fraction(34 * SBH + SCORES + STATISTICS + MASK, 2)


def test_full_recomputation(stack: Path) -> None:
    """The inputs of layers alone: 2sbh each."""
    assert _kept(stack, DeviceSplit(), "blocks") == LAYERS * 2 * SBH
    assert _kept(stack, DeviceSplit(tensor=2), "blocks") == LAYERS * 2 * SBH // 2


def test_selective_recomputation_is_another_one(stack: Path) -> None:
    """The paper's keeps 34sbh (eq. 6) and runs scores, softmax and dropout again. Ours has the projections in it too.

    So of the 11sbh + 5as^2b of attention (section 4.1) its input of 2sbh is left; 19sbh and 4sbh are those of the MLP and the norms.
    """
    assert _kept(stack, DeviceSplit(), "attention") == LAYERS * ((2 + 19 + 4) * SBH + STATISTICS)
