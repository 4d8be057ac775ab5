"""Decides what there is to do: which outputs are out of date, and which come from no spec any more."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.build.fingerprints import Fingerprints
from generator.build.manifest import Manifest, Record
from generator.build.worker import Task
from generator.files.regular_file import real
from generator.files.seal import State, state_of
from generator.render.formats import MARKDOWN, MODULES, OF_MODULES, Format
from generator.spec.library import Library

INDEX = "markdown/README.md"


@dataclass(frozen=True)
class BuildPlan:
    """The specs of a build.

    Args:
        wanted: for each spec that has outputs, in which formats.
        tasks: those of them that must be rendered.
    """

    wanted: Mapping[str, tuple[Format, ...]]
    tasks: tuple[Task, ...]


def make_plan(
    library: Library,
    chosen: Sequence[str],
    formats: Sequence[Format],
    manifest: Manifest,
    fingerprints: Fingerprints,
    out: Path,
    *,
    check: bool = False,
) -> BuildPlan:
    """Return what is to be done.

    Args:
        chosen: the specs that get all formats. What they use gets a module, so that theirs can import it.
        check: leave out what is not there and need not be.
    """
    wanted = dict.fromkeys(chosen, tuple(formats))
    if MODULES in formats:
        for name in chosen:
            record = manifest.specs.get(name)
            known = record is not None and is_current(name, record, fingerprints)
            for used in record.uses if known and record else library.closure(name, read=True):
                wanted.setdefault(used, OF_MODULES)
    tasks = []
    for name, kinds in wanted.items():
        stale = tuple(kind for kind in kinds if not _is_fresh(name, kind, manifest, fingerprints, out))
        if check:
            stale = tuple(kind for kind in stale if kind.committed or (out / kind.path(name)).exists())
        if stale:
            tasks.append(Task(name, stale))
    return BuildPlan(wanted, tuple(tasks))


def is_current(name: str, record: Record, fingerprints: Fingerprints) -> bool:
    """Say whether nothing that a spec's outputs came from has changed."""
    return record.fingerprint == fingerprints.of(name, record.uses)


def _is_fresh(name: str, kind: Format, manifest: Manifest, fingerprints: Fingerprints, out: Path) -> bool:
    record = manifest.specs.get(name)
    return record is not None and record.is_fresh(fingerprints.of(name, record.uses), [kind.path(name)], out)


def leftovers(
    library: Library, plan: BuildPlan, formats: Sequence[Format], manifest: Manifest, out: Path, reserved: Collection[str]
) -> Iterator[str]:
    """Yield the outputs, written by a build, that come from no spec any more, as paths below `out`.

    Args:
        reserved: outputs that come from no single spec, as paths below `out`.
    """
    for kind in formats:
        for file in sorted((out / kind.folder).glob(f"*{kind.suffix}")):
            path = f"{kind.folder}/{file.name}"
            if path in reserved or file.name.startswith(".") or not file.is_file():
                continue
            if not _has_spec(file.name.partition(".")[0], library, plan, manifest, out) and _is_output(file):
                yield path


def _is_output(file: Path) -> bool:
    return state_of(file, file.read_bytes()) is not State.FOREIGN


def _has_spec(name: str, library: Library, plan: BuildPlan, manifest: Manifest, out: Path) -> bool:
    """Say whether outputs of a name have a reason to be there: a spec, in this build or an earlier one."""
    if name in plan.wanted or name in library.own:
        return True
    record = manifest.specs.get(name)
    if record is None:
        return name in library.files
    if not (real(out) / record.place).exists():
        return False
    users = (user for user, other in manifest.specs.items() if user != name and name in other.uses)
    return record.requested or any(user not in plan.wanted and (real(out) / manifest.specs[user].place).exists() for user in users)


def pages(library: Library, requested: Collection[str], formats: Sequence[Format], out: Path) -> frozenset[str]:
    """Return the names of all specs that have a page after the build."""
    there = {file.stem for file in (out / MARKDOWN.folder).glob(f"*{MARKDOWN.suffix}") if file.stem in library.files}
    return frozenset(there | set(requested if MARKDOWN in formats else ()))
