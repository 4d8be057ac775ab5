"""Counts memory traffic of unfused execution: what each kernel reads and writes, in elements and bytes.

Each kernel reads all its tensor arguments and writes all its results, at the sizes it sees; views move nothing. Exceptions, since otherwise
the count would be far from what any machine does:

- gathers (an embedding lookup, `gather`, `index_select`, indexing by a tensor) read their indices and, of the tensor they pick from,
  as many elements as they write, not the whole table;
- adding to rows in place (`index_add_`) reads and writes as many elements of the whole as are added;
- a kernel that only fills a tensor (`bernoulli_`, `zero_`, `copy_`) does not read it first, `zeros_like` and its kin do not read their
  pattern, and an allocation (`empty`) writes nothing.

CPU and meta tensors agree, except for fused attention.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from generator.proof.measure.kernel import Count, MeasuredKernel, TensorInfo, kernels

GATHERS = frozenset({"embedding", "gather", "index", "index_select", "take"})
SCATTERS = frozenset({"index_add_"})  # of the whole, the index and what is added
FILLS = frozenset({"bernoulli_", "copy_", "exponential_", "fill_", "normal_", "random_", "uniform_", "zero_"})
PATTERNED = frozenset(
    {
        *("zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like", "empty_like"),
        *("new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided"),
    }
)
ALLOCATIONS = frozenset({"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"})


@dataclass(frozen=True)
class KernelTraffic:
    """What one kernel moves; `read` and `written` in elements."""

    kernel: MeasuredKernel
    read: int
    written: int
    bytes: int

    @property
    def elements(self) -> int:
        """Read and written."""
        return self.read + self.written


@dataclass(frozen=True)
class Traffic:
    """What all kernels move, in order of execution."""

    kernels: tuple[KernelTraffic, ...]

    @property
    def read(self) -> int:
        """Elements read."""
        return sum(kernel.read for kernel in self.kernels)

    @property
    def written(self) -> int:
        """Elements written."""
        return sum(kernel.written for kernel in self.kernels)

    @property
    def elements(self) -> int:
        """Read and written."""
        return self.read + self.written

    @property
    def bytes(self) -> int:
        """Read and written."""
        return sum(kernel.bytes for kernel in self.kernels)

    @property
    def count(self) -> Count:
        """Elements moved, with the share of each kernel."""
        return Count(tuple((kernel.kernel, kernel.elements) for kernel in self.kernels))


def traffic(fn: Callable[..., Any], *args: Any, source: str | None = None, **kwargs: Any) -> Traffic:
    """Memory traffic of `fn(*args, **kwargs)`.

    Args:
        fn: a module or any callable.
        source: see `generator.proof.measure.kernel.kernels`.
    """
    return Traffic(tuple(kernel_traffic(kernel) for kernel in kernels(fn, *args, source=source, **kwargs)))


def kernel_traffic(kernel: MeasuredKernel) -> KernelTraffic:
    """What a kernel reads and writes."""
    if kernel.is_view:
        return KernelTraffic(kernel, 0, 0, 0)
    name = kernel.op.split(".")[0]
    reads, writes = _moved(name, kernel)
    size = sum(tensor.bytes for tensor in (*reads, *writes))
    return KernelTraffic(kernel, sum(tensor.elements for tensor in reads), sum(tensor.elements for tensor in writes), size)


def _moved(name: str, kernel: MeasuredKernel) -> tuple[tuple[TensorInfo, ...], tuple[TensorInfo, ...]]:
    reads, writes = kernel.inputs, kernel.outputs
    if name in GATHERS:
        reads = (*writes, *reads[1:])
    elif name in SCATTERS:
        reads, writes = (reads[2], *reads[1:]), reads[2:]
    elif name in FILLS:
        reads = reads[1:]
    elif name in PATTERNED:
        reads = ()
    return reads, () if name in ALLOCATIONS else writes
