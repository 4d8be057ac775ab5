"""What stands where: decided before anything is written, because the sheets refer to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from openpyxl.utils import get_column_letter, quote_sheetname

from generator.in_bytes import BYTES, INTENSITY, PEAK_BYTES
from generator.quantities import QUANTITIES, UNITS, Quantity
from generator.questions.growth.inner_crossings import Division, InsideCrossing, PartPair, PartSide, division_of, preferred
from generator.questions.growth.parts import CostPart, main_quantity
from generator.render.texts import Texts
from generator.render.workbook.excel_names import excel_names
from generator.sheet.example import NoExampleError, searched_view, views
from generator.sheet.number_formats import ITEM_BYTES
from generator.sheet.preset_totals import held
from generator.sheet.sheet import Sheet, SheetPreset, SheetRow, Size

EXAMPLE = "example"  # the column of a spec without presets

PRESET_CELL = "$B$2"  # on the summary
INSIGHT_ROWS = (4, 5, 6)  # what the numbers come to, in sentences
FIRST_SIZE_ROW = 13
FIRST_PRESET_COLUMN = 3
PRESET_NAMES_ROW = 4
COLUMN_IN_USE_CELL = "$B$6"  # on the presets sheet
MISTAKES_ROW = 6  # in a column of the user's own: whether what was typed is no size
FIRST_PUBLISHED_ROW = 8
FIRST_CHECK_ROW = 5
PROBLEM_CELL = "$B$3"  # on the sheet of checks: what is wrong with the sizes
FIRST_LAYER_ROW = 5
PART_COLUMN = "C"  # on the layers sheet
FIRST_QUANTITY_COLUMN = 7
WEIGHT_FORMATS = ("float32", "bfloat16", "int8", "int4")  # in which the sheet of presets shows weights
SPARE_COLUMNS = 4  # of the presets sheet, for the user's own
SWEEP_INPUT = "$B$4"  # on the scaling sheet; what is used is in the cells below, also where something else was typed
START_INPUT = "$B$5"
FACTOR_INPUT = "$B$6"
SWEEP_CELL = "$A$10"
FIRST_VALUE_CELL = "$E$5"
FACTOR_CELL = "$E$6"
LAST_VALUE_CELL = "$E$7"
STEPS = 12
STEPS_BEFORE = 8  # the first value is so much smaller than the size in use
DOUBLING_ROW = 11  # of the sizes in use; then doubled, then the ratio
FIRST_STEP_ROW = 17
FIRST_SCALED_COLUMN = 3  # of the quantities
LARGEST_SIZE = 1_000_000_000  # that can be typed
LONGEST_GUARDED = 8000  # characters of a formula that is put inside another one


@dataclass(frozen=True)
class PresetColumn:
    """A column of the presets sheet: published sizes, our examples for those left open, and all sizes that follow.

    A column of the user's own has no sizes when the file is written, and takes those of the first preset instead.
    """

    name: str
    letter: str
    published: Mapping[str, int]
    examples: Mapping[str, int]
    expect: Mapping[str, int]
    cite: str
    values: Mapping[str, int]  # all sizes, defaults and derived ones included
    sheet: Sheet  # whose formulas hold there
    is_own: bool = False
    choices: Mapping[str, object] = field(default_factory=dict)  # options and blocks other than those of the workbook


@dataclass(frozen=True)
class Plan:
    """The names, columns and rows of one workbook."""

    sheet: Sheet
    words: Texts
    columns: tuple[PresetColumn, ...]  # of presets
    own_columns: tuple[PresetColumn, ...]  # for the user; the first has a name
    other_columns: tuple[PresetColumn, ...] = ()  # of presets with other options or blocks: the other sheets cannot show them

    @property
    def sheet_title(self) -> str:
        """What the architecture is called."""
        return self.words.said(self.sheet.title)

    def title(self, quantity: Quantity) -> str:
        """Return what a quantity is called."""
        return quantity.words(self.words.language).title

    def short(self, quantity: Quantity) -> str:
        """Return what a quantity is called in a narrow column."""
        words = quantity.words(self.words.language)
        return words.short or words.title

    def meaning(self, size: Size) -> str:
        """Return what a size means."""
        return self.words.said(size.meaning)

    def unit(self, quantity: Quantity) -> str:
        """Return what a quantity is counted in."""
        return UNITS[quantity.unit][self.words.language]

    def at(self, key: str, cell: str) -> str:
        """Return the reference of a cell or range of a sheet, from another sheet."""
        return self.elsewhere(self.words(f"sheets.{key}"), cell)

    def elsewhere(self, title: str, cell: str) -> str:
        """Return the reference of a cell of the sheet with a title, from another sheet."""
        return f"{title if title.isascii() and title.isalnum() else quote_sheetname(title)}!{cell}"

    # What the cost is divided among

    @cached_property
    def main(self) -> Quantity:
        """The quantity of which shares are shown."""
        return main_quantity(self.sheet)

    @cached_property
    def division(self) -> Division:
        """How the cost is divided, and where its parts change places."""
        return division_of(self.sheet)

    @property
    def parts(self) -> tuple[CostPart, ...]:
        """The parts of the cost."""
        return self.division.parts

    def part_name(self, part: CostPart) -> str:
        """Return what a part is called."""
        if part.is_rest:
            return self.words("parts.others")
        same = next((row for index, row in enumerate(self.sheet.rows) if index in part.rows and row.name == part.name), None)
        return self.words.block(part.name) if same is None else self.layer_name(same)

    def layer_name(self, row: SheetRow) -> str:
        """Return what a layer is called."""
        return self.words.named(row.name, row.meaning)

    def side_name(self, side: PartSide) -> str:
        """Return what one side of a crossing is called."""
        if side.kind == "power":
            known = side.name in {"1", "2", "3", "4"}
            return self.words(f"powers.{side.name if known else 'other'}", power=side.name, size=side.of)
        part = next((part for part in self.parts if part.name == side.name), None)
        return self.part_name(part) if part is not None else self.words.block(side.name)

    @property
    def pair(self) -> PartPair | None:
        """The two parts that the summary speaks of."""
        return self.division.pair

    @cached_property
    def crossings(self) -> tuple[InsideCrossing, ...]:
        """Where parts change places."""
        return self.division.crossings(self.main.key)

    @cached_property
    def sweep(self) -> str | None:
        """The size that is varied when the file is written; None where there is no size."""
        crossing = {one.size for one in self.crossings if self.division.is_main(one)}
        return preferred([size for size in self.sheet.sizes if size.name in crossing]) or preferred(self.sheet.sizes)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The sizes as the spec lists them."""
        return tuple(size.name for size in self.sheet.sizes)

    @cached_property
    def names(self) -> dict[str, str]:
        """The Excel name of each size."""
        return excel_names(self.order)

    @property
    def in_use(self) -> Mapping[str, int]:
        """The sizes with which the file is stored: those of the first preset."""
        return self.columns[0].values

    @property
    def has_presets(self) -> bool:
        """Whether any sizes are published."""
        return bool(self.sheet.presets)

    @cached_property
    def open_sizes(self) -> tuple[Size, ...]:
        """The sizes for which some column needs an example."""
        return tuple(size for size in self.sheet.sizes if any(size.name in column.examples for column in self.columns))

    @cached_property
    def settable(self) -> tuple[Size, ...]:
        """The sizes that a preset or a user can set."""
        return tuple(size for size in self.sheet.sizes if size.kind != "derived")

    # The summary

    @cached_property
    def size_rows(self) -> dict[str, int]:
        """The row of each size on the summary."""
        return {name: FIRST_SIZE_ROW + i for i, name in enumerate(self.order)}

    @property
    def open_note_row(self) -> int:
        """The row of the remark on sizes that presets leave open."""
        return FIRST_SIZE_ROW + len(self.order)

    @cached_property
    def total_rows(self) -> dict[str, int]:
        """The row of each quantity on the summary."""
        first = self.open_note_row + 4
        return {quantity.key: first + i for i, quantity in enumerate(QUANTITIES)}

    def total_cell(self, quantity: Quantity) -> str:
        """Return the reference of a total on the summary, from another sheet."""
        return self.at("summary", f"$D${self.total_rows[quantity.key]}")

    @property
    def format_row(self) -> int:
        """The row in which the number format is chosen."""
        return self.total_rows[QUANTITIES[-1].key] + 3

    @property
    def item_bytes_cell(self) -> str:
        """The cell of the bytes per element, on the summary."""
        return f"$D${self.format_row}"

    @cached_property
    def memory_rows(self) -> dict[str, int]:
        """The row of each amount of memory."""
        keys = (*(amount.key for amount in BYTES), PEAK_BYTES.key, INTENSITY.key)
        return {key: self.format_row + 2 + i for i, key in enumerate(keys)}

    @cached_property
    def inference_rows(self) -> dict[str, int]:
        """The row of each quantity that is another one in inference, and of the peak; none where inference changes nothing."""
        used, trained = self.sheet.inference_peak, self.sheet.peak
        keys = [quantity.key for quantity in QUANTITIES if quantity.key in self.sheet.inference]
        if used is not None and trained is not None and any(used.bytes(dtype) != trained.bytes(dtype) for dtype in ITEM_BYTES):
            keys.append(PEAK_BYTES.key)
        return {key: self.memory_rows[INTENSITY.key] + 4 + i for i, key in enumerate(keys)}

    @property
    def first_part_row(self) -> int:
        """The row of the first part of the cost."""
        return max([self.memory_rows[INTENSITY.key], *self.inference_rows.values()]) + 4

    @property
    def charts_row(self) -> int:
        """The row in which the charts begin."""
        return self.first_part_row + len(self.parts) + 1

    # The layers

    @property
    def layers_total_row(self) -> int:
        """The row of the totals below the layers."""
        return FIRST_LAYER_ROW + len(self.sheet.rows)

    def quantity_column(self, quantity: Quantity) -> str:
        """Return the letter of a quantity's column on the layers sheet."""
        return get_column_letter(FIRST_QUANTITY_COLUMN + QUANTITIES.index(quantity))

    @property
    def layer_rows(self) -> tuple[int, int]:
        """The first and last row of the layers."""
        return FIRST_LAYER_ROW, max(FIRST_LAYER_ROW, self.layers_total_row - 1)

    # The scaling sheet

    @cached_property
    def scaled_columns(self) -> dict[str, str]:
        """The column of each quantity, of each part (`part 0`) and of each size (`size n`) of a step."""
        keys = [quantity.key for quantity in QUANTITIES]
        keys += [f"part {i}" for i in range(len(self.parts))]
        keys += [f"size {size.name}" for size in (*self.settable, *(s for s in self.sheet.sizes if s.kind == "derived"))]
        return {key: get_column_letter(FIRST_SCALED_COLUMN + i) for i, key in enumerate(keys)}

    # The presets

    @property
    def first_column(self) -> str:
        """The letter of the first preset."""
        return self.columns[0].letter

    @property
    def last_column(self) -> str:
        """The letter of the last column, which is one of the user's own."""
        return self.own_columns[-1].letter

    @property
    def rightmost_column(self) -> str:
        """The letter of the last column that is written, whoever's it is."""
        return (*self.own_columns, *self.other_columns)[-1].letter

    @cached_property
    def filled_columns(self) -> tuple[PresetColumn, ...]:
        """The columns of all presets of the spec."""
        return (*self.columns, *self.other_columns)

    @cached_property
    def example_sizes(self) -> tuple[Size, ...]:
        """The sizes for which some column of the sheet needs an example."""
        return tuple(size for size in self.sheet.sizes if any(size.name in column.examples for column in self.filled_columns))

    @cached_property
    def published_rows(self) -> dict[str, int]:
        """The row of each settable size among the published ones."""
        return {size.name: FIRST_PUBLISHED_ROW + i for i, size in enumerate(self.settable)}

    @cached_property
    def example_rows(self) -> dict[str, int]:
        """The row of each example value, below a heading; none where no size is open."""
        first = FIRST_PUBLISHED_ROW + len(self.settable) + 1
        return {size.name: first + i for i, size in enumerate(self.example_sizes)}

    @cached_property
    def all_size_rows(self) -> dict[str, int]:
        """The row of each size among all sizes."""
        above = FIRST_PUBLISHED_ROW + len(self.settable) + (len(self.example_sizes) + 1 if self.example_sizes else 0)
        return {name: above + 1 + i for i, name in enumerate(self.order)}

    @cached_property
    def preset_total_rows(self) -> dict[str, int]:
        """The row of each total at the presets' sizes."""
        above = FIRST_PUBLISHED_ROW + len(self.settable) + (len(self.example_sizes) + 1 if self.example_sizes else 0)
        first = above + len(self.order) + 2
        return {quantity.key: first + i for i, quantity in enumerate(QUANTITIES)}

    @cached_property
    def preset_weight_rows(self) -> dict[str, int]:
        """The row of what the weights take in each of `WEIGHT_FORMATS`, below a heading."""
        first = self.preset_total_rows[QUANTITIES[-1].key] + 2
        return {name: first + i for i, name in enumerate(WEIGHT_FORMATS)}

    @cached_property
    def preset_share_rows(self) -> tuple[int, ...]:
        """The row of each part's share in the main quantity, below a heading; none where the cost has no parts."""
        first = self.preset_weight_rows[WEIGHT_FORMATS[-1]] + 2
        return tuple(first + i for i in range(len(self.parts)))

    @property
    def last_figure_row(self) -> int:
        """The last row of what presets come to."""
        return max([*self.preset_weight_rows.values(), *self.preset_share_rows])

    @cached_property
    def expected(self) -> tuple[Quantity, ...]:
        """The quantities for which some preset has a total that it must come to."""
        return tuple(quantity for quantity in QUANTITIES if any(quantity.key in column.expect for column in self.filled_columns))

    @cached_property
    def expected_rows(self) -> dict[str, int]:
        """The row of each expected total; the row below it holds the difference."""
        first = self.last_figure_row + 2
        return {quantity.key: first + 2 * i for i, quantity in enumerate(self.expected)}

    @property
    def implementation_row(self) -> int:
        """The row that names the public implementations, below the totals that they have."""
        return max(self.expected_rows.values()) + 2

    @cached_property
    def printed(self) -> tuple[Quantity, ...]:
        """The quantities of which a source prints a number for some preset."""
        names = {column.name for column in self.filled_columns}
        of_presets = {claim.quantity for claim in self.sheet.claims if claim.of_preset in names}
        return tuple(quantity for quantity in QUANTITIES if quantity.key in of_presets)

    @cached_property
    def printed_rows(self) -> dict[str, int]:
        """The row of what sources print of each quantity."""
        above = self.implementation_row if self.expected else self.last_figure_row
        return {quantity.key: above + 2 + i for i, quantity in enumerate(self.printed)}

    @property
    def notes_row(self) -> int:
        """The row of what presets have to say for themselves, below all others."""
        above = self.implementation_row if self.expected else self.last_figure_row
        return max([*self.printed_rows.values(), above]) + 1

    def preset_range(self, row: int) -> str:
        """Return a row of the presets sheet over all presets, from another sheet."""
        return self.at("presets", f"${self.first_column}${row}:${self.last_column}${row}")

    def whole_range(self, row: int) -> str:
        """Return a row of the presets sheet over all columns, those of other options included, from another sheet."""
        return self.at("presets", f"${self.first_column}${row}:${self.rightmost_column}${row}")

    def preset_value(self, row: int) -> str:
        """Return the formula of a row's cell in the column in use."""
        return f"INDEX({self.preset_range(row)},{self.at('presets', COLUMN_IN_USE_CELL)})"


