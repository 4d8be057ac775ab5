"""Renders specs, in this process or in others. Nothing is written here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.render.formats import MODULES, Format, Rendering
from generator.spec.library import Library
from generator.text.problems import Problem, ProblemsError

if TYPE_CHECKING:
    from generator.render.module.view import ModuleSet


# Objects made before Python looks for circles among them. Formulas are many small objects and no circles: looking after each 700, as Python
# does by itself, takes one second of twenty.
COLLECTED_AFTER = 20_000


@dataclass(frozen=True)
class Task:
    """A spec and the formats in which it is wanted."""

    name: str
    formats: tuple[Format, ...]


@dataclass(frozen=True)
class Surroundings:
    """What all tasks of a build share: where specs are found, where outputs go, and which specs have pages."""

    paths: tuple[Path, ...]
    out: Path
    pages: frozenset[str]


@dataclass(frozen=True)
class Rendered:
    """The outputs of one spec by format, and what went wrong.

    Args:
        failed: the formats that could not be rendered, where the spec itself could be derived.
    """

    name: str
    uses: tuple[str, ...] = ()
    outputs: dict[str, bytes] = field(default_factory=dict)
    summary: dict[str, Any] | None = None
    problems: tuple[Problem, ...] = ()
    failed: tuple[Format, ...] = ()


def render(task: Task, library: Library, around: Surroundings, modules: ModuleSet) -> Rendered:
    """Derive a spec and render it. Never raises: what goes wrong becomes a problem of this spec."""
    try:
        from generator.build.spec_summary import summarise
        from generator.render.module.writer import row_lines
        from generator.sheet.compiled import compile_spec

        compiled = compile_spec(library, task.name)
        rendering = Rendering(compiled, library, modules, around.out, around.pages)
        outputs, problems = _outputs(task.formats, rendering)
        module = (outputs if MODULES in task.formats else _outputs((MODULES,), rendering)[0]).get(MODULES.key)
        summary = summarise(compiled.sheet, row_lines(modules.view(task.name), module.count(b"\n"))) if module is not None else None
        failed = tuple(kind for kind in task.formats if kind.key not in outputs)
        return Rendered(task.name, library.closure(task.name, read=True), outputs, summary, problems, failed)
    except ProblemsError as error:
        return Rendered(task.name, problems=error.problems)
    except Exception as error:  # noqa: BLE001 - one spec that the tool cannot handle must not keep the others from being built
        return Rendered(task.name, problems=(_unforeseen(f"`{task.name}` cannot be derived", library, task.name, error),))


def _outputs(formats: Iterable[Format], rendering: Rendering) -> tuple[dict[str, bytes], tuple[Problem, ...]]:
    """Render each format by itself, so that one that fails costs none of the others."""
    outputs: dict[str, bytes] = {}
    problems: list[Problem] = []
    name = rendering.compiled.sheet.name
    for wanted in formats:
        try:
            outputs[wanted.key] = wanted.render(rendering)
        except ProblemsError as error:
            problems += error.problems
        except Exception as error:  # noqa: BLE001 - as above
            problems.append(_unforeseen(f"the {wanted.name} of `{name}` cannot be rendered", rendering.library, name, error))
    return outputs, tuple(problems)


def _unforeseen(what: str, library: Library, name: str, error: Exception) -> Problem:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    note = f"raised in {Path(last.filename).name}, line {last.lineno}"
    return Problem(f"{what}: {type(error).__name__}: {error}", library.draft(name).span, (note,))


def render_all(tasks: Sequence[Task], library: Library, around: Surroundings, jobs: int) -> Iterator[Rendered]:
    """Yield the outputs of all tasks as they are ready.

    Args:
        jobs: the number of processes; with 1 all is done in this one.
    """
    if jobs > 1:
        yield from _in_processes(tasks, around, jobs)
    elif tasks:
        modules = _modules(library)
        yield from (render(task, library, around, modules) for task in tasks)


def _in_processes(tasks: Sequence[Task], around: Surroundings, jobs: int) -> Iterator[Rendered]:
    # Imported here, because most builds find little to do, and these take longer than looking for it.
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # Started afresh, not forked: a process with threads, such as a notebook's, does not survive a fork in every case.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start, (around,)) as pool:
        waiting = {pool.submit(_render_here, task): task.name for task in tasks}
        try:
            for done in as_completed(waiting):
                died = isinstance(done.exception(), BrokenProcessPool)
                yield _lost(waiting[done]) if died else done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _lost(name: str) -> Rendered:
    note = "there may be too little memory for so many processes; try --jobs 1"
    return Rendered(name, problems=(Problem(f"the process that rendered `{name}` has ended unexpectedly", None, (note,)),))


class _Renderer:
    """What a worker process keeps between its tasks."""

    library: Library
    around: Surroundings
    modules: ModuleSet


def _start(around: Surroundings) -> None:
    """Prepare a worker process."""
    import gc

    from generator.worker_process import begin_worker

    begin_worker()
    gc.set_threshold(COLLECTED_AFTER, 10, 10)
    _Renderer.library = Library(list(around.paths))
    _Renderer.around = around
    _Renderer.modules = _modules(_Renderer.library)


def _render_here(task: Task) -> Rendered:
    return render(task, _Renderer.library, _Renderer.around, _Renderer.modules)


def _modules(library: Library) -> ModuleSet:
    from generator.render.module.view import ModuleSet  # it imports sympy

    return ModuleSet(library)
