"""What is alive, as one polynomial in the sizes: brought up to date with each change, for it is asked for at every moment of a replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction

from sympy import Expr, Mul, Symbol, expand

from generator.formulas.order import python_number
from generator.trace.diary import Place
from generator.trace.tensor import Storage

Number = int | Fraction  # see `python_number`
Moment = Mapping[tuple[str, Expr], Number]  # elements alive: kind of element and product of sizes: coefficient
Sums = dict[int, Number]  # the same by the number of the kind and product, which is compared many times as fast
Seen = tuple[Place, list[tuple[Place, tuple[str, Expr]]]]  # from where, and what is alive


class Alive:
    """Elements alive by the runs in which they were made, and what they come to as seen from the run that a replay is in.

    Args:
        left_out: the symbol for how many runs were left out, by the row of their stack.
        stands_for: the rows of which what was made in some runs (the first) stands for those left out, seen from others (the second).
    """

    def __init__(self, left_out: Mapping[str, Symbol], stands_for: Callable[[Place, Place], tuple[str, ...]]) -> None:
        self._left_out = left_out
        self._stands_for = stands_for
        self._here: Place = ()
        self._made: dict[Place, Counter[tuple[str, Expr]]] = {}
        self._rows: dict[Place, tuple[str, ...]] = {}  # what each of those stands for, as seen from here
        self._sums: Sums = {}
        self._terms: dict[tuple[tuple[str, ...], str, Expr], list[tuple[int, Number]]] = {}
        self._counts: dict[tuple[Place, tuple[str, Expr]], int] = {}  # of all that was ever alive, in the order in which it first was
        self._numbers: dict[tuple[str, Expr], int] = {}
        self._keys: list[tuple[str, Expr]] = []

    def change(self, place: Place, storage: Storage, change: int) -> None:
        """Let one storage more, or one less, be there that was made in these runs."""
        if place not in self._made:
            self._made[place] = Counter()
            self._rows[place] = self._stands_for(place, self._here)
        made, of = self._made[place], (storage.kind, storage.numel)
        made[of] += change
        self._counts[place, of] = self._counts.get((place, of), 0) + change
        self._add(self._rows[place], of, change)
        if not made[of]:
            del made[of]
        if not made:
            del self._made[place], self._rows[place]

    def sums(self, here: Place) -> Sums:
        """Return what is alive as seen from some runs, without zeros. It changes with the next change."""
        if here != self._here:
            self._here = here
            for place, rows in self._rows.items():
                seen = self._stands_for(place, here)
                if seen != rows:
                    self._rows[place] = seen
                    for of, count in self._made[place].items():
                        self._add(rows, of, -count)
                        self._add(seen, of, count)
        return self._sums

    def seen(self) -> Seen:
        """Return what `moment` will ask for."""
        return self._here, [one for one, count in self._counts.items() if count]

    def moment(self, sums: Sums, seen: Seen) -> Moment:
        """Return sums by kind and product, in the order in which what they are of first came to be alive."""
        here, alive = seen
        groups = dict.fromkeys((self._stands_for(place, here), of) for place, of in alive)
        order = dict.fromkeys(number for rows, of in groups for number, _ in self._expanded(rows, *of))
        return self.of_sums({number: sums[number] for number in order if number in sums})

    def of_sums(self, sums: Sums) -> Moment:
        """Return sums by kind and product, in their own order."""
        return {self._keys[number]: count for number, count in sums.items()}

    def _add(self, rows: tuple[str, ...], of: tuple[str, Expr], count: int) -> None:
        sums = self._sums
        for number, coefficient in self._expanded(rows, *of):
            total = sums.get(number, 0) + count * coefficient
            if total:
                sums[number] = total
            else:
                sums.pop(number, None)

    def _expanded(self, rows: tuple[str, ...], kind: str, numel: Expr) -> list[tuple[int, Number]]:
        found = self._terms.get((rows, kind, numel))
        if found is None:
            terms = expand(Mul(numel, *(self._left_out[row] for row in rows))).as_coefficients_dict()
            found = [(self._number(kind, product), python_number(count)) for product, count in terms.items()]
            self._terms[rows, kind, numel] = found
        return found

    def _number(self, kind: str, product: Expr) -> int:
        number = self._numbers.setdefault((kind, product), len(self._keys))
        if number == len(self._keys):
            self._keys.append((kind, product))
        return number
