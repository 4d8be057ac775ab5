"""The peak of memory of a training step, as formulas in the sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from sympy import Expr, Integer

from generator.formulas.evaluate import evaluate
from generator.formulas.symbols import symbol
from generator.resolve.decoding import growths
from generator.resolve.resolver import Resolver
from generator.sheet.memory import item_bytes
from generator.sheet.number_formats import HALF, ITEM_BYTES
from generator.spec.library import Library
from generator.spec.model import Spec
from generator.trace.backward import simulated_peak
from generator.trace.diary import RUNS, Diary, NoFormulaError
from generator.trace.liveness import run_forward
from generator.trace.peak import Replayed, Summits


@dataclass(eq=False)
class PeakMemory:
    """What is alive at once in a forward and backward pass of one spec, replayed when it is first asked for.

    Args:
        options: values for options of the spec, instead of their defaults.
        on_inputs: whether all float inputs need a gradient, or none does; as the spec declares them by default.
        bound: sizes that are numbers.
    """

    library: Library
    spec: Spec
    options: Mapping[str, Any] = field(default_factory=dict)
    on_inputs: bool | None = None
    bound: Mapping[str, Expr] = field(default_factory=dict)
    _bytes: dict[str, Expr | None] = field(default_factory=dict)

    def bytes(self, dtype: str) -> Expr | None:
        """Return the most bytes alive at once in a model of this format; None where no one formula holds for all sizes.

        Raises:
            KeyError: an unknown format.
        """
        peak = self._of(dtype)
        if dtype not in self._bytes:
            self._bytes[dtype] = None if peak is None else peak.bytes(item_bytes(ITEM_BYTES[dtype]))
        return self._bytes[dtype]

    def summits(self, dtype: str) -> Summits | None:
        """Return the moments of which one is the highest; None where no formula holds. Raises KeyError for an unknown format."""
        peak = self._of(dtype)
        return None if peak is None else peak.summits(item_bytes(ITEM_BYTES[dtype]))

    def limits(self, dtype: str) -> Sequence[tuple[Expr, int]]:
        """Return numbers of layers and steps, and from how many on the formula for a format holds. Raises KeyError for an unknown one."""
        peak = self._of(dtype)
        return () if peak is None else peak.limits

    def bytes_at(self, dtype: str, sizes: Mapping[str, int]) -> int:
        """Return the most bytes alive at once at sizes of which the step needs no others.

        Which layer is the last of a pattern depends on sizes, so that there is no formula. A formula takes what depends on values for its
        average (the tokens of an expert), and holds from some number of layers or steps on (`limits`). Otherwise the step is replayed,
        with a split that is as even as can be.
        """
        peak = self._of(dtype)
        averages = Resolver(self.library).architecture(self.spec, self.options).tracer.averages
        is_whole = all(Fraction(evaluate(average, sizes)).denominator == 1 for average in averages)
        if peak is not None and is_whole and all(evaluate(count, sizes) >= least for count, least in peak.limits):
            return int(evaluate(self.bytes(dtype), sizes))
        replayed = self.replayed(Diary(sizes), dtype)
        return int(evaluate(replayed.bytes(item_bytes(ITEM_BYTES[dtype])), sizes))

    def _of(self, dtype: str) -> Replayed | None:
        return self._in_half if dtype in HALF else self._in_full

    @cached_property
    def _in_full(self) -> Replayed | None:
        return self._for_any_size("float32")

    @cached_property
    def _in_half(self) -> Replayed | None:
        depends = Resolver(self.library).architecture(self.spec, self.options).tracer.depends_on_precision
        return self._for_any_size("bfloat16") if depends else self._in_full

    def _for_any_size(self, dtype: str) -> Replayed | None:
        """Return a step that stands for any sizes; None where none does: one run more of each stack must come to the same formula."""
        diary, item = Diary(), item_bytes(ITEM_BYTES[dtype])
        with suppress(NoFormulaError):
            found = self.replayed(diary, dtype)
            if not diary.handing_on:
                return found
            formula = found.bytes(item)
            if formula == self.replayed(Diary(runs=RUNS + 1), dtype).bytes(item):
                self._bytes[dtype] = formula
                return found
        return None

    def replayed(self, diary: Diary, dtype: str) -> Replayed:
        """Replay a step without a past: sizes that count the tokens so far are those of the step."""
        pairs = growths(Resolver(self.library).architecture(self.spec, self.options))
        alone = {pair.other.name: Integer(0) if pair.is_past else pair.new for pair in pairs}
        alone = {name: size.xreplace({symbol(bound): value for bound, value in self.bound.items()}) for name, size in alone.items()}
        arch = Resolver(self.library, self.on_inputs, dtype in HALF, {**self.bound, **alone}, diary).architecture(self.spec, self.options)
        return simulated_peak(run_forward(diary, [*arch.inputs.values()], [*arch.outputs.values()]), arch.tracer.facts)
