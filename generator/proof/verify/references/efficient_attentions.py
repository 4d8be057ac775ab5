"""Linformer's and Performer's attention against the packages linformer and performer_pytorch."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import torch

from generator.proof.verify.references.implementation import PublicModel, Small


def import_quietly(name: str) -> Any:
    """Import a package that is listed in the dev extra; performer_pytorch asks for a deprecated part of the standard library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module(name)


def _linformer(dtype: torch.dtype) -> Small:
    other = import_quietly("linformer").LinformerSelfAttention(24, seq_len=11, k=5, heads=4).to(dtype)
    x = torch.randn(2, 11, 24)
    return Small({"n": 11, "d": 24, "h": 4, "k": 5, "bias": False}, other, (x,), lambda: [other(x)])


def _performer(dtype: torch.dtype) -> Small:
    other = import_quietly("performer_pytorch").SelfAttention(24, heads=4, dim_head=6, nb_features=10).to(dtype)
    x = torch.randn(2, 11, 24)
    return Small({"d": 24, "h": 4, "m": 10, "bias": False}, other, (x,), lambda: [other(x)])


IMPLEMENTATIONS = (
    PublicModel("linformer_attention", "linformer", "linformer", "LinformerSelfAttention", _linformer),
    PublicModel("performer_attention", "performer_pytorch", "performer_pytorch", "SelfAttention", _performer),
)
