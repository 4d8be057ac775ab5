"""Write the module, the page and the workbook of each spec.

Only what is out of date is rendered, and only what has changed is written. A spec with mistakes keeps its earlier outputs, and the
others are built all the same. An output that was edited by hand is left as it is and named, unless --force is given: each carries a hash
over its own content. Given whole folders, their comparisons are drawn too, the index of pages lists their specs, and outputs
whose spec is gone are removed; files that a build has not written are never touched. Specs that others use get a module, so that theirs
can import it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

from generator.build.builder import Report, Request, build
from generator.build.report_data import to_dict, up_to_date
from generator.commands.arguments import UsageError, add_json, add_language, add_paths, add_specs, existing, language_of
from generator.formulas.human import counted
from generator.formulas.numerals import count_of
from generator.render.formats import EVERY_FORMAT, EXCEL, FORMATS, Format
from generator.render.terminal.console import complain, complain_of, progress, remind, say, styled, tell
from generator.spec.lookup import collect
from generator.text.problems import ProblemsError
from generator.text.suggest import did_you_mean, listed

EXAMPLES = """\
  gen build specs/                           everything, into generated/
  gen build my_block.yaml --out elsewhere    one spec
  gen build specs/ --only bert,vit           two specs, and the modules of what they use
  gen build specs/ --formats modules         PyTorch only
  gen build specs/ --formats excel --lang zh workbooks in Chinese, such as excel/bert.zh.xlsx
  gen build specs/ --formats site            pages for a browser; open generated/site/index.html
  gen build specs/ --force                   give up edits of outputs by hand
  gen build specs/ --check                   write nothing; exit 1 and name what is out of date
  gen build specs/ --json                    what was written, by spec and format, and mistakes as `gen check --json` has them
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_what(parser)
    parser.add_argument("--check", action="store_true", help="write nothing; compare, and exit 1 if anything is out of date")
    add_json(parser, "print JSON: what was written, by spec and format, and all mistakes")


def add_what(parser: argparse.ArgumentParser) -> None:
    """Declare what is built, and how."""
    add_paths(parser)
    add_specs(parser)
    names, every = (",".join(dict.fromkeys(kind.folder for kind in kinds)) for kinds in (FORMATS, EVERY_FORMAT))
    parser.add_argument("--out", metavar="FOLDER", type=Path, default=Path("generated"), help="where outputs go (default: generated/)")
    parser.add_argument("--only", metavar="NAME,...", action="append", default=[], help="only these specs")
    parser.add_argument("--formats", metavar="FORMAT,...", default=names, help=f"some of {every} (default: {names})")
    parser.add_argument("--jobs", metavar="N", type=count_of("processes"), default=0, help="processes (default: as many as are of use)")
    add_language(parser)
    parser.add_argument("--force", action="store_true", help="replace also outputs that were edited by hand")


def run(args: argparse.Namespace) -> int:
    """Build or check, and say what was done."""
    started = perf_counter()
    formats = _formats(args.formats, language_of(args))
    collection = collect(existing(args.paths), existing(args.specs))
    if not collection.requested:
        raise UsageError(f"there are no specs in {listed(map(str, args.paths))}", "specs are files that end in .yaml")
    only = tuple(dict.fromkeys(_words(args.only)))
    for name in only:
        if name not in collection.requested:
            notes = _of_preset(collection.library.with_preset(name), name) or did_you_mean(name, collection.requested)
            raise UsageError(f"--only: there is no spec `{name}` in {listed(map(str, args.paths))}", *notes)
    if args.out.exists() and not args.out.is_dir():
        raise UsageError(f"--out: {args.out} is a file, not a folder")
    request = Request(collection, args.out, formats, only, args.jobs, args.check, args.force)
    line = progress()
    line.doing = doing = "comparing" if args.check else "building"
    is_silent = args.check or args.json
    report = build(request, lambda name, changed: _done(doing, name, None if is_silent else changed), line.begin)
    line.begin(0)
    if args.json:
        say(json.dumps(to_dict(report, args.out, is_check=args.check), indent=2))
        return 1 if report.problems or report.differences else 0
    _complain(report, args)
    for remark in report.remarks:
        remind(remark)
    tell(_closing(report, args, perf_counter() - started))
    return 1 if report.problems or report.differences else 0


def _of_preset(owners: Sequence[str], preset: str) -> tuple[str, ...]:
    """Say how a preset is asked for, where it was named in place of its spec."""
    if not owners:
        return ()
    return (f"it is a preset of {listed(owners)}: --only {owners[0]} builds that; `gen workbook {preset}` writes a workbook of its own",)


def _words(texts: Iterable[str]) -> list[str]:
    return [word.strip() for text in texts for word in text.split(",") if word.strip()]


def _formats(text: str, language: str) -> tuple[Format, ...]:
    known = dict.fromkeys(kind.folder for kind in EVERY_FORMAT)
    words = _words([text])
    for word in words:
        if word not in known:
            raise UsageError(f"--formats: there is no format `{word}`", *did_you_mean(word, known), f"formats: {listed(known)}")
    if not words:
        raise UsageError("--formats: no format is given", f"formats: {listed(known)}")
    return tuple(kind.in_language(language) if kind is EXCEL else kind for kind in EVERY_FORMAT if kind.folder in words)


def _done(doing: str, name: str, changed: Sequence[str] | None) -> None:
    """Count a spec, and say which of its outputs have changed, unless outputs are only compared."""
    progress().step(f"{doing}, last {name}")
    if changed is not None:
        tell(f"{name}: {styled(', '.join(changed), 'green') if changed else styled('as before', 'dim')}")


def _complain(report: Report, args: argparse.Namespace) -> None:
    if report.problems:
        complain_of(ProblemsError(report.problems))
    if report.failed:
        broken = [name for name in report.failed if name not in report.rendered]
        kept = "; earlier outputs are kept, and all other specs are built" if broken and not args.check else ""
        complain(f"{counted(len(report.failed), 'spec')} failed: {', '.join(sorted(report.failed))}{kept}")
    for path, what in sorted(report.differences.items()):
        complain(f"{(args.out / path).as_posix()}: {what}")
    if report.differences:
        edited = any("edited by hand" in what for what in report.differences.values())
        notes = ["those edited by hand only with --force, which gives up the edits"] if edited else []
        complain("outputs are not up to date; `gen build` with the same arguments, but without --check, writes them", *notes)


def _closing(report: Report, args: argparse.Namespace, seconds: float) -> str:
    """Return the last line: how many specs, what was done, how long it took."""
    fresh = len(up_to_date(report))
    changed = [path for paths in (*report.rendered.values(), *report.compared.values()) for path in paths] + report.fixed
    parts = [
        f"{len(report.rendered)} {'compared' if args.check else 'built'}" if report.rendered else "",
        f"{fresh} up to date" if fresh else "",
        f"{len(report.failed)} failed" if report.failed else "",
    ]
    comparisons = f" and {counted(report.comparisons, 'comparison')}" if report.comparisons else ""
    done = f"{counted(len(report.specs), 'spec')}{comparisons}: {', '.join(filter(None, parts))}"
    if args.check:
        done += f"; {counted(len(report.differences), 'difference')}"
    elif changed or report.removed:
        done += f"; {counted(len(changed), 'file')} written"
        done += f", {len(report.removed)} removed: {', '.join(report.removed)}" if report.removed else ""
    return f"{done} ({seconds:.2f} s)"
