"""Run the generated modules and compare what is measured with what is derived.

Each spec is built at random small sizes that satisfy its conditions and at every preset (on meta tensors, which need no memory), and run.
Shapes, parameters, FLOPs forward and backward, pointwise FLOPs, activation memory, traffic and state must be exactly equal. A module that
keeps a state between decoding steps is also run step by step, and must come to what it comes to in one pass over all tokens. Where a
public implementation is known and its library installed, the module is loaded with its weights, and outputs, gradients, parameters and
FLOPs are compared with it; what could not be compared is said.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import UsageError, add_json, add_specs, existing, settings
from generator.commands.target import answered, require_preset
from generator.files.regular_file import read_regular
from generator.files.seal import State, sealed, state_of
from generator.files.writing import LARGEST, replace
from generator.formulas.human import counted
from generator.formulas.numerals import count_of
from generator.render.terminal.console import complain, complain_of, say, step_by_step, styled
from generator.spec.inherited_mistakes import said_once
from generator.text.problems import ProblemsError, headline
from generator.text.suggest import listed

if TYPE_CHECKING:
    from generator.proof.verify.instance_checks import Check
    from generator.proof.verify.stepwise import Decoding
    from generator.proof.verify.verification import Case, Verification
    from generator.spec.library import Library

EXAMPLES = """\
gen verify bert gpt2
gen verify my-specs/ --samples 20
gen verify mlp --json
gen verify bert-large                 a preset alone; bert@bert-large names the spec too
gen verify bert attention=linear_attention bias=false
gen verify --report proof.md --jobs 4
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "targets",
        metavar="NAME|PATH|NAME=VALUE",
        nargs="*",
        help="specs by name, files, or folders of specs, all built-in specs by default; presets, each measured alone; for one of them also "
        "options and slots",
    )
    parser.add_argument("--samples", metavar="K", type=count_of("tries", 0), default=5, help="random sets of sizes to try (default 5)")
    parser.add_argument("--jobs", metavar="N", type=count_of("processes"), default=1, help="processes (default 1)")
    parser.add_argument("--report", metavar="FILE", type=Path, help="also write everything as a Markdown page")
    parser.add_argument("--force", action="store_true", help="replace the page also if it was edited by hand")
    parser.add_argument("--no-references", dest="references", action="store_false", help="leave out the public implementations")
    add_json(parser, "print everything as JSON")
    add_specs(parser)


def run(args: argparse.Namespace) -> int:
    """Verify the specs and return 1 on any difference."""
    if find_spec("torch") is None:
        complain("`gen verify` runs the generated modules, which needs PyTorch", "install it with: pip install 'archsheet[torch]'")
        return 1
    if args.report is not None:
        _refuse_unfit(args.report, force=args.force)
    library, subjects = _targets([target for target in args.targets if "=" not in target], args.specs)
    names = list(dict.fromkeys(name for name, _ in subjects))
    chosen = settings([target for target in args.targets if "=" in target])
    if chosen:
        library = _with_choices(library, subjects, chosen)  # another model than the public ones
    from generator.proof.verify.instance import Workbench
    from generator.proof.verify.measurements import UnmeasuredError, require_measurements
    from generator.proof.verify.verdict_words import is_compared
    from generator.proof.verify.verification import Verification, mistakes
    from generator.proof.verify.workers import verify_all

    try:
        require_measurements()
    except UnmeasuredError as error:
        complain(str(error))
        return 1
    results = []
    with Workbench(library) as bench:
        broken = mistakes(bench, names)
        if broken:  # before the good ones are measured, which may take long
            complain_of(ProblemsError(said_once(library, broken)))
        good = [(name, preset) for name, preset in subjects if name not in broken]
        found = verify_all(bench, good, args.jobs, samples=args.samples, references=args.references and not chosen)
        for name, preset in step_by_step(subjects, lambda one: f"verifying {one[1] or one[0]}"):
            result = Verification(name, (), mistakes=broken[name], preset=preset) if name in broken else next(found)
            results.append(result)
            if not args.json:
                _print(result)
    if args.report is not None:
        _write_report(args.report, results)
    if args.json:
        say(json.dumps([_plain(result) for result in results], indent=2))
    else:
        _print_totals(results)
    is_proven = all(result.equal and not result.skipped for result in results) and any(map(is_compared, results))
    return 0 if is_proven else 1


