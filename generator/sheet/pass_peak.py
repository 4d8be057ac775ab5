"""The peak of memory of a pass, as formulas in the sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from sympy import Expr, Integer, Mod

from generator.formulas.evaluate import evaluate, reach
from generator.formulas.symbols import Facts, symbol
from generator.resolve.architecture import Architecture
from generator.resolve.decoding_sizes import growths
from generator.resolve.resolver import Resolver
from generator.sheet.number_formats import HALF, ITEM_BYTES, item_bytes
from generator.sheet.saved_bytes import storage_bytes
from generator.spec.library import Library
from generator.spec.model import Spec
from generator.text.problems import ProblemsError
from generator.trace.backward import simulated_peak
from generator.trace.diary import RUNS, Diary, NoFormulaError, Recompute
from generator.trace.liveness import run_forward
from generator.trace.peak_moments import Replayed, Summits
from generator.trace.recompute import inside, reruns
from generator.trace.tensor import Tensor
from generator.trace.tracer import CACHE

_REMEMBERED = 4  # replays at sizes


class Pass(Enum):
    """What is run, and what of it counts; weights, buffers and optimiser states never do."""

    TRAINING = "forward and backward, without a past; gradients of weights do not count"
    GRADIENTS = "forward and backward, without a past; gradients of weights count from when they are made on"
    FORWARD = "forward without gradients, with the state that there is; what caches keep does not count"


@dataclass(eq=False)
class PeakMemory:
    """What is alive at once in a pass of one spec, replayed when it is first asked for.

    Args:
        what: which pass.
        options: values for options of the spec, instead of their defaults.
        on_inputs: whether all float inputs need a gradient, or none does; as the spec declares them by default.
        bound: sizes that are numbers.
        recompute: which blocks run once more in the backward pass; None where all keep what they save.
        traced: the spec as it is traced otherwise, in full precision and for any sizes, where that is at hand.
    """

    library: Library
    spec: Spec
    what: Pass = Pass.TRAINING
    options: Mapping[str, Any] = field(default_factory=dict)
    on_inputs: bool | None = None
    bound: Mapping[str, Expr] = field(default_factory=dict)
    recompute: Recompute | None = None
    traced: Architecture | None = None
    _summits: dict[tuple[bool, int], Summits | None] = field(default_factory=dict, init=False)  # formats of one size have the same
    _passes: dict[Pass, PeakMemory] = field(default_factory=dict, init=False)
    _kept: dict[str, Mapping[str, Expr]] = field(default_factory=dict, init=False)
    _recomputing: dict[Recompute, PeakMemory] = field(default_factory=dict, init=False)
    _at_sizes: list[tuple[dict[Expr, int], bool, Replayed]] = field(default_factory=list, init=False)  # what was asked of sizes, in half
    _first: PeakMemory | None = field(default=None, init=False)  # that of another pass, from which this one was made

    def of(self, what: Pass) -> PeakMemory:
        """Return that of a pass, the same one each time."""
        if what is self.what:
            return self
        if what not in self._passes:
            self._passes[what] = replace(self, what=what, traced=self._plain)  # which no pass changes
            self._passes[what]._first = self._first or self  # noqa: SLF001 - as above
        return self._passes[what]

    def recomputing(self, recompute: Recompute | None) -> PeakMemory:
        """Return that where blocks run once more, the same one each time."""
        if recompute == self.recompute or recompute is None:
            return self
        if recompute not in self._recomputing:
            self._recomputing[recompute] = replace(self, recompute=recompute)
        return self._recomputing[recompute]

    def bytes(self, dtype: str) -> Expr | None:
        """Return the most bytes alive at once in a model of this format; None where no one formula holds for all sizes.

        Raises:
            KeyError: an unknown format.
        """
        summits = self.summits(dtype)
        return None if summits is None else summits.highest

    def summits(self, dtype: str) -> Summits | None:
        """Return the moments of which one is the highest; None where no formula holds. Raises KeyError for an unknown format."""
        key = dtype in HALF, ITEM_BYTES[dtype]
        if key not in self._summits:
            peak = self._of(dtype)
            self._summits[key] = None if peak is None else peak.summits(item_bytes(ITEM_BYTES[dtype]))
        return self._summits[key]

    def limits(self, dtype: str) -> Sequence[tuple[Expr, int]]:
        """Return formulas, and the least that each must come to where the formula for a format holds.

        They are numbers of layers and steps; and where an even spread over experts need not come out whole, what is left over, below zero.

        Raises:
            KeyError: an unknown format.
        """
        peak = self._of(dtype)
        if peak is None:
            return ()
        shares = [average.as_numer_denom() for average in sorted(self._plain.tracer.averages, key=str)]
        return (*peak.limits, *((-Mod(tokens, experts), 0) for tokens, experts in shares))

    def bytes_at(self, dtype: str, sizes: Mapping[str, int]) -> int | None:
        """Return the most bytes alive at once at sizes of which the step needs no others; None where it has too many rows to be replayed.

        Which layer is the last of a pattern depends on sizes, so that there is no formula. A formula takes what depends on values for its
        average (the tokens of an expert), and holds within its `limits`. Otherwise the step is replayed, with a split that is as even as
        can be.
        """
        replayed = self.at(dtype, sizes)
        if replayed is None:
            return None
        formula = self.bytes(dtype) if replayed is self._of(dtype) else replayed.bytes(item_bytes(ITEM_BYTES[dtype]))
        return int(evaluate(formula, sizes))

    def at(self, dtype: str, sizes: Mapping[str, int]) -> Replayed | None:
        """Return the pass as it is at sizes: by formulas where they hold there, else replayed; None as of `bytes_at`."""
        peak = self._of(dtype)
        if peak is not None and reach(self.limits(dtype), sizes):
            return peak
        try:
            return self._replayed_at(sizes, dtype)
        except ProblemsError:
            return None

    def kept_by_row(self, dtype: str) -> Mapping[str, Expr]:
        """Return the bytes kept for the backward pass by the row that keeps them first, in a model of this format."""
        if dtype not in self._kept:
            resolver = Resolver(self.library, self.on_inputs, dtype in HALF, dict(self.bound))
            found: dict[str, Expr] = {}
            for storage in resolver.architecture(self.spec, self.options).tracer.storages:
                if storage.saved_by is not None:
                    found[storage.saved_by] = found.get(storage.saved_by, Integer(0)) + storage_bytes(storage, dtype)
            self._kept[dtype] = found
        return self._kept[dtype]

    def _replayed_at(self, sizes: Mapping[str, int], dtype: str) -> Replayed:
        """Replay the pass at sizes; for all formats at once where what happens is the same in each. Raises ProblemsError."""
        in_half = dtype in HALF and self.depends_on_precision
        for asked, was_in_half, known in self._at_sizes:
            if was_in_half == in_half and all(evaluate(one, sizes) == value for one, value in asked.items()):
                return known
        diary = self.diary(sizes)
        found = self.replayed(diary, dtype)
        self._at_sizes.insert(0, (dict(diary.asked), in_half, found))
        del self._at_sizes[_REMEMBERED:]
        return found

    def _of(self, dtype: str) -> Replayed | None:
        return self._in_half if dtype in HALF else self._in_full

    @cached_property
    def _in_full(self) -> Replayed | None:
        return self._for_any_size("float32")

    @cached_property
    def _in_half(self) -> Replayed | None:
        return self._for_any_size("bfloat16") if self.depends_on_precision else self._in_full

    def _for_any_size(self, dtype: str) -> Replayed | None:
        """Return a step that stands for any sizes; None where none does: one run more of each stack must come to the same formula."""
        if self.recompute is not None and self.recompute.every > 1:
            return None  # which layers run once more depends on how many there are
        item = item_bytes(ITEM_BYTES[dtype])
        with suppress(NoFormulaError):
            ran = _ran_for_any_size(self._first or self, dtype in HALF, self.has_caches)
            found = _followed(ran._replace(diary=ran.diary.followed_by(**self._what_counts)))
            if not ran.diary.handing_on or found.bytes(item) == self.replayed(self.diary(runs=RUNS + 1), dtype).bytes(item):
                return found
        return None

    def diary(self, sizes: Mapping[str, int] | None = None, *, runs: int = RUNS) -> Diary:
        """Return an empty diary of this pass; see `generator.trace.diary.Diary`."""
        return Diary(sizes, runs=runs, has_caches=self.has_caches, recompute=self.recompute, **self._what_counts)

    @property
    def _what_counts(self) -> dict[str, bool]:
        """What happens in the forward pass does not depend on this."""
        return {"counts_gradients": self.what is Pass.GRADIENTS, "trains": self.what is not Pass.FORWARD}

    @property
    def has_caches(self) -> bool:
        """Whether it finds caches of tokens before, which grow in place."""
        return self.what is Pass.FORWARD and CACHE in self._plain.tracer.states

    @property
    def depends_on_precision(self) -> bool:
        """Whether it is replayed in half precision on its own."""
        return self._plain.tracer.depends_on_precision

    @property
    def is_unknown(self) -> bool:
        """Whether it is not replayed: a forward pass that finds states of several kinds, or what was made once before."""
        return self.what is Pass.FORWARD and self._plain.tracer.states not in (set(), {CACHE}, {"recurrent"})

    @cached_property
    def _plain(self) -> Architecture:
        return self.traced or Resolver(self.library).architecture(self.spec, self.options)

    def replayed(self, diary: Diary, dtype: str) -> Replayed:
        """Replay the pass. Without a past, sizes that count the tokens so far are those of the step."""
        return _followed(self._ran(diary, in_half=dtype in HALF))

    def _ran(self, diary: Diary, *, in_half: bool) -> _Ran:
        """Note in a diary what happens in the forward pass."""
        pairs = [] if diary.has_caches else growths(self._plain)
        alone = {pair.other.name: Integer(0) if pair.is_past else pair.new for pair in pairs}
        alone = {name: size.xreplace({symbol(bound): value for bound, value in self.bound.items()}) for name, size in alone.items()}
        arch = Resolver(self.library, self.on_inputs, in_half, {**self.bound, **alone}, diary).architecture(self.spec, self.options)
        return _Ran(diary, [*arch.inputs.values()], [*arch.outputs.values()], arch.tracer.facts)


class _Ran(NamedTuple):
    """What happened in a forward pass, with what it was given and what it returned."""

    diary: Diary
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    facts: Facts


@lru_cache(maxsize=_REMEMBERED)  # the passes of a spec are asked for one after the other
def _ran_for_any_size(peak: PeakMemory, in_half: bool, has_caches: bool) -> _Ran:
    """Run forward for any sizes, once for all passes in which the same happens. Raises NoFormulaError."""
    return peak._ran(Diary(has_caches=has_caches, recompute=peak.recompute), in_half=in_half)  # noqa: SLF001 - it is a part of that


def _followed(ran: _Ran) -> Replayed:
    """Replay what happened, and the backward pass where the diary says that one follows."""
    forward = run_forward(ran.diary, ran.inputs, ran.outputs)
    if ran.diary.trains:
        return replace(simulated_peak(forward, ran.facts), reruns=reruns(ran.diary), inside=inside(ran.diary))
    return forward.memory.peak(forward.memory.now(), forward.kept)
