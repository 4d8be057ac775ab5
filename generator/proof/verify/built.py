"""A generated module, built at some sizes and ready to run."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode

from generator.formulas.evaluate import evaluate
from generator.ops.attention import Attention
from generator.proof.measure.saved import saved
from generator.proof.measure.together import MeasuredStep, step
from generator.proof.verify.expert_routing import drops_tokens, routed_evenly
from generator.proof.verify.instance import Workbench
from generator.proof.verify.state import copied, prefilled_state
from generator.resolve.architecture import Architecture
from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class Instance:
    """A built module with inputs and the state that it finds."""

    bench: Workbench
    name: str  # of the spec
    sizes: Mapping[str, int]
    module: nn.Module
    inputs: list[Tensor]
    gradients: tuple[bool, ...]  # which inputs get a gradient
    state: dict[str, Any] | None
    fused: Instance | None = None  # the same on fake CPU tensors, where fused attention is one kernel as on other hardware
    mode: AbstractContextManager[Any] = field(default_factory=nullcontext)  # to be entered while it runs

    @classmethod
    def of(
        cls,
        bench: Workbench,
        name: str,
        sizes: Mapping[str, int],
        *,
        device: str = "meta",
        dtype: torch.dtype = torch.float32,
        recompute: str = "",
    ) -> Instance:
        """Build the spec `name` at the given sizes.

        Args:
            device: `meta` needs no memory for the tensors and counts the same.
            recompute: as of `Workbench.build`.
        """
        instance = cls._built(bench, name, sizes, device, nullcontext(), dtype, recompute)
        if not has_fused_attention(bench.compiled(name).architecture):
            return instance
        return replace(instance, fused=cls._built(bench, name, sizes, "cpu", _OneFakeMode(), dtype, recompute))

    @classmethod
    def on_numbers(cls, other: Instance) -> Instance:
        """Return the same instance on tensors that have values."""
        built = cls._built(other.bench, other.name, other.sizes, "cpu", nullcontext(), torch.float32)
        return replace(built, gradients=other.gradients)

    @classmethod
    def _built(
        cls,
        bench: Workbench,
        name: str,
        sizes: Mapping[str, int],
        device: str,
        mode: AbstractContextManager[Any],
        dtype: torch.dtype,
        recompute: str = "",
    ) -> Instance:
        with mode, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Accessing the data pointer of FakeTensor")  # PyTorch does it where layers are copied
            module = bench.build(name, sizes, device=device, dtype=dtype, recompute=recompute).train(bench.library.is_training)
            inputs = bench.inputs(name, sizes, device=device, dtype=dtype)
        if device == "meta" or isinstance(mode, FakeTensorMode) or drops_tokens(bench.compiled(name).architecture):
            mode = routed_evenly(bench, name, module, sizes, mode)
        with mode:
            state = prefilled_state(bench, name, module, sizes, device, dtype)
        gradients = tuple(declared.grad and declared.dtype == "float" for declared in bench.library.spec(name).inputs.values())
        return cls(bench, name, sizes, module, inputs, gradients, state, mode=mode)

    @property
    def sheet(self) -> Sheet:
        """The formulas."""
        return self.bench.compiled(self.name).sheet

    @property
    def where_fused(self) -> Instance:
        """The instance on which fused attention is one kernel: on meta tensors it runs as its parts, which keep and move more."""
        return self.fused or self

    def with_gradients(self, gradients: tuple[bool, ...]) -> Instance:
        """Return the same instance where other inputs get a gradient."""
        fused = self.fused and replace(self.fused, gradients=gradients)
        return replace(self, gradients=gradients, fused=fused)

    def runner(self) -> Runner:
        """Return the module as a callable that starts from the same state each time."""
        return Runner(self.module, self.state)

    def on_leaves(self) -> Runner:
        """Return the module as a callable without arguments that runs on `leaves`."""
        return Runner(self.module, self.state, self.leaves())

    def leaves(self) -> list[Tensor]:
        """Return the inputs, asking for the gradients that the spec says flow."""
        return [x.detach().requires_grad_(g) if x.is_floating_point() else x for x, g in zip(self.inputs, self.gradients, strict=True)]

    @cached_property
    def trained(self) -> MeasuredStep:
        """A forward and backward pass, run once for all that is asked of it; what is kept is measured where fused attention is fused."""
        with self.mode:
            trained = step(self.runner(), self.leaves())
        if self.fused is None:
            return trained
        with self.fused.mode:
            return replace(trained, saved=saved(self.fused.runner(), *self.fused.leaves()))

    def derived(self, quantity: str) -> Any:
        """Return what the formula says."""
        return evaluate(self.sheet.totals[quantity], self.sizes)


def has_fused_attention(arch: Architecture) -> bool:
    """Say whether a row, of a nested block or not, is a fused attention."""
    rows = [row for row in arch.rows if row.active]
    return any(isinstance(row.op, Attention) or (row.child is not None and has_fused_attention(row.child)) for row in rows)


class _OneFakeMode(FakeTensorMode):  # type: ignore[no-untyped-call]  # torch does not annotate its mode class
    """Fake tensors that stay of one mode where a module copies its layers: PyTorch copies the mode with them, and then refuses to mix.

    In evaluation a batch norm hands on statistics of the size that they have on meta tensors and on graphics processors; on the CPU they
    are empty.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> _OneFakeMode:
        return self

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        result: Any = super().__torch_dispatch__(func, types, args, kwargs or {})
        if func not in _BATCH_NORMS:
            return result
        out, *statistics = result
        with self:
            return (out, *(x if x.numel() else x.new_empty(out.shape[1]) for x in statistics))


# The second is what a counter of FLOPs makes of the first, in evaluation.
_BATCH_NORMS = (torch.ops.aten.native_batch_norm.default, torch.ops.aten._native_batch_norm_legit_no_training.default)  # noqa: SLF001


class Runner(nn.Module):
    """A module with a copy of the past state, so that each measurement starts from the same one.

    Args:
        fixed: inputs to run on instead of those given, for a backward pass with chosen gradients.
    """

    def __init__(self, module: nn.Module, state: dict[str, Any] | None, fixed: list[Tensor] | None = None) -> None:
        super().__init__()
        self.module = module
        self.state = state
        self.fixed = fixed

    def forward(self, *inputs: Tensor) -> Any:
        """Run once."""
        arguments = inputs if self.fixed is None else self.fixed
        return self.module(*arguments) if self.state is None else self.module(*arguments, copied(self.state))
