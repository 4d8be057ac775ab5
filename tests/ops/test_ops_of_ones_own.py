"""An op is three files: its class, its template, its fixture. Here they stand in a package of its own, which an entry point names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator.cli import main
from generator.trace import kernels
from tests.support.small_specs import write_specs

REPOSITORY = Path(__file__).parents[2]
CLASS = '''\
"""The error function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from generator.ops.base import Op, RowScope
from generator.trace.kernels import enter, pointwise, the_input
from generator.trace.pointwise import unary
from generator.trace.tensor import Tensor

enter("erf", pointwise(the_input, 4))


@dataclass(frozen=True)
class Erf(Op):
    """The error function of each element. One operation an element. Kept for the backward pass: the input."""

    name: ClassVar[str] = "erf"
    pointwise: ClassVar[bool] = True

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Apply it."""
        return unary(row.t, "erf", inputs[0])
'''
TEMPLATE = """\
{% macro forward(o) -%}
{{ o.out }} = {{ o.x }}.erf()
{%- endmacro %}
"""
SPEC = """\
title: An op of one's own
dims: {b: batch size, n: length}
inputs: {x: [b, n]}
layers:
  y: {op: erf}
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder as pip makes one for a distribution with a package of ops, and beside it a spec."""
    folder = tmp_path / "site" / "my_ops"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "erf.py").write_text(CLASS)
    (folder / "erf.jinja").write_text(TEMPLATE)
    info = tmp_path / "site" / "my_ops-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-ops\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[archsheet.ops]\nmine = my_ops\n")
    write_specs(tmp_path / "mine", bent=SPEC)
    return folder


def gen(package: Path, *arguments: str) -> str:
    """Run `gen` where the package is installed, and return all that it says."""
    site = os.pathsep.join([str(package.parent), str(REPOSITORY)])
    done = subprocess.run(
        [sys.executable, "-m", "generator.cli", *arguments],
        cwd=package.parents[1],
        env={**os.environ, "PYTHONPATH": site},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.slow
def test_three_files_are_an_op_in_schema_page_module_and_verification(package: Path) -> None:
    assert "op_erf" in json.loads(gen(package, "schema"))["$defs"]
    said = gen(package, "build", "mine", "--formats", "modules,markdown")
    assert "1 spec: 1 built" in said
    out = package.parents[1] / "generated"
    assert "op_erf" in json.loads((out / "schema.json").read_text())["$defs"]
    assert "\n## erf\n\nThe error function of each element." in (out / "markdown" / "ops.md").read_text()
    assert "y = x.erf()" in (out / "modules" / "bent.py").read_text()
    assert "1 up to date" in gen(package, "build", "mine", "--formats", "modules,markdown")
    (package / "erf.jinja").write_text(TEMPLATE.replace("{{ o.x }}.erf()", "torch.erf({{ o.x }})"))
    assert "bent.py: out of date" in gen(package, "build", "mine", "--formats", "modules,markdown", "--check")
    assert "all equal" in gen(package, "verify", "mine", "--samples", "2")


@pytest.mark.slow
def test_an_op_whose_kernel_costs_something_else_is_found_out(package: Path) -> None:
    (package / "erf.py").write_text(CLASS.replace("pointwise(the_input, 4)", "pointwise(the_input, 4, flops=2)"))
    said = gen(package, "verify", "mine", "--samples", "1")
    assert "vector" in said
    assert "all equal" not in said


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "erf.py",
            'enter("erf", pointwise(the_input, 4))\n',
            "",
            "`erf` launches the kernel `erf`, which has no entry in generator/trace/kernels.py",
        ),
        ("erf.py", '= "erf"', '= "add"', "two ops are named `add`: in generator.ops.add and in my_ops.erf"),
        ("erf.py", '= "erf"', '= "erf2"', "the op `erf2` of my_ops.erf has no template"),
        ("erf.py", "import unary", "import unray", "the ops of my_ops.erf cannot be imported: ImportError: cannot import name 'unray'"),
        (
            "../my_ops-1.0.dist-info/entry_points.txt",
            "= my_ops",
            "= your_ops",
            "there is no package `your_ops`, which an entry point of archsheet.ops names",
        ),
    ],
)
def test_mistakes_in_an_op_are_named(package: Path, file: str, old: str, new: str, message: str) -> None:
    text = (package / file).read_text()
    assert old in text
    (package / file).write_text(text.replace(old, new))
    said = gen(package, "check", "mine")
    assert message in said
    assert "gen itself" not in said


def test_a_kernel_without_an_entry_is_named_with_the_op_and_the_file_to_edit(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(kernels.KERNELS, "mish")
    write_specs(tmp_path / "mine", bent=SPEC.replace("op: erf", "op: activation, kind: mish"))
    assert main(["check", "mine"]) == 1
    said = capsys.readouterr()
    assert (
        "bent.yaml:5:11: error: `activation` launches the kernel `mish`, which has no entry in generator/trace/kernels.py"
        in said.out + said.err
    )
