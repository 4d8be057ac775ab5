"""Where parts change places, on the sheet of formulas: who overtakes whom follows the sizes.

A root does not say who is above whom, so both costs are worked out at the whole sizes on both sides of it, in columns to the right, and
the sentence is chosen by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor

from sympy import Add, Eq, Expr

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.order import ordered_terms
from generator.formulas.symbols import symbol
from generator.quantities import QUANTITIES
from generator.questions.growth.inner_crossings import InsideCrossing, met
from generator.render.workbook.cell_formulas import CellFormulas, closed_form
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.conditions import condition_words
from generator.render.workbook.invalid_sizes import FITS
from generator.render.workbook.large_numbers import kind_of, name_whole
from generator.render.workbook.live import Live, choice, fixed, sentence
from generator.render.workbook.sheet_plan import LONGEST_GUARDED, Plan
from generator.render.workbook.stamp import Value
from generator.sheet.sheet import Constraint

WIDTHS = (27, 50, 36, 21, 18, 18, 16)
WORKING_WIDTHS = (26, 26, *[18] * 7, 52, 46)
FIRST_ROW = 5  # of the closed forms
FIRST_CROSSING_ROW = FIRST_ROW + len(QUANTITIES) + 4
NEAR = "1E-9"  # of a root: so near to a whole number it is that number


@dataclass(frozen=True)
class CrossingCells:
    """The cells of one crossing, by its index among all."""

    index: int

    @property
    def row(self) -> int:
        """Its row."""
        return FIRST_CROSSING_ROW + self.index

    def at(self, column: str) -> str:
        """Return a cell of its row."""
        return f"${column}${self.row}"


# The columns of the working, right of what is printed.
COLUMNS = "HIJKLMNOPQR"
FIRST, SECOND, ROOT, LOW, FIRST_LOW, SECOND_LOW, HIGH, FIRST_HIGH, SECOND_HIGH, SIGN, EXCLUDED = list(COLUMNS)
WORKING = ("first", "second", "root_found", "low", "first_there", "second_there", "high", "first_there", "second_there", "sign", "excluded")


class _Values:
    """What the cells of a crossing hold when the file is written; an empty text where there is no number."""

    def __init__(self, plan: Plan, one: InsideCrossing) -> None:
        self.plan, self.one, self.sizes = plan, one, plan.in_use

    @cached_property
    def root(self) -> Value:
        try:
            if any(self.sizes[name] != evaluate(value, self.sizes) for name, value in self.one.assumed):
                return ""
            found: Value = evaluate(self.one.root, self.sizes)
        except EvaluationError:
            return ""
        return found

    @cached_property
    def neighbours(self) -> tuple[Value, Value]:
        """The whole sizes on both sides of the root; none where it is no more than one."""
        if isinstance(self.root, str) or not self.root > 1:
            return "", ""
        whole = round(self.root)
        if abs(Fraction(self.root) - whole) <= Fraction(NEAR) * max(1, abs(whole)):
            return whole - 1, whole + 1
        return floor(self.root), floor(self.root) + 1

    def cost(self, side: Expr, at: Value) -> Value:
        if isinstance(at, str):
            return ""
        try:
            found: Value = evaluate(side, {**self.sizes, self.one.size: at})
        except EvaluationError:
            return ""
        return found

    @cached_property
    def sign(self) -> int:
        """1 where the first overtakes the second, -1 where the second does, 0 where nothing happens."""
        found = met(self.one, self.sizes)
        if found is None:
            return 0
        return 1 if found.large == self.one.first else -1

    def breaks(self, limit: Constraint) -> bool:
        return any(not self.cost_holds(limit, at) for at in self.neighbours)

    def cost_holds(self, limit: Constraint, at: Value) -> bool:
        return not isinstance(at, str) and bool(evaluate(limit.condition, {**self.sizes, self.one.size: at}))

    @cached_property
    def excluded(self) -> str:
        if not self.sign:
            return ""
        return "".join(_exclusion(self.plan, limit) for limit in self.one.limits if self.breaks(limit))


def _exclusion(plan: Plan, limit: Constraint) -> str:
    """Return what is said of a crossing that a condition of the spec excludes."""
    written = next(one for one in plan.sheet.constraints if one.text == limit.text)
    return plan.words("formulas.excluded_by", condition=condition_words(written, plan.words, plan.order))


def spoken(plan: Plan, one: InsideCrossing, cells: CrossingCells) -> Live:
    """Return the sentence for another sheet; an empty text where nothing crosses at the sizes in use."""
    values = _Values(plan, one)
    first, second = plan.side_name(one.first), plan.side_name(one.second)
    sign, high, excluded = (plan.at("formulas", cells.at(column)) for column in (SIGN, HIGH, EXCLUDED))
    shown = str(values.neighbours[1] - 1) if not isinstance(values.neighbours[1], str) else ""
    value, end = Live(f"({high}-1)", shown), Live(excluded, values.excluded)
    above, below = (
        sentence(plan.words("sentences.overtakes"), large=large, small=small, size=one.size, value=value, excluded=end)
        for large, small in ((first, second), (second, first))
    )
    return choice(f"{sign}=0", values.sign == 0, fixed(""), choice(f"{sign}>0", values.sign > 0, above, below))


def section(page: Page, row: int, title: str) -> None:
    """Write the title of a section."""
    page.text(page.merged(f"A{row}:G{row}", "Section"), title, "Section")


def heads(page: Page, plan: Plan, row: int, keys: Sequence[str]) -> None:
    """Write the heads of columns."""
    page.row(row, [plan.words(f"formulas.{key}") if key else "" for key in keys], "Column head")
    for column, key in zip("ABCDEFG", keys, strict=True):
        if key in {"value", "in_use", "claimed", "ours", "difference"}:
            page.text(f"{column}{row}", plan.words(f"formulas.{key}"), "Column head, number")
    page.height(row, [(plan.words(f"formulas.{key}"), width - 3) for key, width in zip(keys, WIDTHS, strict=True) if key])


def write_crossings(page: Page, plan: Plan, formulas: CellFormulas) -> int:
    """Write where parts change places, and return the row below."""
    words, row = plan.words, FIRST_CROSSING_ROW
    section(page, row - 2, words("formulas.crossovers", quantity=plan.title(plan.main)))
    if not plan.crossings:
        page.text(page.merged(f"A{row - 1}:G{row - 1}", "Remark"), words("formulas.no_crossovers"), "Remark")
        return row
    heads(page, plan, row - 1, ("size", "overtakes", "root", "assuming", "value", "in_use", "passed"))
    page.text(page.merged(f"{FIRST}{row - 2}:{EXCLUDED}{row - 2}", "Section"), words("formulas.working"), "Section")
    for column, key in zip(COLUMNS, WORKING, strict=True):
        is_text = column in (FIRST, SECOND, EXCLUDED)
        page.text(f"{column}{row - 1}", words(f"formulas.{key}"), "Column head" if is_text else "Column head, number")
    for index, one in enumerate(plan.crossings):
        _Line(page, plan, formulas, one, CrossingCells(index)).write()
    return row + len(plan.crossings)


class _Line:
    """Writes one crossing."""

    def __init__(self, page: Page, plan: Plan, formulas: CellFormulas, one: InsideCrossing, cells: CrossingCells) -> None:
        self.page, self.plan, self.formulas, self.one, self.cells = page, plan, formulas, one, cells
        self.values = _Values(plan, one)
        self.names = plan.side_name(one.first), plan.side_name(one.second)

    def write(self) -> None:
        self._write_working()
        page, plan, one, row, values = self.page, self.plan, self.one, self.cells.row, self.values
        words = plan.words
        none, yes, no = words("result.none"), words("formulas.yes"), words("formulas.no")
        page.text(f"A{row}", one.size, "Label")
        happens = self._happens()
        page.formula(f"B{row}", happens.formula, happens.shown, "Words")
        root = f"{one.size} = {_gains_first(one.root, plan)}"
        page.text(f"C{row}", root)
        assumed = ", ".join(f"{name} = {closed_form(value, plan.order)}" for name, value in one.assumed)
        page.text(f"D{row}", assumed, "Muted words")
        found = values.root if values.sign else none
        page.formula(f"E{row}", f"IF(AND({FITS},${SIGN}{row}<>0),${ROOT}{row},{quoted(none)})", found, "Rounded size")
        in_use = plan.in_use[one.size]
        page.formula(f"F{row}", plan.names[one.size], in_use, "Link")
        shown = none if isinstance(found, str) else (yes if in_use > found else no)
        page.formula(f"G{row}", f"IF(ISNUMBER(E{row}),IF(F{row}>E{row},{quoted(yes)},{quoted(no)}),{quoted(none)})", shown, "Words")
        for cell in (f"E{row}", f"{ROOT}{row}"):
            name_whole(page, cell)
        page.height(row, [(happens.shown, WIDTHS[1]), (root, WIDTHS[2]), (assumed, WIDTHS[3])])

    def _happens(self) -> Live:
        """Return who overtakes whom at the sizes in use, and whether the conditions of the spec keep the size from getting there."""
        words, sign, (first, second) = self.plan.words, self.cells.at(SIGN), self.names
        above = fixed(words("formulas.overtaken", large=first, small=second))
        below = fixed(words("formulas.overtaken", large=second, small=first))
        who = choice(f"{sign}>0", self.values.sign > 0, above, below)
        told = Live(f"{who.formula}&{self.cells.at(EXCLUDED)}", who.shown + self.values.excluded)
        nothing = fixed(words("formulas.no_change", first=first, second=second))
        return choice(f"{sign}=0", self.values.sign == 0, nothing, told)

    def _write_working(self) -> None:
        page, row, values = self.page, self.cells.row, self.values
        page.text(f"{FIRST}{row}", self.names[0], "Muted words")
        page.text(f"{SECOND}{row}", self.names[1], "Muted words")
        root = self.formulas.text(self.one.root)
        if self.one.assumed:
            follows = ",".join(self.formulas.text(Eq(symbol(name), value, evaluate=False)) for name, value in self.one.assumed)
            root = f'IF(AND({follows}),{root},"")'
        page.formula(f"{ROOT}{row}", f'IFERROR({root},"")', values.root, "Rounded size")
        at, low, high = self.cells.at(ROOT), self.cells.at(LOW), self.cells.at(HIGH)
        is_whole = f"ABS({at}-ROUND({at},0))<={NEAR}*MAX(1,ABS(ROUND({at},0)))"
        around = f'IF(ISNUMBER({at}),IF({at}>1,{{}},""),"")'
        before, behind = values.neighbours
        page.formula(f"{LOW}{row}", around.format(f"IF({is_whole},ROUND({at},0)-1,INT({at}))"), before, "Whole number")
        page.formula(f"{HIGH}{row}", around.format(f"IF({is_whole},ROUND({at},0)+1,INT({at})+1)"), behind, "Whole number")
        for cell, value, columns in ((low, before, (FIRST_LOW, SECOND_LOW)), (high, behind, (FIRST_HIGH, SECOND_HIGH))):
            for column, side in zip(columns, (self.one.first, self.one.second), strict=True):
                self._write_cost(column, side.cost, cell, value)
        a, b, c, d = (self.cells.at(column) for column in (FIRST_LOW, SECOND_LOW, FIRST_HIGH, SECOND_HIGH))
        changes = f"AND({low}>=1,SIGN({a}-{b})*SIGN({c}-{d})=-1)"
        page.formula(f"{SIGN}{row}", f"IF(COUNT({a},{b},{c},{d})=4,IF({changes},SIGN({c}-{d}),0),0)", values.sign, "Calculation")
        excluded = self._excluded(low, high)
        page.formula(f"{EXCLUDED}{row}", excluded.formula, excluded.shown, "Muted words")

    def _write_cost(self, column: str, cost: Expr, cell: str, value: Value) -> None:
        formulas = self.formulas
        names = {**self.plan.names, self.one.size: cell}
        text = formulas.text(cost, names)
        if len(text) > LONGEST_GUARDED:
            there = {**names, self.one.size: self.plan.at("formulas", cell)}
            text = formulas.split(cost, there, {**self.plan.in_use, self.one.size: int(value) if not isinstance(value, str) else 1})
        shown = self.values.cost(cost, value)
        self.page.formula(
            f"{column}{self.cells.row}",
            f'IF(ISNUMBER({cell}),IFERROR({text},""),"")',
            shown,
            f"Scaled number, {kind_of(self.plan.main.unit)}",
        )

    def _excluded(self, low: str, high: str) -> Live:
        """Return the conditions of the spec that the sizes on both sides of the root break, as the end of a sentence."""
        formulas, shown = [], self.values.excluded
        for limit in self.one.limits:
            held = [self.formulas.text(limit.condition, {**self.plan.names, self.one.size: cell}) for cell in (low, high)]
            formulas.append(f'IF(IFERROR(AND({",".join(held)}),FALSE),"",{quoted(_exclusion(self.plan, limit))})')
        if not formulas:
            return Live('""', "")
        return Live(f'IF({self.cells.at(SIGN)}=0,"",{"&".join(formulas)})', shown)


def _gains_first(expr: Expr, plan: Plan) -> str:
    """Return a formula as text that begins with a term that is added: `f - 2*d`, not `-2*d + f`."""
    terms = [term.expr for term in ordered_terms(expr, plan.order)]
    added = [term for term in terms if not term.could_extract_minus_sign()]
    taken = [term for term in terms if term.could_extract_minus_sign()]
    if not added:
        return closed_form(expr, plan.order)
    return " - ".join([closed_form(Add(*added), plan.order), *(closed_form(-term, plan.order) for term in taken)])
