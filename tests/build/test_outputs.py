"""What a build writes, and what it leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator.build.fixed import reserved_paths
from generator.cli import main
from generator.files import writing
from generator.files.seal import State, sealed, state_of
from generator.render.module.imports import support_files
from generator.text.naming import RESERVED, name_problem
from tests.support.small_specs import ALONE, BROKEN, LAYER, PAIR, contents, tree, write_specs

SUPPORT = {f"modules/{name}" for name in support_files()}


def test_modules_pages_and_their_surroundings_are_written(out, gen) -> None:
    assert gen() == 0
    assert set(contents(out)) == {
        "__init__.py",
        "schema.json",
        "modules/__init__.py",
        *SUPPORT,
        "modules/alone.py",
        "modules/layer.py",
        "modules/pair.py",
        "markdown/README.md",
        "markdown/ops.md",
        "markdown/alone.md",
        "markdown/layer.md",
        "markdown/pair.md",
    }


@pytest.mark.slow
def test_the_folder_of_outputs_is_an_importable_package(gen, tmp_path) -> None:
    assert gen() == 0
    program = (
        "from generated.modules.layer import Layer\nfrom generated.modules.pair import Pair\n"
        "print(sum(p.numel() for p in Layer(k=3, m=5).parameters()), Pair.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["20", "Pair"]


def test_outputs_name_the_source_hash(specs, out, gen) -> None:
    gen()
    from generator.sheet.compiled import source_hash
    from generator.spec.library import Library

    expected = source_hash(Library([specs]), "pair")
    assert expected[:16] in (out / "modules/pair.py").read_text()
    assert expected in (out / "markdown/pair.md").read_text()


def test_the_same_specs_give_the_same_bytes_in_another_place(out, gen, tmp_path, monkeypatch) -> None:
    gen()
    elsewhere = tmp_path / "elsewhere"
    write_specs(elsewhere / "mine", blocks__layer=LAYER, models__pair=PAIR, alone=ALONE)
    monkeypatch.chdir(elsewhere)
    assert gen() == 0
    assert contents(elsewhere / "generated") == contents(out)


@pytest.mark.slow
def test_python_without_asserts_and_docstrings_builds_the_same(specs, out, gen, tmp_path) -> None:
    gen()
    lean = [sys.executable, "-OO", "-m", "generator.cli"]
    arguments = ["build", specs.name, "--formats", "modules,markdown", "--jobs", "1", "--out", str(tmp_path / "lean")]
    subprocess.run([*lean, *arguments], cwd=specs.parent, check=True, capture_output=True)
    assert contents(tmp_path / "lean") == contents(out)
    shown = subprocess.run([*lean, "pull", "--help"], check=True, capture_output=True, text=True).stdout
    assert "Take the sizes back from a workbook that somebody has filled in." in shown


@pytest.mark.slow
def test_processes_change_nothing(out, gen, tmp_path) -> None:
    gen("--jobs", 1)
    assert gen("--jobs", 2, "--out", tmp_path / "others") == 0
    assert contents(tmp_path / "others") == contents(out)


@pytest.mark.slow
def test_processes_report_problems_with_their_place(specs, gen, capsys) -> None:
    write_specs(specs, broken=BROKEN)
    assert gen("--jobs", 2) == 1
    assert "mine/broken.yaml:9:11: error: unknown op `linaer`" in capsys.readouterr().err


@pytest.mark.slow
def test_a_builtin_spec_that_is_used_gets_a_module_but_no_page(specs, out, gen) -> None:
    text = PAIR.replace("use: layer, with: {m: k}", "use: mlp, with: {n: 1, d: k, f: k}").replace("x: [b, k]", "x: [b, 1, k]")
    write_specs(specs, models__pair=text)
    assert gen() == 0
    assert (out / "modules/mlp.py").exists()
    assert not (out / "markdown/mlp.md").exists()


def test_a_file_brings_its_neighbours_but_builds_only_itself(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_specs(tmp_path / "mine", layer=LAYER, pair=PAIR, broken=BROKEN)
    assert main(["build", "mine/pair.yaml", "--formats", "modules,markdown"]) == 0
    assert {path for path in contents(tmp_path / "generated") if "__init__" not in path} == {
        *SUPPORT,
        "modules/layer.py",
        "modules/pair.py",
        "markdown/pair.md",
    }


def test_only_builds_the_named_specs_and_the_modules_they_import(out, gen) -> None:
    assert gen("--only", "pair") == 0
    assert {path for path in contents(out) if "__init__" not in path} == {
        *SUPPORT,
        "modules/layer.py",
        "modules/pair.py",
        "markdown/pair.md",
    }


def test_only_with_an_unknown_name_suggests_near_ones(gen, capsys) -> None:
    assert gen("--only", "pear") == 2
    assert capsys.readouterr().err == "error: --only: there is no spec `pear` in `mine`\n  did you mean `pair`?\n"


def test_good_specs_are_built_when_another_is_broken(specs, out, gen, capsys) -> None:
    write_specs(specs, broken=BROKEN, worse=LAYER.replace("op: linear", "op: liner"))
    assert gen() == 1
    shown = capsys.readouterr()
    assert "mine/broken.yaml:9:11: error: unknown op `linaer`" in shown.err
    assert "mine/worse.yaml:9:11: error: unknown op `liner`" in shown.err
    assert "2 specs failed: broken, worse; earlier outputs are kept, and all other specs are built" in shown.err
    assert shown.out.splitlines()[-1].startswith("5 specs: 3 built, 2 failed; ")
    assert {"modules/pair.py", "markdown/pair.md"} <= set(contents(out))


def test_a_spec_that_breaks_keeps_its_outputs_and_its_place_in_the_index(specs, out, gen) -> None:
    gen()
    before = contents(out)
    write_specs(specs, blocks__layer=BROKEN)
    assert gen() == 1
    assert contents(out) == before


def test_a_mistake_in_a_used_spec_is_reported_once(specs, gen, capsys) -> None:
    write_specs(specs, blocks__layer=BROKEN)
    assert gen() == 1
    assert capsys.readouterr().err.count("unknown op `linaer`") == 1


@pytest.mark.slow
def test_a_renderer_that_fails_does_not_keep_other_specs_from_being_built(out, gen, capsys, monkeypatch) -> None:
    from generator.render.markdown import page

    def explode(sheet, _links):
        if sheet.name == "pair":
            raise KeyError("gone")
        return f"Made by `gen build`; do not edit. {sheet.title}"

    monkeypatch.setattr(page, "render_page", explode)
    assert gen("--jobs", 1) == 1
    error = capsys.readouterr().err
    assert "models/pair.yaml:1:1: error: the markdown of `pair` cannot be rendered: KeyError: 'gone'\n" in error
    assert "  raised in test_outputs.py, line " in error
    assert "Traceback" not in error
    assert (out / "markdown/layer.md").exists()


def test_a_file_that_somebody_else_wrote_is_left_alone(out, gen, capsys) -> None:
    (out / "markdown").mkdir(parents=True)
    (out / "markdown/pair.md").write_text("# My notes\n")
    assert gen() == 1
    assert (out / "markdown/pair.md").read_text() == "# My notes\n"
    assert "generated/markdown/pair.md was not written by gen build, so it is left alone" in capsys.readouterr().err


def test_the_package_of_somebody_else_is_left_alone(out, gen) -> None:
    out.mkdir()
    (out / "__init__.py").write_text("import something\n")
    assert gen() == 1
    assert (out / "__init__.py").read_text() == "import something\n"


def test_outputs_without_a_spec_are_removed_but_nothing_else_is(specs, out, gen, capsys) -> None:
    gen()
    (specs / "alone.yaml").unlink()
    (out / "markdown/notes.md").write_text("# My notes\n")
    (out / "modules/helper.py").write_text("import torch\n")
    capsys.readouterr()
    assert gen() == 0
    assert "2 removed: modules/alone.py, markdown/alone.md" in capsys.readouterr().out
    assert {"markdown/notes.md", "modules/helper.py"} <= set(contents(out))
    assert not {"modules/alone.py", "markdown/alone.md"} & set(contents(out))
    assert "alone" not in (out / "markdown/README.md").read_text()


def test_outputs_without_a_spec_are_found_without_a_record_too(specs, out, gen) -> None:
    gen()
    (specs / "alone.yaml").unlink()
    (out / ".manifest.json").unlink()
    assert gen() == 0
    assert not (out / "modules/alone.py").exists()


def test_outputs_of_specs_in_another_folder_are_kept(out, gen, tmp_path) -> None:
    write_specs(tmp_path / "yours", other=ALONE)
    assert main(["build", "yours", "--formats", "modules,markdown"]) == 0
    assert gen() == 0
    assert (out / "modules/other.py").exists()
    assert main(["build", "mine/blocks", "--formats", "modules,markdown"]) == 0
    assert (out / "modules/pair.py").exists()


def test_a_module_that_no_spec_uses_any_more_is_removed(specs, out, gen) -> None:
    uses = PAIR.replace("use: layer, with: {m: k}", "use: mlp, with: {n: 1, d: k, f: k}").replace("x: [b, k]", "x: [b, 1, k]")
    write_specs(specs, models__pair=uses)
    gen()
    assert (out / "modules/mlp.py").exists()
    write_specs(specs, models__pair=PAIR)
    assert gen() == 0
    assert not (out / "modules/mlp.py").exists()


@pytest.mark.slow
def test_a_write_that_fails_leaves_the_old_file_whole(specs, out, gen, capsys, monkeypatch) -> None:
    gen()
    before = contents(out)
    write_specs(specs, alone=ALONE.replace("rows", "rows of numbers"))

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(writing.os, "replace", refuse)
        assert gen() == 1
    assert contents(out) == before
    assert "markdown/alone.md: Permission denied" in capsys.readouterr().err
    assert gen() == 0
    assert b"rows of numbers" in contents(out)["markdown/alone.md"]


@pytest.mark.slow
def test_what_a_killed_build_has_left_is_removed(specs, out, gen) -> None:
    """The process is ended by the system in the middle of writing a page."""
    gen()
    before = contents(out)
    write_specs(specs, alone=ALONE.replace("rows", "rows of numbers"))
    program = (
        "import os, signal\n"
        "from generator.files import writing\n"
        "from generator.cli import main\n"
        "writing.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "main(['build', 'mine', '--formats', 'markdown'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=specs.parent, capture_output=True, check=False)
    assert done.returncode != 0
    left = [path for path in contents(out) if path.endswith(".gen-tmp")]
    assert len(left) == 1
    assert {path: data for path, data in contents(out).items() if path not in left} == before
    gen()
    assert (out / left[0]).exists()  # it may be that of another build that is at work
    os.utime(out / left[0], (0, 0))
    assert gen() == 0
    assert not [path for path in contents(out) if path.endswith(".gen-tmp")]


def test_an_interrupted_build_records_what_it_has_written(gen, capsys, monkeypatch) -> None:
    from generator.build import worker

    rendered = []
    real = worker.render

    def stop_at_the_second(task, library, around, modules):
        if rendered:
            raise KeyboardInterrupt
        rendered.append(task.name)
        return real(task, library, around, modules)

    with monkeypatch.context() as patch:
        patch.setattr(worker, "render", stop_at_the_second)
        assert gen("--jobs", 1) == 130
    capsys.readouterr()
    assert gen() == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("3 specs: 2 built, 1 up to date")


@pytest.mark.parametrize("name", ["my-block", "class", "9lives", "README", "Pair", "ops", "proof", "_state", "__init__"])
def test_a_name_that_cannot_name_the_outputs_is_refused(specs, out, gen, capsys, name) -> None:
    write_specs(specs)
    (specs / f"{name}.yaml").write_text(LAYER)
    assert gen() == 1
    built = capsys.readouterr().err
    assert f"mine/{name}.yaml:1:1: error: `{name}` cannot be the name of a spec" in built
    assert "pair.py" in {file.name for file in (out / "modules").iterdir()}


@pytest.mark.parametrize("name", ["my-block", "README", "claims", "catalogue"])
def test_check_and_build_refuse_a_name_with_the_same_words(specs, gen, capsys, name) -> None:
    (specs / f"{name}.yaml").write_text(LAYER)
    assert gen() == 1
    built = capsys.readouterr().err
    assert main(["check", "mine"]) == 1
    checked = capsys.readouterr().err
    assert "cannot be the name of a spec" in checked
    assert built.startswith(checked)


def test_no_spec_can_have_the_name_of_another_output() -> None:
    names = {path.rpartition("/")[2].partition(".")[0].lower() for path in reserved_paths()}
    assert {name for name in names if not name.startswith("_")} == RESERVED
    assert all(name_problem(name) for name in names)


def test_two_specs_of_the_same_name_are_refused_and_all_others_built(specs, out, gen, capsys) -> None:
    write_specs(specs, other__pair=LAYER)
    assert gen() == 1
    assert "error: two specs are named `pair`" in capsys.readouterr().err
    assert {file.stem for file in (out / "modules").glob("[a-z]*.py")} == {"alone", "layer"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(gen, capsys, tmp_path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    assert gen("--out", closed) == 1
    assert capsys.readouterr().err == f"error: {closed}: Permission denied\n"


def test_an_out_folder_below_a_file_is_named(gen, capsys) -> None:
    assert gen("--out", "mine/alone.yaml/x") == 1
    assert capsys.readouterr().err == "error: mine/alone.yaml/x: Not a directory\n"
    assert gen("--out", "mine/alone.yaml") == 2


def test_the_index_lists_all_specs_after_one_edit_as_after_a_full_build(specs, out, gen, tmp_path) -> None:
    gen()
    write_specs(specs, alone=ALONE.replace("Nothing to do", "Little to do"))
    gen()
    assert gen("--out", tmp_path / "fresh") == 0
    assert (out / "markdown/README.md").read_text() == (tmp_path / "fresh/markdown/README.md").read_text()


def test_the_index_says_what_the_sheets_say(specs, out, gen) -> None:
    from generator.render.markdown.index import IndexEntry, render_index
    from generator.render.markdown.preset_tables import preset_numbers
    from generator.sheet.compiled import compile_spec
    from generator.spec.library import Library

    gen()
    library = Library([specs])
    sheets = [compile_spec(library, name).sheet for name in ("alone", "layer", "pair")]
    index = render_index([IndexEntry(sheet, preset_numbers(sheet)) for sheet in sheets])
    assert (out / "markdown/README.md").read_bytes() == sealed(index)


def test_a_part_of_the_specs_gives_the_same_outputs_as_all_of_them(specs, out) -> None:
    """Also for folders and files inside ./specs: their outputs name the same path, and the index is left alone."""
    specs.rename("specs")
    assert main(["build", "specs", "--formats", "modules,markdown"]) == 0
    whole = contents(out)
    for part in ("specs/models", "specs/models/pair.yaml", "specs/blocks"):
        assert main(["build", part, "--formats", "modules,markdown"]) == 0
    assert contents(out) == whole
    assert main(["build", "specs/models/pair.yaml", "--formats", "modules,markdown", "--out", "part"]) == 0
    part = contents(out.parent / "part")
    assert part["modules/pair.py"] == whole["modules/pair.py"]
    assert "markdown/README.md" not in part


def test_nothing_is_written_outside_the_folder_of_outputs(specs, gen, tmp_path) -> None:
    before = tree(specs)
    gen()
    assert tree(specs) == before
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "generated"}


@pytest.mark.slow
def test_workbooks_are_built_and_recognised_as_ours(out) -> None:
    assert main(["build", "mine", "--formats", "excel"]) == 0
    workbook = out / "excel/pair.xlsx"
    assert state_of(workbook, workbook.read_bytes()) is State.OURS
    assert set(contents(out)) == {f"excel/{name}.xlsx" for name in ("alone", "layer", "pair", "catalogue")}


def test_every_text_output_is_recognised_as_ours(out, gen) -> None:
    gen()
    for path, data in contents(out).items():
        assert state_of(Path(path), data) is State.OURS, path
        assert state_of(Path(path), b"# " + Path(path).name.encode()) is State.FOREIGN
