"""How a spec grows: orders of growth, the terms that dominate at its presets, and crossings inside it."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Rational

from generator.formulas.latex import LatexDialect, latex_name, to_latex
from generator.quantities import Shown, keys_in
from generator.questions.growth.crossing_words import preset_words
from generator.questions.growth.growth_summary import Dominant, Inside, dominant_terms, first_of_pairs, inside, orders
from generator.questions.growth.named_measures import measure
from generator.questions.growth.orders import Order
from generator.render.markdown.escape_markdown import code, text
from generator.render.markdown.formula import LINE_WIDTH, inline
from generator.render.markdown.numbers import exact
from generator.render.markdown.table_rows import MarkdownTable, table
from generator.sheet.sheet import Sheet

MOST_TERMS = 3
MOST_CROSSINGS = 2  # of a measure other than the first, of which all pairs are shown
MOST_SIZES = 14  # that have a column; with more there are none
MOST_PRESETS = 2  # the first and the last
MOST_REGIMES = 4
LONGEST_REGIME = 60  # characters of LaTeX
LEAST_SHARE = Rational(1, 100)


@dataclass(frozen=True)
class GrowthTable:
    """The tables of the section; empty ones are not shown."""

    orders: MarkdownTable
    dominant: MarkdownTable
    crossings: MarkdownTable

    def __bool__(self) -> bool:
        """A section without orders says nothing."""
        return bool(self.orders)


def growth_section(sheet: Sheet) -> GrowthTable:
    """Return what the section shows; nothing for a spec without sizes."""
    found = orders(sheet) if sheet.sizes else {}
    names = [size.name for size in sheet.sizes if any(size.name in order.powers for order in found.values())]
    names = names if len(names) <= MOST_SIZES else []
    head = ["Quantity", "Order", *(inline(latex_name(name)) for name in names), "When one size dominates"]
    rows = [_order_row(sheet, key, order, names) for key, order in found.items()]
    return GrowthTable(
        table(head, rows), _dominant_table(sheet) if found else table((), ()), _crossing_table(sheet) if found else table((), ())
    )


def _order_row(sheet: Sheet, key: str, order: Order, names: list[str]) -> list[str]:
    bounds = {one.size: to_latex(sum(one.order), _order(sheet)) for one in order.regimes}
    short = {size: latex for size, latex in bounds.items() if len(latex) <= LONGEST_REGIME}
    shown = list(short.items())[:MOST_REGIMES]
    regimes = ", ".join(f"{inline(latex_name(size))}: {inline(f'O({latex})')}" for size, latex in shown)
    return [text(measure(key).title), _bound(order.bound, sheet), *(_power(order, name) for name in names), regimes]


def _bound(bound: Expr, sheet: Sheet) -> str:
    latex = to_latex(bound, _order(sheet))
    return inline(f"O({latex})") if len(latex) <= LINE_WIDTH else "many terms"


def _power(order: Order, name: str) -> str:
    """Return the power in which a quantity grows with one size."""
    power = order.powers.get(name)
    if power is None:
        return "–"
    if power > 0:
        return str(power)
    return "falls"


def _dominant_table(sheet: Sheet) -> MarkdownTable:
    rows = []
    for key in keys_in(Shown.DOMINANT):
        found = dominant_terms(sheet, key)
        shown = found if len(found) <= MOST_PRESETS else [found[0], found[-1]]
        rows += [[text(measure(key).title), _where(one), _terms(one, sheet)] for one in shown]
    return table(("Quantity", "Preset", "Largest terms"), [row for row in rows if row[2]])


def _where(one: Dominant) -> str:
    chosen = ", ".join(f"{code(name)} = {exact(value)}" for name, value in one.chosen.items())
    return f"{code(one.preset)}{f', {chosen}' if chosen else ''}"


def _terms(one: Dominant, sheet: Sheet) -> str:
    shown = [term for term in one.terms[:MOST_TERMS] if term.share >= LEAST_SHARE]
    return ", ".join(f"{inline(to_latex(term.term, _order(sheet)))} {float(term.share):.0%}" for term in shown)


def _crossing_table(sheet: Sheet) -> MarkdownTable:
    pairs = first_of_pairs(inside(sheet))
    first = pairs[0].measure if pairs else ""
    found = []
    for key in keys_in(Shown.CROSSINGS):
        of_measure = [one for one in pairs if one.measure == key]
        found += of_measure if key == first else of_measure[:MOST_CROSSINGS]
    rows = [[text(measure(one.measure).title), _what(one), _condition(one, sheet), _at_presets(one)] for one in found]
    return table(("Quantity", "What", "From where on", "At the presets"), rows)


def _what(one: Inside) -> str:
    """Say who is above whom; where that depends on the sizes, only that they change places."""
    first, second = (text(side.words) for side in (one.crossing.first, one.crossing.second))
    return f"{first} and {second} change places" if one.crossing.certainty == "depends" else f"{first} above {second}"


def _condition(one: Inside, sheet: Sheet) -> str:
    size, root = latex_name(one.crossing.size), LatexDialect(_order(sheet)).joined(one.crossing.root).text
    sign = "=" if one.crossing.certainty == "depends" else r"\gt"
    shown = inline(f"{size} {sign} {root}") if len(root) <= LINE_WIDTH else f"{inline(f'{size} {sign}')} a long formula"
    positive = ", if that is positive" if one.crossing.certainty == "where positive" else ""
    assumed = ", ".join(inline(f"{latex_name(name)} = {to_latex(value, _order(sheet))}") for name, value in one.crossing.assumed)
    return f"{shown}{positive}{f', with {assumed}' if assumed else ''}"


def _at_presets(one: Inside) -> str:
    return ", ".join(f"{code(preset)} {text(preset_words(value, one.crossing))}" for preset, value in one.at_presets.items())


def _order(sheet: Sheet) -> list[str]:
    return [size.name for size in sheet.sizes]
