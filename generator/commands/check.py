"""Find mistakes in specs: everything that keeps them from being built, claims and expectations that do not hold included.

All mistakes of all specs are shown at once, and nothing is written.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from generator.commands.arguments import UsageError, add_paths, add_specs, existing
from generator.formulas.human import counted
from generator.questions.comparison.comparison_folder import comparison_files
from generator.render.terminal.console import complain_of, say, step_by_step, tell
from generator.render.terminal.findings import FORMATS
from generator.spec.inherited_mistakes import said_once
from generator.spec.library import Library
from generator.spec.lookup import collect
from generator.spec.model import Option
from generator.spec.shared_presets import shared_presets
from generator.text.problems import Problem, ProblemsError
from generator.text.spec_values import as_written
from generator.text.suggest import listed

EXAMPLES = """\
  gen check specs/
  gen check my_block.yaml
  gen check my_block.yaml --specs my-specs/     which uses specs from there
  gen check specs/hardware                      the devices in there; comparisons and documents in their folders too
  gen check specs/ --format github              annotations for pull requests; also json and sarif
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--format", choices=("text", *FORMATS), default="text", help="text (the default), json, github or sarif")
    shown.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Derive every spec and show all problems."""
    from generator.questions.documents.checking import check_documents  # it reads YAML, which `--help` does without
    from generator.questions.hardware.device_names import device_problems

    collection = collect(existing(args.paths), existing(args.specs))
    if not collection.requested and not collection.others:
        raise UsageError(f"there are no specs in {listed(map(str, args.paths))}", "specs are files that end in .yaml")
    comparisons = {name: file for name, file in comparison_files(collection.library).items() if collection.covers(file)}
    tasks: list[tuple[str, Callable[[], tuple[Problem, ...]]]] = [
        *((name, partial(_problems, collection.library, name)) for name in collection.requested),
        *((f"comparisons/{name}", partial(_comparison_problems, collection.library, file)) for name, file in comparisons.items()),
    ]
    found = {name: problems_of() for name, problems_of in step_by_step(tasks, lambda task: f"checking {task[0]}")}
    for name, problems in shared_presets(collection.library, collection.requested).items():
        found[name] += tuple(problems)
    documents = check_documents(collection.library, collection.covers)
    devices = device_problems(collection.library.roots, collection.covers)
    found |= {f"documents/{name}": problems for name, problems in documents.items()}
    found |= {f"hardware/{name}": problems for name, problems in devices.items()}
    wrong = sum(1 for problems in found.values() if problems)
    kinds = {"spec": collection.requested, "document": documents}
    if collection.others:
        kinds |= {"comparison": comparisons, "device": devices}
    specs = " and ".join(counted(len(those), kind) for kind, those in kinds.items() if those)
    together = ProblemsError(said_once(collection.library, found))
    if args.format != "text":
        if text := FORMATS[args.format](together.problems):
            say(text)
        return 1 if wrong else 0
    if not wrong:
        tell(f"{specs}: no mistakes")
        return 0
    complain_of(together)
    tell(f"{specs}: {counted(len(together.problems), 'mistake')}, in {wrong} of them")
    return 1


def _comparison_problems(library: Library, file: Path) -> tuple[Problem, ...]:
    from generator.questions.comparison.comparison_reader import read_comparison
    from generator.questions.comparison.result import compared
    from generator.text.errors import SizeError

    try:
        compared(read_comparison(file, library))
    except ProblemsError as error:
        return error.problems
    except SizeError as error:
        return (Problem(f"comparison `{file.stem}`: {error.message}", None, error.notes),)
    return ()


def _problems(library: Library, name: str) -> tuple[Problem, ...]:
    namesakes = library.namesakes.get(name, ())
    problems = [*library.name_problems(name)] if namesakes else []
    meanings = [library.meaning(name, file) for file in (library.path(name), *namesakes)] if namesakes else [library]
    for meant in meanings:
        problems += _spec_problems(meant, name)
    return tuple(problems)


def _spec_problems(library: Library, name: str) -> tuple[Problem, ...]:
    """Return what keeps a spec from being derived, whatever is chosen for one of its options, and from being shown."""
    from generator.render.module.view import ModuleSet, may_be_refused
    from generator.resolve.resolver import Resolver
    from generator.sheet.compiled import compile_spec
    from generator.sheet.showable import unshown_problems

    try:
        compiled = compile_spec(library, name)
        if may_be_refused(compiled.architecture):
            ModuleSet(library).view(name, compiled.architecture)
    except ProblemsError as error:
        return error.problems
    spec = library.spec(name)
    found = list(unshown_problems(spec, compiled.sheet))
    for option in spec.options.values():
        for choice in _other_choices(option):
            try:
                Resolver(library).architecture(spec, {option.name: choice})
            except ProblemsError as error:
                note = f"where option `{option.name}` is `{as_written(choice)}` ({option.span.source.path}:{option.span.line})"
                found += [replace(problem, notes=(*problem.notes, note)) for problem in error.problems]
    return tuple(found)


def _other_choices(option: Option) -> tuple[Any, ...]:
    """Return the values of an option beside its default: each word, and yes where it is no."""
    if isinstance(option.default, bool):
        return (not option.default,)
    return tuple(word for word in option.choices if word != option.default)
