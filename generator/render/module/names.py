"""Python names for specs, rows and sizes."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable

# Attributes of nn.Module that a row or size must not hide (a test holds this list against torch).
_OF_TORCH = """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval extra_repr float
    forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers named_children
    named_modules named_parameters parameters register_backward_hook register_buffer register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook
    requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu zero_grad
"""
MODULE_ATTRIBUTES = frozenset(_OF_TORCH.split()) | {"from_preset", "load_reference", "KEEPS_STATE", "PRESETS", "REFERENCES"}
_LOCALS = """
    self cls torch nn F math Tensor Any ClassVar Callable Mapping state extend recall keep advance substate with_state load_reference layer
    index ACTIVATIONS sinusoids
"""
LOCALS = frozenset(_LOCALS.split()) | frozenset(dir(builtins))


def class_name(spec: str) -> str:
    """Return the class of a spec: multi_head_attention is MultiHeadAttention."""
    name = "".join(part[:1].upper() + part[1:] for part in spec.split("_") if part)
    return safe(name, LOCALS)  # F is torch.nn.functional, and True is no name


def safe(name: str, taken: Iterable[str]) -> str:
    """Return the name, with underscores behind it as long as it is a keyword or taken."""
    forbidden = set(taken)
    while keyword.iskeyword(name) or name in forbidden:
        name += "_"
    return name
