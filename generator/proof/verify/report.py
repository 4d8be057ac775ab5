"""The proof as a page: what was measured, how often, at which sizes, against which implementation, and what came out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from generator.formulas.human import counted
from generator.proof.verify.coverage import coverage
from generator.proof.verify.quantity_words import DECODING, MEASURED_BY, SIZE_ONE
from generator.proof.verify.references.reference_runs import ReferenceCheck
from generator.proof.verify.verdict_words import decoding_words, is_compared, measurements, outcome, word
from generator.proof.verify.verification import Case, Verification
from generator.render.environment import environment
from generator.render.markdown.escape_markdown import code, link, tag_code, tag_text, text
from generator.render.markdown.table_rows import MarkdownTable, table
from generator.text.problems import headline

MADE_BY = "Made by `gen verify --report`"
LIBRARIES = ("torch", "transformers", "timm")


@dataclass(frozen=True)
class SpecSection:
    """What the page says about one spec; the summary, in HTML, is what is seen of it where it is folded away."""

    heading: str
    summary: str
    verdict: str
    sizes: MarkdownTable
    decoding: str
    stepwise: MarkdownTable
    references: MarkdownTable
    not_run: tuple[str, ...]
    differences: MarkdownTable
    first_rows: MarkdownTable


def render_report(results: Sequence[Verification], pages: Mapping[str, str]) -> str:
    """Return the page as Markdown; the same for the same results and versions.

    Args:
        pages: where the page of a spec can be linked to, by name.
    """
    page = (
        environment()
        .get_template("markdown/proof.md.jinja")
        .render(
            made_by=MADE_BY,
            verdict=_verdict(results),
            versions=", ".join(_versions()),
            quantities=table(("Quantity", "Measured by"), ((code(name), text(means)) for name, means in MEASURED_BY.items())),
            size_one=text(SIZE_ONE),
            decoding=text(DECODING),
            coverage=coverage(results, pages),
            overview=_overview(results, pages),
            differing=[_section(result, pages) for result in results if not result.equal],
            equal=[_section(result, pages) for result in results if result.equal],
        )
    )
    return page.rstrip("\n") + "\n"


def _verdict(results: Sequence[Verification]) -> str:
    measured = counted(measurements(results), "measurement")
    compared = counted(sum(len(result.references) for result in results), "comparison")
    said = f"{counted(len(results), 'spec')}, {measured} and {compared} with public implementations"
    return f"**{said}: {outcome(results, code)}.**"


def _versions() -> Iterable[str]:
    for library in LIBRARIES:
        try:
            yield f"{library} {version(library).partition('+')[0]}"
        except PackageNotFoundError:
            continue


def _overview(results: Sequence[Verification], pages: Mapping[str, str]) -> MarkdownTable:
    head = ("Spec", "Random sizes", "Presets", "Measurements", "Public implementations", "Result")
    rows = []
    for result in results:
        presets = sum(1 for case in result.cases if case.preset)
        models = ", ".join(dict.fromkeys(text(check.model) for check in result.references))
        name = link(code(result.spec), pages[result.spec]) if result.spec in pages else code(result.spec)
        checks = f"{measurements([result]):,}"
        rows.append((name, str(len(result.cases) - presets), str(presets), checks, models, _word(result)))
    return table(head, rows, right=("Random sizes", "Presets", "Measurements"))


def _word(result: Verification) -> str:
    mark = "✗ " if not result.equal else "✓ " if is_compared(result) else ""
    return f"{mark}{word(result)}"


def _section(result: Verification, pages: Mapping[str, str]) -> SpecSection:
    compared = {check.quantity: None for case in result.cases for check in case.checks}
    wrong = [case for case in result.cases if not case.equal]
    quantities = ", ".join(code(quantity) for quantity in compared)
    verdict = f"{_word(result)}{f': {quantities}' if quantities else ''}."
    alone = (f"all else than preset {result.preset}",) if result.preset else ()
    left_out = (*map(headline, result.mistakes), *result.skipped, *alone, *result.shortened, *result.not_run)
    return SpecSection(
        heading=link(code(result.spec), pages[result.spec]) if result.spec in pages else code(result.spec),
        summary=f"{tag_code(result.spec)}: {tag_text(_word(result))}, {counted(measurements([result]), 'measurement')}",
        verdict=verdict,
        sizes=_sizes(result.cases),
        decoding=text(decoding_words(result.decoding)) if result.decoding else "",
        stepwise=_stepwise(result),
        references=_references(result.references),
        not_run=tuple(map(text, left_out)),
        differences=table(
            ("At", "Quantity", "Derived", "Measured"),
            [(_at(case), code(c.quantity), _number(c.derived), _number(c.measured)) for case in wrong for c in case.checks if not c.equal],
        ),
        first_rows=table(
            ("At", "Row", "Op", "Quantity", "Derived", "Measured"),
            [
                (_at(case), code(d.row), code(d.op), code(d.quantity), _number(d.derived), _number(d.measured))
                for case in wrong
                for d in case.differences
            ],
        ),
    )


def _sizes(cases: Sequence[Case]) -> MarkdownTable:
    rows = [(code(case.preset) if case.preset else "random", code(_listed(case.sizes)), _outcome(case)) for case in cases]
    return table(("Measured at", "Sizes", "Result"), rows)


def _outcome(case: Case) -> str:
    wrong = sum(1 for check in case.checks if not check.equal)
    said = f"{len(case.checks)} equal" if not wrong else f"{len(case.checks) - wrong} equal, **{wrong} differ**"
    apart = [check for check in case.checks if check.where]
    return f"{said}, of which {len(apart)} as derived for {code(apart[0].where)}" if apart else said


def _stepwise(result: Verification) -> MarkdownTable:
    """One line for each split that differs."""
    checks = result.decoding.checks if result.decoding else ()
    rows = [(code(_listed(check.sizes)), code(check.steps), text(check.found)) for check in checks if not check.equal]
    return table(("Decoded at", "In steps of", "Result"), rows)


def _references(checks: Sequence[ReferenceCheck]) -> MarkdownTable:
    """One line for each implementation and result; what differs has a line of its own."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for check in checks:
        key = (check.model, check.bound, "✓" if check.equal else f"✗ {text(check.found)}")
        grouped.setdefault(key, []).append(check.what)
    rows = [(text(model), text("; ".join(what)), text(bound), result) for (model, bound, result), what in grouped.items()]
    return table(("Public implementation", "Compared", "Must be", "Result"), rows)


def _at(case: Case) -> str:
    return f"{code(case.preset)}: {code(_listed(case.sizes))}" if case.preset else code(_listed(case.sizes))


def _listed(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sizes.items())


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else text(str(value))
