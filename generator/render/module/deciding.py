"""Modules of specs in which an option decides shapes: one text must do for both of its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from generator.render.module.lines import Lines
from generator.resolve.architecture import Architecture, Requirement
from generator.resolve.resolver import Resolver
from generator.spec.library import Library
from generator.text.problems import Problem, ProblemsError

Written = Callable[[Architecture], Lines]


def with_all_rows(library: Library, arch: Architecture) -> Architecture:
    """Return a spec as it is with all rows that options decide, and the conditions of each value of these. Raises ProblemsError.

    Conditions that hold with one value alone are asked for under that value.
    """
    if not arch.deciding:
        return arch
    whole = _traced(library, arch, dict.fromkeys(arch.deciding, True))
    found = list(whole.requirements)
    for option, other in _others(library, whole):
        here = {(one.condition, one.when) for one in found}
        there = {(one.condition, one.when) for one in other.requirements}
        found = [one if (one.condition, one.when) in there else _under(one, option, whole) for one in found]
        found += [_under(one, f"not {option}", whole) for one in other.requirements if (one.condition, one.when) not in here]
    return replace(whole, requirements=tuple(found))


def _under(one: Requirement, option: str, arch: Architecture) -> Requirement:
    return one if option in one.when or one.owner != arch.spec.name else replace(one, when=(*one.when, option))


def _others(library: Library, whole: Architecture) -> Iterator[tuple[str, Architecture]]:
    """Yield the spec once without the rows of each option that decides shapes."""
    for option in whole.deciding:
        yield option, _traced(library, whole, {**dict.fromkeys(whole.deciding, True), option: False})


def _traced(library: Library, arch: Architecture, options: Mapping[str, bool]) -> Architecture:
    try:
        return Resolver(library).architecture(arch.spec, options)
    except ProblemsError as error:
        others = [option for option in arch.spec.options.values() if options.get(option.name, option.default) != option.default]
        said = [
            f"where option `{one.name}` is `{str(options[one.name]).lower()}` ({one.span.source.path}:{one.span.line})" for one in others
        ]
        raise ProblemsError(replace(problem, notes=(*problem.notes, *said)) for problem in error.problems) from None


def refuse_other_lines(library: Library, whole: Architecture, drafted: Lines, written: Written) -> None:
    """Raise ProblemsError where a row would be written otherwise without the rows of an option that decides shapes."""
    here, made = _code_by_row(drafted), {line.strip() for line in drafted.init}
    for option, other in _others(library, whole):
        lines = written(other)
        differ = [row for row, code in _code_by_row(lines).items() if code != here.get(row)]
        differ += [row for row, sizes in lines.built_with.items() if sizes - drafted.built_with[row]]
        if not differ and not {line.strip() for line in lines.init} <= made:
            differ = [row.name for row in other.rows if row.active]
        if differ:
            note = f"`{option}` decides shapes here, and the module is one for both of its values; a spec that decides it can have this row"
            message = f"`{differ[0]}` would be written otherwise where `{option}` is false"
            raise ProblemsError([Problem(message, whole.spec.rows[differ[0]].span, (note,))])


def _code_by_row(lines: Lines) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row, (code, _) in zip(lines.rows, lines.forward, strict=True):
        found.setdefault(row, []).append(code)
    return found
