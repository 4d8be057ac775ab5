"""Reads what stands on the command line for the arguments of a module and for its inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from generator.proof.count.unfit import UnfitError
from generator.text.suggest import did_you_mean, listed

DTYPES = {name: one for name in sorted(dir(torch)) if isinstance(one := getattr(torch, name), torch.dtype)}
_FORM = (
    "an input is written as x: 2x128x64, ids: 2x128 int64 below 1000, mask: 2x128 bool = True or use_cache = False; `;` stands between two"
)
_INPUT = re.compile(
    r"(?:(?P<name>[^\W\d]\w*)\s*:)?\s*(?P<shape>\d+(?:\s*[x×]\s*\d+)*|\(\))"
    r"(?P<words>(?:[\s=].*?)?)(?P<nograd>\bnograd)?\s*",
    re.DOTALL,
)
_WORDS = re.compile(r"\s*(?P<dtype>(?!below\b)[^\W\d]\w*)?\s*(?:below\s+(?P<below>\d+)|=\s*(?P<value>\S+))?\s*")
_OF_SPEC = re.compile(r"(?P<name>[^\W\d]\w*)\s*:\s*(?P<of_spec>[^\W\d]\w*)")
_VALUE = re.compile(r"(?P<name>[^\W\d]\w*)\s*=\s*(?P<value>.+)", re.DOTALL)


@dataclass(frozen=True)
class WrittenInput:
    """One input.

    Args:
        name: the argument of forward; "" where it goes by its position.
        value: a literal that is no tensor; otherwise the rest says what tensor it is.
        shape: its axes; None of a literal.
        dtype: its type.
        below: random indices, all below this number.
        fill: all elements are this number.
        grad: whether it gets a gradient.
        of_spec: the input of the spec that it is, of which the rest says nothing then.
    """

    name: str
    value: Any = None
    shape: tuple[int, ...] | None = None
    dtype: torch.dtype = torch.float32
    below: int | None = None
    fill: float | bool | None = None
    grad: bool = True
    of_spec: str = ""

    def make(self, device: str) -> Any:
        """Return the literal, or the tensor with the same numbers each time."""
        if self.shape is None:
            return self.value
        if self.fill is not None:
            made = torch.full(self.shape, self.fill, dtype=self.dtype, device=device)
        elif self.below is not None:
            made = torch.randint(0, self.below, self.shape, device=device).to(self.dtype)
        elif self.dtype.is_floating_point or self.dtype.is_complex:
            made = torch.randn(self.shape, device=device).to(self.dtype)
        else:
            made = torch.zeros(self.shape, dtype=self.dtype, device=device)
        return made.requires_grad_(self.grad and (self.dtype.is_floating_point or self.dtype.is_complex))


def read_inputs(text: str) -> list[WrittenInput]:
    """Return the inputs that a text such as `x: 2x128x64; ids: 2x128 int64 below 100` stands for. Raises UnfitError."""
    found = [_input(part.strip()) for part in re.split(r"[;\n]", text) if part.strip()]
    if not found:
        raise UnfitError("--inputs names no input", _FORM)
    named = [one.name for one in found if one.name]
    for name in named:
        if named.count(name) > 1:
            raise UnfitError(f"--inputs: `{name}` is given twice")
    if any(one.name and not other.name for one, other in pairwise(found)):
        raise UnfitError("--inputs: inputs without a name stand before those with one", _FORM)
    return found


def made_inputs(
    written: list[WrittenInput], device: str = "cpu", of_spec: Mapping[str, Tensor] | None = None
) -> tuple[list[Any], dict[str, Any]]:
    """Return positional inputs and those by name, with the same numbers each time.

    Args:
        of_spec: inputs of a spec by their names, of which what is written may name some.

    Raises:
        UnfitError: such a name is none of theirs.
    """
    known = of_spec or {}
    for one in written:
        if one.of_spec and one.of_spec not in known:
            note = f"its inputs: {listed(known)}" if known else "shapes are written as 2x128x64; inputs of a spec are named with --against"
            raise UnfitError(f"--inputs: `{one.of_spec}` is no shape, and no input of a spec", *did_you_mean(one.of_spec, known), note)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = [(one.name, known[one.of_spec] if one.of_spec else one.make(device)) for one in written]
    return [value for name, value in made if not name], {name: value for name, value in made if name}


def read_arguments(text: str) -> tuple[list[Any], dict[str, Any]]:
    """Return positional and named arguments of a text such as `64, heads=4`; values are Python's literals. Raises UnfitError."""
    try:
        call = ast.parse(f"f({text}\n)", mode="eval").body
    except SyntaxError as error:
        raise UnfitError(
            f"--args: `{text}` cannot be read: {error.msg}", "it is written as in a call: --args \"64, heads=4, act='gelu'\""
        ) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise UnfitError(f"--args: `{text}` is not what stands between the brackets of a call")
    args = [_literal(one) for one in call.args]
    return args, dict(_named(call))


def _named(call: ast.Call) -> Iterator[tuple[str, Any]]:
    for keyword in call.keywords:
        if keyword.arg is None:
            raise UnfitError("--args: `**` has no meaning here; give each argument by its name")
        yield keyword.arg, _literal(keyword.value)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        text = ast.unparse(node)
        notes = ["for anything else, write a function that returns the module, and count that: FILE.py:function"]
        if isinstance(node, ast.Name):
            notes = [f"a word stands in quotes: '{text}'", *notes]
        raise UnfitError(f"--args: `{text}` is no number, text, True, False, None, or list of such", *notes) from None


def _input(part: str) -> WrittenInput:
    if found := _INPUT.fullmatch(part):
        words = _WORDS.fullmatch(found["words"])
        if words:
            return _tensor(part, found, words)
    if found := _OF_SPEC.fullmatch(part):
        return WrittenInput(found["name"], of_spec=found["of_spec"])
    if found := _VALUE.fullmatch(part):
        try:
            return WrittenInput(found["name"], ast.literal_eval(found["value"]))
        except (ValueError, SyntaxError):
            raise UnfitError(f"--inputs: `{found['value']}` is no number, text, True, False or None", _FORM) from None
    raise UnfitError(f"--inputs: `{part}` cannot be read", _FORM)


def _tensor(part: str, found: re.Match[str], words: re.Match[str]) -> WrittenInput:
    name = words["dtype"] or ("int64" if words["below"] is not None else "float32")
    if name not in DTYPES:
        raise UnfitError(f"--inputs: `{name}` in `{part}` is no type of PyTorch's", *did_you_mean(name, DTYPES), _FORM)
    dtype = DTYPES[name]
    if words["below"] is not None and (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool or int(words["below"]) < 1):
        raise UnfitError(f"--inputs: `below` in `{part}` is for whole numbers, below 1 at least")
    shape = tuple(int(axis) for axis in re.findall(r"\d+", found["shape"]))
    fill = _fill(words["value"], part) if words["value"] is not None else (True if dtype is torch.bool else None)
    below = int(words["below"]) if words["below"] is not None else None
    return WrittenInput(found["name"] or "", None, shape, dtype, below, fill, grad=not found["nograd"])


def _fill(text: str, part: str) -> float | bool:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = None
    if not isinstance(value, int | float):
        raise UnfitError(f"--inputs: `{text}` in `{part}` is no number with which a tensor could be filled", _FORM)
    return value
