"""The generated modules as people use them: imported from the committed package, built, run, compiled, exported."""

from __future__ import annotations

import ast
import keyword
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from generator.files.resources import builtin_specs_dir
from generator.proof.verify.instance import Workbench
from generator.proof.verify.sample_sizes import sample
from generator.render.module.python_names import class_name
from generator.spec.library import spec_files
from tests.support.builtin import builtin_library

ROOT = Path(__file__).parents[3]
MODULES = ROOT / "generated" / "modules"
NAMES = sorted(file.stem for file in spec_files(builtin_specs_dir()))
# Which tokens an expert takes depends on values: neither the compiler nor tensors without values know it.
BY_VALUES = {"deepseek_v2", "deepseek_v2_lite", "deepseek_v3", "mixtral", "mixture_of_experts", "shared_mixture_of_experts", "switch_layer"}
BY_VALUES |= {"gated_shared_experts", "gpt_oss", "granite_moe", "jamba", "olmoe", "qwen3_moe", "qwen3_next", "switch_transformer"}
# The compiler takes seconds for each layer of the others, whose blocks it compiles on their own.
SLOW_TO_COMPILE = {"cat", "cvt", "swin", "swin_fixed_window", "longformer", "luna", "linformer", "mamba", "ddpm", "gemma3", "resnet"}
COMPILED = [name for name in NAMES if name not in SLOW_TO_COMPILE | BY_VALUES]
SOME = {"mlp", "multi_head_attention", "causal_rotary_attention", "rnn_cell", "swin_attention", "gpt2", "llama"}
COMPILED_PARAMS = [pytest.param(name, marks=pytest.mark.slow if name in SOME else pytest.mark.exhaustive) for name in COMPILED]


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


def small(bench: Workbench, name: str, device: str = "cpu") -> tuple[nn.Module, list[torch.Tensor]]:
    sizes = sample(bench.compiled(name).sheet, random.Random(name), limit=16)
    torch.manual_seed(0)
    return bench.build(name, sizes, device=device), bench.inputs(name, sizes, device=device)


def results(module: Callable[..., Any], inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """What a module computes, dropping the same each time."""
    torch.manual_seed(1)
    return tensors(module(*inputs))


def tensors(result: Any) -> list[torch.Tensor]:
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_module_can_be_imported_and_has_its_class(name: str) -> None:
    assert issubclass(getattr(import_module(f"generated.modules.{name}"), class_name(name)), nn.Module)


@pytest.mark.parametrize("name", NAMES)
def test_a_module_depends_on_torch_and_its_neighbours_only(name: str) -> None:
    tree = ast.parse((MODULES / f"{name}.py").read_text(encoding="utf-8"))
    imported = {
        node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module
    }
    imported |= {alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported - set(sys.stdlib_module_names) <= {"torch"}


def test_modules_pass_ruff() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", str(MODULES)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_finite_on_cpu_and_of_the_same_shapes_on_meta(bench: Workbench, name: str) -> None:
    module, inputs = small(bench, name)
    outputs = tensors(module(*inputs))
    assert all(torch.isfinite(x).all() for x in outputs)
    if name not in BY_VALUES:
        module, inputs = small(bench, name, "meta")
        assert [x.shape for x in outputs] == [x.shape for x in tensors(module(*inputs))]


@pytest.mark.parametrize("name", COMPILED_PARAMS)
def test_a_module_compiles_as_one_graph_and_computes_the_same(bench: Workbench, name: str) -> None:
    module, inputs = small(bench, name)
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    for expected, found in zip(results(module, inputs), results(compiled, inputs), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("name", COMPILED_PARAMS)
def test_a_module_can_be_exported_and_computes_the_same(bench: Workbench, name: str) -> None:
    module, inputs = small(bench, name)
    exported = torch.export.export(module, tuple(inputs)).module()
    for expected, found in zip(results(module, inputs), results(exported, inputs), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    "name",
    [
        "bert",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("llama", "swin", "performer", "transformer", "cvt", "reformer", "nezha")),
    ],
)
def test_all_that_a_module_makes_is_on_the_device_and_of_the_type_asked_for(bench: Workbench, name: str) -> None:
    sizes = sample(bench.compiled(name).sheet, random.Random(name), limit=8)
    arguments = {**bench.modules.view(name).given(sizes)}
    module = bench.module_class(name)(**arguments, device="meta", dtype=torch.bfloat16)
    made = dict([*module.named_parameters(), *module.named_buffers()])
    assert {x.device.type for x in made.values()} == {"meta"}
    assert {x.dtype for x in made.values() if x.is_floating_point()} == {torch.bfloat16}


def test_published_sizes_are_available_by_name() -> None:
    bert = import_module("generated.modules.bert").Bert
    with torch.device("meta"):
        base = bert.from_preset("bert-base")
        shallow = bert.from_preset("bert-base", L=2)
    assert sum(p.numel() for p in base.parameters()) == 109_482_240
    assert len(shallow.blocks) == 2


def test_an_unknown_preset_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="unknown preset 'bert-huge'; known: bert-base, bert-large"):
        import_module("generated.modules.bert").Bert.from_preset("bert-huge")


def test_sizes_that_break_a_condition_are_refused_with_their_values() -> None:
    attention = import_module("generated.modules.multi_head_attention").MultiHeadAttention
    with pytest.raises(ValueError, match=r"embed_dim % num_heads == 0 must hold; found embed_dim = 1000, num_heads = 16"):
        attention(embed_dim=1000, num_heads=16)


def test_a_repeated_block_is_one_class_used_many_times() -> None:
    text = (MODULES / "bert.py").read_text(encoding="utf-8")
    assert text.count("PostNormBlock(") == 1
    assert "for _ in range(num_layers)" in text


@pytest.mark.parametrize("spec", ["tensor", "f", "true", "value_error", "any"])
def test_the_class_of_a_spec_hides_no_name_that_its_module_uses(spec: str) -> None:
    name = class_name(spec)
    assert name.isidentifier()
    assert not keyword.iskeyword(name)
    assert name not in {"Tensor", "F", "ValueError", "Any"}
