"""Commands that may not do everything: the suite often runs as the administrator, whom no permission of a file keeps out."""

from __future__ import annotations

import os
import shutil

import pytest

_EVERYWHERE = (
    "-dac_override,-dac_read_search"  # what lets the administrator read and write whatever a file's permissions say (capabilities(7))
)


def bound_by_rights() -> list[str]:
    """Return what stands before a command so that permissions bind it too. Skips the test where that cannot be had."""
    if not hasattr(os, "geteuid"):
        pytest.skip("Windows has no such permissions")
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("the administrator may write everywhere")
    return ["setpriv", "--bounding-set", _EVERYWHERE]
