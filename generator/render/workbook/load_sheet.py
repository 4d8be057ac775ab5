"""The sheet of memory and time: two scenarios side by side, what each needs, whether that fits, how long it takes, and a grid of sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from openpyxl.formatting.rule import Rule
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

import generator.render.workbook.load_choices as choices
from generator.quantities import PARAMS
from generator.questions.workload.workload_formulas import Workload, workload_of
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.cells import REMARKS_WIDTH, Page, quoted
from generator.render.workbook.devices import NAME, column_of
from generator.render.workbook.invalid_sizes import write_note
from generator.render.workbook.load_choices import SCENARIOS, TRAINING
from generator.render.workbook.load_line import NO_LIMIT, TWICE, Values, Workings, table_range
from generator.render.workbook.load_memory_lines import highest, total_value
from generator.render.workbook.load_weights import write_weights
from generator.render.workbook.load_workings import grid_lengths, has_grid, write_workings
from generator.render.workbook.sheet_plan import LARGEST_SIZE, Plan
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import BAD_LOOK, FAINT_LOOK, GOOD_LOOK
from generator.render.workbook.typed import is_size
from generator.sheet.sheet import Sheet

WIDTHS = (32, 19, 19, 16, 16, 16, 16, 16, 16)
LAST = "I"
GIB = 1 << 30


def has_load(sheet: Sheet) -> bool:
    """Say whether a spec has anything that must fit: parameters."""
    return bool(sheet.totals[PARAMS.key] != 0)


@dataclass(frozen=True)
class Result:
    """A line of results: the formula of a scenario's number in cells of the workings, and what it comes to."""

    formula: str
    values: tuple[Value, Value]
    style: str = "Figure"
    compares: bool = True  # whether both scenarios have a difference and a ratio


def write_load(page: Page, behind: Page, plan: Plan, formulas: CellFormulas) -> None:
    """Write the sheet, and that of its workings."""
    workload = workload_of(plan.sheet)
    workings = write_workings(behind, plan, formulas, workload)
    _LoadSheet(page, plan, workload, workings).write()