def _targets(targets: Sequence[str], specs: Sequence[Path]) -> tuple[Library, list[tuple[str, str]]]:
    """Return the specs that are meant, each with its one preset that is; empty for the whole spec."""
    from generator.spec.library import Library
    from generator.spec.lookup import collect, everything, is_file_name, require_names

    paths = existing([Path(t) for t in targets if is_file_name(t) or Path(t).is_dir()])
    names = [t for t in targets if not (is_file_name(t) or Path(t).is_dir())]
    if not targets:
        library = everything(specs)
        return library, [(name, "") for name in library.names]
    collected = collect(paths) if paths else None
    own = list(collected.requested) if collected is not None else []
    if paths and not own:
        raise UsageError(f"there are no specs in {listed(map(str, paths))}", "specs are files that end in .yaml")
    library = Library([*collected.paths, *specs]) if collected is not None else everything(specs)
    subjects = [_subject(library, name) for name in names]
    require_names([name for name, _ in subjects], library)
    for name, preset in subjects:
        require_preset(library, name, preset)
    return library, list(dict.fromkeys([*((name, "") for name in own), *subjects]))


def _subject(library: Library, target: str) -> tuple[str, str]:
    """Return the spec and the preset that a word names: `bert`, `bert-large` or `bert@bert-large`."""
    if target in library.files:
        return target, ""
    name, _, preset = target.partition("@")
    owners = library.with_preset(target) if not preset else ()
    return (owners[0], target) if owners else (name, preset)


def _with_choices(library: Library, subjects: Sequence[tuple[str, str]], chosen: Mapping[str, str]) -> Library:
    """Return the library with options and slots as given for one spec, beside those of its preset."""
    from generator.sheet.asked import options_of, with_choices

    (name, preset), *others = subjects
    if others:
        raise UsageError("options and slots are given for one spec", f"such as: gen verify {name} {next(iter(chosen))}=...")
    with answered():
        changed, used = with_choices(library, name, {**options_of(library.spec(name), preset), **chosen}, preset)
    unknown = [key for key in chosen if key not in used]
    if unknown:
        raise UsageError(f"`{unknown[0]}` is neither an option nor a slot of `{name}` or of what it uses", "sizes are drawn at random")
    return changed


def _print(result: Verification) -> None:
    from generator.proof.verify.verdict_words import is_compared, measurements, word

    presets = sum(1 for case in result.cases if case.preset)
    drawn = counted(len(result.cases) - presets, "random size")
    checks = counted(measurements([result]), "comparison")
    verdict = styled(word(result), "green") if result.equal and is_compared(result) else styled(word(result).upper(), "red")
    measured = f"{checks} at preset {result.preset} alone" if result.preset else f"{checks} at {drawn} and {counted(presets, 'preset')}"
    say(f"{result.spec:<32} {verdict}  {'nothing of it is measured' if result.mistakes else measured}")
    for case in result.cases:
        if not case.equal:
            _print_case(case)
        _print_ones(case)
    _print_decoding(result)
    _print_references(result)
    for reason in result.skipped:
        say(f"  not checked: {reason}")
    for less in result.shortened:
        say(f"  {less}")
    if result.preset and not result.mistakes:
        say(f"  nothing else of it: `gen verify {result.spec}` takes random sizes and all presets, decoding and public implementations too")


def _print_decoding(result: Verification) -> None:
    from generator.proof.verify.verdict_words import decoding_words

    if result.decoding is None:
        return
    say(f"  decoding: {decoding_words(result.decoding)}")
    for check in result.decoding.checks:
        if not check.equal:
            say(f"    at {', '.join(f'{name}={value}' for name, value in check.sizes.items())} in steps of {check.steps}: {check.found}")


def _print_ones(case: Case) -> None:
    """Say what was held against a count of its own, because an axis is one."""
    at = f"preset {case.preset}" if case.preset else _listed(case)
    for where in dict.fromkeys(check.where for check in case.checks if check.where):
        say(f"  at {at}, PyTorch works differently than at greater sizes, so counts are derived for {where}:")
        for check in case.checks:
            if check.where == where:
                general = _number(check.general)
                say(f"    {check.quantity}: {_number(check.derived)} as measured (the formula for greater sizes says {general})")


