"""Show how a spec grows: the order of each quantity, the terms that dominate, and what changes places inside it.

Orders follow from the formulas: O(n^2 d + n d^2) is what is left of them when constants and terms that another one bounds are dropped. With
sizes or a preset the terms are shown by their value.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import add_json, add_target
from generator.commands.target import answered, target_of
from generator.render.terminal.console import say, styled, width
from generator.render.terminal.text_table import Column, table_lines

if TYPE_CHECKING:
    from generator.questions.growth.growth_summary import AtPreset, Inside
    from generator.questions.growth.orders import Order
    from generator.questions.growth.terms import TermValue
    from generator.sheet.sheet import Sheet

EXAMPLES = """\
  gen growth bert
  gen growth bert --preset bert-base n=512 b=1
  gen growth multi_head_attention --json
"""
TERMS = 5  # of each quantity that are shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print orders, terms and crossings."""
    from generator.questions.growth.growth_summary import inside, orders

    target = target_of(args)
    sheet = target.sheet
    found = orders(sheet)
    with answered():
        known = dict(target.cost().dims) if target.sizes or target.preset else {}
        terms = _terms(sheet, known)
    crossings = inside(sheet)
    if args.json:
        say(json.dumps(_plain(sheet, found, terms, crossings), indent=2))
        return 0
    say(styled(f"{sheet.title} ({sheet.name})", "bold"))
    say()
    for line in (*_order_lines(sheet, found), *_term_lines(sheet, terms), *_crossing_lines(sheet, crossings)):
        say(line)
    return 0


def _terms(sheet: Sheet, known: dict[str, Any]) -> dict[str, tuple[TermValue, ...]]:
    """Return the terms of each quantity by value, where all its sizes are known."""
    from generator.quantities import Shown, cost_formula, keys_in
    from generator.questions.growth.terms import terms_by_size

    formulas = {key: cost_formula(sheet.totals, key) for key in keys_in(Shown.GROWTH, sheet.totals)}
    order = [size.name for size in sheet.sizes]
    return {
        key: terms_by_size(formula, known, order)
        for key, formula in formulas.items()
        if known and formula != 0 and {one.name for one in formula.free_symbols} <= known.keys()
    }


def _order_lines(sheet: Sheet, found: dict[str, Order]) -> list[str]:
    names = [size.name for size in sheet.sizes if any(size.name in order.powers for order in found.values())]
    columns = [
        Column("quantity"),
        Column("order", shrinks=True),
        *(Column(name, right=True) for name in names),
        Column("when one size dominates", shrinks=True),
    ]
    rows = []
    for key, order in found.items():
        regimes = "; ".join(f"{one.size}: O({_text(sheet, sum(one.order))})" for one in order.regimes)
        powers = [_power(order, name) for name in names]
        rows.append([key, f"O({_text(sheet, order.bound)})", *powers, regimes])
    return list(table_lines(columns, rows, width()))


def _power(order: Order, name: str) -> str:
    power = order.powers.get(name)
    return "–" if power is None else "falls" if power <= 0 else str(power)


def _term_lines(sheet: Sheet, terms: dict[str, tuple[TermValue, ...]]) -> list[str]:
    from generator.formulas.human import exact

    rows = []
    for key, found in terms.items():
        for i, term in enumerate(found[:TERMS]):
            value = exact(int(term.value)) if term.value.denominator == 1 else f"{float(term.value):,.1f}"
            rows.append([key if i == 0 else "", _text(sheet, term.term), value, f"{float(term.share):.1%}"])
        if len(found) > TERMS:
            rows.append(["", f"and {len(found) - TERMS} smaller ones", "", ""])
    columns = [Column("quantity"), Column("term", shrinks=True), Column("value", right=True), Column("share", right=True)]
    return ["", *table_lines(columns, rows, width())] if rows else []


def _crossing_lines(sheet: Sheet, crossings: list[Inside]) -> list[str]:
    from generator.questions.growth.crossing_words import preset_words
    from generator.questions.growth.growth_summary import first_of_pairs

    lines = []
    for one in first_of_pairs(crossings):
        at = ", ".join(f"{preset} {preset_words(value, one.crossing)}" for preset, value in one.at_presets.items())
        first, second = one.crossing.first.words, one.crossing.second.words
        root = f"{one.crossing.size} = {_text(sheet, one.crossing.root)}"
        what = f"{first} above {second} once {root.replace('=', '>', 1)}"
        if one.crossing.certainty == "depends":
            what = f"{first} and {second} change places at {root}"
        elif one.crossing.certainty == "where positive":
            what = f"{what}, if that is positive"
        assumed = ", ".join(f"{name} = {_text(sheet, value)}" for name, value in one.crossing.assumed)
        what = f"{what}, with {assumed}" if assumed else what
        lines.append(f"  {one.measure}: {what}{f'  ({at})' if at else ''}")
    return ["", styled("where one part comes to cost more than another", "bold"), *lines] if lines else []


def _text(sheet: Sheet, expr: Any) -> str:
    from generator.formulas.text import TextDialect

    return TextDialect([size.name for size in sheet.sizes]).joined(expr).text if expr.as_numer_denom()[1] != 1 else _sum(sheet, expr)


def _sum(sheet: Sheet, expr: Any) -> str:
    from generator.formulas.text import to_text

    return to_text(expr, [size.name for size in sheet.sizes])


def _preset_plain(value: AtPreset) -> dict[str, Any]:
    """Return the root; from which whole size on who costs more; and the condition of the spec that keeps sizes from getting there."""
    found = value.met
    if found is None:
        return {"at": None, "from": None, "more": None, "excluded_by": None}
    excluded = found.excluded.text if found.excluded else None
    return {"at": float(value.root), "from": found.high, "more": found.large.words, "excluded_by": excluded}


def _plain(sheet: Sheet, found: dict[str, Order], terms: dict[str, tuple[TermValue, ...]], crossings: list[Inside]) -> dict[str, Any]:
    return {
        "spec": sheet.name,
        "orders": {
            key: {
                "order": _sum(sheet, order.bound),
                "powers": {name: str(power) for name, power in order.powers.items()},
                "regimes": {one.size: _sum(sheet, sum(one.order)) for one in order.regimes},
            }
            for key, order in found.items()
        },
        "terms": {
            key: [{"term": _sum(sheet, one.term), "value": str(one.value), "share": float(one.share)} for one in some]
            for key, some in terms.items()
        },
        "crossings": [
            {
                "measure": one.measure,
                "size": one.crossing.size,
                "less": one.crossing.second.words,
                "more": one.crossing.first.words,
                "certainty": one.crossing.certainty,
                "assuming": {name: _sum(sheet, value) for name, value in one.crossing.assumed},
                "from": _sum(sheet, one.crossing.root),
                "at_presets": {preset: _preset_plain(value) for preset, value in one.at_presets.items()},
            }
            for one in crossings
        ],
    }
