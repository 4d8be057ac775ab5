"""The one reference library that needs help to be imported."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from generator.proof.verify.references.timm_models import import_timm


@pytest.mark.slow
@pytest.mark.skipif(find_spec("timm") is None, reason="timm is not installed")
def test_timm_builds_its_models_and_no_stand_in_for_torchvision_is_left_behind() -> None:
    import torch

    timm = import_timm()
    with torch.device("meta"):
        model = timm.create_model("vit_tiny_patch16_224")
    assert sum(p.numel() for p in model.parameters()) == 5_717_416  # as published for ViT-Ti/16
    left = [name for name, module in sys.modules.items() if type(module).__name__ == "_StandInModule"]
    assert left == []
