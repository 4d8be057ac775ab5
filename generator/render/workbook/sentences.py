"""What the numbers say, in sentences that follow the sizes: the answers to the questions that people open a workbook with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import generator.render.workbook.sheet_plan as places
from generator.formulas.evaluate import evaluate
from generator.quantities import SAVED_ELEMENTS
from generator.questions.growth.parts import leaves_of
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.crossings import CrossingCells, spoken
from generator.render.workbook.invalid_sizes import text_if_valid
from generator.render.workbook.live import Live, choice, fixed, percent, rounded, sentence
from generator.render.workbook.scaling import Scaling
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.stamp import Value

MOST_NAMED = 4  # of layers that cost the same


def write_sentences(page: Page, plan: Plan, scaling: Scaling | None) -> None:
    """Write the sentences below the headline."""
    found = (_shares(plan), _doubling(plan, scaling), _largest_layer(plan))
    for row, live in zip(places.INSIGHT_ROWS, found, strict=True):
        at = page.merged(f"A{row}:G{row}", "Insight")
        page.sheet.row_dimensions[row].height = 18 if live else 4
        if live is not None:
            told = text_if_valid(live, fixed(plan.words("summary.advice") if row == places.INSIGHT_ROWS[0] else ""))
            page.formula(at, told.formula, told.shown, "Insight")


def _shares(plan: Plan) -> Live | None:
    """At these sizes attention is 23% of the FLOPs, mlp 60%; attention overtakes mlp at n = 1536."""
    pair = plan.pair
    if pair is None:
        return None
    words, quantity = plan.words, _spoken(plan)
    first = percent(*_share(plan, pair.first.name))
    if pair.second is None:
        return sentence(words("sentences.one_part"), first=plan.part_name(pair.first), share=first, quantity=quantity)
    shares = sentence(
        words("sentences.shares"),
        first=plan.part_name(pair.first),
        share=first,
        quantity=quantity,
        second=plan.part_name(pair.second),
        other=percent(*_share(plan, pair.second.name)),
    )
    overtaking = _overtaking(plan)
    return Live(f"{shares.formula}&{overtaking.formula}", shares.shown + overtaking.shown)


def _spoken(plan: Plan) -> str:
    """Return what the quantity that says most is called inside a sentence."""
    return plan.main.words(plan.words.language).spoken


def _share(plan: Plan, name: str) -> tuple[str, Fraction]:
    """Return the cell and the value of a part's share in the quantity that says most."""
    index = next(i for i, part in enumerate(plan.parts) if part.name == name)
    key = plan.main.key
    whole = evaluate(plan.sheet.totals[key], plan.in_use)
    return f"$C${plan.first_part_row + index}", Fraction(evaluate(plan.parts[index].cost(plan.sheet, key), plan.in_use)) / Fraction(whole)


def _overtaking(plan: Plan) -> Live:
    """Return where the one part overtakes the other as the chosen size grows, and the end of the sentence."""
    sweep = plan.at("scaling", places.SWEEP_CELL)
    lives = []
    for index, one in enumerate(plan.crossings):
        if plan.division.is_main(one):
            chosen = f"EXACT({sweep},{quoted(one.size)})"
            lives.append(choice(chosen, one.size == plan.sweep, spoken(plan, one, CrossingCells(index)), fixed("")))
    lives.append(fixed(plan.words("sentences.end")))
    return Live("&".join(live.formula for live in lives), "".join(live.shown for live in lives))


def _doubling(plan: Plan, scaling: Scaling | None) -> Live | None:
    """Doubling n multiplies the matmul FLOPs by 2.1 and the memory kept for the backward pass by 2.3."""
    if scaling is None or plan.pair is None:
        return None
    keys = (plan.main.key, SAVED_ELEMENTS.key)
    work, memory = (_ratio(plan, key, scaling.ratio(key)) for key in keys)
    size = Live(plan.at("scaling", places.SWEEP_CELL), plan.sweep or "")
    cells = [_ratio_cell(plan, key) for key in keys]
    known = all(not isinstance(scaling.ratio(key), str) for key in keys)
    text = sentence(plan.words("sentences.doubling"), size=size, work=work, quantity=_spoken(plan), memory=memory)
    unknown = sentence(plan.words("sentences.doubling_unknown"), size=size)
    return choice(f"COUNT({','.join(cells)})={len(cells)}", known, text, unknown)


def _ratio_cell(plan: Plan, key: str) -> str:
    return plan.at("scaling", f"${plan.scaled_columns[key]}${places.DOUBLING_ROW + 2}")


