"""What a build has come to, as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from generator.build.builder import Report
from generator.render.formats import EVERY_FORMAT
from generator.render.terminal.findings import plain


def to_dict(report: Report, out: Path, *, is_check: bool) -> dict[str, Any]:
    """Return what was written (nothing, where outputs are only compared) and what is wrong.

    The keys of `written` are formats; a spec that is `built` and has none came out as it was. `others` are the files that specs have in
    common, such as the index. Paths begin with the folder of outputs.
    """

    def at(path: str) -> str:
        return (out / path).as_posix()

    def written(paths: list[str]) -> dict[str, str]:
        return {} if is_check else {_kind(path): at(path) for path in paths}

    states = dict.fromkeys(up_to_date(report), "up to date")
    states |= dict.fromkeys(report.rendered, "compared" if is_check else "built") | dict.fromkeys(report.failed, "failed")
    return {
        "specs": {name: {"state": states[name], "written": written(report.rendered.get(name, []))} for name in sorted(report.specs)},
        "comparisons": {} if is_check else {name: [at(path) for path in paths] for name, paths in sorted(report.compared.items())},
        "others": [] if is_check else [at(path) for path in report.fixed],
        "removed": [] if is_check else [at(path) for path in report.removed],
        "differences": {at(path): what for path, what in sorted(report.differences.items())},
        "failed": sorted(report.failed),
        "errors": [plain(problem) for problem in report.problems],
        "remarks": report.remarks,
    }


def _kind(path: str) -> str:
    """Return the name of the format that a path, which begins with the folder of a format, has."""
    folder, _, file = path.partition("/")
    return next((kind.name for kind in EVERY_FORMAT if kind.folder == folder and file.endswith(kind.suffix)), folder)


def up_to_date(report: Report) -> list[str]:
    """Return the specs for which there was nothing to do."""
    return [name for name in report.specs if name not in report.rendered and name not in report.failed]
