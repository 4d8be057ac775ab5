from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.small_specs import ALONE, LAYER, PAIR, write_specs


@pytest.fixture(autouse=True)
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `layer`, `pair` (two layers) and `alone`; the working directory is the folder around it."""
    monkeypatch.chdir(tmp_path)
    return write_specs(tmp_path / "mine", layer=LAYER, pair=PAIR, alone=ALONE)
