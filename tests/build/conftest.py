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
def out(specs: Path) -> Path:
    """The folder of outputs, beside that of the specs; there is none before the first build."""
    return specs.parent / "generated"


@pytest.fixture
def gen(specs: Path) -> Gen:
    """`gen build mine/` for modules and pages, with further arguments."""
    return lambda *arguments: main(["build", specs.name, "--formats", "modules,markdown", *map(str, arguments)])