def _ratio(plan: Plan, key: str, value: Value) -> Live:
    return rounded(_ratio_cell(plan, key), 0 if isinstance(value, str) else value, 2)


def _largest_layer(plan: Plan) -> Live | None:
    """The most expensive layer is up (mlp): 18% of the matmul FLOPs; or the layers q, k, v and out, where these cost the same."""
    if plan.pair is None:
        return None
    sheet, key, words = plan.sheet, plan.main.key, plan.words
    costs = {index: evaluate(sheet.rows[index].costs[key], plan.in_use) for index in leaves_of(sheet.rows)}
    most = max(costs.values())
    largest = _Largest(plan, [index for index, cost in costs.items() if cost == most])
    whole = evaluate(sheet.totals[key], plan.in_use)
    share = percent(f"{largest.greatest}/$D${plan.total_rows[key]}", Fraction(most) / Fraction(whole))
    told: dict[str, Live | str] = {"layers": largest.names(), "part": largest.part(), "share": share, "quantity": _spoken(plan)}
    one, several = (sentence(words(f"sentences.{name}"), **told) for name in ("largest", "largest_tied"))
    return choice(f"{largest.count}=1", len(largest.tied) == 1, one, several)


class _Largest:
    """The layers that cost the most, all of which cost the same.

    Args:
        tied: their rows, when the file is written.
    """

    def __init__(self, plan: Plan, tied: Sequence[int]) -> None:
        self.plan, self.tied = plan, tied
        first, self.last = plan.layer_rows
        self.parts = plan.at("layers", f"${places.PART_COLUMN}${first}:${places.PART_COLUMN}${self.last}")
        column = plan.quantity_column(plan.main)
        self.values = plan.at("layers", f"${column}${first}:${column}${self.last}")
        # The greatest cost among the leaves (groups have no part).
        self.greatest = f'SUMPRODUCT(MAX(({self.parts}<>"")*{self.values}))'
        self.have = f'({self.parts}<>"")*({self.values}={self.greatest})'
        self.count = f"SUMPRODUCT({self.have})"

    def names(self) -> Live:
        """Return their names as a list; of many the first."""
        words, count = self.plan.words, len(self.tied)
        found = self._cell("A", 1, self.plan.layer_name(self.plan.sheet.rows[self.tied[0]]))
        comma, last = fixed(words("sentences.comma")), fixed(words("sentences.and"))
        for place in range(2, MOST_NAMED + 1):
            is_there = count >= place
            name = self.plan.layer_name(self.plan.sheet.rows[self.tied[place - 1]]) if is_there else ""
            before = choice(f"{self.count}={place}", count == place, last, comma)
            cell = self._cell("A", place, name)
            one = choice(f"{self.count}>={place}", is_there, Live(f"{before.formula}&{cell.formula}", before.shown + name), fixed(""))
            found = Live(f"{found.formula}&{one.formula}", found.shown + one.shown)
        more = sentence(words("sentences.more"), count=Live(f"({self.count}-{MOST_NAMED})", str(count - MOST_NAMED)))
        rest = choice(f"{self.count}>{MOST_NAMED}", count > MOST_NAMED, more, fixed(""))
        return Live(f"{found.formula}&{rest.formula}", found.shown + rest.shown)

    def part(self) -> Live:
        """Return the part of the cost that they are all in, unless it is called as the first of them is."""
        named = {row: part for part in self.plan.parts for row in part.rows}
        parts = [self.plan.part_name(named[row]) for row in self.tied]
        layer, part = self._cell("A", 1, ""), self._cell(places.PART_COLUMN, 1, parts[0])
        is_said = set(parts) == {parts[0]} and parts[0] != self.plan.layer_name(self.plan.sheet.rows[self.tied[0]])
        same = f"SUMPRODUCT({self.have}*({self.parts}={part.formula}))={self.count}"
        return choice(
            f"AND({same},{part.formula}<>{layer.formula})", is_said, sentence(self.plan.words("sentences.part"), part=part), fixed("")
        )

    def _cell(self, column: str, place: int, shown: str) -> Live:
        """Return a cell of the line that is first, second and so on among them."""
        line = f"{self.last + 1}-SUMPRODUCT(LARGE({self.have}*({self.last + 1}-ROW({self.values})),{place}))"
        return Live(f"INDEX({self.plan.at('layers', f'${column}$1:${column}${self.last}')},{line})", shown)
