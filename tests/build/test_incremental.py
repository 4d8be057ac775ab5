"""Only what has changed is done again, and finding that nothing has changed is quick."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from generator.build import fingerprints
from generator.cli import main
from tests.support.small_specs import ALONE, LAYER, PAIR, contents, tree, write_specs

QUICK = [
    sys.executable,
    "-c",
    "import sys; from generator.cli import main; sys.exit(main())",
    "build",
    "mine",
    "--formats",
    "modules,markdown",
]


def built(capsys) -> set[str]:
    """The specs that the last build has rendered."""
    return {line.partition(":")[0] for line in capsys.readouterr().out.splitlines()[:-1]}


def test_a_second_build_touches_nothing(out, gen, capsys) -> None:
    gen()
    before = tree(out)
    capsys.readouterr()
    assert gen() == 0
    assert tree(out) == before
    assert capsys.readouterr().out.startswith("3 specs: 3 up to date (")


def test_a_second_build_imports_none_of_the_heavy_libraries(specs, gen) -> None:
    gen()
    program = (
        "import sys\nfrom generator.cli import main\n"
        "assert main(['build', 'mine', '--formats', 'modules,markdown']) == 0\n"
        "print(sorted({'sympy', 'jinja2', 'openpyxl', 'jsonschema', 'yaml', 'numpy', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=specs.parent, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_a_second_build_of_a_hundred_specs_takes_less_than_a_tenth_of_the_first(specs) -> None:
    """In seconds of the processes' own work, beside each other: how fast the machine is says nothing. `make bench` prints the seconds."""
    write_specs(specs, **{f"layer_{i}": LAYER for i in range(100)})
    first, *later = (_seconds_of_a_build(specs.parent) for _ in range(4))
    assert min(later) < first / 10


