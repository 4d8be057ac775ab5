"""Names: what people call sizes, options, slots and rows never takes over a module, and letters that papers use simply work."""

from __future__ import annotations

import ast
import string
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

from generator.ops.registry import ops
from generator.proof.verify.instance import Workbench
from generator.render.module.python_names import class_name
from generator.render.module.writer import render_module
from generator.spec.library import Library
from generator.spec.reserved import CONSTRUCTOR_NAMES, FORWARD_NAMES, FUNCTIONAL, LOCALS, MODULE_ATTRIBUTES
from generator.text.problems import ProblemsError
from tests.support.builtin import ops_library
from tests.support.small_specs import write_specs

ROOT = Path(__file__).parents[3]
FIXTURES = sorted((ROOT / "tests" / "fixtures" / "ops").rglob("*.yaml"))
FRAMES = """\
title: Frames
dims:
  b: batch size
  F: frames
  s: {is: half, value: F / 2}
  d: width
inputs:
  x: [b, F, d]
where: F % 2 == 0
layers:
  a: {op: activation, kind: gelu}
  p: {op: parameter, out: [F, d]}
  m: {op: add, in: [a, p]}
  y: {op: slice, axis: 1, size: s}
"""


def refused(folder: Path, text: str) -> list[str]:
    """Return what is said about a spec: the first line of each problem and its first note."""
    with pytest.raises(ProblemsError) as caught:
        Library([write_specs(folder, mine=text)]).spec("mine")
    assert all(problem.span is not None for problem in caught.value.problems)
    return ["; ".join((problem.message, *problem.notes[:1])) for problem in caught.value.problems]


# In a process of its own: libraries that other tests import give nn.Module further methods.
NAMES_OF_A_MODULE = "from torch.nn import Module; print(*dir(Module()), *vars(Module()), *Module.__annotations__)"


def test_the_table_holds_all_that_torch_gives_a_module() -> None:
    names = subprocess.run([sys.executable, "-c", NAMES_OF_A_MODULE], capture_output=True, check=True, text=True).stdout.split()
    public = {name for name in names if not name.startswith("_")}
    assert "forward" in public
    assert public <= MODULE_ATTRIBUTES


@pytest.mark.parametrize(
    ("section", "kind", "value", "other"),
    [
        ("dims", "size", "a size", "{}_size"),
        ("options", "option", "{is: a choice, default: true}", "with_{}"),
        ("slots", "slot", "layer_norm", "{}_block"),
    ],
)
def test_what_is_kept_under_its_own_name_cannot_have_one_that_a_module_has(
    section: str, kind: str, value: str, other: str, tmp_path: Path
) -> None:
    names = sorted(MODULE_ATTRIBUTES)
    entries = "".join(f"  {name}: {value}\n" for name in names)
    head = "dims:\n  b: batch\n  d: width\n" + (entries if section == "dims" else f"{section}:\n{entries}")
    said = refused(tmp_path, f"title: T\n{head}inputs: {{x: [b, d]}}\nlayers:\n  y: {{op: linear, out: [b, d]}}\n")
    why = "every PyTorch module has an attribute of that name"
    a = f"a{'n' if kind == 'option' else ''} {kind}"
    wanted = {f"`{name}` cannot be the name of {a}: {why}; call it `{other.format(name.lower())[:40]}`" for name in names}
    assert wanted <= set(said)


@pytest.mark.parametrize("name", sorted((CONSTRUCTOR_NAMES | FORWARD_NAMES) - {"self", "cls", "super", "torch", "nn", "math"}))
def test_a_size_cannot_have_a_name_that_the_code_uses(name: str, tmp_path: Path) -> None:
    text = f"title: T\ndims: {{b: batch, {name}: width}}\ninputs: {{x: [b, {name}]}}\nlayers:\n  y: {{op: softmax}}\n"
    assert refused(tmp_path, text)[0].startswith(f"`{name}` cannot be the name of a size: ")


