"""Counts the scalars of a module that are learned, by identity: a tied weight counts once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from torch import Tensor, nn

from generator.proof.measure.kernel import KernelCall
from generator.proof.measure.operations import argument, base_name
from generator.proof.measure.storages import storage_key, tensors_in
from generator.proof.measure.traffic import GATHERS


@dataclass(frozen=True)
class Parameters:
    """Scalars of a module.

    Args:
        trainable: in parameters that require a gradient.
        frozen: in parameters that do not.
        buffers: in buffers, persistent or not.
    """

    trainable: int
    frozen: int
    buffers: int

    @property
    def all(self) -> int:
        """In all parameters."""
        return self.trainable + self.frozen


class UsedParameters:
    """Observes which parameters the kernels of a run read, in whole or in part, or the run returns, and for which share of the tokens.

    Between finding the tokens that choose an expert (`nonzero`, of a mask of tokens by choices) and adding its results to theirs
    (`index_add_`), what is read is read for these tokens alone.

    Args:
        module: whose parameters are looked for.
    """

    def __init__(self, module: nn.Module) -> None:
        self._by_storage: dict[int, list[Tensor]] = {}
        for parameter in module.parameters():
            self._by_storage.setdefault(storage_key(parameter), []).append(parameter)
        self._used: dict[int, Fraction] = {}
        self._shares = [Fraction(1)]

    def __call__(self, call: KernelCall) -> None:
        """Note the parameters among the arguments."""
        name = base_name(call.op)
        if name == "nonzero" and call.args[0].dim() == 2:
            self._shares.append(self._shares[-1] * Fraction(len(call.result), len(call.args[0])))
        elif name == "index_add_" and len(self._shares) > 1:
            self._shares.pop()
        self._note(call.args, call.kwargs)

    def returned(self, result: Any) -> None:
        """Note the parameters among the results of the run, which no kernel need have read."""
        self._note(result)

    def include(self, alike: Iterable[tuple[Tensor, Tensor]], seen: UsedParameters) -> None:
        """Note what was seen of another module of the same kind.

        Args:
            alike: the parameters of this module, each with that of the other.
        """
        for own, other in alike:
            if seen.share(other):
                self._raise_to(own, seen.share(other))

    def _note(self, *values: Any) -> None:
        for tensor in tensors_in(*values):
            self._raise_to(tensor, self._shares[-1])

    def _raise_to(self, tensor: Tensor, share: Fraction) -> None:
        key = storage_key(tensor)
        self._used[key] = max(share, self._used.get(key, share))

    def share(self, parameter: Tensor) -> Fraction:
        """For which share of the tokens a parameter was read."""
        return self._used.get(storage_key(parameter), Fraction(0))

    @property
    def scalars(self) -> int | Fraction:
        """Scalars that are read for a token, on average: whole where all experts are equal."""
        total = sum((self.share(one) * one.numel() for parameters in self._by_storage.values() for one in parameters), Fraction(0))
        return int(total) if total.denominator == 1 else total


class WholeParameters:
    """Observes which parameters a run reads whole: not the tables in which it looks rows up, nor those of which it reads parts.

    Args:
        module: whose parameters are looked for.
    """

    def __init__(self, module: nn.Module) -> None:
        self._by_storage = {storage_key(parameter): parameter for parameter in module.parameters()}
        self._read: set[int] = set()

    def __call__(self, call: KernelCall) -> None:
        """Note the parameters among the arguments of what is no view and no lookup."""
        if call.kernel.is_view or base_name(call.op) in GATHERS:
            return
        for tensor in tensors_in(call.args, call.kwargs):
            key = storage_key(tensor)
            if key in self._by_storage and tensor.numel() >= self._by_storage[key].numel():
                self._read.add(key)

    @property
    def scalars(self) -> int:
        """Scalars in parameters that are read whole."""
        return sum(self._by_storage[key].numel() for key in self._read)


def parameters(module: nn.Module) -> Parameters:
    """Counts each parameter and buffer object once, under however many names it is registered."""
    every = list(module.parameters())  # torch lists a shared parameter once
    return Parameters(
        sum(parameter.numel() for parameter in every if parameter.requires_grad),
        sum(parameter.numel() for parameter in every if not parameter.requires_grad),
        sum(buffer.numel() for buffer in module.buffers()),
    )


class ReadParameters:
    """Observes which parameters the kernels of a run read; of one that is read in parts, such as by experts, which parts.

    Unlike `UsedParameters` it knows no way of choosing experts, so that what any token chooses is read.

    Args:
        module: whose parameters are looked for.
    """

    def __init__(self, module: nn.Module) -> None:
        self._storages = {storage_key(parameter) for parameter in module.parameters()}
        self._read: dict[int, set[tuple[int, int]]] = {}

    def __call__(self, call: KernelCall) -> None:
        """Note the parameters among the arguments of what computes something."""
        if call.kernel.is_view:
            return
        if base_name(call.op) == "_grouped_mm" and call.args[1].dim() == 3 and not call.args[1].is_meta:
            ends = argument(call.op, "offs", call.args, call.kwargs).tolist()
            chosen = [i for i, (begin, end) in enumerate(pairwise([0, *ends])) if end > begin]
            self.note(call.args[0], *(call.args[1][i] for i in chosen))
        else:
            self.note(call.args, call.kwargs)

    def note(self, *values: Any) -> None:
        """Note the parameters among some tensors, such as what the run returns."""
        for tensor in tensors_in(*values):
            key = storage_key(tensor)
            if key in self._storages and tensor.numel():
                begin = int(tensor.storage_offset())
                span = 1 + sum((int(size) - 1) * int(stride) for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
                self._read.setdefault(key, set()).add((begin, begin + span))

    def scalars(self, parameter: Tensor) -> int:
        """How many scalars of a parameter are read."""
        reached, read = int(parameter.storage_offset()), 0
        end = reached + parameter.numel()
        for start, stop in sorted(self._read.get(storage_key(parameter), ())):
            read += max(0, min(stop, end) - max(start, reached))
            reached = max(reached, min(stop, end))
        return read
