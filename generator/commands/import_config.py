"""Take the sizes of a public model from its configuration: the config.json of transformers, or a GGUF file.

Prints the preset that it makes of the spec that stands for it, what that costs, and what becomes of each key: used, without effect on
costs, or unknown. What depends on sizes that the file does not give is printed as a formula of them; give them as n=4096 b=1. Where
weights in the format safetensors lie beside it, their number and shapes are compared, and the number of those in a GGUF file; exit code 1
where they differ. With --write the preset is added to a spec's file, or a new one is written. Other commands take such a file in place of
a name.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import UsageError, add_json, add_specs, existing, settings
from generator.commands.target import answered
from generator.render.terminal.console import say, styled, warn, width
from generator.render.terminal.text_table import Column, table_lines

if TYPE_CHECKING:
    from generator.importing.found import Imported
    from generator.sheet.compiled import Compiled
    from generator.sheet.costing import Cost
    from generator.spec.library import Library
    from generator.stored_weights.agreement import Agreement

EXAMPLES = """\
  gen import Llama-3.2-1B/config.json
  gen import config.json n=4096 b=1 --json
  gen import Llama-3.2-1B-Q4_K_M.gguf
  gen import config.json --as ours --write my-specs/ours.yaml
  gen cost config.json n=4096 b=1             the same file in place of a spec's name
"""
_STDIN = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE.json|FILE.gguf|-", help="the configuration; - reads JSON from standard input")
    parser.add_argument("settings", metavar="NAME=VALUE", nargs="*", help="further sizes, such as n=4096 b=1")
    parser.add_argument("--as", dest="name", metavar="NAME", help="what to call the preset; by default as the folder of the file")
    parser.add_argument("--write", metavar="FILE.yaml", type=Path, help="add the preset to this spec, or write a new one")
    parser.add_argument(
        "--weights", metavar="FILE", type=Path, help="compare with the shapes in this file; by default with those beside it"
    )
    add_json(parser, "print JSON, for scripts")
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Print or write the preset."""
    found = _found(args)
    for warning in found.warnings:
        warn(warning)
    with answered():
        compiled, library, cost = _cost(found, settings(args.settings))
    held = _held(args, found, compiled, library, cost)
    if args.json:
        weights = {} if held is None else {"weights": {"agree": held.agrees, "found": list(held.lines)}}
        say(json.dumps({**_data(found, cost), **weights}, indent=2))
    else:
        for line in _report(found, cost, held):
            say(line)
    if args.write is not None:
        _write(found, args.write)
        if not args.json:
            say(f"# written to {args.write}")
    return 1 if held is not None and held.agrees is False else 0


def _held(args: argparse.Namespace, found: Imported, compiled: Compiled, library: Library, cost: Cost) -> Agreement | None:
    """Compare with weights that were named, or that lie beside the file; None where there are none."""
    from generator.importing.common_keys import shared
    from generator.importing.gguf import LAYOUT as GGUF
    from generator.importing.gguf_header import is_gguf
    from generator.stored_weights.agreement import agreement
    from generator.stored_weights.weight_headers import beside, stored

    path = existing([args.weights])[0] if args.weights else None if args.file == _STDIN else beside(Path(args.file))
    if path is None:
        return None
    layout = GGUF if is_gguf(path) else found.mapped.rule.name
    there = stored(path).without(shared(layout).buffers)
    return agreement(there, cost.params, compiled, library, found.preset, layout)


def _found(args: argparse.Namespace) -> Imported:
    from generator.importing.found import PRESET

    name = args.name or _name(args.file)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+/-]{0,59}", name):
        raise UsageError(f"`{name}` cannot be a preset's name", "such as --as ours: letters, digits and _ . + / -, at most 60 of them")
    found = _read(args, name)
    if name not in found.mapped.spec.presets:
        return found
    if args.name:
        raise UsageError(f"`{found.name}` already has a preset `{name}`", "give another name, such as --as ours")
    return _read(args, PRESET)


def _read(args: argparse.Namespace, name: str) -> Imported:
    from generator.importing.config import config_of
    from generator.importing.found import imported, imported_file
    from generator.spec.lookup import everything
    from generator.text.source import Source

    specs = existing(args.specs)
    if args.file == _STDIN:
        return imported(config_of(Source("<stdin>", sys.stdin.read())), everything(specs), name)
    return imported_file(args.file, specs, name)


def _name(file: str) -> str:
    """Return what a preset is called by default: as the folder in which its file stands, as downloads have it."""
    from generator.importing.found import PRESET

    folder = "" if file == _STDIN else Path(file).absolute().parent.name.lower()
    return folder if re.fullmatch(r"[a-z0-9][a-z0-9_.+-]{0,59}", folder) else PRESET


