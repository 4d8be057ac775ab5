"""Rows of the workings: the least that a pass does, and the times that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import floor

from sympy import Expr

from generator.formulas.evaluate import evaluate
from generator.render.workbook.load_choices import PROMPT, STEP, TRAINING
from generator.render.workbook.load_line import Setting, Values, WorkingLine, WorkingLines, ref
from generator.render.workbook.stamp import Value


class TimeLines(WorkingLines):
    """Makes the rows of times."""

    def all(self) -> Iterator[WorkingLine]:
        """Yield all of them, from top to bottom."""
        load = self.workload
        for key, expr in (
            ("items", load.items[0]),
            ("flops", load.flops),
            ("backward_flops", load.backward_flops),
            ("head_flops", load.head.flops),
            ("inputs", load.inputs),
            ("results", load.results),
        ):
            yield from self._amount(key, expr)
        is_prompt = f"AND({ref('task')}={PROMPT},{'TRUE' if load.decodes and load.head.is_there else 'FALSE'})"
        alone = f"(1-1/{ref('length')})"
        less = f"IF({is_prompt},{ref('head_flops')}*{alone},0)"
        work = f"IF({ref('task')}={TRAINING},{ref('flops')}+{ref('backward_flops')},{ref('flops')}-{less})"
        yield self._line("work", work, self._work_value, in_grid=False)
        yield from self._read()
        yield from self._cache_moved()
        written = f"IF({ref('kept')}>0,{ref('learned')}*{ref('item')},MIN({ref('learned')}*{ref('item')},{ref('read')}*{ref('item')}))"
        trained = f"{ref('read')}*{ref('item')}+{written}+2*{ref('states')}+2*{ref('master')}+{ref('inputs')}*{ref('item')}"
        results = f"{ref('results')}*{ref('item')}*IF({is_prompt},1/{ref('length')},1)"
        used = f"{ref('read')}*{ref('weight_item')}+{ref('cache_moved')}*{ref('cache_item')}+{ref('inputs')}*{ref('item')}+{results}"
        yield self._line("moved", f"IF({ref('task')}={TRAINING},{trained},{used})", self._moved_value, in_grid=False)
        seconds = f"IF({ref('peak')}>0,{ref('work')}/{ref('peak')},0)"
        yield self._line("compute_seconds", seconds, lambda _, v: _over(v["work"], v["peak"]), in_grid=False)
        yield self._line(
            "memory_seconds", f"{ref('moved')}/{ref('bandwidth')}", lambda _, v: _over(v["moved"], v["bandwidth"]), in_grid=False
        )
        bound = f"MAX({ref('compute_seconds')},{ref('memory_seconds')})"
        yield self._line("bound", bound, lambda _, v: max(v["compute_seconds"], v["memory_seconds"]), in_grid=False)
        more = f"({ref('moved')}+{ref('spread')}*{ref('weight_item')})/{ref('bandwidth')}"
        estimate = f"IF({ref('peak')}>0,MAX({ref('compute_seconds')},{more})/{ref('efficiency')},0)"
        yield self._line("estimate", estimate, _estimate_value, in_grid=False)

    def _read(self) -> Iterator[WorkingLine]:
        """Yield the parameters that are read at least, and those beside where tokens spread evenly over experts."""
        read, spread = [], []
        for i, (share, count) in enumerate(self.workload.read):
            yield from self._amount(f"read {i}", count)
            if share == 1:
                read.append(ref(f"read {i}"))
                continue
            yield from self._amount(f"share {i}", share)
            read.append(f"{ref(f'read {i}')}*{ref(f'share {i}')}")
            spread.append(f"{ref(f'read {i}')}*(1-(1-{ref(f'share {i}')})^{ref('items')}-{ref(f'share {i}')})")
        yield self._line("read", "+".join(read) or "0", self._read_value, in_grid=False)
        # In whole parameters: of one token it is nothing, where what is left of subtracting would be taken for something.
        yield self._line("spread", f"ROUND({'+'.join(spread) or '0'},0)", self._spread_value, in_grid=False)

    def _read_value(self, _: Setting, values: Values) -> Value:
        total: Value = sum(values[f"read {i}"] * values.get(f"share {i}", 1) for i in range(len(self.workload.read)))
        return total

    def _spread_value(self, _: Setting, values: Values) -> float:
        total = 0.0
        for i in range(len(self.workload.read)):
            share = float(values.get(f"share {i}", 1))
            if f"share {i}" in values:
                total += float(values[f"read {i}"]) * (1 - (1 - share) ** float(values["items"]) - share)
        return float(floor(total + 0.5))

    def _cache_moved(self) -> Iterator[WorkingLine]:
        """Yield what of caches is moved at least: where masks hide a part, the least share that those of the block leave."""
        whole = f"{ref('state')}+{ref('batch')}*{ref('state_each')}"
        load = self.workload
        if not load.caches or not load.decodes:
            yield self._line("cache_moved", whole, lambda _, v: v["state"] + v["batch"] * v["state_each"], in_grid=False)
            return
        yield from self._amount("all_flops", load.all_flops)
        for i, cache in enumerate(load.caches):
            parts = [f"IF(({self._text(full)})=0,1,({self._text(seen)})/MAX(1,{self._text(full)}))" for full, seen in cache.seen]
            text = f"({self._text(cache.elements)})*MIN({','.join(['1', *parts])})"
            yield WorkingLine(f"cache_moved {i}", self._label("cache_moved"), text, _cache_moved_value(cache.elements, cache.seen))
        rows = f"SUM({ref('cache_moved 0')}:{ref(f'cache_moved {len(load.caches) - 1}')})"
        is_hidden = f"AND({ref('task')}={STEP},{ref('length')}>1,{ref('all_flops')}<>{ref('flops')})"
        yield self._line("cache_moved", f"IF({is_hidden},{rows},{whole})", self._cache_moved_total, in_grid=False)

    def _cache_moved_total(self, one: Setting, values: Values) -> Value:
        if one.task == STEP and one.length > 1 and values["all_flops"] != values["flops"]:
            total: Value = sum(values[f"cache_moved {i}"] for i in range(len(self.workload.caches)))
            return total
        whole: Value = values["state"] + values["batch"] * values["state_each"]
        return whole

    def _rest(self, one: Setting) -> Fraction:
        """Return the share of positions on which a head need not work."""
        load = self.workload
        is_prompt = one.task == PROMPT and load.decodes and load.head.is_there
        return 1 - Fraction(1, one.length) if is_prompt else Fraction(0)

    def _work_value(self, one: Setting, values: Values) -> Value:
        work: Value = values["flops"] + (values["backward_flops"] if one.task == TRAINING else -values["head_flops"] * self._rest(one))
        return work

    def _moved_value(self, one: Setting, values: Values) -> Value:
        item = values["item"]
        inputs = values["inputs"] * item
        if one.task == TRAINING:
            learned, read = values["learned"] * item, values["read"] * item
            trained: Value = (
                read + (learned if values["kept"] else min(learned, read)) + 2 * values["states"] + 2 * values["master"] + inputs
            )
            return trained
        results = values["results"] * item * (1 - self._rest(one))
        used: Value = values["read"] * values["weight_item"] + values["cache_moved"] * values["cache_item"] + inputs + results
        return used


def _cache_moved_value(elements: Expr, seen: Sequence[tuple[Expr, Expr]]) -> Callable[[Setting, Values], Value]:
    def value(one: Setting, _: Values) -> Value:
        parts = [Fraction(1)]
        for full, left in seen:
            whole = evaluate(full, one.sizes)
            parts.append(Fraction(evaluate(left, one.sizes)) / max(1, whole) if whole else Fraction(1))
        found: Value = evaluate(elements, one.sizes) * min(parts)
        return found

    return value


def _over(above: Value, below: Value) -> float:
    return float(above) / float(below) if below else 0.0


def _estimate_value(_: Setting, values: Values) -> float:
    if not values["peak"]:
        return 0.0
    more = float(values["moved"] + values["spread"] * values["weight_item"]) / float(values["bandwidth"])
    return max(float(values["compute_seconds"]), more) / float(values["efficiency"])
