"""A module as one file: it needs nothing but PyTorch, and computes what the module of the package computes."""

from __future__ import annotations

import ast
import importlib.util
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

from generator import MissingSizeError, SizeError, load
from generator.cli import main
from generator.files.resources import builtin_specs_dir
from generator.proof.verify.instance import Workbench
from generator.proof.verify.sample_sizes import sample
from generator.render.module.python_names import class_name
from generator.render.module.writer import render_file
from generator.spec.library import spec_files
from tests.support.builtin import builtin_library
from tests.support.small_specs import write_specs

NAMES = sorted(file.stem for file in spec_files(builtin_specs_dir()))
SOME = ("llama", "cached_cross_attention", "causal_convolution_block", "reformer", "rnn", "swin_stage", "causal_rotary_attention", "mlp")
OTHERS = [name for name in NAMES if name not in SOME]
ALL = [*SOME, *(pytest.param(name, marks=pytest.mark.exhaustive if i % 4 else pytest.mark.slow) for i, name in enumerate(OTHERS))]


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


def imported(file: Path) -> ModuleType:
    """Import a file by its path, with nothing beside it."""
    spec = importlib.util.spec_from_file_location(f"alone_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tensors(result: Any) -> list[torch.Tensor]:
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("name", ALL)
def test_a_single_file_computes_what_the_package_computes(bench: Workbench, name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.py"
    file.write_text(render_file(bench.compiled(name), bench.library), encoding="utf-8")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    sources = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert all(node.level == 0 for node in sources)
    roots = {str(node.module).split(".")[0] for node in sources}
    roots |= {alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert roots - set(sys.stdlib_module_names) == {"torch"}

    sizes = sample(bench.compiled(name).sheet, random.Random(name), limit=16)
    package, inputs = bench.build(name, sizes).eval(), bench.inputs(name, sizes)
    arguments = {**bench.modules.view(name).given(sizes)}
    alone = getattr(imported(file), class_name(name))(**arguments).eval()
    alone.load_state_dict(package.state_dict())
    for expected, found in zip(tensors(package(*inputs)), tensors(alone(*inputs)), strict=True):
        torch.testing.assert_close(found, expected, rtol=0, atol=0)


@pytest.mark.slow
def test_single_files_pass_ruff(bench: Workbench, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(render_file(bench.compiled(name), bench.library), encoding="utf-8")
    config = Path(__file__).parents[3] / "pyproject.toml"
    rules = ["--config", str(config), "--select", "F,E9,I", str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "--no-cache", *rules], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_class_that_two_specs_share_and_sizes_named_as_classes_are_told_apart(tmp_path: Path) -> None:
    one = "title: One\ndims: {b: batch, d: width}\ninputs: {x: [b, d]}\nlayers:\n  y: {op: activation, kind: gelu}\n"
    two = "title: Two\ndims: {b: batch, F: width}\ninputs: {x: [b, F]}\nlayers:\n  y: {op: scale, by: F}\n"
    rows = "  p: {use: a1, with: {d: A1}}\n  q: {use: a_1, with: {F: A1}}\n"
    user = f"title: U\ndims: {{b: batch, A1: width}}\ninputs: {{x: [b, A1]}}\nlayers:\n{rows}"
    folder = write_specs(tmp_path, a1=one, a_1=two, user=user)
    x = torch.randn(2, 3)
    assert torch.equal(load("user", folder).module(A1=3)(x), 3 * nn.functional.gelu(x))


def test_a_preset_becomes_the_defaults(tmp_path: Path) -> None:
    assert main(["module", "llama", "--single-file", "--preset", "llama-7b", "-o", str(tmp_path / "llama.py")]) == 0
    with torch.device("meta"):
        module = imported(tmp_path / "llama.py").Llama()
    assert sum(p.numel() for p in module.parameters()) == 6_738_415_616  # of meta-llama/Llama-2-7b-hf as Hugging Face counts it
    assert not hasattr(module, "from_preset")


def test_the_module_that_is_printed_is_the_one_that_is_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["module", "rms_norm"]) == 0
    file = Path(__file__).parents[3] / "generated" / "modules" / "rms_norm.py"
    assert capsys.readouterr().out == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["llama", "--preset", "llama-7b"], "--preset is of use with --single-file"),
        (["llama", "--single-file", "--preset", "llama-7"], "`llama` has no preset `llama-7`\n  did you mean `llama-7b`"),
    ],
)
def test_what_cannot_be_printed_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["module", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_loaded_spec_gives_its_module_at_once() -> None:
    with torch.device("meta"):
        bert = load("bert").module(preset="bert-base", L=2)
    assert len(bert.blocks) == 2
    assert sum(p.numel() for p in load("mlp").module(d=8).parameters()) == 8 * 32 + 32 + 32 * 8 + 8
    assert sum(p.numel() for p in load("mlp", bias=False).module(d=8, f=16).parameters()) == 2 * 8 * 16
    assert sum(p.numel() for p in load("mlp").module(d=8, f=16, bias=False).parameters()) == 2 * 8 * 16


def test_a_block_may_be_given_for_a_slot() -> None:
    block = load("pre_norm_block").module(d=8, f=16, attention=nn.Identity())
    assert isinstance(block.attention, nn.Identity)
    assert block(torch.randn(1, 4, 8)).shape == (1, 4, 8)


def test_a_module_of_a_loaded_spec_can_be_pickled() -> None:
    module = load("mlp").module(d=4)
    x = torch.randn(1, 2, 4)
    assert torch.equal(pickle.loads(pickle.dumps(module))(x), module(x))  # noqa: S301 - made in the line itself


def test_wrong_arguments_of_a_module_are_refused() -> None:
    with pytest.raises(MissingSizeError, match="the module of `mlp` needs `d`, which is not given"):
        load("mlp").module(f=8)
    with pytest.raises(SizeError, match="`dd` is not a size of `mlp`"):
        load("mlp").module(dd=8)
    with pytest.raises(SizeError, match="`bert` has no preset `bert-bas`"):
        load("bert").module("bert-bas")
    with pytest.raises(SizeError, match="these sizes break `d % h == 0`"):
        load("multi_head_attention").module(d=10, h=3)


def test_a_missing_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generator.render.module.loading.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"a module needs PyTorch; install it with: pip install 'archsheet\[torch\]'"):
        load("mlp").module(d=8)
