"""What stands where: decided before anything is written, because the sheets refer to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from openpyxl.utils import get_column_letter

from generator.claims import complete
from generator.render.workbook.example import example_sizes
from generator.render.workbook.names import excel_names
from generator.render.workbook.texts import Texts
from generator.sheet import QUANTITIES, Quantity, Sheet, Size

EXAMPLE = "example"  # the column of a spec without presets

PRESET_CELL = "$B$2"  # on the summary
FIRST_SIZE_ROW = 10
FIRST_PRESET_COLUMN = 3
PRESET_NAMES_ROW = 4
COLUMN_IN_USE_CELL = "$B$6"  # on the presets sheet
FIRST_PUBLISHED_ROW = 8
FIRST_CHECK_ROW = 5
FIRST_LAYER_ROW = 5
FIRST_QUANTITY_COLUMN = 6  # on the layers sheet


@dataclass(frozen=True)
class PresetColumn:
    """A column of the presets sheet: published sizes, our examples for those left open, and all sizes that follow."""

    name: str
    letter: str
    published: Mapping[str, int]
    examples: Mapping[str, int]
    expect: Mapping[str, int]
    cite: str
    values: Mapping[str, int]  # all sizes, defaults and derived ones included


@dataclass(frozen=True)
class Plan:
    """The names, columns and rows of one workbook."""

    sheet: Sheet
    words: Texts
    columns: tuple[PresetColumn, ...]

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
        return f"{self.words('sheets.summary')}!$D${self.total_rows[quantity.key]}"

    # The layers

    @property
    def layers_total_row(self) -> int:
        """The row of the totals below the layers."""
        return FIRST_LAYER_ROW + len(self.sheet.rows)

    def quantity_column(self, quantity: Quantity) -> str:
        """Return the letter of a quantity's column on the layers sheet."""
        return get_column_letter(FIRST_QUANTITY_COLUMN + QUANTITIES.index(quantity))

    # The presets

    @property
    def first_column(self) -> str:
        """The letter of the first preset."""
        return self.columns[0].letter

    @property
    def last_column(self) -> str:
        """The letter of the last preset."""
        return self.columns[-1].letter

    @cached_property
    def published_rows(self) -> dict[str, int]:
        """The row of each settable size among the published ones."""
        return {size.name: FIRST_PUBLISHED_ROW + i for i, size in enumerate(self.settable)}

    @cached_property
    def example_rows(self) -> dict[str, int]:
        """The row of each example value, below a heading; none where no size is open."""
        first = FIRST_PUBLISHED_ROW + len(self.settable) + 1
        return {size.name: first + i for i, size in enumerate(self.open_sizes)}

    @cached_property
    def all_size_rows(self) -> dict[str, int]:
        """The row of each size among all sizes."""
        above = FIRST_PUBLISHED_ROW + len(self.settable) + (len(self.open_sizes) + 1 if self.open_sizes else 0)
        return {name: above + 1 + i for i, name in enumerate(self.order)}

    @cached_property
    def preset_total_rows(self) -> dict[str, int]:
        """The row of each total at the presets' sizes."""
        first = FIRST_PUBLISHED_ROW + len(self.settable) + (len(self.open_sizes) + 1 if self.open_sizes else 0) + len(self.order) + 2
        return {quantity.key: first + i for i, quantity in enumerate(QUANTITIES)}

    @cached_property
    def expected(self) -> tuple[Quantity, ...]:
        """The quantities for which some preset publishes a total."""
        return tuple(quantity for quantity in QUANTITIES if any(quantity.key in column.expect for column in self.columns))

    @cached_property
    def expected_rows(self) -> dict[str, int]:
        """The row of each published total; the row below it holds the difference."""
        first = self.preset_total_rows[QUANTITIES[-1].key] + 2
        return {quantity.key: first + 2 * i for i, quantity in enumerate(self.expected)}

    def preset_range(self, row: int) -> str:
        """Return a row of the presets sheet over all presets, from another sheet."""
        return f"{self.words('sheets.presets')}!${self.first_column}${row}:${self.last_column}${row}"

    def preset_value(self, row: int) -> str:
        """Return the formula of a row's cell in the column in use."""
        return f"INDEX({self.preset_range(row)},{self.words('sheets.presets')}!{COLUMN_IN_USE_CELL})"


def make_plan(sheet: Sheet, words: Texts) -> Plan:
    """Decide the layout of a sheet's workbook. Raises NoExampleError where open sizes cannot be filled."""
    presets = [(preset.name, preset.sizes, preset.expect, preset.cite) for preset in sheet.presets] or [(EXAMPLE, {}, {}, "")]
    columns = []
    for i, (name, published, expect, cite) in enumerate(presets):
        examples = example_sizes(sheet, published)
        values = {size: value for size, value in complete(sheet.sizes, {**published, **examples}).items() if value is not None}
        letter = get_column_letter(FIRST_PRESET_COLUMN + i)
        columns.append(PresetColumn(name, letter, published, examples, expect, cite, values))
    return Plan(sheet, words, tuple(columns))
