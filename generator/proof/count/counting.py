"""Counts a module that anybody has written, by running it under the counters of `generator.proof.measure`.

The forward pass runs once as it is, once while its operations are counted, once while autograd keeps what it needs, with the backward pass
behind it, and once for the peak. Each starts from the same random numbers and buffers, and neither weights, gradients nor buffers are
others afterwards.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from generator.in_bytes import FORWARD_PEAK_BYTES, PEAK_BYTES, SAVED_BYTES, TRAFFIC_BYTES
from generator.proof.count.call import Called
from generator.proof.count.count_result import BACKWARD, FLOPS, PEAKS, Counted
from generator.proof.count.tree import ByLabel, tied, tree_of
from generator.proof.count.unseen import Custom, Missing, scripted
from generator.proof.measure.backward_lines import SharesOfModules
from generator.proof.measure.gradients import gradients_set_aside, run_backward
from generator.proof.measure.kernel import KernelCall, KernelMode, Observer, kernels
from generator.proof.measure.known import refuse_unknown
from generator.proof.measure.macs import MacShares
from generator.proof.measure.matmul_flops import UNCOUNTED, MatmulShares
from generator.proof.measure.parameters import ReadParameters
from generator.proof.measure.peak import forward_peak, peak
from generator.proof.measure.saved import Saved, SavedWatch
from generator.proof.measure.storages import owned_storages
from generator.proof.measure.stretches import ModuleCalls, module_labels
from generator.proof.measure.traffic import kernel_traffic
from generator.proof.measure.uncounted import UncountedError
from generator.proof.measure.vector import VectorShares
from generator.quantities import ACTIVE_PARAMS, BACKWARD_MATMUL_FLOPS, MACS, MATMUL_FLOPS, SAVED_ELEMENTS, TRAFFIC_ELEMENTS, VECTOR_FLOPS
from generator.spec.mode import MODES
from generator.text.suggest import listed

TRAINING, INFERENCE = MODES
_MOVED = (TRAFFIC_ELEMENTS.key, TRAFFIC_BYTES.key, *(peak.key for peak in PEAKS))
_WITH_BACKWARD = (*FLOPS, BACKWARD_MATMUL_FLOPS.key)


def count(module: nn.Module, inputs: Any, mode: str = TRAINING) -> Counted:
    """Run a module and return what it comes to.

    Args:
        module: in the state, of training or evaluation, in which it is to be counted.
        inputs: see `generator.proof.count.call.Called`; those that require a gradient get one. On the meta device only what needs no
            numbers is counted.
        mode: `inference` runs it without gradients.

    Raises:
        Exception: whatever the module raises.
    """
    call = Called(module, inputs)
    run = _CountedCall(call, in_training=mode == TRAINING)
    with torch.random.fork_rng(devices=[]), torch.set_grad_enabled(mode == TRAINING):
        if any(is_lazy(tensor) for tensor in (*module.parameters(), *module.buffers())):
            call(*_fresh(call.leaves))  # which makes what is not made yet
        run.all_passes()
    tree = tree_of(module, run.calls.calls, run.by_label, run.read.scalars)
    notes = (*run.notes, *_said_of_module(module, run))
    return Counted(tree, mode, call.described, run.peak, tuple(run.missing), notes, run.left_out)


class _CountedCall:
    """The passes of one call, and what they come to.

    Attributes:
        by_label: by the key of a quantity, its counts by the name of a submodule.
        calls: how often submodules were called in a forward pass.
        read: which parameters it read.
        peak: in bytes; None where it was not measured.
        has_backward: whether anything of the output has a gradient; None where there is no backward pass.
    """

    def __init__(self, call: Called, *, in_training: bool) -> None:
        self.call, self.in_training, self.is_on_meta = call, in_training, _is_on_meta(call)
        self.missing, self.custom, self.notes = Missing(), Custom(), list[str]()
        self.by_label: dict[str, ByLabel] = {}
        self.calls, self.read = ModuleCalls(), ReadParameters(nn.Module())
        self.peak: int | None = None
        self.has_backward: bool | None = None

    @property
    def left_out(self) -> dict[str, str]:
        """Quantities that are not measured here, with the reason; without one, those of the other mode."""
        found: dict[str, str] = {}
        if self.is_on_meta:
            found |= dict.fromkeys((*BACKWARD[1:], *_MOVED), "measured on tensors that have values, not on the meta device")
        if not self.in_training:
            found |= dict.fromkeys(BACKWARD, "there is no backward pass in inference")
        return found | {(FORWARD_PEAK_BYTES if self.in_training else PEAK_BYTES).key: ""}

    def all_passes(self) -> None:
        """Run the module again and again."""
        self._try((*FLOPS, ACTIVE_PARAMS.key, *_MOVED[:2]), self._forward)
        if self.in_training:
            self._try(BACKWARD, self._step)
        if _missing_kernels(self.missing) and not self.is_on_meta:
            self.by_label |= _in_parts(self.call, self.missing, self.notes, with_backward=self.in_training)
        if not self.is_on_meta:
            self._try((PEAK_BYTES.key if self.in_training else FORWARD_PEAK_BYTES.key,), self._peak)

    def _try(self, quantities: Sequence[str], run: Callable[[], None]) -> None:
        """Run a pass; where it meets what no counter can look at, all that it should count is missing."""
        try:
            run()
        except UncountedError as error:
            for key in quantities:
                self.missing.add("the pass", "", key, str(error))

    def _forward(self) -> None:
        self.read = ReadParameters(self.call)
        unseen, bare = "", list[str]()
        with _same_start(self.call), self.custom.watched():
            try:
                bare = [kernel.op for kernel in kernels(self.call, *_fresh(self.call.leaves))]
            except UncountedError as error:
                unseen = str(error)
        found, self.calls, seen = _forward(self.call, self.call.leaves, self.missing, self.read)
        self.by_label |= found
        self.notes += _what_labels_changed(bare, seen)
        if unseen:
            self.notes.append(f"by itself the module takes another path than where hooks tell submodules apart, which is counted: {unseen}")

    def _step(self) -> None:
        saved, backward, self.has_backward = _step(self.call, self.call.leaves, self.missing)
        self.by_label |= {BACKWARD_MATMUL_FLOPS.key: backward, **_kept(saved)}
        for keeper in self.custom.keepers:
            for key in (SAVED_ELEMENTS.key, SAVED_BYTES.key):
                self.missing.add(
                    keeper, "", key, "it keeps tensors for the backward pass in a way of its own, which hides them from the counter"
                )

    def _peak(self) -> None:
        with _same_start(self.call), module_labels(self.call.module):  # so that the same kernels run as in the other passes
            given = _fresh(self.call.leaves)
            if self.in_training:
                self.peak = peak(self.call, given, input_gradients=None).bytes
            else:
                self.peak = forward_peak(self.call, given, None)


def _forward(
    call: Called, leaves: Sequence[Tensor], missing: Missing, read: ReadParameters
) -> tuple[dict[str, ByLabel], ModuleCalls, list[str]]:
    """Return the counts of a forward pass, the calls in it, and what it ran."""
    macs, matmul, vector = MacShares(), MatmulShares(), VectorShares()
    counters: list[tuple[MacShares | MatmulShares | VectorShares, str]] = [
        (macs, MACS.key),
        (matmul, MATMUL_FLOPS.key),
        (vector, VECTOR_FLOPS.key),
    ]
    observers: list[Observer] = [missing.tolerated(counter if counter is vector else _of_known(counter), key) for counter, key in counters]
    observers.append(read)
    given = _fresh(leaves)
    with _same_start(call), module_labels(call.module) as calls, KernelMode(observers=observers) as mode:
        read.note(call(*given))
    moved = [kernel_traffic(kernel) for kernel in mode.kernels]
    found: dict[str, ByLabel] = {key: counter.count.by_label() for counter, key in counters}
    found[TRAFFIC_ELEMENTS.key] = _summed((one.kernel.label, one.elements) for one in moved)
    found[TRAFFIC_BYTES.key] = _summed((one.kernel.label, one.bytes) for one in moved)
    return found, calls, [kernel.op for kernel in mode.kernels]


def _step(call: Called, leaves: Sequence[Tensor], missing: Missing) -> tuple[Saved, ByLabel, bool]:
    """Return what a forward pass keeps, the FLOPs of the backward pass by submodule, and whether there is one."""
    given = _fresh(leaves)
    watch = SavedWatch(owned_storages(call), given)
    with _same_start(call), module_labels(call.module) as calls, gradients_set_aside(call.parameters()):
        with watch.hooks():
            outputs = call(*given)
        shares, saved = SharesOfModules(calls), watch.saved
        counter = missing.tolerated(_of_known(shares), BACKWARD_MATMUL_FLOPS.key, shares.label)
        with KernelMode(observers=[counter]):
            run_backward(outputs)
    return saved, shares.count.by_label(), any(output.requires_grad for output in outputs)


def _kept(saved: Saved) -> dict[str, ByLabel]:
    return {
        SAVED_ELEMENTS.key: _summed((one.label, one.elements) for one in saved.storages),
        SAVED_BYTES.key: _summed((one.label, one.bytes) for one in saved.storages),
    }


def _missing_kernels(missing: Missing) -> list[str]:
    """Return the fused layers that were met, which run in their parts on the meta device."""
    return [one.what for one in missing.of(*_WITH_BACKWARD) if one.what.removesuffix("_backward") in UNCOUNTED]


def _in_parts(call: Called, missing: Missing, notes: list[str], *, with_backward: bool) -> dict[str, ByLabel]:
    """Count FLOPs on meta tensors, where some fused layers run in their parts; nothing where that cannot be done."""
    fused = listed(dict.fromkeys(_missing_kernels(missing)))
    try:
        other, leaves = call.on(_on_meta(call.module), "meta")
        lacking, found = Missing(), dict[str, ByLabel]()
        flops, _, _ = _forward(other, leaves, lacking, ReadParameters(other))
        found |= {key: flops[key] for key in FLOPS}
        if with_backward:
            _, found[BACKWARD_MATMUL_FLOPS.key], _ = _step(other, leaves, lacking)
    except Exception as error:  # noqa: BLE001 - whatever the module does on tensors without values; what is missing stays missing
        notes.append(f"{fused} may run in parts that can be counted on the meta device, but there the module raises {_first_line(error)}")
        return {}
    if set(_missing_kernels(lacking)) & set(_missing_kernels(missing)):  # they are one operation there too
        return {}
    missing.replace(_WITH_BACKWARD, lacking)
    notes.append(
        f"FLOPs are counted on the meta device, where PyTorch does the work of {fused} by operations that can be counted; traffic, what is "
        f"kept and the peak are those of {fused}, without what goes on inside"
    )
    return found


def _on_meta(module: nn.Module) -> nn.Module:
    """Return a copy of a module on the meta device, made without a copy of its weights."""
    copies: dict[int, Any] = {}
    for tensor in (*module.parameters(), *module.buffers()):
        empty = torch.empty_like(tensor, device="meta")
        copies[id(tensor)] = nn.Parameter(empty, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else empty
    return copy.deepcopy(module, copies)


def _what_labels_changed(bare: Sequence[str], seen: Sequence[str]) -> list[str]:
    """Say what the module runs otherwise where nothing hooks into its submodules."""
    only_bare = list(dict.fromkeys(op for op in bare if op not in set(seen)))
    fast = [op for op in only_bare if op in UNCOUNTED]
    if fast:
        said = f"by itself the module takes a fast path, {listed(fast)}, which nobody can look into; PyTorch leaves it where hooks tell "
        return [f"{said}submodules apart, so all counts are those of the same module in its parts"]
    return [f"its first run also had {listed(only_bare, limit=4)}; counted are later runs"] if only_bare else []


def _said_of_module(module: nn.Module, run: _CountedCall) -> Iterator[str]:
    """Yield what is shared, and what counters cannot look into."""
    for name, first in tied(module):
        yield f"`{name}` is `{first}`: its parameters count once"
    for path in scripted(module):
        what = f"`{path}`" if path else "the module"
        yield f"{what} is scripted by TorchScript: what it runs is counted, but under the name of the module around it"
    for function in run.custom.functions:
        yield (
            f"`{function}` is an autograd function with a derivative of its own: of both, PyTorch's operations are counted; what they do "
            "outside of PyTorch, or keep without save_for_backward, is not seen"
        )
    if run.custom.leaves_torch:
        yield "tensors become arrays of numpy (`Tensor.numpy`): what is computed with those is not seen"
    if run.call.opaque and run.has_backward:
        yield (f"the output has {listed(run.call.opaque)}, into which nobody can look for tensors: the backward pass starts without them")
    if run.has_backward is False:
        yield "no output depends on anything that requires a gradient, so there is no backward pass"
    unread = [name for name, parameter in module.named_parameters() if not run.read.scalars(parameter)]
    if unread and not run.missing.of(ACTIVE_PARAMS.key):
        yield f"not read in this pass: {listed(unread, limit=4)}"


def _of_known(counter: Observer) -> Observer:
    """Return a counter of contractions that refuses operations which may contain some that no formula counts."""

    def observe(call: KernelCall) -> None:
        refuse_unknown(call)
        counter(call)

    return observe


@contextmanager
def _same_start(call: Called) -> Iterator[None]:
    """Each pass begins with the same random numbers, and leaves buffers as they were."""
    kept = [(buffer, buffer.detach().clone()) for buffer in call.buffers()]
    torch.manual_seed(0)
    try:
        yield
    finally:
        with torch.no_grad():
            for buffer, before in kept:
                buffer.copy_(before)


def _fresh(leaves: Sequence[Tensor]) -> list[Tensor]:
    """Inputs of one pass, which may change them in place."""
    return [leaf.detach().clone().requires_grad_(leaf.requires_grad) for leaf in leaves]


def _is_on_meta(call: Called) -> bool:
    return any(tensor.is_meta for tensor in (*call.leaves, *call.parameters()))


def _summed(pairs: Iterator[tuple[str, int]]) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for label, amount in pairs:
        sums[label] += amount
    return dict(sums)


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
