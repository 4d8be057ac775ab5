"""What a model takes at least on each device, on its page: bounds, of which `gen time` has more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import ceil

from generator.formulas.human import rounded
from generator.quantities import PARAMS, STATE_ELEMENTS
from generator.questions.hardware.device import Device
from generator.questions.hardware.device_line import bandwidth_text, memory_text, peak_text
from generator.questions.hardware.device_names import builtin_devices
from generator.questions.memory.decoding_passes import step_cost, step_size
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.mixed_formats import in_bytes
from generator.questions.memory.stored_formats import stored_format
from generator.questions.time.roofline import TimeSetting, bound_of, rate
from generator.questions.time.work import Work, forward_work, items_of
from generator.render.markdown.escape_markdown import code
from generator.render.markdown.table_rows import MarkdownTable, table
from generator.render.terminal.durations import time_text
from generator.sheet.costing import Cost, cost_of
from generator.sheet.example import known_views
from generator.sheet.sheet import Sheet
from generator.text.errors import SizeError

DTYPE = "bfloat16"
PASTS = (8191, 4095, 1023, 511, 127)  # tokens before the one that comes: the most of them that the spec allows


@dataclass(frozen=True)
class OnDevices:
    """The pass in words, and the table of devices."""

    intro: str
    devices: MarkdownTable


def on_devices_section(sheet: Sheet) -> OnDevices | None:
    """Return the section, of the first preset; None for a spec without presets, of which no sizes are known, or beyond floating point."""
    is_traced = bool(sheet.ends_moved)  # what a pass moves is not known of others
    preset = sheet.presets[0].name if sheet.presets and is_traced else None
    found = None if preset is None else _pass_of(sheet, preset)
    if found is None:
        return None
    with suppress(OverflowError):  # beyond floating point, no device takes a time that anybody waits for
        return _section(str(preset), *found)
    return None


def _section(preset: str, what: str, cost: Cost) -> OnDevices:
    stored = stored_format(DTYPE)
    setting = MemorySetting(DTYPE, stored, stored)
    work, items = forward_work(cost, setting), items_of(cost)
    held = in_bytes(cost.value(PARAMS.key) + cost.value(STATE_ELEMENTS.key), stored.bytes_each)
    sizes = ", ".join(f"{size.name} = {cost.dims[size.name]:,}" for size in cost.sheet.sizes if size.kind != "derived")
    intensity = f", {_three_digits(float(work.flops) / float(work.bytes))} FLOP for each byte" if work.bytes else ""
    least = f"{rounded(round(work.flops), 'FLOP')} of contractions and {rounded(round(work.bytes), 'bytes')} through the memory{intensity}"
    intro = (
        f"{code(preset)}, {what}, weights and caches in {DTYPE} ({sizes}): at least {least}. "
        "Nothing is faster than these times, unless weights stay in memory on the chip from pass to pass, and none is measured; "
        f"{code(f'gen time {preset}')} has them for other sizes, for generations and training."
    )
    head = ("Device", "Peak", "Bandwidth", "Peak / bandwidth", "Weights and caches", "At least", "Bound by", f"{items[1]} a second at most")
    rows = [[*_row(device, what, items, work, held)] for device in builtin_devices()]
    return OnDevices(intro, table(head, rows, right=head[1:6] + head[7:]))


def _pass_of(sheet: Sheet, preset: str) -> tuple[str, Cost] | None:
    """Return a step of one token where the spec decodes, else a forward pass at the sizes of an example; None where none are known."""
    examples = dict(known_views(sheet)[0].examples)
    for past in _pasts(sheet):
        try:
            step = step_cost(sheet, preset, examples, DTYPE, past)
            step.require_all()
        except SizeError:
            continue
        return f"a token behind {past:,} others", step
    try:
        one = cost_of(sheet, preset, examples, DTYPE)
        one.require_all()
    except SizeError:
        return None
    return "a forward pass", one


def _pasts(sheet: Sheet) -> tuple[int, ...]:
    try:
        step_size(sheet)
    except SizeError:
        return ()
    return PASTS


def _row(device: Device, what: str, items: tuple[int, str], work: Work, held: int) -> Iterator[str]:
    compute = next((one for one in (DTYPE, "float16", "float32") if one in device.peak), DTYPE)
    setting = TimeSetting(device, compute)
    least = bound_of("", what, items, work, setting)
    yield device.title
    yield f"{peak_text(device.peak[compute], compute)} in {compute}" if setting.peak else "not known"
    yield bandwidth_text(device.bandwidth)
    yield f"{setting.peak / float(device.bandwidth):,.0f} FLOP/byte" if setting.peak else ""
    yield _part(held, device.memory)
    yield time_text(least.seconds)
    yield least.limit
    speed = rate(least.items, least.seconds) or 0.0
    yield f"{speed:,.1f}" if speed < 1000 else f"{speed:,.0f}"


def _part(held: int, there: int) -> str:
    """Return what part of a memory is taken."""
    if held > there:
        return f"more than {memory_text(there)}"
    percent = ceil(100 * held / there)
    return f"{'under ' if percent == 1 else ''}{percent}% of {memory_text(there)}"


def _three_digits(value: float) -> str:
    """Return a number to three digits, without an exponent."""
    return f"{float(f'{value:.3g}'):,.10g}"
