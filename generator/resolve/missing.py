"""Sizes that a used spec asks for and that nothing gives: reported where it is used, since nothing is wrong with the spec itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from generator.resolve.architecture import Sized, Usage
from generator.spec.model import Dim, Spec
from generator.text.expression_tree import Ast
from generator.text.expressions import names
from generator.text.problems import Problem, Problems
from generator.text.source import Span
from generator.text.suggest import near


def report_missing(sized: Sized, ast: Ast, span: Span, problems: Problems) -> bool:
    """Say whether an expression of a spec names sizes that have no value where it is used, and report each at its cause."""
    return report_missing_sizes(sized, names(ast), span, problems)


def report_missing_sizes(sized: Sized, asked: Collection[str], span: Span, problems: Problems) -> bool:
    """Say whether some of a spec's sizes have no value where it is used, and report each at its cause."""
    missing = [name for name in sized.spec.dims if name in asked and name not in sized.sizes]
    for name in missing:
        problems.extend(_problem(spec, usage, spec.dims[size], span) for spec, usage, size in _causes(sized, name))
    return bool(missing)


def _causes(sized: Sized, name: str) -> Iterator[tuple[Spec, Usage, str]]:
    """Yield the sizes for want of which a size has no value, with the spec that lacks each and where that is used.

    None where what is wrong with it has been reported.
    """
    dim = sized.spec.dims[name]
    if dim.value is not None:
        for used in sized.spec.dims:
            if used in names(dim.value.ast) and used not in sized.sizes and used != name:
                yield from _causes(sized, used)
    elif sized.usage is not None:
        around = next((outer for outer in sized.usage.outer if name in outer.spec.dims), None)
        if around is None:
            yield sized.spec, sized.usage, name
        else:
            yield from _causes(around, name)


def _problem(spec: Spec, usage: Usage, dim: Dim, asked: Span) -> Problem:
    user = usage.outer[-1].spec
    same = [other.name for other in user.dims.values() if _words(other) == _words(dim)]
    likely = next(iter((*same, *near(dim.name, user.dims))), None)
    notes = (
        f"{dim.name}: {dim.meaning}" if dim.meaning else "",
        f"did you mean with: {{{dim.name}: {likely}}}?" if likely else "",
        f"add `{dim.name}` to the sizes of `{user.name}`, or say here what it is: with: {{{dim.name}: ...}}",
        f"asked for on line {asked.line} of {asked.source.path}",
    )
    message = f"`{spec.name}` needs a size `{dim.name}`, which `{user.name}` does not have"
    return Problem(message, usage.span, tuple(filter(None, notes)))


def _words(dim: Dim) -> str:
    return dim.meaning.lower().strip()
