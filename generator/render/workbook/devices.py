"""The sheet of devices: what each can do at most, with its sources, and rows for the reader's own."""

from __future__ import annotations

from fractions import Fraction

from openpyxl.utils import get_column_letter

from generator.questions.hardware.device import Device
from generator.questions.hardware.device_names import builtin_devices
from generator.render.workbook.cells import Page
from generator.render.workbook.large_numbers import name_whole
from generator.render.workbook.sheet_plan import Plan

PEAKS = ("float32", "tf32", "bfloat16", "float16", "fp8", "int8", "int4", "mxfp4", "nvfp4")  # formats of products
SPARE_ROWS = 8  # for the reader's own
HEAD_ROW = 4
FIRST_ROW = HEAD_ROW + 1
WIDTHS = (16, 20, 10, 9, 12, 8.5, 8.5)  # with the peaks a page wide
PEAK_WIDTH, SOURCE_WIDTH = 7, 130  # the sources with the names again
NAME, TITLE, MEMORY, GIB, BANDWIDTH, POWER, PRICE = "ABCDEFG"
FIRST_PEAK = "H"
LAST_PEAK = get_column_letter(len(WIDTHS) + len(PEAKS))
SOURCE = get_column_letter(len(WIDTHS) + len(PEAKS) + 1)


def last_row() -> int:
    """Return the row of the last device, the reader's own included."""
    return FIRST_ROW + len(builtin_devices()) + SPARE_ROWS - 1


def column_of(letter: str) -> str:
    """Return a column over all devices."""
    return f"${letter}${FIRST_ROW}:${letter}${last_row()}"


def peaks_of() -> str:
    """Return the peaks of all devices, over all formats."""
    return f"${FIRST_PEAK}${FIRST_ROW}:${LAST_PEAK}${last_row()}"


def peak_names() -> str:
    """Return the heads of the peaks: the formats."""
    return f"${FIRST_PEAK}${HEAD_ROW}:${LAST_PEAK}${HEAD_ROW}"


def write_devices(page: Page, plan: Plan) -> None:
    """Write the sheet."""
    words = plan.words
    page.widths([*WIDTHS, *[PEAK_WIDTH] * len(PEAKS), SOURCE_WIDTH])
    page.headed(words("devices.title"), words("devices.note", first=FIRST_ROW + len(builtin_devices()), last=last_row()))
    page.text(page.merged(f"{FIRST_PEAK}3:{LAST_PEAK}3", "Section"), words("devices.peaks"), "Section")
    heads = [words(f"devices.{key}") for key in ("name", "device", "memory", "gibibytes", "bandwidth", "power", "price")]
    page.row(HEAD_ROW, heads, "Column head")
    for letter, head in zip((MEMORY, GIB, BANDWIDTH, POWER, PRICE), heads[2:], strict=True):
        page.text(f"{letter}{HEAD_ROW}", head, "Column head, number")
    for i, name in enumerate(PEAKS):
        page.text(f"{get_column_letter(len(WIDTHS) + 1 + i)}{HEAD_ROW}", name, "Column head, narrow")
    page.text(f"{SOURCE}{HEAD_ROW}", words("devices.source"), "Column head")
    page.height(HEAD_ROW, [(head, width - 2) for head, width in zip(heads, WIDTHS, strict=True)], least=2)
    for row, device in enumerate(builtin_devices(), start=FIRST_ROW):
        _write_device(page, row, device)
    for row in range(FIRST_ROW + len(builtin_devices()), last_row() + 1):
        _write_spare(page, row)
    name_whole(page, f"{MEMORY}{FIRST_ROW}:{POWER}{last_row()}")
    page.sheet.freeze_panes = f"C{FIRST_ROW}"


def _write_device(page: Page, row: int, device: Device) -> None:
    page.text(f"{NAME}{row}", device.name, "Label")
    page.text(f"{TITLE}{row}", device.title, "Words")
    page.number(f"{MEMORY}{row}", device.memory / 10**9, "Rounded size")
    _write_gibibytes(page, row, Fraction(device.memory))
    page.number(f"{BANDWIDTH}{row}", float(device.bandwidth) / 10**9, "Rounded size")
    _number(page, f"{POWER}{row}", device.power, 1, "Rounded size")
    if device.price is None:
        page.blank(f"{PRICE}{row}", "Input value")
    else:
        page.number(f"{PRICE}{row}", float(device.price.amount), "Input value")
    for i, name in enumerate(PEAKS):
        _number(page, f"{get_column_letter(len(WIDTHS) + 1 + i)}{row}", device.peak.get(name), 10**12, "Calculation")
    found = dict.fromkeys(f"{one.text} {one.url}".strip() for one in device.sources.values())
    text = "; ".join(found)
    page.text(f"{SOURCE}{row}", text, "Muted words")
    page.height(row, [(text, SOURCE_WIDTH), (device.title, WIDTHS[1]), (device.name, WIDTHS[0] - 2)])


def _write_gibibytes(page: Page, row: int, memory: Fraction | None) -> None:
    at = f"{MEMORY}{row}"
    shown = "" if memory is None else memory / (1 << 30)
    page.formula(f"{GIB}{row}", f'IF(ISNUMBER({at}),{at}*10^9/2^30,"")', shown, "Rounded size")


def _number(page: Page, at: str, value: Fraction | None, unit: int, style: str) -> None:
    if value is None:
        page.blank(at, style)
    else:
        page.number(at, float(value) / unit, style)


def _write_spare(page: Page, row: int) -> None:
    """Write a row for a device of the reader's own."""
    for letter in (NAME, TITLE):
        page.blank(f"{letter}{row}", "Input word")
    for i in range(len(WIDTHS) - 2 + len(PEAKS)):
        page.blank(f"{get_column_letter(3 + i)}{row}", "Input value")
    _write_gibibytes(page, row, None)
    page.blank(f"{SOURCE}{row}", "Input word")
