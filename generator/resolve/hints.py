"""Which row may be at fault where shapes do not fit: where the inputs come from, and which change would make everything fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from sympy import Expr

from generator.resolve.shape_text import show_shape
from generator.spec.model import Expression, Row, Spec
from generator.text.expressions import parse_expression
from generator.text.problems import Problem, ProblemsError
from generator.trace.tensor import Tensor

MAX_CLASHES = 3
MAX_TRIALS = 16
MAX_ROWS = 60  # each trial traces the whole spec
MAX_SHOWN = 90
_GROUP = re.compile(r"\(([^()]+)\)")


def shapes_of(names: Sequence[str], inputs: Sequence[Tensor], sizes: Mapping[str, Expr]) -> str:
    """Return the inputs of a row with their shapes, as one note."""
    return "; ".join(f"{name} is {show_shape(x.shape, sizes)}" for name, x in dict(zip(names, inputs, strict=True)).items())


def origins(spec: Spec, inputs: Sequence[str]) -> tuple[str, ...]:
    """Say on which lines the rows stand that a row reads."""
    names = dict.fromkeys(name.partition(".")[0] for name in inputs)
    return tuple(f"{name} comes from line {_line(spec.rows[name])}" for name in names if name in spec.rows)


def _line(row: Row) -> str:
    """Return the number of a row's line, with what stands there if that is all of the row."""
    text = row.span.source.line(row.span.line).partition(":")[2].strip()
    return f"{row.span.line}: {text}" if text.startswith("{") and text.endswith("}") and len(text) <= MAX_SHOWN else str(row.span.line)


def with_fixes(problems: Sequence[Problem], clashes: Mapping[Problem, Row], spec: Spec, trial: Callable[[Spec], object]) -> list[Problem]:
    """Return the problems that were found, with a suggestion where one change of an `out` above makes a row's shapes fit.

    Args:
        clashes: the problems about shapes, and the row of each.
        trial: traces the spec with a change. Raises ProblemsError.
    """
    found = [*problems]
    if len(spec.rows) > MAX_ROWS:
        return found
    for problem, row in list(clashes.items())[:MAX_CLASHES]:
        if problem in found and spec.rows.get(row.name) == row:  # not one of a block, whose rows are no rows of this spec
            note = _fix(problems, spec, trial, problem, row)
            at = found.index(problem)
            found[at] = replace(problem, notes=(*problem.notes, *note))
    return found


def _fix(problems: Sequence[Problem], spec: Spec, trial: Callable[[Spec], object], problem: Problem, row: Row) -> tuple[str, ...]:
    """Try other widths for the rows above, as other rows of the same op have them. A change is suggested if no other helps."""
    known = set(problems)
    helpful = []
    for changed in [*_changes(spec, row)][:MAX_TRIALS]:
        try:
            trial(replace(spec, rows={**spec.rows, changed.name: changed}))
            left: set[Problem] = set()
        except ProblemsError as error:
            left = set(error.problems)
        if left < known and problem not in left and not any(other.span == problem.span for other in left):
            helpful.append(changed)
    if len({change.name for change in helpful}) != 1:
        return ()
    change = helpful[0]
    return (f"did you mean out: [{', '.join(axis.text for axis in change.out or ())}] on line {change.where('out').line}?",)


def _changes(spec: Spec, row: Row) -> Iterator[Row]:
    """Yield the rows that a row depends on, nearest first, with another last axis: one that stands elsewhere in the spec."""
    inputs = [declared.shape[-1] for declared in spec.inputs.values() if declared.shape]
    for above in _ancestors(spec, row):
        if not above.out:
            continue
        others = [other.out[-1] for other in spec.rows.values() if other.op == above.op and other.out]
        widths = {width.text: width for width in (*_groups(spec, row), *others, *inputs)}
        for text, width in widths.items():
            if text != above.out[-1].text:
                yield replace(above, out=(*above.out[:-1], width))


def _groups(spec: Spec, row: Row) -> Iterator[Expression]:
    """Yield the products of sizes that a pattern groups: `h*e` for `b n (h e) -> b h n e`."""
    for name, value in row.params.items():
        for group in _GROUP.findall(value) if isinstance(value, str) else ():
            labels = group.split()
            if labels and all(label in spec.dims for label in labels):
                text = "*".join(labels)
                yield Expression(text, parse_expression(text), row.where(name))


def _ancestors(spec: Spec, row: Row) -> Iterator[Row]:
    order = list(spec.rows)
    waiting, seen = [row.name], {row.name}
    while waiting:
        current = spec.rows[waiting.pop(0)]
        if current is not row:
            yield current
        at = order.index(current.name)
        reads = [ref.name for ref in current.inputs] if current.inputs is not None else order[max(0, at - 1) : at]
        for name in reads:
            if name in spec.rows and name not in seen:
                seen.add(name)
                waiting.append(name)
