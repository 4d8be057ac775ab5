"""Rows of the workings: memory, with one row for each moment of a pass that may be its highest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor

from sympy import Expr, Integer

from generator.formulas.evaluate import evaluate, reach
from generator.questions.memory.optimisers import COPIES
from generator.questions.workload.workload_formulas import Moments
from generator.render.workbook.load_choices import OPTIMISERS, TRAINING
from generator.render.workbook.load_line import GROUPS, NO_LIMIT, Setting, Values, WorkingLine, WorkingLines, moments_of, ref, table_range
from generator.render.workbook.sheet_plan import LONGEST_GUARDED
from generator.render.workbook.stamp import Value


class MemoryLines(WorkingLines):
    """Makes the rows of memory."""

    _groups: list[Moments | None]  # the moments of each pass and format, as far as there are formulas that cells can hold

    def all(self) -> Iterator[WorkingLine]:
        """Yield all of them, from top to bottom."""
        self._groups = [moments_of(self.workload, i) for i in range(len(GROUPS))]
        load = self.workload
        trains = f"{ref('task')}={TRAINING}"
        yield from self._amount("params", load.params, in_grid=True)
        yield from self._amount("learned", load.learned, in_grid=True)
        yield from self._kept()
        yield from self._amount("state", load.state.alone, in_grid=True)
        yield from self._amount("state_each", load.state.each, in_grid=True)
        yield self._line("weights", _ceiling(f"{ref('params')}*{ref('weight_item')}"), lambda _, v: ceil(v["params"] * v["weight_item"]))
        learned, only = ref("learned"), f"IF({trains},{{}},0)"
        states = only.format(_ceiling(f"{ref('kept')}*{ref('state_item')}"))
        yield self._line("states", states, _in_training(lambda v: ceil(v["kept"] * v["state_item"])))
        master = only.format(_ceiling(f"{learned}*{ref('master_item')}"))
        yield self._line("master", master, _in_training(lambda v: ceil(v["learned"] * v["master_item"])))
        gradients = only.format(f"{learned}*{ref('item')}")
        yield self._line("gradients", gradients, _in_training(lambda v: v["learned"] * v["item"]))
        for key in ("", "_each"):
            text = f"IF({trains},0,{ref(f'state{key}')}*{ref('cache_item')})"
            yield self._line(f"cache{key}", text, _cache_value(f"state{key}"))
        fixed = "+".join(ref(key) for key in ("weights", "states", "master", "gradients", "cache"))
        yield self._line("fixed", fixed, lambda _, v: sum(v[key] for key in ("weights", "states", "master", "gradients", "cache")))
        yield from self._moments()
        if load.batch:
            yield from self._largest()
        peak = f"IF({ref('peak_known')}=1,{highest(ref('batch'), self._range('alone'), self._range('each'))},0)"
        yield WorkingLine("activations", self._label("activations"), peak, _peak_value, of_twice=True)
        all_cache = f"{ref('cache')}+{ref('batch')}*{ref('cache_each')}"
        yield self._line("all_cache", all_cache, lambda _, v: v["cache"] + v["batch"] * v["cache_each"], in_grid=False)
        total = _ceiling(f"{ref('fixed')}+{ref('batch')}*{ref('cache_each')}+{ref('activations')}")
        yield WorkingLine("total", self._label("total"), total, lambda _, v: total_value(v, v["batch"]), of_twice=True)
        doubled = f"2*{ref('batch')}"
        peak = f"IF({ref('peak_known')}=1,{highest(doubled, self._range('alone'), self._range('each'))},0)"
        more = _ceiling(f"{ref('fixed')}+{doubled}*{ref('cache_each')}+{peak}")
        yield self._line("twice_batch", more, lambda _, v: total_value(v, 2 * v["batch"]), in_grid=False)

    def _kept(self) -> Iterator[WorkingLine]:
        """Yield the numbers that the optimiser keeps, and before them those of each that goes by the shapes of weights."""
        for name, numbers in self.workload.kept.items():
            yield from self._amount(f"kept_{name}", numbers, in_grid=True)
        row, each = ref("optimiser"), f"INDEX({table_range('copies')},{ref('optimiser')})"
        by_shape = f"CHOOSE({row}-{len(COPIES)},{','.join(ref(f'kept_{name}') for name in self.workload.kept)})"
        yield self._line("kept", f"IF({row}>{len(COPIES)},{by_shape},{each}*{ref('learned')})", self._kept_value)

    @staticmethod
    def _kept_value(_: Setting, values: Values) -> Value:
        name = OPTIMISERS[values["optimiser"] - 1]
        kept: Value = COPIES[name] * values["learned"] if name in COPIES else values[f"kept_{name}"]
        return kept

    def _range(self, key: str) -> str:
        return f"{ref(f'{key} 0')}:{ref(f'{key} {self.workings.moments - 1}')}"

    def _moments(self) -> Iterator[WorkingLine]:
        """Yield whether there are formulas of the moments, whether they hold exactly, and each moment."""
        rows = {
            (key, i): [_of_moment(one, key, i) for one in self._groups] for key in ("alone", "each") for i in range(self.workings.moments)
        }
        texts = {place: _choose([self._text(expr) for expr in exprs]) for place, exprs in rows.items()}
        if max(map(len, texts.values())) > LONGEST_GUARDED:  # no cell holds one of them: what is highest is not known here
            self._groups = [None] * len(GROUPS)
            rows, texts = {place: [Integer(0)] * len(GROUPS) for place in rows}, dict.fromkeys(texts, "0")
        group = f"IF({ref('task')}={TRAINING},0,2)+IF({ref('item')}=4,1,2)"
        yield self._line("group", group, lambda _, v: (0 if v["task"] == TRAINING else 2) + (1 if v["item"] == 4 else 2))
        known = ["0" if one is None else self._all(f"{self._text(count)}>={least}" for count, least in one.limits) for one in self._groups]
        yield self._line("peak_known", _choose(known), self._is_known)
        even = ["1" if one is None else self._all(f"{self._text(count)}=0" for count in one.spreads) for one in self._groups]
        yield self._line("even", _choose(even), self._is_even)
        for (key, i), text in texts.items():
            yield WorkingLine(f"{key} {i}", self._label(key, number=i + 1), text, _of_group(rows[key, i]), in_grid=True)

    @staticmethod
    def _all(conditions: Iterator[str]) -> str:
        listed = ",".join(conditions)
        return f"IF(AND({listed}),1,0)" if listed else "1"

    def _is_known(self, one: Setting, values: Values) -> int:
        found = self._groups[values["group"] - 1]
        return int(found is not None and reach(found.limits, one.sizes))

    def _is_even(self, one: Setting, values: Values) -> int:
        found = self._groups[values["group"] - 1]
        return int(found is None or all(evaluate(count, one.sizes) == 0 for count in found.spreads))

    def _largest(self) -> Iterator[WorkingLine]:
        """Yield the largest batch that each moment allows, and the least of them: exact, as all is linear in the batch."""
        for i in range(self.workings.moments):
            alone, each = ref(f"alone {i}"), f"({ref(f'each {i}')}+{ref('cache_each')})"
            room = f"{ref('memory')}-{ref('fixed')}-{alone}"
            text = f"IF({each}>0,MAX(0,INT(({room})/{each})),IF({room}>=0,{NO_LIMIT},0))"
            label = self._label("largest_of", number=i + 1)
            yield WorkingLine(f"largest {i}", label, text, _largest_value(i), in_grid=True)
        least = f"IF({ref('peak_known')}=1,MIN({self._range('largest')}),0)"
        yield self._line(
            "largest", least, lambda _, v: min(v[f"largest {i}"] for i in range(self.workings.moments)) if v["peak_known"] else 0
        )


def highest(batch: str, alone: str, each: str) -> str:
    """Return the formula of the highest of all moments at a batch."""
    return f"SUMPRODUCT(MAX({alone}+{batch}*{each}))"


def _choose(texts: Sequence[str]) -> str:
    """Return the formula that takes that of the pass and format in use; one where all are the same."""
    return texts[0] if len({*texts}) == 1 else f"CHOOSE({ref('group')},{','.join(texts)})"


def _ceiling(text: str) -> str:
    return f"-INT(-({text}))"


def _in_training(amount: Callable[[Values], Value]) -> Callable[[Setting, Values], Value]:
    return lambda one, values: amount(values) if one.task == TRAINING else 0


def _cache_value(key: str) -> Callable[[Setting, Values], Value]:
    return lambda one, values: 0 if one.task == TRAINING else values[key] * values["cache_item"]


def _of_moment(moments: Moments | None, key: str, i: int) -> Expr:
    """Return a number of a moment; 0 where a pass has fewer."""
    found: Expr = getattr(moments.bytes[i], key) if moments is not None and i < len(moments.bytes) else Integer(0)
    return found


def _of_group(exprs: Sequence[Expr]) -> Callable[[Setting, Values], Value]:
    return lambda one, values: evaluate(exprs[values["group"] - 1], one.sizes)


def _peak_value(_: Setting, values: Values) -> Value:
    return highest_value(values, values["batch"])


def highest_value(values: Values, batch: int) -> Value:
    """Return what `highest` comes to in a column; 0 where no formula of the moments holds."""
    if not values["peak_known"]:
        return 0
    moments = [key.removeprefix("alone ") for key in values if key.startswith("alone ")]
    peak: Value = max(0, *(values[f"alone {i}"] + batch * values[f"each {i}"] for i in moments))
    return peak


def total_value(values: Values, batch: int) -> int:
    """Return what a column comes to at a batch: all parts together, without activations where no formula of theirs holds."""
    total: int = ceil(values["fixed"] + batch * values["cache_each"] + highest_value(values, batch))
    return total


def _largest_value(i: int) -> Callable[[Setting, Values], Value]:
    def value(_: Setting, values: Values) -> int:
        each = Fraction(values[f"each {i}"] + values["cache_each"])
        room = Fraction(values["memory"] - values["fixed"] - values[f"alone {i}"])
        if each > 0:
            return max(0, floor(room / each))
        return NO_LIMIT if room >= 0 else 0

    return value
