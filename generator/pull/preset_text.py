"""Presets as text, and their place in the file of a spec, of which not a byte is changed beside."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from generator.files.regular_file import real
from generator.pull.typed_numbers import OwnPreset
from generator.spec.indexed_yaml import IndexedLoader, IndexedTexts
from generator.text.problems import Problem, ProblemsError

LONGEST_LINE = 120
STEP = "  "
_BARE = re.compile(r"[A-Za-z][\w.-]*")
_RESERVED = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")


def preset_lines(preset: OwnPreset, indent: str = STEP, step: str = STEP) -> list[str]:
    """Return a preset as it stands in a spec, without line ends."""
    sizes = ", ".join(f"{_key(name)}: {value}" for name, value in preset.written.items())
    lines = [f"{indent}{_key(preset.name)}:"]
    flow = f"{indent}{step}set: {{{sizes}}}"
    if len(flow) <= LONGEST_LINE:
        lines.append(flow)
    else:
        lines.append(f"{indent}{step}set:")
        lines += [f"{indent}{2 * step}{_key(name)}: {value}" for name, value in preset.written.items()]
    if preset.options:
        lines.append(f"{indent}{step}options: {{{', '.join(f'{_key(name)}: {_value(one)}' for name, one in preset.options.items())}}}")
    if preset.note:
        lines.append(f"{indent}{step}note: {json.dumps(preset.note, ensure_ascii=False)}")
    return lines


def with_presets(text: str, presets: Sequence[OwnPreset]) -> str:
    """Return the text of a spec's file with presets added behind those that it has; all else stays as it is, comments included.

    Raises:
        ProblemsError: the presets stand in braces, where lines cannot be added.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    root = yaml.compose(text, Loader=IndexedLoader)
    assert isinstance(root, yaml.MappingNode)
    section = next((value for key, value in root.value if key.value == "presets"), None)
    if section is None:
        lines = ["presets:", *(line for preset in presets for line in preset_lines(preset))]
        return text + ("" if not text or text.endswith("\n") else end) + "".join(line + end for line in lines)
    if not isinstance(section, yaml.MappingNode) or section.flow_style or not section.value:
        raise ProblemsError([Problem("the presets of the spec stand in braces; write each on lines of its own first", None)])
    key, value = section.value[-1]
    indent = " " * key.start_mark.column
    step = " " * _step(value, key.start_mark.column)
    before = text.splitlines(keepends=True)
    last = _last_line(value)
    if not before[last].endswith("\n"):
        before[last] += end
    added = [line + end for preset in presets for line in preset_lines(preset, indent, step)]
    return "".join([*before[: last + 1], *added, *before[last + 1 :]])


def new_variant(file: Path, title: str, like: str, presets: Sequence[OwnPreset]) -> None:
    """Write the file of a new spec that is another one with presets of its own. Raises ProblemsError where no spec can have its name."""
    from generator.files.writing import replace
    from generator.text.naming import name_problem

    if file.suffix != ".yaml":
        raise ProblemsError([Problem(f"{file} is no name of a spec's file", None, (f"such as {file.with_suffix('.yaml')}",))])
    if wrong := name_problem(file.stem):
        raise ProblemsError([Problem(wrong[0], None, wrong[1:])])
    lines = [f"title: {json.dumps(title, ensure_ascii=False)}", f"like: {like}", "presets:"]
    text = "".join(f"{line}\n" for line in [*lines, *(line for preset in presets for line in preset_lines(preset))])
    replace(file, text.encode("utf-8"))


def add_presets(file: Path, presets: Sequence[OwnPreset]) -> None:
    """Add presets to the file of a spec. Raises ProblemsError where it cannot be written, or would not be read as meant."""
    from generator.files.writing import replace

    if "_data" in file.parts:
        raise ProblemsError([Problem(f"{file} belongs to the installed package; copy it into a folder of your own first", None)])
    old = file.read_bytes().decode("utf-8")
    new = with_presets(old, presets)
    _require_readable(file, new)
    _require_only_added(old, new, presets)
    replace(real(file), new.encode("utf-8"))  # not the link that leads to it


def _require_readable(file: Path, text: str) -> None:
    """Read what is about to be written as the spec that it must be. Raises ProblemsError with the places in the new text."""
    from generator.spec.lookup import find

    try:
        library, name = find(str(file))
        problems = library.rewritten(name, text).draft(name).problems
    except ProblemsError as error:
        problems = error.problems
    if problems:
        raise ProblemsError([Problem(f"{file} could not be read any more with these presets, so it is left as it is", None), *problems])


def _require_only_added(old: str, new: str, presets: Sequence[OwnPreset]) -> None:
    """Read both texts and compare: all that was there is there, and the presets are what was to be added."""
    before, after = (yaml.load(text, Loader=IndexedTexts) for text in (old, new))  # noqa: S506 - the base loader makes texts only
    added = {preset.name: _entries(preset) for preset in presets}
    taken = {name: after["presets"].pop(name) for name in added if name in after.get("presets", {})}
    found = {name: {key: one[key] for key in ("set", "options") if key in one} for name, one in taken.items()}
    if not before.get("presets"):
        after.pop("presets", None)
        before.pop("presets", None)
    if found != added or before != after:
        raise ProblemsError([Problem("the presets cannot be added without changing something else; add them by hand", None)])


def _entries(preset: OwnPreset) -> dict[str, Any]:
    """Return what a preset must read as: all values are texts."""
    options = {name: _value(one).strip('"') for name, one in preset.options.items()}
    return {"set": {name: _as_texts(value) for name, value in preset.written.items()}, **({"options": options} if options else {})}


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else _key(value) if isinstance(value, str) else str(value)


def _as_texts(value: int | list[int]) -> str | list[str]:
    return [str(one) for one in value] if isinstance(value, list) else str(value)


def _step(value: yaml.Node, column: int) -> int:
    """Return by how much the lines below a preset's name are indented in a file."""
    if isinstance(value, yaml.MappingNode) and not value.flow_style and value.value:
        return max(1, int(value.value[0][0].start_mark.column) - column)
    return len(STEP)


def _last_line(node: yaml.Node) -> int:
    """Return the line on which a node ends: a block's own mark stands behind the blank lines and comments that follow it."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _last_line(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _last_line(node.value[-1])
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return int(node.end_mark.line) - 1
    return int(node.end_mark.line)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) and name.lower() not in _RESERVED else json.dumps(name, ensure_ascii=False)
