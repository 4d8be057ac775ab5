"""Count any module of PyTorch: run it and show what it comes to, by submodule.

The module is FILE.py:Class, or PACKAGE.MODULE:Class for what can be imported; a function that returns a module will do as well. The
command runs this code. Inputs are written by their shapes, `x: 2x128x64; ids: 2x128 int64 below 1000; use_cache = False`, and get a
gradient if they are floating point, unless `nograd` stands behind. What cannot be counted is said by name. With --against the totals are
held against those of a spec at sizes given as NAME=VALUE, whose inputs are taken where none are given. Needs PyTorch.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from generator.commands.arguments import UsageError, add_json, add_specs, existing
from generator.commands.exit_codes import FINE, PROBLEMS
from generator.commands.target import answered, target_of
from generator.formulas.numerals import count_of
from generator.render.terminal.console import complain, say, width

if TYPE_CHECKING:
    from torch import nn

    from generator.proof.count.against import Compared
    from generator.proof.count.call import Arguments
    from generator.proof.count.count_result import Counted
    from generator.sheet.costing import Cost
    from generator.spec.library import Library

EXAMPLES = """\
gen count model.py:Net --args "d=64, heads=4" --inputs "x: 2x128x64"
gen count torch.nn:LSTM --args "16, 32" --inputs "10x2x16" --json
gen count transformers:LlamaModel --config config.json --inputs "input_ids: 1x128 int64" --device meta
gen count model.py:Bert --against bert --preset bert-base n=128 b=2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("module", metavar="FILE.py:CLASS", help="the module, a class or a function that makes it; or PACKAGE.MODULE:CLASS")
    parser.add_argument("settings", metavar="NAME=VALUE", nargs="*", help="sizes and options of the spec of --against")
    parser.add_argument("--args", metavar="ARGUMENTS", default="", help="what the class is made with: \"64, heads=4, act='gelu'\"")
    parser.add_argument("--inputs", metavar="INPUTS", help='what the module is called with: "x: 2x128x64; ids: 2x128 int64 below 1000"')
    parser.add_argument("--config", metavar="FILE", type=Path, help="the config.json of a public model, or arguments as JSON")
    parser.add_argument(
        "--device",
        choices=("cpu", "meta"),
        default="cpu",
        help="meta: without memory for weights; then what is kept, traffic and peak are not counted (default: cpu)",
    )
    parser.add_argument(
        "--depth", metavar="N", type=count_of("levels", 0), help="how many levels of submodules (default: 2; all with --json)"
    )
    parser.add_argument("--against", metavar="SPEC", help="hold the totals against those of this spec, and exit with 1 if any differs")
    parser.add_argument("--preset", metavar="P", help="a published set of sizes of that spec")
    add_json(parser)
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Count the module; return 1 where something of it is not counted, or differs from the spec."""
    if find_spec("torch") is None:
        complain("`gen count` runs a module, which needs PyTorch", "install it with: pip install 'archsheet[torch]'")
        return PROBLEMS
    if args.against is None and (args.settings or args.preset):
        raise UsageError(f"`{(args.settings or [args.preset])[0]}` is for the spec of --against", 'arguments of the module: --args "d=64"')
    if args.inputs is None and args.against is None:
        raise UsageError("`gen count` needs --inputs", 'such as --inputs "x: 2x128x64"')
    if args.config is not None:
        existing([args.config])
    from generator.proof.count.foreign import UserCodeError

    spec = _spec(args) if args.against is not None else None
    try:
        with _answered(), _path_kept():
            found = _counted(args, spec)
    except UserCodeError as error:
        complain(str(error), *error.notes)
        return PROBLEMS
    rows = _compared(found, spec[1]) if spec is not None else None
    _print(args, found, rows)
    is_fine = not found.uncounted and not any(row.equal is False for row in rows or ())
    return FINE if is_fine else PROBLEMS


@contextmanager
def _answered() -> Iterator[None]:
    """Turn what does not fit together into a UsageError."""
    from generator.proof.count.unfit import UnfitError

    try:
        yield
    except UnfitError as error:
        raise UsageError(str(error), *error.notes) from error


@contextmanager
def _path_kept() -> Iterator[None]:
    """Leave the places where Python looks for modules as they were: what stands beside the user's file is for that file alone."""
    before = [*sys.path]
    try:
        yield
    finally:
        sys.path[:] = before


def _spec(args: argparse.Namespace) -> tuple[Library, Cost]:
    """Return the spec that the module is held against, at its sizes."""
    asked = argparse.Namespace(target=args.against, settings=args.settings, preset=args.preset, specs=args.specs)
    target = target_of(asked)
    with answered():
        cost = target.cost()
        cost.require_all()
    return target.library, cost


def _counted(args: argparse.Namespace, spec: tuple[Library, Cost] | None) -> Counted:
    from generator.proof.count.counting import INFERENCE, count
    from generator.proof.count.foreign import build, find, located
    from generator.proof.count.written import read_arguments

    source = find(args.module)
    module = build(source, *read_arguments(args.args), args.config, args.device)
    module.train(args.mode != INFERENCE)
    inputs, said = _inputs(args, module, spec)
    with located(source, f"it was called with {said}"):
        return count(module, inputs, args.mode)


def _inputs(args: argparse.Namespace, module: nn.Module, spec: tuple[Library, Cost] | None) -> tuple[Arguments, str]:
    """Return what the module is called with, and that in words."""
    from generator.proof.count.against import arranged, inputs_of
    from generator.proof.count.call import Arguments, described
    from generator.proof.count.foreign import require_inputs
    from generator.proof.count.written import made_inputs, read_inputs

    from_spec = {}
    if spec is not None:
        library, cost = spec
        from_spec = inputs_of(library, cost.sheet.name, cost.dims, args.device)
    if spec is None or args.inputs is not None:
        positional, named = made_inputs(read_inputs(args.inputs), args.device, from_spec)
    else:
        positional, named = arranged(module, from_spec)
    require_inputs(module, list(named), len(positional))
    said = ", ".join([*map(described, positional), *(f"{name}: {described(value)}" for name, value in named.items())])
    return Arguments(positional, named), said


def _compared(found: Counted, cost: Cost) -> list[Compared]:
    from generator.proof.count.against import compared

    with answered():
        return list(compared(found, cost))


def _print(args: argparse.Namespace, found: Counted, rows: list[Compared] | None) -> None:
    if args.json:
        data = found.to_dict(args.depth)
        if rows is not None:
            sides = [{"quantity": row.key, "module": row.counted, "spec": row.derived, "equal": row.equal} for row in rows]
            data |= {"against": args.against, "compared": sides}
        say(json.dumps(data, indent=2))
        return
    from generator.proof.count.count_lines import compared_lines, count_lines

    for line in count_lines(found, 2 if args.depth is None else args.depth, width()):
        say(line)
    if rows is not None:
        say()
        for line in compared_lines(rows, args.against):
            say(line)
