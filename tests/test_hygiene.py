"""The repository itself: style, types, sizes, what must not be committed, and the wheel."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support import seconds

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = sorted((REPOSITORY / "generator").rglob("*.py"))
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60

# An absolute path, but for the folders that every system has; what follows a word, a colon or a bracket is part of something longer.
ABSOLUTE_PATH = re.compile(r"(?<![\w.:/~<>)}#])/(?!(?:usr|bin|dev|proc|etc)/)[A-Za-z]\w*/[\w.]")


def run(*command: str | Path, cwd: Path = REPOSITORY, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


def files_to_commit() -> list[Path]:
    """Every file that is in git or would be added to it; an unpacked source distribution is not a checkout, and is not looked at."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z") if shutil.which("git") else None
    if listed is None or listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := REPOSITORY / name).is_file()]


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, without the docstring: explaining more never makes a function too long."""
    length = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        length -= (first.end_lineno or first.lineno) - first.lineno + 1
    return length


def test_each_test_whose_seconds_are_known_is_still_there() -> None:
    gone = []
    for name in seconds.known():
        file, *_, function = name.split("::")
        if f"def {function}(" not in (REPOSITORY / file).read_text(encoding="utf-8"):
            gone.append(name)
    assert gone == [], "take them out of tests/seconds.json"


def test_ruff_finds_nothing() -> None:
    result = run(sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise")
    assert result.returncode == 0, result.stdout


def test_each_rule_that_is_off_has_a_reason_and_would_find_something() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    sections = re.findall(r'^(?:"(.+)/\*"|ignore) = \[\n((?:    .*\n)+)\]', text.partition("[tool.ruff.lint]")[2], re.MULTILINE)
    known = [rule for _, rules in sections for rule in re.findall(r'^ *"(.+?)",', rules, re.MULTILINE)]
    all_on = ("--extend-select", ",".join(known), "--config", "lint.per-file-ignores={}")
    found = run(sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise", *all_on).stdout
    hits = {(line.partition(":")[0], line.split()[1].rstrip(":")) for line in found.splitlines() if re.match(r"\S+:\d+:\d+: ", line)}
    for folder, rules in sections:
        for rule, reason in re.findall(r'^ *"(.+?)",(.*)$', rules, re.MULTILINE):
            assert reason.strip().startswith("# "), f"{rule} is off without a reason"
            assert any(file.startswith(folder) and code.startswith(rule) for file, code in hits), f"{rule} in {folder}/ hides nothing"


@pytest.mark.slow
def test_every_file_of_tests_is_run() -> None:
    written = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "tests").rglob("test_*.py")}
    collected = run(sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist").stdout
    assert written - {line.partition("::")[0] for line in collected.splitlines()} == set()


def test_code_is_formatted() -> None:
    result = run(sys.executable, "-m", "ruff", "format", "--check", "--no-cache")
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
def test_mypy_finds_nothing() -> None:
    result = run(sys.executable, "-m", "mypy")
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < MAX_FILE_LINES
    long = {function.name: code_lines(function) for function in functions(ast.parse(text))}
    assert {name: lines for name, lines in long.items() if lines >= MAX_FUNCTION_LINES} == {}


def imports() -> dict[str, set[str]]:
    """Each module of generator/ and those it names: at its top, inside functions, for types only, or as a text to be imported later."""
    paths = {".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES}
    found = {}
    for module, path in paths.items():
        named: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                parts = {f"{node.module}.{alias.name}" for alias in node.names}
                named |= parts & paths.keys() or {node.module}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.add(node.value)
        found[module] = (named & paths.keys()) - {module, "generator"}
    return found


def room(module: str) -> str:
    """The folder of a module; one that stands beside the folders is its own."""
    return ".".join(module.split(".")[:2])


def circle(graph: dict[str, set[str]]) -> list[str]:
    """One circle of a graph; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(imports()) == []


