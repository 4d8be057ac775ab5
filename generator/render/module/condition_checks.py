"""Which conditions on its sizes a module checks itself."""

from __future__ import annotations

from sympy import Mod, fraction
from sympy.logic.boolalg import Boolean

from generator.formulas.algebra import together
from generator.formulas.symbols import Facts
from generator.ops.base import TRAINING
from generator.render.module.signature import input_sizes
from generator.resolve.architecture import Architecture, Requirement
from generator.resolve.requirements import is_known


def own_conditions(arch: Architecture, told: set[str]) -> list[Requirement]:
    """Return what a module checks: what its spec states, and what its own sizes and rows need. Its blocks check theirs.

    What others of them imply is left out: `n > 2` beside `n > 4`.

    Args:
        told: the sizes that the constructor takes; a condition on sizes that are neither told nor read off the inputs cannot be checked.
    """
    knowable = told | set(input_sizes(arch.spec))
    own: dict[tuple[Boolean, tuple[str, ...]], Requirement] = {}
    for one in arch.requirements:
        if one.owner == arch.spec.name and _sizes(one) <= knowable:
            own.setdefault((one.condition, one.when), one)  # two rows may need the same
    return _without_implied(list(own.values()), told)


def unchecked_conditions(arch: Architecture, told: set[str], growing: set[str]) -> list[Requirement]:
    """Return the stated conditions that a module cannot check: on sizes that it is not told and that no axis of an input is.

    Args:
        growing: sizes that grow from step to step of decoding; they follow from the state, and no caller can break a condition on them.
    """
    knowable = told | set(input_sizes(arch.spec))
    return [one for one in arch.requirements if one.stated and one.owner == arch.spec.name and _sizes(one) - knowable - growing]


def checked_when_built(conditions: list[Requirement], told: set[str]) -> list[Requirement]:
    """Return the conditions on sizes that are all known when the module is built."""
    return [one for one in conditions if _is_early(one, told)]


def checked_when_run(conditions: list[Requirement], told: set[str]) -> list[Requirement]:
    """Return the conditions on sizes of which some are read off the inputs."""
    return [one for one in conditions if not _is_early(one, told)]


def _without_implied(conditions: list[Requirement], told: set[str]) -> list[Requirement]:
    """Leave out what follows. A stronger condition takes the place of the weaker one above it, which may guard a division between them."""
    kept: list[Requirement] = []
    waiting = list(conditions)
    while waiting:
        one = waiting.pop(0)
        if not one.stated:
            if is_known(one.condition, Facts(x.condition for x in kept if _is_checked_with(x, one, told))):
                continue
            stronger = [x for x in waiting if _is_checked_with(x, one, told) and _divides_nothing(x)]
            found = next((x for x in stronger if is_known(one.condition, Facts([x.condition]))), None)
            if found is not None:
                waiting.remove(found)
                waiting.insert(0, found)
                continue
        kept.append(one)
    return kept


def _is_checked_with(other: Requirement, one: Requirement, told: set[str]) -> bool:
    """Say whether another condition is checked wherever one is, and no later."""
    return set(other.when) <= set(one.when) and (_is_early(other, told) or not _is_early(one, told))


def _is_early(one: Requirement, told: set[str]) -> bool:
    return _sizes(one) <= told and TRAINING not in one.when  # training begins after the module is built


def _divides_nothing(one: Requirement) -> bool:
    sides = [side for side in one.condition.args if not isinstance(side, Boolean)]
    return not one.condition.has(Mod) and all(fraction(together(side))[1].is_number for side in sides)


def _sizes(one: Requirement) -> set[str]:
    return {size.name for size in one.condition.free_symbols}
