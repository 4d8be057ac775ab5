"""What the exit codes of `gen` mean. `gen help` and docs/commands.md print this table."""

from __future__ import annotations

FINE, PROBLEMS, USAGE, OUR_MISTAKE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 70, 130, 141

EXIT_CODES: tuple[tuple[int, str], ...] = (
    (FINE, "all is well; for `diff`, nothing differs"),
    (
        PROBLEMS,
        "mistakes in specs or in code that is run, a difference found, something that is not counted, a file or package that is missing",
    ),
    (USAGE, "the command line is not understood: an option, the name of a spec or preset, or a size"),
    (OUR_MISTAKE, "a mistake in gen itself, which should be reported"),
    (INTERRUPTED, "stopped with Ctrl-C"),
    (PIPE_CLOSED, "the reader of the output has stopped reading, as `head` does"),
)