def make_plan(sheet: Sheet, words: Texts) -> Plan:
    """Decide the layout of a sheet's workbook. Raises NoExampleError where open sizes cannot be filled."""
    columns = []
    for i, view in enumerate(views(sheet)):
        letter = get_column_letter(FIRST_PRESET_COLUMN + i)
        preset = view.preset or SheetPreset(EXAMPLE, {}, {})
        published = held(sheet.sizes, preset.sizes, sheet.families)  # what follows goes on to follow what is typed
        columns.append(PresetColumn(preset.name, letter, published, view.examples, preset.expect, preset.cite, view.sizes, sheet))
    own = []
    for i in range(SPARE_COLUMNS):
        letter = get_column_letter(FIRST_PRESET_COLUMN + len(columns) + i)
        own.append(PresetColumn(words("presets.yours") if i == 0 else "", letter, {}, {}, {}, "", columns[0].values, sheet, is_own=True))
    first_other = FIRST_PRESET_COLUMN + len(columns) + len(own)
    others = [_other_column(sheet, preset, get_column_letter(first_other + i)) for i, preset in enumerate(sheet.other_presets)]
    return Plan(sheet, words, tuple(columns), tuple(own), tuple(others))


def _other_column(sheet: Sheet, preset: SheetPreset, letter: str) -> PresetColumn:
    """Return the column of a preset with options or blocks of its own. Raises NoExampleError as `make_plan`."""
    under = sheet.under(preset)
    view = searched_view(under, preset)
    if isinstance(view, NoExampleError):
        raise view
    published = held(under.sizes, preset.sizes, under.families)
    return PresetColumn(
        preset.name, letter, published, view.examples, preset.expect, preset.cite, view.sizes, under, choices=preset.choices
    )
