"""The non-local block against timm."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm


def _small(dtype: torch.dtype) -> Small:
    import_timm()
    model: Any = import_module("timm.layers.non_local_attn").NonLocalAttn
    other = model(12, use_scale=False, rd_channels=5).to(dtype)
    nn.init.normal_(other.norm.weight)  # it begins as zero, so that the block adds nothing
    image = torch.randn(2, 12, 6, 7)
    return Small({"C": 12, "I": 5}, other, (image,), lambda: [other(image)])


IMPLEMENTATIONS = (PublicModel("non_local_block", "timm", "timm", "NonLocalAttn", _small),)
