"""Who writes what PyTorch calls an op is told how it is written here."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from generator.ops.registry import ops
from tests.support.bad_specs import told

CALLED = [(name, op.name, settings) for op in ops().values() for name, settings in op.called.items()]
OF_PYTORCH = {name.lower().replace("_", "") for names in (torch.nn, torch.nn.functional, torch.fft) for name in dir(names)}
SPEC = "title: One row\ndims: {{b: batch, c: channels, h: height, w: width}}\ninputs: {{x: [b, c, h, w]}}\nlayers:\n  y: {{op: {}}}\n"


def test_the_names_are_those_of_pytorch() -> None:
    assert {name for name, _, _ in CALLED} <= OF_PYTORCH


def test_no_name_stands_for_two_ops_or_for_another_op() -> None:
    names = [name for name, _, _ in CALLED]
    assert len(set(names)) == len(names)
    assert [(name, own) for name, own, _ in CALLED if name in ops() and name != own] == []


@pytest.mark.parametrize(
    ("written", "note"),
    [
        ("conv_transpose2d", "PyTorch's conv_transpose2d is `op: conv2d`, with transposed: true"),
        ("nn.MaxPool3d", "PyTorch's nn.MaxPool3d is `op: pool`, with kind: max"),
        ("adaptive_avg_pool2d", "PyTorch's adaptive_avg_pool2d is `op: pool`, with kind: avg, to: 1"),
        ("ReflectionPad2d", "PyTorch's ReflectionPad2d is `op: pad`, with mode: reflect"),
        ("InstanceNorm2d", "PyTorch's InstanceNorm2d is `op: instance_norm`"),
        ("irfft2", "PyTorch's irfft2 is `op: fft`, with kind: irfft"),
    ],
)
def test_the_message_says_how_it_is_written(tmp_path: Path, written: str, note: str) -> None:
    message, pointed_at, notes = told(tmp_path, SPEC.format(written))
    assert (message, pointed_at, notes) == (f"unknown op `{written}`", written, [note])
