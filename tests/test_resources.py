"""Where the data folders are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.files import resources


def test_the_repository_s_own_folders_are_found() -> None:
    repository = Path(__file__).resolve().parent.parent
    assert resources.templates_dir() == repository / "templates"
    assert resources.builtin_specs_dir() == repository / "specs"


def test_a_wheel_s_copies_are_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "generator"
    (package / "_data" / "templates").mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resources.templates_dir() == package / "_data" / "templates"