class _LoadSheet:
    """Writes the sheet."""

    def __init__(self, page: Page, plan: Plan, workload: Workload, workings: Workings) -> None:
        self.page, self.plan, self.workload, self.workings, self.words = page, plan, workload, workings, plan.words
        self.dash = plan.words("result.dash")
        pairs = ({key: value for (at, key), value in workings.values.items() if at == letter} for letter in SCENARIOS)
        first, second = pairs
        self.pair: tuple[Values, Values] = (first, second)

    def write(self) -> None:
        """Write all of it, from top to bottom."""
        page, words = self.page, self.words
        page.widths(WIDTHS)
        page.text("A1", words("load.title", title=self.plan.sheet_title), "Sheet title")
        page.sheet.row_dimensions[1].height = 28
        note = words("load.note")
        write_note(page, self.plan, f"A2:{LAST}2", note)
        page.height(2, [(note, REMARKS_WIDTH)])
        self._choices()
        self._table("memory", "m", "e", choices.FIRST_MEMORY_ROW, self._memory())
        self._table("time", "t", "x", choices.FIRST_TIME_ROW, self._times())
        self._colour()
        if has_grid(self.workload):
            self._grid()
        write_weights(page, self.plan, choices.BELOW_GRID if has_grid(self.workload) else choices.GRID_ROW - 2)
        page.sheet.freeze_panes = f"B{choices.FIRST_CHOICE_ROW}"

    def _section(self, row: int, title: str) -> None:
        self.page.text(self.page.merged(f"A{row}:{LAST}{row}", "Section"), title, "Section")

    # What is chosen

    def _choices(self) -> None:
        page, words, head = self.page, self.words, choices.FIRST_CHOICE_ROW - 1
        self._section(head - 1, words("load.choices"))
        page.row(head, [words("load.choice"), *(words("load.scenario", name=name) for name in "AB")], "Column head")
        page.text(page.merged(f"D{head}:{LAST}{head}", "Column head"), words("load.meaning"), "Column head")
        for key in choices.CHOICES:
            self._choice(key, choices.choice_row(key))
        row = choices.MESSAGE_ROW
        page.text(f"A{row}", words("load.wrong"), "Label")
        for letter, values in zip(SCENARIOS, self.pair, strict=True):
            page.formula(f"{letter}{row}", self._cell(letter, "wrong"), values["wrong"], "Words")
        page.merged(f"D{row}:{LAST}{row}", "Words")
        page.sheet.row_dimensions[row].height = 42
        page.sheet.conditional_formatting.add(f"B{row}:C{row}", Rule(type="expression", formula=[f'B{row}<>""'], dxf=BAD_LOOK))

    def _choice(self, key: str, row: int) -> None:
        page, words, load = self.page, self.words, self.workload
        size = {"batch": load.batch, "length": load.length}.get(key)
        name = words(f"load.c_{key}")
        page.text(f"A{row}", words("load.c_size", choice=name, size=size) if size else name, "Label")
        missing = (key == "batch" and not load.batch) or (key == "length" and not load.length)
        help_text = words(f"load.h_no_{key}" if missing else f"load.h_{key}")
        page.text(page.merged(f"D{row}:{LAST}{row}", "Muted words"), help_text, "Muted words")
        for i, letter in enumerate(SCENARIOS):
            found, at = choices.chosen(key, words, load, i), f"{letter}{row}"
            if missing:
                page.text(at, self.dash, "Muted calculation")
            elif isinstance(found, str):
                page.text(at, found, "Input word")
            elif found is not None:
                page.number(at, found, "Input part")
            else:
                page.blank(at, "Input word" if choices.offered(key, words, load) else "Input value")
        if not missing:
            page.sheet.add_data_validation(self._rule(key, f"B{row}:C{row}"))

    def _rule(self, key: str, cells: str) -> DataValidation:
        words = self.words
        if key in ("batch", "length"):
            rule = DataValidation("whole", operator="between", formula1="1", formula2=str(LARGEST_SIZE), allow_blank=True)
        elif listed := choices.offered(key, words, self.workload):
            texts = {"device": self.plan.at("devices", column_of(NAME))}
            texts |= {one: self.plan.at("workings", table_range("format")) for one in ("weights", "cache", "states", "master")}
            texts |= {"optimiser": self.plan.at("workings", table_range("optimiser"))}
            rule = DataValidation("list", formula1=texts.get(key, quoted(",".join(listed))), allow_blank=True)
        elif key == "efficiency":
            rule = DataValidation("decimal", operator="between", formula1="0.0001", formula2="1", allow_blank=False)
        else:
            rule = DataValidation("decimal", operator="greaterThan", formula1="0", allow_blank=True)
        rule.showErrorMessage = rule.showInputMessage = True
        rule.promptTitle = rule.errorTitle = words(f"load.c_{key}")[:32]
        rule.prompt = words(f"load.h_{key}")[:255]
        bad = f"bad_{key}" if key not in ("device", "products") else "list_error"
        rule.error = words(f"load.{bad}")[:225]
        rule.add(cells)
        return rule

    # What comes of it

    def _cell(self, letter: str, key: str) -> str:
        return self.workings.at(self.plan, letter, key)

    def _table(self, section: str, label: str, remark: str, first: int, results: Mapping[str, Result]) -> None:
        page, words = self.page, self.words
        self._section(first - 2, words(f"load.{section}"))
        page.text(f"A{first - 1}", words("load.what"), "Column head")
        heads = [*(words("load.scenario", name=name) for name in "AB"), words("load.difference"), words("load.ratio")]
        for letter, head in zip("BCDE", heads, strict=True):
            page.text(f"{letter}{first - 1}", head, "Column head, number")
        page.text(page.merged(f"F{first - 1}:{LAST}{first - 1}", "Column head"), words("load.how"), "Column head")
        for row, (key, result) in enumerate(results.items(), start=first):
            page.text(f"A{row}", words(f"load.{label}_{key}", unit=words(f"load.{self.workload.items[1]}")), "Label")
            self._result(row, result)
            text = words(f"load.{remark}_{key}")
            page.text(page.merged(f"F{row}:{LAST}{row}", "Muted words"), text, "Muted words")
            page.height(row, [(text, sum(WIDTHS[5:]) - 2)])

    def _result(self, row: int, result: Result) -> None:
        shown: list[Value] = []
        for letter, values, value in zip(SCENARIOS, self.pair, result.values, strict=True):
            formula = f'IF({self._cell(letter, "wrong")}="",{self._in(letter, result.formula)},{quoted(self.dash)})'
            shown.append(self.dash if values["wrong"] else value)
            self.page.formula(f"{letter}{row}", formula, shown[-1], result.style)
        if not result.compares:
            for letter in "DE":
                self.page.blank(f"{letter}{row}", "Figure")
            return
        a, b = shown
        numbers = not isinstance(a, str) and not isinstance(b, str)
        both = f"AND(ISNUMBER($B{row}),ISNUMBER($C{row}))"
        difference = b - a if numbers else self.dash  # type: ignore[operator]  # both are numbers
        self.page.formula(f"D{row}", f"IF({both},$C{row}-$B{row},{quoted(self.dash)})", difference, "Figure")
        ratio: Value = b / a if numbers and a else self.dash  # type: ignore[operator]
        none = quoted(self.dash)
        self.page.formula(f"E{row}", f"IF({both},IF($B{row}<>0,$C{row}/$B{row},{none}),{none})", ratio, "Figure")

    def _in(self, letter: str, formula: str) -> str:
        """Return a formula in which each `{key}` is the cell of a row of the workings."""
        cells = {key: self._cell(letter, key) for key in self.workings.rows}
        return formula.format_map({**cells, **{f"then_{key}": self._cell(TWICE[letter], key) for key in self.workings.rows}})

    def _both(self, value: object) -> tuple[Value, Value]:
        first, second = (value(values) for values in self.pair)  # type: ignore[operator]
        return first, second

    def _bytes(self, key: str, style: str = "Figure") -> Result:
        return Result(f"{{{key}}}/2^30", self._both(lambda v: v[key] / GIB), style)

    def _memory(self) -> dict[str, Result]:
        load, dash = self.workload, self.dash
        found = {key: self._bytes(key) for key in ("weights", "states", "master", "gradients", "all_cache")}
        known = f"IF({{peak_known}}=1,{{activations}}/2^30,{quoted(dash)})"
        found["activations"] = Result(known, self._both(lambda v: v["activations"] / GIB if v["peak_known"] else dash))
        found["total"] = self._bytes("total", "Figure, total")
        found["total_gb"] = Result("{total}/10^9", self._both(lambda v: v["total"] / 10**9), "Figure, total")
        found |= self._doubled()
        found["certainty"] = self._certainty()
        found["device_memory"] = self._bytes("memory")
        found["left"] = Result("({memory}-{total})/2^30", self._both(lambda v: (v["memory"] - v["total"]) / GIB))
        found["verdict"] = self._verdict()
        limit = quoted(self.words("load.unlimited"))
        if load.batch:
            text = f"IF({{peak_known}}=1,IF({{largest}}<{NO_LIMIT},{{largest}},{limit}),{quoted(dash)})"
            found["largest"] = Result(text, self._both(self._largest_value), "Whole number")
        else:
            found["largest"] = Result(quoted(dash), (dash, dash), "Whole number")
        return found

    def _doubled(self) -> dict[str, Result]:
        """How many times the whole is what it was at twice the batch, and at twice the length."""
        load, dash = self.workload, self.dash
        batch = length = quoted(dash)
        times: tuple[Value, Value] = (dash, dash)
        if load.batch:
            batch = f"IF({{peak_known}}=1,{{twice_batch}}/{{total}},{batch})"
        if load.length:
            length = f'IF(AND({{then_wrong}}="",{{peak_known}}=1,{{then_peak_known}}=1),{{then_total}}/{{total}},{length})'
            then = [self._of(letter) for letter in TWICE.values()]
            times = tuple(self._times_of(now, later) for now, later in zip(self.pair, then, strict=True))  # type: ignore[assignment]
        by_batch = self._both(lambda v: v["twice_batch"] / v["total"] if load.batch and v["peak_known"] else dash)
        return {
            "twice_batch": Result(batch, by_batch, "Ratio", compares=False),
            "twice_length": Result(length, times, "Ratio", compares=False),
        }

    def _times_of(self, now: Values, then: Values) -> Value:
        if then["wrong"] or not (now["peak_known"] and then["peak_known"]):
            return self.dash
        times: Value = then["total"] / now["total"]
        return times

    def _largest_value(self, values: Values) -> Value:
        if not values["peak_known"]:
            return self.dash
        return values["largest"] if values["largest"] < NO_LIMIT else self.words("load.unlimited")

    def _certainty(self) -> Result:
        texts = {key: self.words(f"load.{key}") for key in ("at_least", "at_most", "average", "estimate")}
        least, most, average, guess = (quoted(text) for text in texts.values())
        formula = f"IF({{peak_known}}=0,{least},IF({{even}}=0,{average},IF({{task}}={TRAINING},{most},{guess})))"

        def value(values: Values) -> Value:
            if not values["peak_known"]:
                return texts["at_least"]
            if not values["even"]:
                return texts["average"]
            return texts["at_most" if values["task"] == TRAINING else "estimate"]

        return Result(formula, self._both(value), "Words", compares=False)

    def _verdict(self) -> Result:
        texts = {key: self.words(f"load.{key}") for key in ("fits", "fits_not", "fits_close", "fits_if")}
        yes, no, close, perhaps = (quoted(text) for text in texts.values())
        beyond = f"IF(AND({{peak_known}}=1,{{total}}-{{gradients}}<={{memory}}),{close},{no})"
        formula = f"IF({{total}}<={{memory}},IF({{peak_known}}=1,{yes},{perhaps}),{beyond})"

        def value(values: Values) -> Value:
            if values["total"] <= values["memory"]:
                return texts["fits" if values["peak_known"] else "fits_if"]
            return texts["fits_close" if values["peak_known"] and values["total"] - values["gradients"] <= values["memory"] else "fits_not"]

        return Result(formula, self._both(value), "Verdict", compares=False)

    def _times(self) -> dict[str, Result]:
        dash = quoted(self.dash)
        known = f"IF({{peak}}>0,{{}},{dash})"

        def of_peak(text: str) -> str:
            return known.replace("{}", text)

        def if_known(amount: object) -> tuple[Value, Value]:
            return self._both(lambda v: amount(v) if v["peak"] else self.dash)  # type: ignore[operator]

        compute, memory = (self.words(f"load.by_{key}") for key in ("compute", "memory"))
        by = f"IF({{compute_seconds}}>={{memory_seconds}},{quoted(compute)},{quoted(memory)})"
        priced = f"IF(AND({{peak}}>0,{{price}}>0),{{}},{dash})"
        rate = f"IF({{bound}}>0,{{items}}/{{bound}},{dash})"
        return {
            "work": Result("{work}/10^9", self._both(lambda v: v["work"] / 10**9)),
            "moved": Result("{moved}/10^9", self._both(lambda v: v["moved"] / 10**9)),
            "compute_ms": Result(of_peak("{compute_seconds}*1000"), if_known(lambda v: v["compute_seconds"] * 1000)),
            "memory_ms": Result("{memory_seconds}*1000", self._both(lambda v: v["memory_seconds"] * 1000)),
            "bound_ms": Result("{bound}*1000", self._both(lambda v: v["bound"] * 1000), "Figure, total"),
            "limit": Result(
                of_peak(by),
                if_known(lambda v: compute if v["compute_seconds"] >= v["memory_seconds"] else memory),
                "Verdict",
                compares=False,
            ),
            "estimate_ms": Result(of_peak("{estimate}*1000"), if_known(lambda v: v["estimate"] * 1000), "Figure, total"),
            "bound_rate": Result(rate, self._both(lambda v: v["items"] / v["bound"] if v["bound"] else self.dash)),
            "estimate_rate": Result(
                of_peak(f"IF({{estimate}}>0,{{items}}/{{estimate}},{dash})"),
                if_known(lambda v: v["items"] / v["estimate"] if v["estimate"] else self.dash),
            ),
            "step_cost": Result(priced.replace("{}", "{estimate}*{price}/3600"), (self.dash, self.dash)),
            "million_cost": Result(priced.replace("{}", "{estimate}/{items}*10^6*{price}/3600"), (self.dash, self.dash)),
        }

    def _colour(self) -> None:
        row = choices.FIRST_MEMORY_ROW + choices.MEMORY.index("verdict")
        cells = f"B{row}:C{row}"
        for key, look in (("fits", GOOD_LOOK), ("fits_not", BAD_LOOK)):
            rule = Rule(type="cellIs", operator="equal", formula=[quoted(self.words(f"load.{key}"))], dxf=look)
            self.page.sheet.conditional_formatting.add(cells, rule)

    # The grid

    def _grid(self) -> None:
        page, words, head = self.page, self.words, choices.GRID_ROW
        self._section(head - 2, words("load.grid"))
        note = words("load.grid_note")
        page.text(page.merged(f"A{head - 1}:{LAST}{head - 1}", "Remark"), note, "Remark")
        page.height(head - 1, [(note, REMARKS_WIDTH)])
        page.text(f"A{head}", words("load.grid_corner"), "Column head")
        letters = [get_column_letter(2 + i) for i in range(choices.GRID)]
        for letter, length in zip(letters, grid_lengths(self.plan, self.workload), strict=True):
            page.number(f"{letter}{head}", length, "Input value")
        for i in range(choices.GRID):
            self._batch_line(head + 1 + i, 2**i, letters)
        last = head + choices.GRID
        page.text(f"A{last + 1}", words("load.grid_largest"), "Label")
        for letter, column in zip(letters, self.workings.letters, strict=True):
            wrong, known, most = (self._cell(column, key) for key in ("wrong", "peak_known", "largest"))
            formula = f'IF(AND({wrong}="",{known}=1),IF({most}<{NO_LIMIT},{most},{quoted(words("load.unlimited"))}),{quoted(self.dash)})'
            values = self._of(column)
            shown = self.dash if values["wrong"] else self._largest_value(values)
            page.formula(f"{letter}{last + 1}", formula, shown, "Whole number")
        memory = f"$B${choices.FIRST_MEMORY_ROW + choices.MEMORY.index('device_memory')}"
        cells, first = f"B{head + 1}:{letters[-1]}{last}", f"B{head + 1}"
        for condition, look in (
            (f"NOT(ISNUMBER({first}))", FAINT_LOOK),
            (f"{first}>{memory}", BAD_LOOK),
            (f"{first}<={memory}", GOOD_LOOK),
        ):
            page.sheet.conditional_formatting.add(cells, Rule(type="expression", formula=[condition], dxf=look, stopIfTrue=True))

    def _of(self, letter: str) -> Values:
        """Return the values of a length's column, and of the first scenario where it has none of its own."""
        return {**self.pair[0], **{key: value for (at, key), value in self.workings.values.items() if at == letter}}

    def _batch_line(self, row: int, batch: int, letters: list[str]) -> None:
        self.page.number(f"A{row}", batch, "Input value")
        for letter, column in zip(letters, self.workings.letters, strict=True):
            at = f"$A{row}"
            cell = {key: self._cell(column, key) for key in ("wrong", "fixed", "cache_each", "peak_known")}
            blocks = (self.workings.block(self.plan, column, key) for key in ("alone", "each"))
            peak = f"IF({cell['peak_known']}=1,{highest(at, *blocks)},0)"
            total = f"-INT(-({cell['fixed']}+{at}*{cell['cache_each']}+{peak}))/2^30"
            formula = f'IF(AND({cell["wrong"]}="",{is_size(at)}),{total},{quoted(self.dash)})'
            values = self._of(column)
            self.page.formula(f"{letter}{row}", formula, self.dash if values["wrong"] else total_value(values, batch) / GIB, "Figure")
