"""What the weights of a row start as, with sizes and options filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sympy import Rational

from generator.resolve.architecture import InitialValue, OpRow, Weight
from generator.resolve.declared_sizes import Unresolved, evaluated
from generator.resolve.missing import report_missing_sizes
from generator.resolve.spec_run import Frame, Run
from generator.spec.initial_words import KINDS, KNOWN, Initial
from generator.text.expressions import names
from generator.text.suggest import did_you_mean, listed

_OF_PRODUCTS = ("xavier", "xavier_normal", "kaiming", "kaiming_normal")  # by the numbers of inputs and outputs of a matrix


_PLACE = re.compile(r"[A-Za-z_]\w*(\.\w+)*", re.ASCII)  # of a weight in a module, as PyTorch names it


def with_initial_values(run: Run, frame: Frame, bound: OpRow) -> OpRow:
    """Return a row with what its weights start as. Raises Unresolved after reporting."""
    found: dict[str, InitialValue] = {}
    for name, initial in bound.row.init.items():
        weight = bound.weights.get(name)
        found[name] = _bound(run, frame, initial)
        if weight is not None and weight.trainable:
            _check_axes(run, bound, initial, weight)
        elif not _PLACE.fullmatch(name) or not any(getattr(setting, "option", None) for setting in vars(bound.op).values()):
            # With another choice of an option it may be there.
            own = [other for other, one in bound.weights.items() if one.trainable]
            notes = (*did_you_mean(name, own), f"its weights: {listed(own) or 'none of its own'}")
            place = bound.row.names.get(f"init.{name}", initial.span)
            run.problems.add(f"`{bound.name}` has no weight `{name}`", place, *notes)
            raise Unresolved
    return replace(bound, initial=found)


def _bound(run: Run, frame: Frame, initial: Initial) -> InitialValue:
    argument, options = initial.argument, frame.sized.options
    if argument is not None:
        if report_missing_sizes(frame.sized, names(argument.ast), argument.span, run.problems):
            raise Unresolved
        number = evaluated(argument, frame.sizes, run.facts, run.problems)
        return InitialValue(initial.kind, number, "" if names(argument.ast) else argument.text)
    if initial.kind in KINDS:
        return InitialValue(initial.kind)
    value = options.get(initial.kind)
    if isinstance(value, bool) or not isinstance(value, int | float):
        notes = (*did_you_mean(initial.kind, [*KINDS, *_numbers(options)]), KNOWN)
        run.problems.add(f"weights cannot start as `{initial.kind}`", initial.span, *notes)
        raise Unresolved
    return InitialValue("constant", Rational(str(value)), initial.kind)


def _numbers(options: Mapping[str, Any]) -> list[str]:
    return [name for name, value in options.items() if isinstance(value, int | float) and not isinstance(value, bool)]


def _check_axes(run: Run, bound: OpRow, initial: Initial, weight: Weight) -> None:
    """Refuse what PyTorch draws by the numbers of inputs and outputs for a weight with fewer than two axes."""
    if initial.kind in _OF_PRODUCTS and len(weight.shape) < 2:
        note = "it depends on the numbers of inputs and outputs of a matrix"
        run.problems.add(f"the {weight.name} of `{bound.name}` has one axis, so it cannot start as {initial.kind}", initial.span, note)
        raise Unresolved
