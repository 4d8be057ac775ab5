"""Formulas at arrays of sizes in machine words, where bounds say beforehand that these suffice.

Numbers for the sizes that do not vary are put in first: most formulas are then polynomials in one or two sizes, and numbers.
Roundings, remainders and choices become further variables. Whatever is worked out on the way is bounded before anything is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from generator.formulas import whole_terms as terms_of
from generator.formulas.stored_formula import StoredFormula
from generator.formulas.whole_terms import ONE, Bounds, Terms, bounds_of, number_of, product_bounds
from generator.formulas.word_program import Instruction, Program, select

LARGEST = 2**63 - 1
_LARGEST_POWER = 64
_MOST_TERMS = 256  # of a product that is multiplied out
_MOST_BITS = 4096  # of a coefficient: no machine word is behind it
Ratio = tuple[Terms, Terms]  # what is below is above zero
AtNumbers = Callable[[Any, Mapping[str, Any]], Any]  # the value of a formula as data, where sizes are numbers
Truth = bool | int  # known, or the register that holds it
_RELATIONS: dict[str, Callable[..., Any]] = {
    "Eq": np.equal,
    "Ne": np.not_equal,
    "Lt": np.less,
    "Le": np.less_equal,
    "Gt": np.greater,
    "Ge": np.greater_equal,
}


class DoesNotFitError(ValueError):
    """It is not proven that machine words hold a formula, or there is nothing here for what it does."""


@dataclass(frozen=True)
class Output:
    """What a formula comes to: places among the outputs of a program.

    Args:
        value: of its values; rounded down where they are quotients.
        whole: of where they come out whole; None where they do everywhere.
        ratio: of numerators and denominators, of those that are quotients.
        bounds: between which all values lie; 0 and 1 for a condition.
    """

    value: int
    whole: int | None
    ratio: tuple[int, int] | None
    bounds: Bounds


@dataclass(frozen=True)
class WordPlan:
    """A program for some formulas, and where its outputs are."""

    program: Program
    outputs: tuple[Output, ...]

    def values(self, arrays: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        """Return the values of each formula: int64, bools, or ints and Fractions where not all are whole.

        Args:
            arrays: whole numbers within the bounds that the plan was made for.
        """
        found = self.program.run(arrays)
        return [self._finished(output, found) for output in self.outputs]

    @staticmethod
    def _finished(output: Output, found: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        if output.whole is None or output.ratio is None or found[output.whole].all():
            return found[output.value]
        exact = np.frompyfunc(_exact_quotient, 2, 1)
        return np.asarray(exact(*(found[place] for place in output.ratio)), dtype=object)


def _exact_quotient(above: Any, below: Any) -> int | Fraction:
    found = Fraction(int(above), int(below))
    return found.numerator if found.denominator == 1 else found


def planned(
    formulas: Sequence[Any], known: Mapping[str, int | Fraction], arrays: Mapping[str, int], bounds: Sequence[Bounds], alone: AtNumbers
) -> WordPlan:
    """Return a plan for formulas as data; see `generator.formulas.formula_data`.

    Args:
        known: the sizes that are numbers.
        arrays: the number of its array for each other size. Several sizes may be the same array.
        bounds: between which all numbers of each array lie.
        alone: works out what does not vary, and is no sum or product, such as roots; it raises ValueError where there is no value.

    Raises:
        DoesNotFitError: something on the way to a value might need more than 64 bits, or is none of what there is here.
    """
    return _Planner(known, arrays, bounds, alone).plan(formulas)


class _Planner:
    def __init__(self, known: Mapping[str, int | Fraction], arrays: Mapping[str, int], bounds: Sequence[Bounds], alone: AtNumbers) -> None:
        if any(abs(side) > LARGEST for pair in bounds for side in pair):
            raise DoesNotFitError
        self._known, self._arrays, self._alone = known, arrays, alone
        self._bounds: dict[int, Bounds] = dict(enumerate(bounds))  # of registers; variables of polynomials are registers too
        self._inputs = tuple(range(len(bounds)))
        self._constants: dict[int, int | bool] = {}
        self._places: dict[Any, int] = {}
        self._instructions: list[Instruction] = []

    def plan(self, formulas: Sequence[Any]) -> WordPlan:
        """Return the plan for formulas and conditions. Raises DoesNotFitError."""
        wanted: list[int] = []

        def want(register: int) -> int:
            if register not in wanted:
                wanted.append(register)
            return wanted.index(register)

        found = []
        for data in formulas:
            if isinstance(data, list | tuple) and data[0] in _CONDITIONS:
                found.append(Output(want(self._truth_register(self._truth(data))), None, None, (0, 1)))
                continue
            over, under = self._ratio(data)
            if under == ONE:
                value = self._register(over)
                found.append(Output(want(value), None, None, self._bounds[value]))
                continue
            above, below = self._register(over), self._register(under)
            value = self._down(above, below)
            whole = self._emit(np.equal, (self._times(value, below), above), (0, 1), is_truth=True)
            found.append(Output(want(value), want(whole), (want(above), want(below)), self._bounds[value]))
        program = Program(self._inputs, self._constants, tuple(self._instructions), tuple(wanted), len(self._bounds))
        return WordPlan(program, tuple(found))

    # Formulas as quotients of polynomials.

    def _ratio(self, data: Any) -> Ratio:
        if isinstance(data, int):
            return terms_of.constant(data), ONE
        if isinstance(data, str):
            if data in self._arrays:
                return {((self._arrays[data], 1),): 1}, ONE
            return self._number(self._known[data])
        name, *parts = data
        if name == "Rational":
            return terms_of.constant(parts[0]), terms_of.constant(parts[1])
        if name not in _BUILDERS:
            return self._folded(data)
        return _BUILDERS[name](self, parts)

    def _folded(self, data: Any) -> Ratio:
        """Return the value of what does not vary, such as the root of a number."""
        if any(name in self._arrays for name in StoredFormula(data, ()).names):
            raise DoesNotFitError
        try:
            value = self._alone(data, self._known)
        except ValueError as error:
            raise DoesNotFitError from error
        if isinstance(value, float | bool):
            raise DoesNotFitError
        return self._number(value)

    @staticmethod
    def _number(value: int | Fraction) -> Ratio:
        return terms_of.constant(value.numerator), terms_of.constant(value.denominator)

    def sum(self, parts: list[Any]) -> Ratio:
        return reduce(self._plus, (self._ratio(part) for part in parts))

    def _plus(self, left: Ratio, right: Ratio) -> Ratio:
        (a, b), (c, d) = left, right
        if b == d:
            return self._reduced(terms_of.plus(a, c), b)
        return self._reduced(terms_of.plus(self._product(a, d), self._product(c, b)), self._product(b, d))

    def product(self, parts: list[Any]) -> Ratio:
        found: Ratio = ONE, ONE
        for part in parts:
            over, under = self._ratio(part)
            found = self._reduced(self._product(found[0], over), self._product(found[1], under))
        return found

    def _product(self, left: Terms, right: Terms) -> Terms:
        if len(left) * len(right) > _MOST_TERMS:
            left, right = self._variable(left), self._variable(right)
        found = terms_of.times(left, right)
        if any(coefficient.bit_length() > _MOST_BITS for coefficient in found.values()):
            raise DoesNotFitError
        return found

    def _variable(self, terms: Terms) -> Terms:
        """Return a sum of several terms as one variable."""
        return terms if len(terms) < 2 else self._from(self._register(terms))

    def _from(self, register: int) -> Terms:
        """Return what a register holds as a polynomial."""
        if register in self._constants:
            return terms_of.constant(int(self._constants[register]))
        return {((register, 1),): 1}

    def power(self, parts: list[Any]) -> Ratio:
        base, exponent = parts
        raised = exponent if isinstance(exponent, int) else self._whole(self._ratio(exponent))
        if raised is None:
            return self._folded(["Pow", base, exponent])
        if abs(raised) > _LARGEST_POWER:
            raise DoesNotFitError
        over, under = self._ratio(base)
        if raised < 0:
            low, high = bounds_of(over, self._bounds)
            if low <= 0 <= high:
                raise DoesNotFitError
            sign = 1 if low > 0 else -1
            over, under = terms_of.scaled(under, sign), terms_of.scaled(over, sign)
        return self._raised(over, abs(raised)), self._raised(under, abs(raised))

    @staticmethod
    def _whole(ratio: Ratio) -> int | None:
        return number_of(ratio[0]) if ratio[1] == ONE else None

    def _raised(self, base: Terms, exponent: int) -> Terms:
        found = ONE
        for _ in range(exponent):
            found = self._product(found, base)
        return found

    def _reduced(self, over: Terms, under: Terms) -> Ratio:
        """Take out what is common to both, but for what may be zero."""
        if under == ONE:
            return over, under
        if not over:
            return over, ONE
        for variable in sorted(terms_of.variables(under)):
            low, high = self._bounds[variable]
            common = min(terms_of.exponents([*over, *under], variable))
            if common and (low > 0 or (high < 0 and common % 2 == 0)):
                over, under = terms_of.divided(over, variable, common), terms_of.divided(under, variable, common)
        number = terms_of.common_factor(over, under)
        return terms_of.divided_by_number(over, number), terms_of.divided_by_number(under, number)

    def floor(self, parts: list[Any]) -> Ratio:
        return self._rounded(*self._ratio(parts[0])), ONE

    def ceiling(self, parts: list[Any]) -> Ratio:
        over, under = self._ratio(parts[0])
        return self._rounded(terms_of.plus(terms_of.plus(over, under), {(): -1}), under), ONE

    def _rounded(self, over: Terms, under: Terms) -> Terms:
        if under == ONE:
            return over
        return self._from(self._down(self._register(over), self._register(under)))

    def remainder(self, parts: list[Any]) -> Ratio:
        (a, b), (c, d) = (self._ratio(part) for part in parts)
        over, modulus = self._product(a, d), self._product(c, b)
        (low, high), (least, _) = bounds_of(over, self._bounds), bounds_of(modulus, self._bounds)
        if least <= 0:
            raise DoesNotFitError
        under = self._product(b, d)
        if low >= 0 and high < least:
            return self._reduced(over, under)
        return self._reduced(self._from(self._left_over(self._register(over), self._register(modulus))), under)

    def extreme(self, parts: list[Any], do: Callable[..., Any]) -> Ratio:
        def better(left: Ratio, right: Ratio) -> Ratio:
            difference = self._difference(left, right)
            low, high = bounds_of(difference, self._bounds)
            if low >= 0 or high <= 0:
                return left if (high <= 0) == (do is np.minimum) else right
            (a, b), (c, d) = left, right
            pair = sorted((self._register(self._product(a, d)), self._register(self._product(c, b))))
            (al, ah), (cl, ch) = (self._bounds[register] for register in pair)
            choose = min if do is np.minimum else max
            return self._reduced(self._from(self._emit(do, tuple(pair), (choose(al, cl), choose(ah, ch)))), self._product(b, d))

        return reduce(better, (self._ratio(part) for part in parts))

    def choice(self, parts: list[Any]) -> Ratio:
        (_, value, condition), *others = parts
        holds = self._truth(condition)
        if holds is True:
            return self._ratio(value)
        if not others:
            raise DoesNotFitError
        if holds is False:
            return self.choice(others)
        (a, b), (c, d) = self._ratio(value), self.choice(others)
        yes, no = (a, c) if b == d else (self._product(a, d), self._product(c, b))
        under = b if b == d else self._product(b, d)
        if yes == no:
            return self._reduced(yes, under)
        operands = holds, self._register(yes), self._register(no)
        (al, ah), (cl, ch) = (self._bounds[register] for register in operands[1:])
        return self._reduced(self._from(self._emit(select, operands, (min(al, cl), max(ah, ch)))), under)

    # Conditions.

    def _difference(self, left: Ratio, right: Ratio) -> Terms:
        over = terms_of.plus(self._product(left[0], right[1]), terms_of.scaled(self._product(right[0], left[1]), -1))
        return terms_of.divided_by_number(over, terms_of.common_factor(over))

    def _truth(self, data: Any) -> Truth:
        name, *parts = data
        if name in _RELATIONS:
            left, right = (self._ratio(part) for part in parts)
            return self._compared(name, self._difference(left, right))
        if name in ("true", "false"):
            return bool(name == "true")
        if name == "Not":
            inner = self._truth(parts[0])
            return not inner if isinstance(inner, bool) else self._emit(np.logical_not, (inner,), (0, 1), is_truth=True)
        if name not in ("And", "Or"):
            raise DoesNotFitError
        found = [self._truth(part) for part in parts]
        decides = bool(name == "Or")  # one that is so makes all so
        if any(one is decides for one in found):
            return decides
        registers = [one for one in found if not isinstance(one, bool)]
        if not registers:
            return not decides
        do = np.logical_or if decides else np.logical_and
        return reduce(lambda a, b: self._emit(do, (a, b), (0, 1), is_truth=True), registers[1:], registers[0])

    def _compared(self, name: str, difference: Terms) -> Truth:
        """Return how a difference compares with zero: terms that are taken away stand on the other side."""
        low, high = bounds_of(difference, self._bounds)
        known = _known_relation(name, low, high)
        if known is not None:
            return known
        left = {monomial: coefficient for monomial, coefficient in difference.items() if coefficient > 0}
        right = {monomial: -coefficient for monomial, coefficient in difference.items() if coefficient < 0}
        return self._emit(_RELATIONS[name], (self._register(left), self._register(right)), (0, 1), is_truth=True)

    def _truth_register(self, truth: Truth) -> int:
        return self._constant(truth) if isinstance(truth, bool) else truth

    # Instructions.

    def _register(self, terms: Terms) -> int:
        """Return the register that holds a polynomial: one variable after the other is put outside of parentheses."""
        number = number_of(terms)
        if number is not None:
            return self._constant(number)
        key = frozenset(terms.items())
        if key not in self._places:
            self._places[key] = self._grouped(terms)
            mine, direct = self._bounds[self._places[key]], bounds_of(terms, self._bounds)
            self._bounds[self._places[key]] = max(mine[0], direct[0]), min(mine[1], direct[1])
        return self._places[key]

    def _grouped(self, terms: Terms) -> int:
        counts = {one: sum(power > 0 for power in terms_of.exponents(terms, one)) for one in terms_of.variables(terms)}
        variable = max(sorted(counts), key=lambda one: counts[one])
        inside = {monomial: coefficient for monomial, coefficient in terms.items() if variable in dict(monomial)}
        rest = {monomial: coefficient for monomial, coefficient in terms.items() if monomial not in inside}
        exponent = min(terms_of.exponents(inside, variable))
        first = self._times(self._to_power(variable, exponent), self._register(terms_of.divided(inside, variable, exponent)))
        if not rest:
            return first
        if all(coefficient < 0 for coefficient in rest.values()) and () not in rest:
            return self._minus(first, self._register(terms_of.scaled(rest, -1)))
        second = self._register(rest)
        (al, ah), (bl, bh) = self._bounds[first], self._bounds[second]
        return self._emit(np.add, (first, second), (al + bl, ah + bh))

    def _minus(self, left: int, right: int) -> int:
        (al, ah), (bl, bh) = self._bounds[left], self._bounds[right]
        return self._emit(np.subtract, (left, right), (al - bh, ah - bl))

    def _to_power(self, variable: int, exponent: int) -> int:
        if exponent == 1:
            return variable
        half = self._to_power(variable, exponent // 2)
        square = self._times(half, half, terms_of.power_bounds(self._bounds[variable], exponent // 2 * 2))
        return square if exponent % 2 == 0 else self._times(square, variable)

    def _times(self, left: int, right: int, bounds: Bounds | None = None) -> int:
        for one, other in ((left, right), (right, left)):
            if self._constants.get(one) == 1:
                return other
        return self._emit(np.multiply, (left, right), bounds or product_bounds(self._bounds[left], self._bounds[right]))

    def _down(self, over: int, under: int) -> int:
        """Round a quotient down, whose denominator is above zero."""
        (low, high), (least, most) = self._bounds[over], self._bounds[under]
        if least == most == 1:
            return over
        if over in self._constants and under in self._constants:
            return self._constant(self._constants[over] // self._constants[under])
        return self._emit(np.floor_divide, (over, under), (min(low // least, low // most), max(high // least, high // most)))

    def _left_over(self, over: int, modulus: int) -> int:
        """Return the remainder by a modulus above zero. By one number for all places numpy divides much faster than it takes remainders."""
        (low, high), (_, most) = self._bounds[over], self._bounds[modulus]
        bounds = 0, min(most - 1, high) if low >= 0 else most - 1
        if over in self._constants and modulus in self._constants:
            return self._constant(self._constants[over] % self._constants[modulus])
        if modulus not in self._constants:
            return self._emit(np.remainder, (over, modulus), bounds)
        down = self._times(self._down(over, modulus), modulus)
        return self._emit(np.subtract, (over, down), bounds)

    def _constant(self, value: int | bool) -> int:
        key = type(value), value
        if key not in self._places:
            if abs(value) > LARGEST:
                raise DoesNotFitError
            self._places[key] = len(self._bounds)
            self._constants[self._places[key]] = value
            self._bounds[self._places[key]] = value, value
        return self._places[key]

    def _emit(self, do: Callable[..., Any], operands: tuple[int, ...], bounds: Bounds, *, is_truth: bool = False) -> int:
        key = do, operands
        if key not in self._places:
            if bounds[0] < -LARGEST or bounds[1] > LARGEST:
                raise DoesNotFitError
            into = self._places[key] = len(self._bounds)
            self._bounds[into] = bounds
            self._instructions.append(Instruction(do, operands, into, is_truth))
        return self._places[key]


def _known_relation(name: str, low: int, high: int) -> bool | None:
    """Say how a number between two bounds compares with zero, where they decide it."""
    if name in ("Eq", "Ne"):
        equal = True if low == high == 0 else False if low > 0 or high < 0 else None
        return equal if equal is None else equal == (name == "Eq")
    if name in ("Gt", "Ge"):
        low, high = -high, -low
    below, at_most = ("Lt", "Gt"), high <= 0
    if name in below:
        return True if high < 0 else False if low >= 0 else None
    return True if at_most else False if low > 0 else None


_CONDITIONS = frozenset({*_RELATIONS, "And", "Or", "Not", "true", "false"})
_BUILDERS: dict[str, Callable[[_Planner, list[Any]], Ratio]] = {
    "Add": _Planner.sum,
    "Mul": _Planner.product,
    "Pow": _Planner.power,
    "floor": _Planner.floor,
    "ceiling": _Planner.ceiling,
    "Mod": _Planner.remainder,
    "Min": lambda planner, parts: planner.extreme(parts, np.minimum),
    "Max": lambda planner, parts: planner.extreme(parts, np.maximum),
    "Piecewise": _Planner.choice,
}
