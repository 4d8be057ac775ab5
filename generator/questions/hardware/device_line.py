"""A device as a line of a table, and as plain data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from generator.questions.hardware.device import Device

_GIB = 1 << 30


def device_row(device: Device) -> list[str]:
    """Return its name, title, memory, bandwidth, power, peaks and other names as texts."""
    peaks = ", ".join(f"{key} {float(peak) / 10**12:,.6g}" for key, peak in device.peak.items())
    power = "" if device.power is None else f"{float(device.power):g} W"
    also = ", ".join(device.also)
    return [device.name, device.title, memory_text(device.memory), bandwidth_text(device.bandwidth), power, peaks or "none known", also]


def device_data(device: Device) -> dict[str, Any]:
    """Return all of it as plain data: bytes, bytes a second, operations a second and watts."""
    return {
        "name": device.name,
        "title": device.title,
        "also": list(device.also),
        "memory_bytes": device.memory,
        "bandwidth": number(device.bandwidth),
        "peak": {key: number(peak) for key, peak in device.peak.items()},
        "link": number(device.link),
        "power": number(device.power),
        "price": None if device.price is None else {"amount": number(device.price.amount), "currency": device.price.currency},
        "sources": {key: {"text": one.text, "url": one.url} for key, one in device.sources.items()},
    }


def memory_text(size: int) -> str:
    """Return bytes in the unit in which they come out even: 80 GB or 32 GiB."""
    return f"{size // _GIB:,} GiB" if size % _GIB == 0 else f"{size / 10**9:,g} GB"


def bandwidth_text(bandwidth: Fraction) -> str:
    """Return bytes a second: 2,039 GB/s."""
    return f"{float(bandwidth) / 10**9:,.6g} GB/s"


def peak_text(peak: Fraction, compute: str) -> str:
    """Return operations a second: 312 TFLOP/s, or TOP/s where the format has whole numbers."""
    return f"{float(peak) / 10**12:,.6g} {'TOP/s' if compute.startswith('int') else 'TFLOP/s'}"


def number(value: Fraction | None) -> int | float | None:
    """Return a number for JSON: whole where it is whole."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(value)