def _seconds_of_a_build(folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(QUICK, cwd=folder, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def test_an_edited_spec_is_built_with_those_that_use_it_and_no_others(specs, out, gen, capsys) -> None:
    gen()
    before = tree(out)
    write_specs(specs, blocks__layer=LAYER.replace("rows", "rows of numbers"))
    capsys.readouterr()
    assert gen() == 0
    assert built(capsys) == {"layer", "pair"}
    after = tree(out)
    assert all(after[path] == before[path] for path in before if "alone" in path)


def test_an_edited_spec_that_nothing_uses_is_built_alone(specs, gen, capsys) -> None:
    gen()
    write_specs(specs, models__pair=PAIR.replace("Two layers", "A pair"))
    capsys.readouterr()
    gen()
    assert built(capsys) == {"pair"}


def test_an_edit_that_changes_no_output_writes_none(specs, out, gen) -> None:
    gen()
    before = tree(out)
    (specs / "references.yaml").write_text('one:\n  label: One\n  text: "One, 2001"\n')
    assert gen() == 0
    after = tree(out)
    assert {path for path in after if after[path] != before[path]} == {".manifest.json"}


def test_references_are_part_of_what_outputs_come_from(specs, out, gen) -> None:
    (specs / "references.yaml").write_text('one:\n  label: One\n  text: "One, 2001"\n')
    write_specs(specs, alone=f"cite: one\n{ALONE}")
    gen()
    assert b"One, 2001" in contents(out)["markdown/alone.md"]
    (specs / "references.yaml").write_text('one:\n  label: One\n  text: "One, 2002"\n')
    gen()
    assert b"One, 2002" in contents(out)["markdown/alone.md"]


def test_another_version_of_the_tool_builds_everything(gen, capsys, monkeypatch) -> None:
    gen()
    capsys.readouterr()
    monkeypatch.setattr(fingerprints, "VERSION", "99.0")
    gen()
    assert built(capsys) == {"alone", "layer", "pair"}


@pytest.mark.parametrize("name", ["generator/ops/linear.py", "templates/ops/linear.jinja", "generator/spec/schema_builder.py"])
def test_the_code_the_templates_and_the_schema_are_part_of_the_fingerprint(name, tmp_path, monkeypatch) -> None:
    import shutil
    from pathlib import Path

    from generator.spec.library import Library

    repository = Path(fingerprints.__file__).parents[2]
    for folder in ("generator", "templates"):
        shutil.copytree(repository / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "_data"))
    monkeypatch.setattr(fingerprints, "_PACKAGE", tmp_path / "generator")
    monkeypatch.setattr(fingerprints, "templates_dir", lambda: tmp_path / "templates")
    engine = fingerprints.Fingerprints(Library(), tmp_path, ()).engine
    with (tmp_path / name).open("a") as file:
        file.write("\n")
    assert fingerprints.Fingerprints(Library(), tmp_path, ()).engine != engine


@pytest.mark.slow
def test_a_spec_that_hides_a_builtin_one_rebuilds_its_users(specs, gen, capsys) -> None:
    uses = PAIR.replace("use: layer, with: {m: k}", "use: mlp, with: {n: 1, d: k, f: k}").replace("x: [b, k]", "x: [b, 1, k]")
    write_specs(specs, models__pair=uses)
    gen()
    own = LAYER.replace("  b: rows\n  k: width in\n  m: width out\n", "  b: rows\n  n: one\n  d: width\n  f: width\n")
    own = own.replace("x: [b, k]", "x: [b, n, d]").replace("out: [b, m]", "out: [b, n, d]").partition("presets")[0]
    write_specs(specs, blocks__mlp=own)
    capsys.readouterr()
    assert gen() == 0
    assert built(capsys) == {"mlp", "pair"}


@pytest.mark.parametrize("damage", ["empty", "remove"])
def test_a_damaged_output_is_written_again(out, gen, capsys, damage) -> None:
    gen()
    before = contents(out)
    page = out / "markdown/pair.md"
    page.write_text("") if damage == "empty" else page.unlink()
    capsys.readouterr()
    assert gen() == 0
    assert built(capsys) == {"pair"}
    assert contents(out) == before


@pytest.mark.parametrize("path", ["__init__.py", "modules/__init__.py", "modules/_state.py", "markdown/README.md"])
def test_a_damaged_common_file_is_written_again(out, gen, path) -> None:
    gen()
    before = contents(out)
    (out / path).unlink()
    assert gen() == 0
    assert contents(out) == before


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"null",
        b'{"layout": 1}',
        b'{"layout": 99, "index": ["", ""], "specs": {}}',
        b'{"layout": 1, "index": 3, "specs": []}',
    ]
    + [b'{"layout": 1, "index": ["", ""], "specs": {"pair": %s}}' % record for record in (b"3", b"{}", b'{"fingerprint": 1, "uses": 2}')],
)
def test_a_damaged_record_means_that_everything_is_built(out, gen, capsys, text) -> None:
    gen()
    before = tree(out)
    (out / ".manifest.json").write_bytes(text)
    capsys.readouterr()
    assert gen() == 0
    assert built(capsys) == {"alone", "layer", "pair"}
    after = tree(out)
    assert {path for path in after if after[path] != before[path]} == {".manifest.json"}


def test_a_damaged_summary_only_costs_time(specs, out, gen) -> None:
    gen()
    record = out / ".manifest.json"
    record.write_text(record.read_text().replace('"Add"', '"__import__"').replace('"totals"', '"total"'))
    write_specs(specs, alone=ALONE.replace("Nothing", "Little"))
    assert gen() == 0
    assert "Little to do" in (out / "markdown/README.md").read_text()


@pytest.mark.usefixtures("specs")
def test_another_format_later_adds_to_the_record(capsys) -> None:
    assert main(["build", "mine", "--formats", "markdown"]) == 0
    assert main(["build", "mine", "--formats", "modules"]) == 0
    capsys.readouterr()
    assert main(["build", "mine", "--formats", "modules,markdown"]) == 0
    assert built(capsys) == set()


def test_a_spec_that_is_gone_is_forgotten(specs, out, gen) -> None:
    gen()
    (specs / "alone.yaml").unlink()
    gen()
    assert '"alone"' not in (out / ".manifest.json").read_text()
