"""How a training step is split over devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.text.errors import SizeError


@dataclass(frozen=True)
class DeviceSplit:
    """How many parts there are of each kind; the size of the batch is that of a microbatch on one replica.

    Args:
        data: replicas, each with microbatches of its own.
        zero: what they divide among them: 1 states of the optimiser, 2 gradients too, 3 weights too (FSDP); 0 nothing.
        tensor: devices among which the matrices of a layer are divided.
        sequence: whether these divide the tokens too, in what they compute between the matrices.
        pipeline: stages of layers.
        interleave: pieces of layers that each stage has; 1 for the plain schedule of one forward and one backward pass in turn.
        expert: devices, out of the replicas, among which the experts of a mixture are divided.
        context: devices among which the tokens of each sample are divided; keys and values go around them.
        micro: microbatches of a step on each replica.
    """

    data: int = 1
    zero: int = 0
    tensor: int = 1
    sequence: bool = True
    pipeline: int = 1
    interleave: int = 1
    expert: int = 1
    context: int = 1
    micro: int = 1

    def __post_init__(self) -> None:
        for name in ("data", "tensor", "pipeline", "interleave", "expert", "context", "micro"):
            if getattr(self, name) < 1:
                raise SizeError(f"`--{name} {getattr(self, name)}`: it is 1 or more")
        if not 0 <= self.zero <= 3:
            raise SizeError(f"`--zero {self.zero}`: stages of ZeRO are 0, 1, 2 and 3")
        if self.data % self.expert:
            raise SizeError(f"{self.data} replicas cannot divide the experts among {self.expert}", "experts are divided among replicas")
        if self.interleave > 1 and (self.pipeline == 1 or self.micro % self.pipeline):
            raise SizeError("an interleaved schedule needs several stages, and as many microbatches or a multiple of them")

    @classmethod
    def asked(cls, given: Mapping[str, int | None], *, sequence: bool = True) -> DeviceSplit | None:
        """Return the split with the numbers that are given, by the names above; None where none is. Raises SizeError."""
        numbers = {name: number for name, number in given.items() if number is not None}
        if not numbers:
            return None
        numbers.setdefault("micro", numbers.get("pipeline", 1))
        return cls(**numbers, sequence=sequence)

    @property
    def devices(self) -> int:
        """How many there are in all."""
        return self.data * self.tensor * self.pipeline * self.context

    @property
    def bubble(self) -> float:
        """Of the time in which a stage works, the part beside that in which it waits: (p - 1) / (v m)."""
        return (self.pipeline - 1) / (self.interleave * self.micro)

    def in_flight(self, stage: int) -> int:
        """Return how many microbatches of one of its pieces a stage, counted from 0, keeps at most.

        As in Megatron's schedules: p - i in the plain one; 2 (p - i - 1) + (v - 1) p + 1 in the interleaved one.
        """
        behind = self.pipeline - stage
        most = behind if self.interleave == 1 else 2 * (behind - 1) + (self.interleave - 1) * self.pipeline + 1
        return min(most, self.micro * self.interleave)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**vars(self), "devices": self.devices}
