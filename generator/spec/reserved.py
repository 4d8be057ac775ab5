"""Names that generated modules cannot give away: those that nn.Module has, and those that their own code uses.

Written down here, because checking a spec must not import torch; tests hold both lists against torch and against the modules.
A size, an option and a slot is an argument of the module and is kept under its own name, so such a name is an error. Rows and inputs are
renamed where they must be (`generator.render.module.python_names`): nobody passes them by name.
"""

from __future__ import annotations

import builtins
import keyword

_OF_TORCH = """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval extra_repr float
    forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers named_children
    named_modules named_parameters parameters register_backward_hook register_buffer register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook
    requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu zero_grad
"""
MODULE_ATTRIBUTES = frozenset(_OF_TORCH.split()) | {
    "from_preset",
    "load_reference",
    "ATTENDS",
    "KEEPS_STATE",
    "PRESETS",
    "REFERENCES",
    "SIZES",
    "TRAINED",
}

_IN_CONSTRUCTORS = """
    self cls super name torch nn math range deepcopy float int ValueError device dtype factory abs max min
    ACTIVATIONS displacements distance_sinusoids freeze orthogonal_projection rotations separated sinusoids tabulated len
    recompute recompute_layers
"""
CONSTRUCTOR_NAMES = frozenset(_IN_CONSTRUCTORS.split())  # `name` and `cls` are arguments of `from_preset`
_IN_FORWARD = """
    self torch math min enumerate float int range state zip len ValueError layer index expert found
    deformed widened advance extend keep recall substate with_state lsh_buckets positive_features rotated rotated_halves is_first
    preceded remember
"""
FUNCTIONAL = "F"  # torch.nn.functional; imported under another name where a size has this one
FORWARD_NAMES = frozenset(_IN_FORWARD.split())
_IMPORTED = "Any ClassVar Callable Iterable Mapping Path Sequence Tensor checkpoint json load_reference partial re weight_names"
# What a local variable of `forward`, or a class, must not hide.
LOCALS = FORWARD_NAMES | CONSTRUCTOR_NAMES | frozenset(_IMPORTED.split()) | {FUNCTIONAL} | frozenset(dir(builtins))

_LANGUAGES = {
    "YAML": frozenset({"true", "false", "null"}),
    "Python or PyTorch": frozenset(keyword.kwlist) | {"self", "cls", "super", "torch", "nn", "math"},
}
_OTHERWISE = {"size": "{}_size", "option": "with_{}", "slot": "{}_block", "input": "{}_input", "row": "{}_row"}
_LONGEST = 40


def reserved(name: str, kind: str) -> str:
    """Say why a size, option, slot, input or row cannot have a name; nothing if it can."""
    for language, words in _LANGUAGES.items():
        if name in words and (language == "YAML" or kind in ("size", "option", "slot")):
            return f"it is a word of {language}"
    if kind not in ("size", "option", "slot"):
        return ""
    if name in MODULE_ATTRIBUTES:
        return "every PyTorch module has an attribute of that name"
    if name in CONSTRUCTOR_NAMES or (kind == "size" and name in FORWARD_NAMES):
        return "the code of generated modules uses that name"
    return ""


def another_name(name: str, kind: str) -> str:
    """Return a name that is free in Python, in PyTorch and in the code."""
    return _OTHERWISE[kind].format(name.lower())[:_LONGEST]