def _listed(case: Case) -> str:
    return ", ".join(f"{name}={value}" for name, value in case.sizes.items())


def _print_references(result: Verification) -> None:
    for model in dict.fromkeys(check.model for check in result.references):
        checks = [check for check in result.references if check.model == model]
        equal = sum(1 for check in checks if check.equal)
        say(f"  {model}: {equal} of {counted(len(checks), 'comparison')} as required")
        for check in checks:
            if not check.equal:
                say(f"    {check.what}: must be {check.bound}; {check.found}")
    for reason in result.not_run:
        say(f"  not compared: {reason}")


def _print_case(case: Case) -> None:
    where = f"preset {case.preset}, " if case.preset else ""
    say(f"  at {where}{_listed(case)}")
    say(f"    {'quantity':<24} {'derived':>20} {'measured':>20}")
    for check in case.checks:
        if not check.equal:
            say(f"    {check.quantity:<24} {_number(check.derived):>20} {_number(check.measured):>20}")
    for difference in case.differences:
        say(
            f"    first row that differs in {difference.quantity}: {difference.row} ({difference.op}), "
            f"derived {_number(difference.derived)}, measured {_number(difference.measured)}"
        )


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _print_totals(results: Sequence[Verification]) -> None:
    from generator.proof.verify.verdict_words import measurements, outcome

    compared = counted(measurements(results), "comparison")
    say(f"{counted(len({result.spec for result in results}), 'spec')}, {compared}: {outcome(results)}")


def _plain(result: Verification) -> dict[str, Any]:
    from generator.proof.verify.verdict_words import is_compared

    return {
        "spec": result.spec,
        "preset": result.preset or None,
        "compared": is_compared(result),
        "equal": result.equal,
        "mistakes": list(map(headline, result.mistakes)),
        "skipped": list(result.skipped),
        "shortened": list(result.shortened),
        "references": [{**vars(check), "equal": check.equal} for check in result.references],
        "decoding": _plain_decoding(result.decoding),
        "not_run": list(result.not_run),
        "cases": [
            {
                "preset": case.preset or None,
                "sizes": dict(case.sizes),
                "checks": [_plain_check(check) for check in case.checks],
                "first_rows_that_differ": [vars(d) for d in case.differences],
            }
            for case in result.cases
        ],
    }


def _plain_decoding(decoding: Decoding | None) -> dict[str, Any] | None:
    if decoding is None:
        return None
    return {
        "equal": decoding.equal if decoding.checks else None,
        "not_compared": decoding.reason or None,
        "left_out": list(decoding.left_out),
        "checks": [{"sizes": dict(c.sizes), "split": list(c.split), "found": c.found, "equal": c.equal} for c in decoding.checks],
    }


def _plain_check(check: Check) -> dict[str, Any]:
    plain = {"quantity": check.quantity, "derived": check.derived, "measured": check.measured, "equal": check.equal}
    return plain | ({"where": check.where, "formula_for_greater_sizes": check.general} if check.where else {})


def _refuse_unfit(file: Path, *, force: bool = False) -> None:
    """Raise UsageError for a file that a report cannot or must not replace; one that was edited by hand only by force."""
    from generator.proof.verify.report import MADE_BY

    if file.is_dir():
        raise UsageError(f"--report takes a file, and {file} is a folder", f"for example --report {file / 'proof.md'}")
    above = next(folder for folder in (*file.parents, Path()) if folder.exists())
    if not above.is_dir():
        raise UsageError(f"{file} cannot be written, as {above} is not a folder", "choose another file for --report")
    old = read_regular(file, LARGEST) if file.exists() else b""
    if old and MADE_BY.encode() not in old:
        raise UsageError(f"{file} was not written by gen verify, so it is left alone", "choose another file for --report")
    if not force and state_of(file, old) is State.EDITED:
        raise UsageError(f"{file} was edited by hand, so it is left alone", "choose another file, or give up the edits with --force")


def _write_report(file: Path, results: Sequence[Verification]) -> None:
    """Write the page, with links to the pages of specs that lie beside it. Raises OSError."""
    from generator.proof.verify.report import render_report

    pages = {result.spec: f"{result.spec}.md" for result in results if (file.parent / f"{result.spec}.md").exists()}
    replace(file, sealed(render_report(results, pages)))