def _cost(found: Imported, written: Mapping[str, str]) -> tuple[Compiled, Library, Cost]:
    from generator.commands.target import size_of
    from generator.sheet.asked import options_of, with_choices
    from generator.sheet.compiled import derive
    from generator.sheet.costing import cost_of

    spec = found.library.spec(found.name)
    library, _ = with_choices(found.library, found.name, options_of(spec, found.preset), found.preset)
    sizes = {name: size_of(name, text) for name, text in written.items()}
    compiled, _ = derive(library, found.name)
    return compiled, library, cost_of(compiled.sheet, found.preset, sizes)


def _values(cost: Cost) -> dict[str, int | str]:
    """Return each quantity at the sizes that are known: a number, or a formula of those that are not."""
    from generator.formulas.stored_formula import size_names, text_of, with_sizes
    from generator.quantities import QUANTITIES
    from generator.text.errors import MissingSizeError

    found: dict[str, int | str] = {}
    for quantity in QUANTITIES:
        try:
            found[quantity.key] = cost.value(quantity.key)
        except MissingSizeError:
            formula = cost.sheet.totals[quantity.key]
            known = {name: cost.dims[name] for name in size_names(formula) if name in cost.dims}
            found[quantity.key] = text_of(with_sizes(formula, known), [size.name for size in cost.sheet.sizes])
    return found


def _data(found: Imported, cost: Cost) -> dict[str, Any]:
    one = found.mapped
    return {
        "spec": found.name,
        "preset": {"name": found.preset, "set": one.sizes, "options": one.options},
        "same": list(found.same),
        "costs": _values(cost),
        "used": {_called(found, key): words for key, words in one.used.items()},
        "assumed": one.assumed,
        "without_effect": {_called(found, key): why for key, why in found.without_effect.items()},
        "unknown": [_called(found, key) for key in found.unknown],
        "warnings": list(found.warnings),
    }


def _report(found: Imported, cost: Cost, held: Agreement | None) -> list[str]:
    from generator.formulas.human import exact, rounded
    from generator.pull.preset_text import preset_lines
    from generator.quantities import QUANTITIES

    one, room, values = found.mapped, width(), _values(cost)
    lines = [styled(f"{one.config.source.path}: {one.spec.title} ({found.name})", "bold"), *preset_lines(_own(found))]
    lines += [*(f"  # as {same}" for same in found.same), ""]
    known = [(q, value) for q in QUANTITIES if isinstance(value := values[q.key], int)]
    rows = [[q.title, exact(value), rounded(value, q.unit)] for q, value in known]
    lines += [*table_lines([Column(""), Column("exactly", right=True), Column("about")], rows, room), ""] if rows else []
    formulas = [[q.title, f"= {value}"] for q in QUANTITIES if isinstance(value := values[q.key], str)]
    lines += (
        [*(line for line in table_lines([Column("", shrinks=True), Column("", shrinks=True)], formulas, room) if line), ""]
        if formulas
        else []
    )
    if held is not None:
        head = {True: "the weights agree", False: "the weights differ", None: "the weights could not be compared"}[held.agrees]
        lines += [styled(f"{head}:", "red" if held.agrees is False else "bold"), *(f"  {line}" for line in held.lines), ""]
    sections = [
        ("used", [[_called(found, key), _value(found, key), "; ".join(words)] for key, words in one.used.items()]),
        ("not in the file, so as the library has it", [[key, words, ""] for key, words in one.assumed.items()]),
        ("without effect on these counts", [[_called(found, key), _value(found, key), why] for key, why in found.without_effect.items()]),
        ("unknown", [[_called(found, key), _value(found, key), ""] for key in found.unknown]),
    ]
    for heading, entries in sections:
        if entries:
            columns = [Column(f"{heading}:"), Column("", shrinks=True), Column("", shrinks=True)]
            lines += [*table_lines(columns, [[f"  {key}", *rest] for key, *rest in entries], room), ""]
    return lines[:-1]


def _called(found: Imported, key: str) -> str:
    return found.mapped.config.called.get(key, key)


def _value(found: Imported, key: str) -> str:
    from generator.importing.mapping import written

    return written(found.mapped.config.values.get(key))


def _own(found: Imported) -> Any:
    from generator.pull.typed_numbers import OwnPreset

    one = found.mapped
    return OwnPreset(found.preset, one.sizes, f"from {Path(one.config.source.path).name}", one.spec.entries, one.options)


def _write(found: Imported, file: Path) -> None:
    from generator.pull.preset_text import add_presets, new_variant

    if file.exists():
        add_presets(file, [_own(found)])
    else:
        new_variant(file, f"{found.mapped.spec.title}: {found.preset}", found.name, [_own(found)])
