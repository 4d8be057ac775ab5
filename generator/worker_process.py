"""How a process begins that works for another one: it ends when that one does, and at once on Ctrl-C."""

from __future__ import annotations

import os
import signal
from multiprocessing import parent_process
from threading import Thread


def begin_worker() -> None:
    """Prepare this process, which another one has started.

    Ctrl-C ends it at once and in silence; the one that started it says what there is to say. Where that one is killed, nothing else
    would end this process: it would wait forever for what to do next.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with_parent, name="ends with its parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # nothing of this process is wanted any more, whatever it is at
