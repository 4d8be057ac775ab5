"""`gen build --check` writes nothing and names what is out of date."""

from __future__ import annotations

import pytest

from generator.build.builder import Request, build
from generator.render.formats import MARKDOWN, Format
from generator.render.module.imports import support_files
from generator.spec.lookup import collect
from tests.support.small_specs import ALONE, BROKEN, LAYER, tree, write_specs

WORKBOOK = Format("excel", ".xlsx", "tests.support.small_specs:text_bytes", committed=False)


@pytest.fixture
def check(gen, capsys):
    """Check, and return the exit code and the differences as people read them."""

    def run() -> tuple[int, list[str]]:
        capsys.readouterr()
        code = gen("--check")
        lines = capsys.readouterr().err.splitlines()
        return code, [line.removeprefix("error: generated/") for line in lines if line.startswith("error: generated/")]

    return run


def test_fresh_outputs_pass(gen, check) -> None:
    gen()
    assert check() == (0, [])


def test_fresh_outputs_pass_without_a_record(gen, out, check) -> None:
    gen()
    (out / ".manifest.json").unlink()
    assert check() == (0, [])
    assert not (out / ".manifest.json").exists()


def test_everything_is_missing_before_the_first_build_and_nothing_is_written(out, check) -> None:
    code, differences = check()
    assert code == 1
    assert differences == sorted(
        f"{path}: missing"
        for path in (
            "__init__.py",
            "schema.json",
            *(f"modules/{name}.py" for name in ("__init__", "alone", "layer", "pair")),
            *(f"modules/{name}" for name in support_files()),
            *(f"markdown/{name}.md" for name in ("README", "alone", "layer", "ops", "pair")),
        )
    )
    assert not out.exists()


@pytest.mark.parametrize("with_record", [True, False])
def test_an_edited_spec_makes_its_outputs_stale(gen, specs, out, check, with_record) -> None:
    gen()
    if not with_record:
        (out / ".manifest.json").unlink()
    before = tree(out)
    write_specs(specs, alone=ALONE.replace("Nothing", "Little"))
    assert check() == (1, ["markdown/README.md: out of date", "markdown/alone.md: out of date", "modules/alone.py: out of date"])
    assert tree(out) == before


@pytest.mark.parametrize("with_record", [True, False])
def test_an_output_edited_by_hand_is_named_apart(gen, out, check, with_record) -> None:
    gen()
    if not with_record:
        (out / ".manifest.json").unlink()
    with (out / "modules/pair.py").open("a") as file:
        file.write("x = 1\n")
    assert check() == (1, ["modules/pair.py: edited by hand"])


def test_the_file_of_somebody_else_in_the_place_of_an_output_is_named(gen, out, check) -> None:
    gen()
    (out / "markdown/pair.md").write_text("# My notes\n")
    assert check() == (1, ["markdown/pair.md: not written by gen build"])


@pytest.mark.parametrize("with_record", [True, False])
def test_an_output_without_a_spec_is_named(gen, specs, out, check, with_record) -> None:
    gen()
    if not with_record:
        (out / ".manifest.json").unlink()
    (specs / "alone.yaml").unlink()
    (out / "markdown/notes.md").write_text("# My notes\n")
    assert check() == (
        1,
        ["markdown/README.md: out of date", "markdown/alone.md: its spec is gone", "modules/alone.py: its spec is gone"],
    )
    assert (out / "modules/alone.py").exists()


def test_a_broken_spec_fails_the_check(gen, specs, check) -> None:
    gen()
    write_specs(specs, alone=BROKEN)
    assert check() == (1, [])


def test_the_closing_line_counts(gen, specs, capsys) -> None:
    gen()
    write_specs(specs, alone=ALONE.replace("Nothing", "Little"))
    capsys.readouterr()
    gen("--check")
    assert capsys.readouterr().out.startswith("3 specs: 1 compared, 2 up to date; 3 differences (")


def _report(specs, out, *, check):
    return build(Request(collect([specs]), out, (MARKDOWN, WORKBOOK), check=check))


def test_a_workbook_may_be_missing_but_not_stale(specs, out) -> None:
    _report(specs, out, check=False)
    (out / "excel/alone.xlsx").unlink()
    assert _report(specs, out, check=True).differences == {}
    write_specs(specs, blocks__layer=LAYER.replace("rows", "rows of numbers"))
    assert set(_report(specs, out, check=True).differences) >= {"excel/layer.xlsx", "excel/pair.xlsx"}
    assert not any("alone" in path for path in _report(specs, out, check=True).differences)
