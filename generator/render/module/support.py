"""The support files beside the generated modules."""

from __future__ import annotations

from generator.resources import templates_dir


def support_files() -> dict[str, str]:
    """Return the text of each support file by its name in the modules folder."""
    return {file.name: file.read_text(encoding="utf-8") for file in sorted((templates_dir() / "module" / "support").glob("*.py"))}
