"""A build from beginning to end: plan, render, write (or compare), record."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generator.build.build_plan import BuildPlan, leftovers, make_plan, pages
from generator.build.common_outputs import CommonOutput, common_outputs
from generator.build.comparisons import Place, build_comparisons
from generator.build.fingerprints import Fingerprints, digest, place
from generator.build.fixed import SITE_FILES, fixed_files, reserved_paths
from generator.build.manifest import FILE as RECORD
from generator.build.manifest import Record, Written, read_manifest
from generator.build.published_pages import CLAIMS, DOCUMENTS
from generator.build.sink import Checker, FileWriter, Sink
from generator.build.worker import Rendered, Surroundings, render_all
from generator.files import writing
from generator.files.regular_file import real
from generator.files.seal import State, state_of
from generator.questions.comparison.comparison_folder import FOLDER as COMPARISONS
from generator.render.formats import EVERY_FORMAT, FORMATS, MARKDOWN, Format
from generator.spec.inherited_mistakes import said_once
from generator.spec.library import Library
from generator.spec.lookup import Collection
from generator.text.problems import Problem, ProblemsError

FOLDERS = (*dict.fromkeys(kind.folder for kind in EVERY_FORMAT), DOCUMENTS, COMPARISONS)  # below that of outputs
_FEW = 4  # so many specs are rendered sooner than further processes are ready


@dataclass(frozen=True)
class Request:
    """What to build.

    Args:
        out: the folder of outputs.
        only: names of specs, out of those collected; empty for all.
        jobs: the number of processes; 0 for as many as are of use.
        check: write nothing, and compare instead.
        force: write also over outputs that were edited by hand.
    """

    collection: Collection
    out: Path
    formats: tuple[Format, ...] = FORMATS
    only: tuple[str, ...] = ()
    jobs: int = 0
    check: bool = False
    force: bool = False


@dataclass
class Report:
    """What a build has come to.

    Args:
        specs: the specs to build, those that others use included.
        rendered: the specs that were rendered, by name, with the paths that changed.
        compared: the same of comparisons.
        fixed: what else changed: what the specs have in common.
        differences: for a check, what is wrong with which path.
        removed: outputs that came from no spec any more.
        failed: the specs that could not be built.
        problems: all that went wrong, in order of files and lines; what is wrong in a spec that others lean on is said once.
        remarks: what a person should know, such as that charts were not drawn.
        comparisons: how many comparisons there are.
    """

    specs: tuple[str, ...] = ()
    rendered: dict[str, list[str]] = field(default_factory=dict)
    compared: dict[str, list[str]] = field(default_factory=dict)
    fixed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    differences: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    problems: tuple[Problem, ...] = ()
    remarks: list[str] = field(default_factory=list)
    comparisons: int = 0


def build(
    request: Request,
    progress: Callable[[str, Sequence[str]], None] = lambda *_: None,
    planned: Callable[[int], None] = lambda _: None,
) -> Report:
    """Bring all outputs up to date, or say which are not.

    Args:
        progress: told of each rendered spec and which of its outputs have changed.
        planned: told how many specs are going to be rendered, before the first is.
    """
    return _Build(request, progress, planned).run()


class _Build:
    def __init__(self, request: Request, progress: Callable[[str, Sequence[str]], None], planned: Callable[[int], None]) -> None:
        self.request, self.progress, self.planned = request, progress, planned
        self.library, self.out = request.collection.library, request.out
        self.chosen = request.only or request.collection.requested
        self.pages = pages(self.library, request.collection.requested, request.formats, self.out)
        self.fingerprints = Fingerprints(self.library, self.out, self.pages)
        self.manifest = read_manifest(self.out)
        self.checker = Checker(self.out)
        self.sink: Sink = self.checker if request.check else FileWriter(self.out, force=request.force)
        self.report = Report(differences=self.checker.found)
        self.found: dict[str, list[Problem]] = {}  # by the spec in which it was met, or what else has it

    def run(self) -> Report:
        request = self.request
        wrong_names = [name for name in self.chosen if self.library.name_problems(name)]
        for name in wrong_names:
            self._fail(_mistakes(self.library, name), [name])
        chosen = tuple(name for name in self.chosen if name not in wrong_names)
        if not request.check:
            _make_writable(self.out)
            writing.remove_temporaries([self.out, *(self.out / folder for folder in FOLDERS)])
        plan = make_plan(self.library, chosen, request.formats, self.manifest, self.fingerprints, self.out, check=request.check)
        self.report.specs = (*plan.wanted, *wrong_names)
        try:
            for path, data in fixed_files(request.formats, self.library).items():
                self._put_fixed(path, data, committed=path not in SITE_FILES)
            self._render(plan)
            if request.collection.is_whole and not request.only:
                if not self.report.failed:
                    self._finish(plan)
                self._comparisons()
        finally:  # what was written is recorded even if the build is stopped
            self._save()
        self.report.problems = ProblemsError(said_once(self.library, self.found)).problems
        return self.report

    def _render(self, plan: BuildPlan) -> None:
        around = Surroundings(self.request.collection.paths, self.out, self.pages)
        kinds = {task.name: task.formats for task in plan.tasks}
        self.planned(len(plan.tasks))
        for rendered in render_all(plan.tasks, self.library, around, _processes(self.request.jobs, len(plan.tasks))):
            if rendered.problems:
                self._fail(rendered.problems, [rendered.name])
            if rendered.outputs or not rendered.problems:
                self._take(rendered, [kind for kind in kinds[rendered.name] if kind.key in rendered.outputs])
            for kind in rendered.failed if rendered.outputs else ():
                self._drop_stale(kind.path(rendered.name))

    def _take(self, rendered: Rendered, kinds: Iterable[Format]) -> None:
        """Hand the outputs of a spec on, and record them."""
        changed, written = [], {}
        for kind in kinds:
            path, data = kind.path(rendered.name), rendered.outputs[kind.key]
            try:
                if not data:
                    self._drop_none(path)
                elif self.sink.put(path, data, committed=kind.committed):
                    changed.append(path)
                written[path] = digest(data) if data else ""  # as `file_digest` has it where there is no file
            except ProblemsError as error:
                self._fail(error.problems, [])  # of a file in the way; the spec itself is fine
        self._record(rendered, written)
        self.report.rendered[rendered.name] = changed
        self.progress(rendered.name, changed)

    def _drop_none(self, path: str) -> None:
        """Remove an output of a kind that its spec has no more."""
        file = self.out / path
        if file.is_file() and state_of(file, file.read_bytes()) is not State.FOREIGN:
            self._drop(path)

    def _drop_stale(self, path: str) -> None:
        """Remove what an earlier build has written where this one can write nothing, so that it stands beside no newer outputs."""
        if (self.out / path).is_file() and not self.request.check:
            self._drop(path)

    def _record(self, rendered: Rendered, written: dict[str, str]) -> None:
        name = rendered.name
        spot = place(self.library.path(name), real(self.out))
        requested = name in self.request.collection.requested
        new = Record(self.fingerprints.of(name, rendered.uses), written, rendered.uses, spot, requested, rendered.summary)
        old = self.manifest.specs.get(name)
        self.manifest.specs[name] = old.updated(new) if old else new

    def _put_fixed(self, path: str, data: bytes, *, committed: bool = True) -> None:
        try:
            if self.sink.put(path, data, committed=committed):
                self.report.fixed.append(path)
        except ProblemsError as error:
            self._fail(error.problems, [])

    def _finish(self, plan: BuildPlan) -> None:
        """See to what the specs have in common: their schema, the index of their pages, and outputs that have lost their spec."""
        if self.chosen:
            self._common()
        gone = list(leftovers(self.library, plan, self.request.formats, self.manifest, self.out, reserved_paths()))
        for path in gone:
            self._drop(path)

    def _comparisons(self) -> None:
        """Compare specs with each other, as the files in the folder of comparisons say."""
        request = self.request
        place = Place(self.library, self.out, request.formats, self.pages, request.check)
        done = build_comparisons(place, self.manifest, self.fingerprints, self.sink, self.progress, self.planned)
        self._fail(done.problems, [f"comparisons/{name}" for name in done.failed])
        self.report.compared, self.report.fixed = done.rendered, [*self.report.fixed, *done.common]
        self.report.removed.extend(done.removed)
        self.report.remarks.extend(done.remarks)
        self.report.comparisons = done.count

    def _drop(self, path: str) -> None:
        try:
            self.sink.drop(path)
            self.report.removed.append(path)
        except ProblemsError as error:
            self._fail(error.problems, [])

    def _common(self) -> None:
        """Bring the outputs of no single spec up to date; pages that nothing asks for any more are removed."""
        formats, wanted = self.request.formats, set()
        records = {name: record for name in self.chosen if (record := self.manifest.specs.get(name)) is not None}
        for output in common_outputs(self.library, self.out, formats, records, self.fingerprints):
            wanted.add(output.path)
            written = self.manifest.common.get(output.path)
            if self._need_not_be_there(output) or (written and written.is_fresh(output.fingerprint, [output.path], self.out)):
                continue
            try:
                data = output.render()
            except ProblemsError as error:
                self._fail(error.problems, [])
                continue
            self._put_fixed(output.path, data, committed=output.committed)
            self.manifest.common[output.path] = Written(output.fingerprint, {output.path: digest(data)})
        there = (f"{DOCUMENTS}/{file.name}" for file in sorted((self.out / DOCUMENTS).glob("*.md")))
        for path in (CLAIMS, *there) if MARKDOWN in formats else ():
            file = self.out / path
            if path not in wanted and file.is_file() and state_of(file, file.read_bytes()) is not State.FOREIGN:
                self._drop(path)
                self.manifest.common.pop(path, None)

    def _need_not_be_there(self, output: CommonOutput) -> bool:
        """Say whether a check leaves a workbook out: without a record of all specs nobody can say what should be in it."""
        if output.committed or not self.request.check:
            return False
        return not ((self.out / output.path).exists() and all(name in self.manifest.specs for name in self.chosen))

    def _fail(self, problems: Iterable[Problem], names: Iterable[str]) -> None:
        """Take down what is wrong, and what could not be built for it: one spec, or several comparisons."""
        names = list(names)
        self.found.setdefault(names[0] if names else "", []).extend(problems)
        self.report.failed.extend(name for name in names if name not in self.report.failed)

    def _save(self) -> None:
        """Record the build; specs that are gone are forgotten."""
        if self.request.check:
            return
        out = real(self.out)
        self.manifest.specs = {n: r for n, r in self.manifest.specs.items() if n in self.library.files or (out / r.place).exists()}
        try:
            if self.manifest.specs:
                self.manifest.save(self.out)
        except OSError as error:
            self._fail([Problem(f"{self.out / RECORD}: {error.strerror or error}", None)], [])


def _mistakes(library: Library, name: str) -> tuple[Problem, ...]:
    """Return what keeps a spec from being read."""
    try:
        library.spec(name)
    except ProblemsError as error:
        return error.problems
    return ()


def _make_writable(out: Path) -> None:
    """Make the folder of outputs. Raises OSError before anything is rendered in vain."""
    out.mkdir(parents=True, exist_ok=True)
    if not os.access(out, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(out))


def _processes(jobs: int, tasks: int) -> int:
    if jobs:
        return max(1, min(jobs, tasks))
    return 1 if tasks < _FEW else min(os.cpu_count() or 1, tasks)
