"""Show the pages for a browser that `gen build --formats site` has written, on this machine only.

They open from their files too; an address of its own makes links between them and to modules and workbooks easier to follow.
"""

from __future__ import annotations

import argparse
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from generator.commands.arguments import UsageError
from generator.formulas.numerals import count_of
from generator.render.terminal.console import say

EXAMPLES = """\
  gen serve                               after gen build specs/ --formats site
  gen serve --out elsewhere --port 9000
"""
PORT = 8000
HOST = "127.0.0.1"
START = "site/index.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--out", metavar="FOLDER", type=Path, default=Path("generated"), help="where outputs are (default: generated/)")
    parser.add_argument("--port", metavar="N", type=count_of("the port"), default=PORT, help=f"of the address (default: {PORT})")


def run(args: argparse.Namespace) -> int:
    """Serve until somebody stops it."""
    if not (args.out / START).is_file():
        raise UsageError(f"--out: there is no {args.out / START}", "gen build specs/ --formats site writes it")
    try:
        server = server_of(args.out, args.port)
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port: {args.port} cannot be served: {error}", "another one may be free: --port 8001") from error
    with server:
        say(f"http://{HOST}:{server.server_port}/{START} (Ctrl-C ends it)")
        server.serve_forever()
    return 0


class _Handler(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that its base has
        """Say nothing."""


def server_of(folder: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of a folder's files, on this machine only. Raises OSError where the port is taken."""
    return ThreadingHTTPServer((HOST, port), partial(_Handler, directory=str(folder)))
