"""The comparisons of a library: a page with a chart, and a workbook, for each; all in one folder, with an index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from generator.build.fingerprints import Fingerprints, digest, file_digest
from generator.build.manifest import ComparisonRecord, Manifest
from generator.build.sink import Sink
from generator.files.ignored import is_missing_from_a_clone
from generator.files.regular_file import read_regular
from generator.files.seal import sealed
from generator.files.writing import MADE_BY
from generator.questions.comparison.comparison_folder import FOLDER, comparison_files
from generator.render.formats import EXCEL, MARKDOWN, Format
from generator.spec.library import Library
from generator.text.problems import Problem, ProblemsError

if TYPE_CHECKING:
    from generator.questions.comparison.comparison import Comparison

INDEX = f"{FOLDER}/README.md"


@dataclass
class ComparisonsReport:
    """What was done: changed paths by name and those of all, paths that are gone, problems, and what a person should know."""

    rendered: dict[str, list[str]] = field(default_factory=dict)
    common: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True)
class Place:
    """Where comparisons are built: the library, the folder of outputs, the formats, and the specs that have pages."""

    library: Library
    out: Path
    formats: Sequence[Format]
    pages: Collection[str]
    check: bool

    def wants(self, kind: Format) -> bool:
        """Say whether a format is to be built, in whatever language."""
        return any(one.name == kind.name for one in self.formats)

    @property
    def workbooks(self) -> Format:
        """The format of workbooks, in the language in which they are built."""
        return next((one for one in self.formats if one.name == EXCEL.name), EXCEL)


def build_comparisons(
    place: Place,
    manifest: Manifest,
    fingerprints: Fingerprints,
    sink: Sink,
    progress: Callable[[str, Sequence[str]], None],
    planned: Callable[[int], None],
) -> ComparisonsReport:
    """Bring the outputs of all comparisons up to date, and remove those of comparisons that are gone.

    Args:
        progress: told of each comparison that was rendered, and which of its outputs have changed.
        planned: told how many are going to be rendered.
    """
    report = ComparisonsReport()
    files = comparison_files(place.library)
    if not place.wants(MARKDOWN) and not place.wants(EXCEL):
        return report
    report.count = len(files)
    if files and place.wants(MARKDOWN) and not _plot_version():
        report.remarks.append("charts are drawn by matplotlib, which is not installed; install it with: pip install 'archsheet[plot]'")
    stale = {name: file for name, file in files.items() if not _is_fresh(name, file, place, manifest, fingerprints)}
    planned(len(stale))
    for name, file in stale.items():
        _build_one(name, file, place, manifest, fingerprints, sink, report)
        progress(f"{FOLDER}/{name}", report.rendered.get(name, []))
    if place.wants(MARKDOWN) and files:
        report.common += [INDEX] if _put(sink, INDEX, sealed(_index(manifest, files)), report) else []
    for name in [name for name in manifest.comparisons if name not in files]:
        there = [path for path in manifest.comparisons[name].outputs if (place.out / path).exists()]
        kept = [path for path in there if not _drop(sink, path, report)]
        if not kept:  # else it must be remembered whose they are
            del manifest.comparisons[name]
    return report


def _drop(sink: Sink, path: str, report: ComparisonsReport) -> bool:
    """Remove an output; return whether it is gone."""
    try:
        sink.drop(path)
        report.removed.append(path)
    except ProblemsError as error:
        report.problems.extend(error.problems)
        return False
    return True


def _fingerprint(file: Path, uses: Sequence[str], fingerprints: Fingerprints) -> str:
    parts = [file_digest(file), *(fingerprints.of(name, uses) for name in uses[:1]), fingerprints.ignored, _plot_version()]
    return digest("\0".join(parts).encode())


def _plot_version() -> str:
    """Return the version of matplotlib, which draws the charts; empty if it is not installed."""
    try:
        return version("matplotlib")
    except PackageNotFoundError:
        return ""


def _wanted(name: str, place: Place) -> list[str]:
    """Return the outputs of a comparison as paths below the folder of outputs."""
    paths = [f"{FOLDER}/{name}.md"] if place.wants(MARKDOWN) else []
    chart = f"{FOLDER}/{name}.svg"
    if paths and _plot_version() and not (place.check and _is_of_other_version(place.out / chart)):
        paths.append(chart)
    workbook = _workbook(name, place)
    if place.wants(EXCEL) and not (place.check and not (place.out / workbook).exists()):
        paths.append(workbook)
    return paths


def _workbook(name: str, place: Place) -> str:
    return f"{FOLDER}/{name}{place.workbooks.suffix}"


def _is_of_other_version(chart: Path) -> bool:
    """Say whether a chart was drawn by another version of matplotlib than this one, so that no check can compare it."""
    try:
        head = read_regular(chart, 399)
    except OSError:
        return False
    return b"with matplotlib" in head and f"with matplotlib {_plot_version()};".encode() not in head


def _is_fresh(name: str, file: Path, place: Place, manifest: Manifest, fingerprints: Fingerprints) -> bool:
    record = manifest.comparisons.get(name)
    return record is not None and record.is_fresh(_fingerprint(file, record.uses, fingerprints), _wanted(name, place), place.out)


def _build_one(
    name: str, file: Path, place: Place, manifest: Manifest, fingerprints: Fingerprints, sink: Sink, report: ComparisonsReport
) -> None:
    from generator.questions.comparison.comparison_reader import read_comparison
    from generator.text.errors import SizeError

    try:
        comparison = read_comparison(file, place.library)
        outputs = _rendered(comparison, file, place, report)
    except ProblemsError as error:
        report.problems.extend(error.problems)
        report.failed.append(name)
        return
    except SizeError as error:
        report.problems.append(Problem(f"comparison `{name}`: {error.message}", None, error.notes))
        report.failed.append(name)
        return
    except Exception as error:  # noqa: BLE001 - one comparison that the tool cannot handle must not keep the others from being built
        report.problems.append(Problem(f"comparison `{name}` cannot be built: {type(error).__name__}: {error}", None))
        report.failed.append(name)
        return
    changed = [path for path, data in outputs.items() if _put(sink, path, data, report)]
    uses = tuple(dict.fromkeys(used for subject in comparison.subjects for used in place.library.closure(subject.sheet.name, read=True)))
    fingerprint = _fingerprint(file, uses, fingerprints)
    written = {path: digest(data) for path, data in outputs.items()}
    old = manifest.comparisons.get(name)
    if old is not None and old.fingerprint == fingerprint:
        written = {**old.outputs, **written}
    manifest.comparisons[name] = ComparisonRecord(fingerprint, written, uses, comparison.title, comparison.question)
    report.rendered[name] = changed


def _rendered(comparison: Comparison, file: Path, place: Place, report: ComparisonsReport) -> dict[str, bytes]:
    """Return the outputs of a comparison. Raises SizeError."""
    from generator.questions.comparison.result import compared
    from generator.render.comparison.chart.draw import ChartError, draw
    from generator.render.comparison.comparison_page import render_comparison
    from generator.render.comparison.workbook.comparison_book import comparison_workbook
    from generator.render.markdown.links import spec_link

    result = compared(comparison)
    name = comparison.name
    outputs = {}
    wanted = _wanted(name, place)
    if place.wants(MARKDOWN):
        page = f"{FOLDER}/{name}.md"
        there = not is_missing_from_a_clone(f"{FOLDER}/{name}{EXCEL.suffix}", page, place.out)
        outputs[page] = sealed(render_comparison(result, spec=spec_link(file, place.out), pages=place.pages, workbook=there))
    if f"{FOLDER}/{name}.svg" in wanted:
        try:
            outputs[f"{FOLDER}/{name}.svg"] = sealed(draw(result).decode())
        except ChartError as error:
            report.remarks.append(f"comparison `{name}`: {error}")
    workbook = _workbook(name, place)
    if workbook in wanted:
        outputs[workbook] = comparison_workbook(result, place.workbooks.language)
    return outputs


def _put(sink: Sink, path: str, data: bytes, report: ComparisonsReport) -> bool:
    try:
        return sink.put(path, data, committed=not path.endswith(".xlsx"))
    except ProblemsError as error:
        report.problems.extend(error.problems)
        return False


def _index(manifest: Manifest, files: Collection[str]) -> str:
    from generator.render.markdown.escape_markdown import cell, label, link, text

    lines = [f"<!-- {MADE_BY}; do not edit. -->", "", "# Comparisons", ""]
    lines += ["Specs side by side at sizes that are held equal, with exact crossings.", "", "| Comparison | Question |", "| --- | --- |"]
    for name in sorted(files):
        record = manifest.comparisons.get(name)
        if record is not None:
            lines.append(f"| {cell(link(label(record.title), f'{name}.md'))} | {cell(text(record.question))} |")
    return "\n".join(lines) + "\n"
