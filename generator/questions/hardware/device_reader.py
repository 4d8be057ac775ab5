"""Reads devices: YAML files in the folder `hardware` of a library of specs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from generator.questions.hardware.amounts import BANDWIDTH, MEMORY, OPERATIONS, POWER, amount, split_amount
from generator.questions.hardware.device import Device, Price, PrintedAt
from generator.questions.memory.stored_formats import STORED_FORMATS
from generator.spec.library import shown
from generator.spec.validation import read_held
from generator.spec.yaml_reader import Node, find, load_source, plain
from generator.text.errors import SizeError
from generator.text.problems import Problems
from generator.text.suggest import did_you_mean, listed

_KINDS: Mapping[str, tuple[Mapping[str, int], str, str]] = {
    "memory": (MEMORY, "amount of memory", "80 GB (10^9 bytes) or 80 GiB (2^30 bytes)"),
    "bandwidth": (BANDWIDTH, "bandwidth", "2039 GB/s"),
    "link": (BANDWIDTH, "bandwidth", "600 GB/s"),
    "power": (POWER, "power", "400 W"),
    "peak": (OPERATIONS, "number of operations a second", "312 TFLOP/s, or 624 TOP/s of whole numbers"),
}


def read_device(file: Path) -> Device:
    """Return a device.

    Raises:
        ProblemsError: with all that is wrong, each with its line.
    """
    tree = read_held(load_source(file, shown(file)), Path(__file__).with_name("schema.json"))
    return _DeviceReader(tree, file.stem).device()


class _DeviceReader:
    """Turns the tree of one file, which the schema allows, into a device."""

    def __init__(self, tree: Node, name: str) -> None:
        self.tree, self.name = tree, name
        self.data: Mapping[str, Any] = plain(tree)
        self.problems = Problems()
        self.sources: dict[str, PrintedAt] = {}
        self.cited: set[str] = set()

    def device(self) -> Device:
        data = self.data
        peak = {key: self._number(("peak", key)) for key in data.get("peak", {}) if self._is_format(key)}
        numbers = {key: self._number((key,)) for key in ("memory", "bandwidth", "link", "power") if key in data}
        price = self._price() if "price" in data else None
        self._find_unused()
        self.problems.raise_if_any()
        return Device(
            self.name,
            " ".join(data["title"].split()),
            int(numbers["memory"]),
            numbers["bandwidth"],
            tuple(data.get("also", ())),
            peak,
            numbers.get("link"),
            numbers.get("power"),
            price,
            self.sources,
        )

    def _is_format(self, key: str) -> bool:
        if key in STORED_FORMATS:
            return True
        span, _ = find(self.tree, ("peak", key))
        self.problems.add(
            f"unknown number format `{key}`", span, *did_you_mean(key, STORED_FORMATS), f"formats: {listed(STORED_FORMATS, limit=30)}"
        )
        return False

    def _number(self, path: tuple[str, ...]) -> Fraction:
        """Return a number in its base unit; 0 after reporting what is wrong with it."""
        written = self._written(path)
        try:
            return amount(written, *_KINDS[path[0]])
        except SizeError as error:
            self.problems.add(error.message, find(self.tree, (*path, "is"))[1], *error.notes)
            return Fraction(0)

    def _price(self) -> Price | None:
        written = self._written(("price",))
        number, unit = split_amount(written)
        currency, slash, per = unit.partition("/")
        if number is None or not currency or (slash, per) != ("/", "h"):
            self.problems.add(f"`{written}` is no price", find(self.tree, ("price", "is"))[1], "it is written 2.50 USD/h")
            return None
        return Price(number, currency)

    def _written(self, path: tuple[str, ...]) -> str:
        """Return what the file says at a place, and note the source."""
        entry: Any = self.data
        for key in path:
            entry = entry[key]
        key, known = entry["from"], self.data["sources"]
        self.cited.add(key)
        if key in known:
            self.sources[".".join(path)] = PrintedAt(" ".join(known[key]["text"].split()), known[key].get("url", ""))
        else:
            span = find(self.tree, (*path, "from"))[1]
            self.problems.add(f"`{key}` is not among the sources", span, *did_you_mean(key, known), f"sources: {listed(known)}")
        return str(entry["is"])

    def _find_unused(self) -> None:
        for key in self.data["sources"]:
            if key not in self.cited:
                self.problems.add(
                    f"no number comes from the source `{key}`", find(self.tree, ("sources", key))[0], "remove it, or name it under `from`"
                )
