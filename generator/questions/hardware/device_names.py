"""Which devices can be named, and which of them was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from generator.files.resources import builtin_specs_dir
from generator.questions.hardware.device import Device
from generator.questions.hardware.device_reader import read_device
from generator.spec.lookup import is_file_name, named_file
from generator.text.errors import SizeError
from generator.text.problems import Problem, ProblemsError
from generator.text.suggest import did_you_mean

FOLDER = "hardware"


def device_files(folders: Iterable[Path] = ()) -> dict[str, Path]:
    """Return the files of devices by name: the built-in ones, those in ./specs and those of some folders; later ones win."""
    found: dict[str, Path] = {}
    for folder in dict.fromkeys((builtin_specs_dir(), Path("specs"), *folders)):
        found |= {file.stem: file for file in sorted((folder / FOLDER).glob("*.yaml"))}
    return dict(sorted(found.items()))


@cache
def builtin_devices() -> tuple[Device, ...]:
    """Return the devices that the tool brings along, by name."""
    return tuple(read_device(file) for file in sorted((builtin_specs_dir() / FOLDER).glob("*.yaml")))


def devices(folders: Iterable[Path] = ()) -> tuple[Device, ...]:
    """Return all devices that can be named.

    Raises:
        ProblemsError: with the mistakes of all files, and names that two devices have.
    """
    problems: list[Problem] = []
    found: list[Device] = []
    for file in device_files(folders).values():
        try:
            found.append(read_device(file))
        except ProblemsError as error:
            problems += error.problems
    taken = {one.name: one for one in found}
    for one in found:
        for name in one.also:
            other = taken.setdefault(name, one)
            if other is not one:
                problems.append(Problem(f"the devices `{other.name}` and `{one.name}` are both called `{name}`", None))
    if problems:
        raise ProblemsError(problems)
    return tuple(found)


def device_problems(folders: Iterable[Path], is_meant: Callable[[Path], bool]) -> dict[str, tuple[Problem, ...]]:
    """Return the mistakes of the files of some folders that are meant, by the device's name; none for one that has no mistakes."""
    found: dict[str, tuple[Problem, ...]] = {}
    for file in (file for folder in folders for file in sorted((folder / FOLDER).glob("*.yaml")) if is_meant(file)):
        found.setdefault(file.stem, ())
        try:
            read_device(file)
        except ProblemsError as error:
            found[file.stem] += error.problems
    return found


def device_named(name: str, folders: Iterable[Path] = ()) -> Device:
    """Return a device by its name, another name of it, or its file.

    Raises:
        SizeError: there is none; the note says which may have been meant.
        ProblemsError: the file is missing or has mistakes.
    """
    if is_file_name(name):
        return read_device(named_file(name))
    by_name = {known: one for one in devices(folders) for known in (*one.also, one.name)}
    found = by_name.get(name.lower())
    if found is None:
        raise SizeError(
            f"there is no device named `{name}`", *did_you_mean(name, by_name), "`gen list --devices` shows all; or name a file"
        )
    return found
