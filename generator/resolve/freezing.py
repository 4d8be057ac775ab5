"""Whether the weights of a row learn, as the row says it or an option that it names."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from generator.resolve.architecture import BoundRow
from generator.resolve.declared_sizes import Unresolved
from generator.resolve.spec_run import Frame, Run
from generator.spec.model import Row
from generator.text.suggest import did_you_mean, listed


def is_on(run: Run, frame: Frame, row: Row, key: str, option: str) -> bool:
    """Return the value of a yes or no that a key of a row names. Raises Unresolved after reporting."""
    spec, options = frame.spec, frame.sized.options
    if option not in options:
        yes_no = [name for name, declared in spec.options.items() if isinstance(declared.default, bool)]
        notes = (*did_you_mean(option, yes_no), f"options that are true or false: {listed(yes_no) or 'none'}")
        run.problems.add(f"`{key}` names `{option}`, which is not an option of `{spec.name}`", row.where(key), *notes)
    elif not isinstance(options[option], bool):
        run.problems.add(f"`{key}` names `{option}`, which is not true or false but `{options[option]}`", row.where(key))
    else:
        return bool(options[option])
    raise Unresolved


def freezing(run: Run, frame: Frame, row: Row) -> AbstractContextManager[None]:
    """Return the context in which a row runs: what it says of its weights holds. Raises Unresolved after reporting.

    Of a block that is tied to another one holds what that one says, whose weights it has.
    """
    rows = frame.spec.rows
    for _ in rows:
        if row.use is None or row.tie not in rows:
            break
        row = rows[row.tie]
    if row.frozen is None or (isinstance(row.frozen, str) and not is_on(run, frame, row, "frozen", row.frozen)):
        return nullcontext()
    return run.tracer.freezing(bool(row.frozen))


def check_frozen(run: Run, bound: BoundRow) -> None:
    """Raise Unresolved after reporting where a row says of weights that it has not whether they learn."""
    if bound.op is None or bound.row.frozen is None or any(weight.trainable for weight in bound.weights.values()):
        return
    if not any(getattr(value, "option", None) for value in vars(bound.op).values()):  # with another choice it may have some
        run.problems.add(f"`{bound.name}` has no weights that could be frozen", bound.row.where("frozen"))
        raise Unresolved
