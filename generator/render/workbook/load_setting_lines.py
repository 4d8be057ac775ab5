"""Rows of the workings: what is chosen on the sheet of memory and time, and the sizes that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from generator.questions.hardware.device_names import builtin_devices
from generator.render.workbook.cells import quoted
from generator.render.workbook.conditions import broken_conditions, broken_value
from generator.render.workbook.devices import BANDWIDTH, MEMORY, NAME, PRICE, column_of, peak_names, peaks_of
from generator.render.workbook.load_choices import (
    COMPUTE,
    EFFICIENCY,
    FORMAT,
    OPTIMISER,
    OPTIMISERS,
    STEP,
    TRAINING,
    choice_row,
    task_names,
)
from generator.render.workbook.load_line import Setting, Values, WorkingLine, WorkingLines, ref, table_range
from generator.render.workbook.stamp import Value
from generator.render.workbook.typed import is_size, unless_given
from generator.sheet.sheet import Size


class SettingLines(WorkingLines):
    """Makes the rows of settings and sizes."""

    def all(self) -> Iterator[WorkingLine]:
        """Yield all of them, from top to bottom."""
        yield from self._settings()
        yield from self._sizes()

    # What is chosen

    def _choice(self, key: str) -> str:
        """Return the cell of a choice, with a place for the letter of its column."""
        return self.plan.at("load", f"$\x03${choice_row(key)}")

    def _setting(self, key: str, text: str, value: Callable[[Setting, Values], Value]) -> WorkingLine:
        return WorkingLine(key, self._label(key), text, value, guarded=False)

    def _settings(self) -> Iterator[WorkingLine]:
        tasks = task_names(self.words, self.workload)
        task = self._choice("task")
        number = "".join(f"IF({task}={quoted(name)},{i}," for i, name in enumerate(tasks, start=1)) + "0" + ")" * len(tasks)
        yield self._setting("task", f"IFERROR({number},0)", lambda one, _: one.task)
        compute = self._choice("compute")
        item = "".join(f"IF({compute}={quoted(name)},{size}," for name, size in COMPUTE.items()) + "0" + ")" * len(COMPUTE)
        yield self._setting("item", f"IFERROR({item},0)", lambda *_: COMPUTE[FORMAT])
        trained = f"{ref('task')}={TRAINING}"
        yield self._setting("weight_item", f"IF({trained},{ref('item')},{self._stored('weights', ref('item'))})", _item)
        yield self._setting("cache_item", self._stored("cache", ref("item")), _item)
        row = f"MATCH({self._choice('optimiser')},{table_range('optimiser')},0)"
        yield self._setting("optimiser", f"IFERROR({row},0)", lambda *_: OPTIMISERS.index(OPTIMISER) + 1)
        yield self._setting("state_item", self._stored("states", ref("item")), _item)
        yield self._setting("master_item", self._stored("master", "0"), lambda *_: 0)
        yield from self._device()
        efficiency = self._choice("efficiency")
        is_part = f"AND(ISNUMBER({efficiency}),{efficiency}>0,{efficiency}<=1)"
        yield self._setting("efficiency", f"IFERROR(IF({is_part},{efficiency},0),0)", lambda *_: EFFICIENCY)
        yield self._setting("batch", self._typed_size("batch", self.workload.batch), lambda one, _: one.sizes.get(self.workload.batch, 1))
        yield self._setting("setting_wrong", self._setting_wrong(), lambda *_: "")

    def _stored(self, key: str, by_default: str) -> str:
        """Return the formula of the bytes of a number in a format; below zero where there is none of the name."""
        at = self._choice(key)
        found = f"INDEX({table_range('format_bytes')},MATCH({at},{table_range('format')},0))"
        return f'IFERROR(IF({at}="",{by_default},{found}),-1)'

    def _device(self) -> Iterator[WorkingLine]:
        names = self.plan.at("devices", column_of(NAME))
        order = [device.name for device in builtin_devices()]
        by_name = {device.name: device for device in builtin_devices()}
        yield self._setting("device", f"IFERROR(MATCH({self._choice('device')},{names},0),0)", lambda one, _: order.index(one.device) + 1)
        column = {"memory": MEMORY, "bandwidth": BANDWIDTH, "price": PRICE}
        found = {key: f"INDEX({self.plan.at('devices', column_of(letter))},{ref('device')})" for key, letter in column.items()}
        memory = self._over("memory", f"ROUND({found['memory']}*10^9,0)", "ROUND({at}*10^9,0)")
        yield self._setting("memory", memory, lambda one, _: by_name[one.device].memory)
        bandwidth = self._over("bandwidth", f"{found['bandwidth']}*10^9", "{at}*10^9")
        yield self._setting("bandwidth", bandwidth, lambda one, _: by_name[one.device].bandwidth)
        products, compute = self._choice("products"), self._choice("compute")
        heads = self.plan.at("devices", peak_names())
        kind = f'MATCH(IF({products}="",{compute},{products}),{heads},0)'
        peak = f"INDEX({self.plan.at('devices', peaks_of())},{ref('device')},{kind})*10^12"
        yield self._setting(
            "peak", self._over("peak", peak, "{at}*10^12"), lambda one, _: by_name[one.device].peak.get(FORMAT, Fraction(0))
        )
        yield self._setting("price", self._over("price", found["price"], "{at}"), lambda *_: 0)

    def _over(self, key: str, of_device: str, typed: str) -> str:
        """Return the formula of what is typed over a device's number; 0 where neither is known, below zero where it is no number."""
        at = self._choice(key)
        given = f"IF(AND(ISNUMBER({at}),{at}>0),{typed.format(at=at)},-1)"
        return f'IFERROR(IF({at}="",IF({ref("device")}>0,IFERROR(MAX(0,{of_device}),0),0),{given}),-1)'

    def _typed_size(self, key: str, name: str) -> str:
        if not name:
            return "1"
        at = self._choice(key)
        return f'IFERROR(IF({at}="",{self.plan.names[name]},IF({is_size(at)},{at},0)),0)'

    def _setting_wrong(self) -> str:
        """Return the formula of the first sentence on a choice that cannot be used; empty where all can."""
        wrong = {
            "task": f"{ref('task')}=0",
            "compute": f"{ref('item')}=0",
            "weights": f"{ref('weight_item')}<0",
            "cache": f"{ref('cache_item')}<0",
            "optimiser": f"{ref('optimiser')}=0",
            "states": f"{ref('state_item')}<0",
            "master": f"{ref('master_item')}<0",
            "memory": f"{ref('memory')}<=0",
            "bandwidth": f"{ref('bandwidth')}<=0",
            "peak": f"{ref('peak')}<0",
            "efficiency": f"{ref('efficiency')}=0",
            "price": f"{ref('price')}<0",
            "batch": f"{ref('batch')}<1",
        }
        text = '""'
        for key, condition in reversed(wrong.items()):
            text = f"IF({condition},{quoted(self.words(f'load.bad_{key}'))},{text})"
        return text

    # The sizes

    def _sizes(self) -> Iterator[WorkingLine]:
        name = self.workload.length
        typed = self._typed_size("length", name)
        yield WorkingLine("length", self._label("length"), typed, lambda one, _: one.length, in_grid=True, guarded=False)
        for size in self.plan.sheet.sizes:
            label = self._label("size", name=size.name, meaning=self.plan.meaning(size))
            yield WorkingLine(f"size {size.name}", label, self._size(size), _size_value(size.name), in_grid=True, guarded=False)
        state = self._broken()
        bad = quoted(self.words("load.bad_length"))
        text = f'IF({ref("setting_wrong")}<>"",{ref("setting_wrong")},IF({ref("length")}<1,{bad},{state}))'
        yield WorkingLine("wrong", self._label("wrong"), text, self._wrong_value, in_grid=True, guarded=False)

    def _size(self, size: Size) -> str:
        """Return the formula of a size: batch and length as chosen, others as in use; what follows from others follows here too."""
        own = self.formulas.text(size.value, self.cells) if size.value is not None else ""
        if size.name == self.workload.batch:
            return ref("batch")
        if size.name == self.workload.length:
            return f"IF({ref('task')}={STEP},1,{ref('length')})" if self.workload.decodes else ref("length")
        for growth in self.plan.sheet.growths:
            if size.name == growth.other.name:
                return f"IF({ref('task')}={STEP},{ref('length')}-1,0)" if growth.is_past else ref("length")
        if size.kind == "derived":
            return own
        return unless_given(self.plan, size, own) if size.kind == "default" else self.plan.names[size.name]

    def _broken(self) -> str:
        """Return the formula that names the conditions that a column's sizes break."""
        sizes = [size.name for size in self.plan.sheet.sizes]
        if not sizes:
            return '""'
        cells = f"{ref(f'size {sizes[0]}')}:{ref(f'size {sizes[-1]}')}"
        whole = f"SUMPRODUCT(({cells}>={self._least})*({cells}=INT({cells})))=ROWS({cells})"
        return broken_conditions(self.plan, self.formulas, self.cells, whole)

    @property
    def _least(self) -> int:
        """The least that a size may be: there may be nothing before the first step."""
        return 0 if any(growth.is_past for growth in self.plan.sheet.growths) else 1

    def _wrong_value(self, one: Setting, _: Values) -> str:
        sizes: list[Any] = [one.sizes[size.name] for size in self.plan.sheet.sizes]
        if not all(isinstance(size, int) and size >= self._least for size in sizes):
            return self.words("scaling.not_whole")
        return broken_value(self.plan, one.sizes)


def _item(_: Setting, values: Values) -> Value:
    item: Value = values["item"]
    return item


def _size_value(name: str) -> Callable[[Setting, Values], Value]:
    return lambda one, _: one.sizes[name]
