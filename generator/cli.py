"""The command line: `gen COMMAND ...`. Its exit codes stand in `generator.commands.exit_codes`."""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from generator.commands.arguments import UsageError
from generator.commands.command_list import COMMANDS, Command
from generator.commands.exit_codes import INTERRUPTED, OUR_MISTAKE, PIPE_CLOSED, PROBLEMS, USAGE
from generator.commands.parser import command_parser, top_parser
from generator.render.terminal.console import complain, complain_of, say, showing, warn
from generator.spec.mode import MODES, asked_of
from generator.text.problems import Problem, ProblemsError


def main(argv: Sequence[str] | None = None) -> int:
    """Run `gen` with some arguments (those of the process by default) and return the exit code. Never raises."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _be_lenient_about_encodings()
    try:
        code = _run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough (`gen list | head`). Python would complain once more when it flushes at exit.
        _discard_stdout()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except UsageError as error:
        _complain(arguments, str(error), *error.notes)
        return USAGE
    except ProblemsError as error:
        from generator.spec.lookup import NotFoundError

        if _asked_for_json(arguments):
            _say_in_json(error.problems)
        else:
            complain_of(error)
        return USAGE if isinstance(error, NotFoundError) else PROBLEMS
    except OSError as error:
        if not error.filename:  # it may be stdout itself that takes no more
            _discard_stdout()
        place = f"{error.filename}: " if error.filename else ""
        message = f"{place}{error.strerror or error}" if place or _has_working_folder() else "the working folder does not exist any more"
        _complain(arguments if place else (), message)
        return PROBLEMS
    except Exception as error:  # noqa: BLE001 - people get a sentence, not a traceback, even for a mistake of ours
        _complain_of_mistake(arguments, error)
        return OUR_MISTAKE
    return code


def _run(arguments: Sequence[str]) -> int:
    """Parse the arguments and run the command. Only the command that was asked for is imported."""
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may stand at the cursor
        from generator.commands.completer import complete

        complete()
    asked = arguments[0] if arguments else "--help"
    if asked.startswith("-"):
        parsed = _parsed(top_parser(), arguments or ["--help"])
        return USAGE if isinstance(parsed, argparse.Namespace) or not arguments else parsed
    command = _command(asked)
    module = command.load()
    args = _parsed(command_parser(command, module), arguments[1:])
    if isinstance(args, int):
        return args
    args.explain = _explained
    with asked_of(getattr(args, "mode", MODES[0])), showing(f"gen {asked}", quiet=args.quiet), _warnings_as_text():
        return module.run(args)


@contextmanager
def _warnings_as_text() -> Iterator[None]:
    """Print what is to be known of a configuration as other warnings of commands, each once."""
    from generator.text.errors import ConfigWarning

    said: set[str] = set()
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, ConfigWarning):
            usual(message, category, *place, **more)
        elif str(message) not in said:
            said.add(str(message))
            warn(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", ConfigWarning)
        warnings.showwarning = show
        yield


def _command(name: str) -> Command:
    """Return a command by its name. Raises UsageError."""
    known = {command.name: command for command in COMMANDS}
    if name not in known:
        from generator.text.suggest import did_you_mean

        raise UsageError(f"there is no command `{name}`", *did_you_mean(name, known), f"commands: {', '.join(known)}")
    return known[name]


def _explained(name: str | None) -> str:
    """Return the help of a command; that of gen without one. Raises UsageError."""
    if name is None:
        return top_parser().format_help()
    command = _command(name)
    return command_parser(command, command.load()).format_help()


def _parsed(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace | int:
    """Return the arguments, or the exit code where argparse has printed help, the version or what is wrong."""
    try:
        return parser.parse_intermixed_args(arguments)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else USAGE


def _be_lenient_about_encodings() -> None:
    """Replace what a terminal's encoding cannot show, such as × in ASCII, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _has_working_folder() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - keeps pathlib out of the way of a report
    except OSError:
        return False
    return True


def _discard_stdout() -> None:
    """Send what is still buffered for stdout nowhere."""
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):  # not a real file: no stdout, or a test's
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _complain(arguments: Sequence[str], message: str, *notes: str) -> None:
    """Print an error of the command itself, in the form that was asked for."""
    if _asked_for_json(arguments):
        _say_in_json([Problem(message, None, notes)])
    else:
        complain(message, *notes)


def _asked_for_json(arguments: Sequence[str]) -> bool:
    """Say whether a program reads the output. The words may be wrong in other ways. Behind the --json of a sweep stands a file."""
    return "--json" in arguments and arguments[0] != "sweep"


def _say_in_json(problems: Sequence[Problem]) -> None:
    """Print errors as `gen build --json` does, to stdout, where the program looks for an answer."""
    import json

    from generator.render.terminal.findings import plain

    say(json.dumps({"errors": [plain(problem) for problem in problems]}, indent=2))


def _complain_of_mistake(arguments: Sequence[str], error: Exception) -> None:
    if os.environ.get("GEN_DEBUG"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}, line {last.lineno}"  # noqa: PTH119 - keeps pathlib out of the way of a report
    _complain(
        arguments,
        f"a mistake in gen itself: {type(error).__name__}: {error} ({place})",
        "please report it; with GEN_DEBUG=1 in the environment the whole traceback is shown",
    )


if __name__ == "__main__":
    sys.exit(main())
