from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from generator.cli import main
from tests.support.small_specs import ALONE, LAYER, PAIR, write_specs

Gen = Callable[..., int]


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `layer`, `pair` (two layers) and `alone`; the working directory is the folder around it."""
    monkeypatch.chdir(tmp_path)
    return write_specs(tmp_path / "mine", blocks__layer=LAYER, models__pair=PAIR, alone=ALONE)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "generated"


@pytest.fixture
def gen() -> Gen:
    """`gen build mine/` for modules and pages, with further arguments."""
    return lambda *arguments: main(["build", "mine", "--formats", "modules,markdown", *map(str, arguments)])
