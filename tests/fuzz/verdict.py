"""Whether a drawn spec is refused, verified, or a finding."""

from __future__ import annotations

import random
import re
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from generator.build.worker import Surroundings, Task, render
from generator.proof.verify.instance import Workbench
from generator.proof.verify.sample_sizes import NoSampleError, sample
from generator.proof.verify.stepwise import check_decoding
from generator.proof.verify.verification import Case, check_case, mistakes, preset_sizes
from generator.render.formats import FORMATS
from generator.render.module.view import ModuleSet
from generator.resolve.architecture import Architecture
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from generator.sheet.showable import unshown_problems
from generator.spec.library import Library
from generator.spec.mode import asked_of
from generator.text.problems import ProblemsError
from tests.fuzz.specs import NAME, Drawn

SHARE_WITH_ONES = 0.4  # of the later sets of sizes


@dataclass(frozen=True)
class Finding:
    """A difference or an exception.

    Args:
        signature: what findings of one kind have in common.
        mode: of which counts it is found.
    """

    signature: str
    message: str
    mode: str = "training"

    @property
    def needs_build(self) -> bool:
        """Whether only a build shows it."""
        return self.signature.startswith("build")


@dataclass(frozen=True)
class Verdict:
    """What came of a spec.

    Args:
        refused: why the spec is no valid one, if it is not.
        unsampled: why no sizes were found for it.
        built: whether its page and workbook were made too.
        constructs: what it is made of.
    """

    refused: str = ""
    unsampled: str = ""
    built: bool = False
    constructs: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = field(default=())


def judge(drawn: Drawn, *, seed: int = 0, samples: int = 2, build: bool = False, mode: str = "training") -> Verdict:
    """Check a spec, run it at drawn sizes in training or as after module.eval(), and build it where asked."""
    with asked_of(mode):
        verdict = _judged(drawn, seed, samples, build)
    if mode == "training":
        return verdict
    named = tuple(replace(one, signature=f"{mode}: {one.signature}", mode=mode) for one in verdict.findings)
    return replace(verdict, constructs=verdict.constructs | {mode}, findings=named)


def _judged(drawn: Drawn, seed: int, samples: int, build: bool) -> Verdict:
    with TemporaryDirectory() as folder:
        path = Path(folder)
        for name, text in drawn.files.items():
            (path / f"{name}.yaml").write_text(text, encoding="utf-8")
        library = Library([path])
        try:
            compiled = compile_spec(library, NAME)
        except ProblemsError as error:
            return Verdict(refused=error.problems[0].message)
        except Exception as error:  # noqa: BLE001  whatever `gen check` stops at is a finding
            return Verdict(findings=(_stopped("check", error),))
        constructs = frozenset(_constructs(compiled.architecture)) | _leaning(drawn)
        with Workbench(library) as bench:
            refused = [problem.message for problem in mistakes(bench, [NAME]).get(NAME, ())]
            if build:  # `gen check` refuses these too
                refused += [problem.message for problem in unshown_problems(library.spec(NAME), compiled.sheet)]
            if refused:
                return Verdict(refused=refused[0])
            return _measured(bench, path, compiled.sheet, constructs, random.Random(seed), samples, build)


def _measured(
    bench: Workbench, path: Path, sheet: Sheet, constructs: frozenset[str], rng: random.Random, samples: int, build: bool
) -> Verdict:
    findings: list[Finding] = []
    unsampled = ""
    for i in range(samples):
        try:
            sizes = (_with_a_one(sheet, rng) if i and rng.random() < SHARE_WITH_ONES else None) or sample(sheet, rng)
        except NoSampleError as error:
            unsampled = str(error)
            break
        except Exception as error:  # noqa: BLE001  as above
            findings.append(_stopped("sample", error))
            break
        findings += _differences(check_case(bench, NAME, sizes))
        if findings:
            break
    for preset in sheet.presets:
        findings += _differences(check_case(bench, NAME, preset_sizes(sheet, preset.sizes, rng), preset.name))
    if not findings and "cache" in constructs:  # elsewhere what stands beside what keeps a state may look at other tokens and keep none
        findings += _decoded(bench)
    if build:
        findings += _built(bench.library, path)
    return Verdict(unsampled=unsampled, built=build, constructs=constructs, findings=tuple(findings))


def _with_a_one(sheet: Sheet, rng: random.Random) -> dict[str, int] | None:
    """Return sizes of which one is 1. None where there are none, or that one only counts layers."""
    try:
        return sample(sheet, rng, fixed={rng.choice([size.name for size in sheet.sizes if size.kind != "derived"]): 1}, least=1)
    except NoSampleError:
        return None


def _differences(case: Case) -> list[Finding]:
    if case.equal:
        return []
    wrong = [check for check in case.checks if not check.equal]
    at = ", ".join(f"{name}={value}" for name, value in case.sizes.items())
    lines = [f"at {at}", *(f"{check.quantity}: derived {check.derived}, measured {check.measured}" for check in wrong)]
    lines += [f"{one.quantity}: {one.row} ({one.op}) derived {one.derived}, measured {one.measured}" for one in case.differences]
    op = case.differences[0].op if case.differences else ""
    quantity = wrong[0].quantity if wrong else ""
    if quantity == "run":
        quantity += " " + _bare(str(wrong[0].measured))
    return [Finding(f"{quantity} @ {op}", "\n".join(lines))]


def _decoded(bench: Workbench) -> list[Finding]:
    try:
        decoding = check_decoding(bench, NAME)
    except Exception as error:  # noqa: BLE001  as above
        return [_stopped("decoding", error)]
    wrong = [check for check in decoding.checks if not check.equal] if decoding else []
    return [Finding(f"decoding {_bare(check.found)}", f"{check.steps} at {dict(check.sizes)}: {check.found}") for check in wrong[:1]]


def _built(library: Library, path: Path) -> list[Finding]:
    rendered = render(Task(NAME, FORMATS), library, Surroundings((path,), path / "out", frozenset({NAME})), ModuleSet(library))
    return [Finding(f"build {_bare(problem.message)}", "\n".join((problem.message, *problem.notes))) for problem in rendered.problems]


def _stopped(stage: str, error: Exception) -> Finding:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.name}"
    return Finding(f"{stage} {type(error).__name__} in {where}", "".join(traceback.format_exception(error)[-4:]))


def _bare(message: str) -> str:
    """Return a message without the names and numbers of one case."""
    return re.sub(r"`[^`]*`|\d+", "_", message.splitlines()[0])[:160]


def reason(message: str) -> str:
    """Return what refusals of one kind have in common."""
    return re.sub(r"`[^`]*`|\[[^]]*\]|\d+", "_", message)


def _leaning(drawn: Drawn) -> set[str]:
    """Return in which ways the files of a spec lean on others."""
    written = "\n".join(drawn.files.values())
    return {key for key in ("like", "blocks") if re.search(rf"^{key}:", written, re.MULTILINE)} | ({"..."} if "..." in written else set())


def _constructs(arch: Architecture) -> set[str]:
    found: set[str] = set()
    for row in arch.rows:
        if row.row.op:
            found.add(row.row.op)
        for key in ("when", "scan", "slot", "pattern", "tie", "tie_when", "frozen", "share", "capacity", "experts"):
            if getattr(row.row, key):
                found.add(key)
        if row.row.repeat is not None:
            found.add("repeat" if row.row.repeat.text.isdigit() else "repeat by a size")
        if row.child is not None:
            found |= {"use"} | _constructs(row.child)
    return found