def test_folders_depend_on_each_other_in_one_direction() -> None:
    rooms: dict[str, set[str]] = {}
    for module, named in imports().items():
        rooms.setdefault(room(module), set()).update(room(other) for other in named if room(other) != room(module))
    assert circle(rooms) == []


def test_hardly_anything_is_asserted_to_be_there_and_each_says_why() -> None:
    lines = [line for path in SOURCES for line in path.read_text(encoding="utf-8").splitlines()]
    asserted = [line for line in lines if re.match(r" *assert .* is not None", line)]
    assert len(asserted) < 5
    assert all("  # " in line for line in asserted)


def test_test_functions_live_in_files_that_pytest_collects() -> None:
    for path in (REPOSITORY / "tests").rglob("*.py"):
        has_tests = any(function.name.startswith("test_") for function in functions(ast.parse(path.read_text(encoding="utf-8"))))
        assert has_tests == path.name.startswith("test_"), path.relative_to(REPOSITORY)


@pytest.mark.slow
def test_a_class_name_means_one_thing() -> None:
    found: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(path.relative_to(REPOSITORY).as_posix())
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def test_no_absolute_path_is_committed() -> None:
    found = []
    for path in files_to_commit():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # a workbook or a picture
        if path.name != ".gitignore":  # whose slash is the repository
            hits = [f"{number}: {line}" for number, line in enumerate(lines, 1) if ABSOLUTE_PATH.search(line)]
            found += [f"{path.relative_to(REPOSITORY)}:{hit}" for hit in hits]
    assert found == []


@pytest.mark.parametrize("quote", ['"{}"', "`{}`", " {}", "={}", "[{}]"])
def test_a_path_of_this_machine_would_be_found(quote: str) -> None:
    assert ABSOLUTE_PATH.search(quote.format(REPOSITORY / "README.md"))


def test_no_workbook_is_committed_but_the_example() -> None:
    workbooks = [path.relative_to(REPOSITORY).as_posix() for path in files_to_commit() if path.suffix == ".xlsx"]
    assert set(workbooks) <= {"generated/excel/bert.xlsx"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel, and nothing else of the project, is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, REPOSITORY)
    assert built.returncode == 0, built.stdout
    (wheel,) = folder.glob("archsheet-*.whl")
    site = folder / "site"
    placed = run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", site, wheel)
    assert placed.returncode == 0, placed.stdout
    return site


def data_files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_wheel_holds_every_template_and_spec(installed: Path) -> None:
    for name in ("templates", "specs"):
        assert data_files(installed / "generator" / "_data" / name) == data_files(REPOSITORY / name) != set()
    assert (installed / "generator" / "py.typed").is_file()


@pytest.mark.slow
def test_the_installed_wheel_builds_a_spec_that_uses_a_built_in_block_outside_the_repository(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "my-specs").mkdir()
    (tmp_path / "my-specs" / "wrapped.yaml").write_text(
        "title: Wrapped attention\n"
        "dims: {b: batch size, n: sequence length, d: model width, h: number of heads}\n"
        "inputs: {x: [b, n, d]}\n"
        "layers:\n"
        "  attn: {use: multi_head_attention, in: x}\n",
        encoding="utf-8",
    )
    where = run(
        sys.executable,
        "-c",
        "from generator.files import resources as r; print(r.templates_dir())",
        cwd=tmp_path,
        PYTHONPATH=str(installed),
    )
    assert where.stdout.strip() == str(installed / "generator" / "_data" / "templates")
    titled = run(sys.executable, "-c", "import archsheet; print(archsheet.load('mlp').title)", cwd=tmp_path, PYTHONPATH=str(installed))
    assert titled.stdout.strip() == "Position-wise feed-forward network", titled.stdout
    built = run(installed / "bin" / "gen", "build", "my-specs/", cwd=tmp_path, PYTHONPATH=str(installed))
    assert built.returncode == 0, built.stdout
    assert (tmp_path / "generated" / "modules" / "wrapped.py").is_file()
    assert (tmp_path / "generated" / "excel" / "wrapped.xlsx").is_file()
