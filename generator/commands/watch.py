"""Build again whenever a spec is saved, and say its mistakes at their lines, until Ctrl-C.

It looks at the times and sizes of the files a few times a second, which works on network drives and in containers too. It builds what
`gen build` with the same arguments builds: only what a change has an effect on. A spec with mistakes keeps its earlier outputs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from generator.commands import build
from generator.commands.arguments import UsageError
from generator.commands.exit_codes import FINE
from generator.render.terminal.console import complain, complain_of, tell
from generator.text.problems import ProblemsError

EXAMPLES = """\
  gen watch specs/                             into generated/
  gen watch my_block.yaml --out elsewhere      one spec, and those beside it that it uses
  gen watch specs/ --formats modules,site      the modules, and the pages for a browser: gen serve shows them
"""
EACH = 0.1  # seconds from one look to the next
_SPECS = (".yaml", ".yml")

Stamps = dict[Path, tuple[int, int]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `gen build`, but for those that ask for one answer."""
    build.add_what(parser)
    parser.set_defaults(check=False, json=False)


def run(args: argparse.Namespace) -> int:
    """Build, and build again, until somebody stops it, which is how it is meant to end."""
    try:
        build.run(args)  # what is wrong with the arguments is wrong once and for all
        _get_ready()
        watch(args, lambda: build.run(args), stamps_of(args))
    except KeyboardInterrupt:
        tell("stopped")
    return FINE


def _get_ready() -> None:
    """Import what the first save would wait for: the first build may have had nothing to do, or left it to other processes."""
    for module in ("generator.build.worker", "generator.render.markdown.page", "generator.render.workbook", "generator.render.module"):
        import_module(module)


def watch(args: argparse.Namespace, rebuild: Callable[[], object], seen: Stamps) -> None:
    """Rebuild after each change, for ever.

    Args:
        seen: the files as they were when they were built last.
    """
    tell(f"watching {', '.join(map(str, args.paths))}; Ctrl-C ends it")
    while True:
        time.sleep(EACH)
        now = stamps_of(args)
        if now == seen:
            continue
        time.sleep(EACH)
        if stamps_of(args) != now:  # it is still being written: some editors take a file away before they put the new one in its place
            continue
        seen = now
        try:
            rebuild()
        except ProblemsError as error:
            complain_of(error)
        except UsageError as error:
            complain(str(error), *error.notes)
        except OSError as error:
            complain(f"{error.filename}: {error.strerror}")


def stamps_of(args: argparse.Namespace) -> Stamps:
    """Return when each file of a spec was written last, and its length, for the folders that are asked for and those of files."""
    folders = {path if path.is_dir() else path.parent for path in (*args.paths, *args.specs)}
    found: Stamps = {}
    for folder in folders:
        for path in _below(folder, is_whole=folder in args.paths or folder in args.specs):
            try:
                known = path.stat()
            except OSError:  # it has gone since it was listed
                continue
            found[path] = known.st_mtime_ns, known.st_size
    return found


def _below(folder: Path, *, is_whole: bool) -> Iterator[Path]:
    paths = folder.rglob("*") if is_whole else folder.glob("*")
    return (path for path in paths if path.suffix in _SPECS)