def free_names(source: str) -> dict[str, set[str]]:
    """Return the names that each method of a generated class reads without having set them, but for classes of other specs."""
    tree = ast.parse(source)
    found: dict[str, set[str]] = {}
    imports = [
        node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level and node.module not in ("_state", "_reference")
    ]
    classes = {alias.asname or alias.name for node in imports for alias in node.names}
    methods = [node for top in tree.body if isinstance(top, ast.ClassDef) for node in top.body if isinstance(node, ast.FunctionDef)]
    for method in methods:
        names = [node for statement in method.body for node in ast.walk(statement) if isinstance(node, ast.Name)]
        own = {argument.arg for argument in (*method.args.args, *method.args.kwonlyargs)} - {"self", "cls", "name", "state"}
        own |= {node.id for node in names if isinstance(node.ctx, ast.Store)} - {"layer", "index"}
        own |= {argument.arg for node in ast.walk(method) if isinstance(node, ast.Lambda) for argument in node.args.args}
        found.setdefault(method.name, set()).update({node.id for node in names} - own - classes)
    return found


def check_free_names(sources: dict[str, str]) -> None:
    for spec, source in sources.items():
        found = free_names(source)
        functional = {FUNCTIONAL, f"_{FUNCTIONAL}"}  # the other where a size is called so; no size begins with an underscore
        assert found["__init__"] <= CONSTRUCTOR_NAMES, spec
        assert found["forward"] <= FORWARD_NAMES | functional, spec
        assert set().union(*found.values()) <= LOCALS | functional | {"changes", "weights", "layout"}, spec


def test_every_name_that_committed_modules_use_is_known() -> None:
    files = sorted((ROOT / "generated" / "modules").glob("[a-z]*.py"))
    assert len(files) > 50
    check_free_names({file.stem: file.read_text(encoding="utf-8") for file in files})


@pytest.mark.slow
def test_every_name_that_the_module_of_any_op_uses_is_known() -> None:
    library = ops_library()
    assert {file.parent.name for file in FIXTURES} >= set(ops())
    with Workbench(library) as bench:
        check_free_names({file.stem: render_module(bench.compiled(file.stem), bench.modules) for file in FIXTURES})


def test_a_size_called_f_leaves_the_functions_of_torch_alone(tmp_path: Path) -> None:
    with Workbench(Library([write_specs(tmp_path, frames=FRAMES)])) as bench:
        module = bench.build("frames", {"b": 2, "F": 6, "s": 3, "d": 4})
        x = torch.randn(2, 6, 4)
        assert torch.equal(module(x), (functional.gelu(x) + module.p)[:, :3])


@pytest.mark.parametrize("letter", sorted(set(string.ascii_letters) - {"x", "b"}))
def test_every_letter_is_the_name_of_a_size(letter: str, tmp_path: Path) -> None:
    text = f"title: T\ndims: {{b: batch, {letter}: width}}\ninputs: {{x: [b, {letter}]}}\n"
    text += f"layers:\n  lin: {{op: linear, out: [b, 2*{letter}]}}\n  act: {{op: activation, kind: gelu}}\n"
    with Workbench(Library([write_specs(tmp_path, mine=text)])) as bench:
        assert bench.build("mine", {"b": 2, letter: 3})(torch.randn(2, 3)).shape == (2, 6)


def test_rows_of_any_name_of_a_module_leave_it_what_it_is(tmp_path: Path) -> None:
    names = sorted(name for name in MODULE_ATTRIBUTES if len(name) <= 40)
    rows = "".join(f"  {name}: {{op: linear, out: [b, d]}}\n" for name in names)
    text = f"title: T\ndims: {{b: batch, d: width}}\ninputs: {{x: [b, d]}}\nlayers:\n{rows}"
    with Workbench(Library([write_specs(tmp_path, mine=text)])) as bench:
        module = bench.build("mine", {"b": 2, "d": 3})
        assert sum(p.numel() for p in module.parameters()) == len(names) * 12
        assert module.eval().training is False
        assert module.train().training is True
        assert module.double()(torch.randn(2, 3, dtype=torch.float64)).shape == (2, 3)
        module.load_state_dict(module.state_dict())


def test_classes_of_one_name_and_a_size_named_as_a_class_are_told_apart(tmp_path: Path) -> None:
    one = "title: One\ndims: {b: batch, d: width}\ninputs: {x: [b, d]}\nlayers:\n  y: {op: linear, out: [b, d]}\n"
    two = one.replace("op: linear, out: [b, d]", "op: scale, by: 2")
    users = {
        "a1_": None,
        "user": "title: U\ndims: {b: batch, A1: width}\ninputs: {x: [b, A1]}\nlayers:\n"
        "  p: {use: a1, with: {d: A1}}\n  q: {use: a_1, with: {d: A1}}\n  r: {op: linear, out: [b, A1]}\n",
        "a_1_": one.replace("y: {op: linear, out: [b, d]}", "p: {use: a1}\n  q: {use: a_1}"),
    }
    assert class_name("a1") == class_name("a_1") == class_name("a_1_")
    with Workbench(Library([write_specs(tmp_path, a1=one, a_1=two, **{k: v for k, v in users.items() if v})])) as bench:
        x = torch.randn(2, 3)
        user = bench.build("user", {"b": 2, "A1": 3})
        assert torch.equal(user(x), user.r(2 * user.p.y(x)))
        same = bench.build("a_1_", {"b": 2, "d": 3})
        assert torch.equal(same(x), 2 * same.p.y(x))


CLASHES = """\
title: Rows, a size, an option and a slot of like names
dims: {b: batch, n: length, d: width, w_future: a size that ends as a helper of the row w, e: {is: width again, value: d}}
options: {bias: {is: whether there is one, default: true}}
inputs: {x: [b, n, n], z: [b, n, d], u: [b, w_future]}
slots: {norm: {use: layer_norm, with: {d: d}}}
layers:
  w: {op: mask, in: x, kind: causal}
  s: {op: softmax}
  d: {op: linear, in: z, out: [b, n, d], bias: bias}
  bias: {op: linear, out: [b, n, e], when: bias}
  norm: {slot: norm}
  d_: {op: scale, by: 3}
  state: {op: add, in: [d_, z]}
  keep: {op: linear, in: u, out: [b, w_future]}
  scaled: {op: scale, by: w_future}
outputs: [s, state, scaled]
"""


def test_a_row_may_have_the_name_of_a_size_an_option_or_a_slot(tmp_path: Path) -> None:
    with Workbench(Library([write_specs(tmp_path, mine=CLASHES)])) as bench:
        module = bench.build("mine", {"b": 2, "n": 3, "d": 4, "w_future": 5, "e": 4})
        x, z, u = torch.randn(2, 3, 3), torch.randn(2, 3, 4), torch.randn(2, 5)
        weights, total, scaled = module(x, z, u)
        parts = dict(module.named_children())
        hidden = torch.ones(3, 3, dtype=torch.bool).triu(1)
        assert torch.equal(weights, x.masked_fill(hidden, float("-inf")).softmax(-1))
        linears = [part for part in parts.values() if isinstance(part, nn.Linear)]
        assert torch.equal(total, 3 * module.norm(linears[1](linears[0](z))) + z)
        assert torch.equal(scaled, 5 * linears[2](u))


def test_names_with_a_line_break_are_none(tmp_path: Path) -> None:
    text = 'title: T\ndims: {b: batch, "d\\n": width}\ninputs: {x: [b, d]}\nlayers:\n  y: {op: split, into: 2, names: [a, "c\\n"]}\n'
    said = refused(tmp_path, text)
    assert any("a key stands in one line" in line for line in said)
    assert any("cannot be a name in `layers.y.names`" in line for line in refused(tmp_path, text.replace("d\\n", "d")))
