"""`gen count`: what is asked for, what is shown, and what is said of code that fails."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from generator.cli import main

pytest.importorskip("torch")

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, d, heads=2):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(3)])
        self.out = nn.Linear(d, heads)

    def forward(self, x, scale=None):
        for layer in self.layers:
            x = torch.relu(layer(x))
        print("forward")
        return self.out(x if scale is None else x * scale)


class Layer(nn.Module):
    def __init__(self, k, m):
        super().__init__()
        self.y = nn.Linear(k, m)

    def forward(self, x):
        return self.y(x)


class Two(Layer):
    def forward(self, left, right):
        return self.y(left) + right


def make(d):
    return Net(d)


def number():
    return 3


ready = Net(4)
"""


@pytest.fixture(autouse=True)
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_text(MODEL, encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["count", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_totals_and_tree_are_shown_and_equal_neighbours_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "model.py:Net", "--args", "d=4", "--inputs", "x: 3x4")
    assert (code, out.splitlines()[0]) == (0, "Net in training, called with x: [3, 4] float32")
    rows = {cells[0]: cells[1:] for cells in (re.split(r"  +", line.strip()) for line in out.splitlines())}
    assert rows["Parameters"] == ["70"]
    assert rows["MACs"] == [str(3 * (3 * 4 * 4 + 4 * 2))]
    assert rows["0"][:3] == ["Linear", "20", "96"]  # it keeps the input, the other two keep what relu keeps anyway
    assert rows["1..2"][:3] == ["2 x Linear", "40", "192"]
    assert "forward" in err
    assert "forward" not in out.splitlines()


def test_json_has_exact_integers_by_submodule(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "model.py:make", "--args", "4", "--inputs", "3x4 nograd", "--json")
    data = json.loads(out)
    assert (code, data["params"], data["uncounted"], data["mode"]) == (0, 70, [], "training")
    assert [one["path"] for one in data["modules"]] == ["", "layers", "layers.0", "layers.1", "layers.2", "out"]
    first = data["modules"][2]
    assert (first["class"], first["calls"], first["backward_matmul_flops"]) == ("Linear", 1, 2 * 3 * 4 * 4)  # none for the input
    assert data["matmul_flops"] == sum(one["matmul_flops"] for one in data["modules"] if one["path"] in ("layers", "out"))


@pytest.mark.parametrize("word", ["model.py:ready", "model.py:make", "torch.nn:Linear"])
def test_a_module_that_is_there_a_function_and_what_can_be_imported_are_counted(capsys: pytest.CaptureFixture[str], word: str) -> None:
    given = {"model.py:ready": [], "model.py:make": ["--args", "4"], "torch.nn:Linear": ["--args", "4, 2, bias=False"]}[word]
    code, out, _ = run(capsys, word, *given, "--inputs", "3x4", "--json")
    assert (code, json.loads(out)["params"]) == (0, 8 if "Linear" in word else 70)


def test_arguments_come_from_a_file_of_json_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "sizes.json").write_text('{"d": 4, "heads": 8}', encoding="utf-8")
    code, out, _ = run(capsys, "model.py:Net", "--config", "sizes.json", "--args", "heads=1", "--inputs", "3x4", "--json")
    assert (code, json.loads(out)["params"]) == (0, 60 + 5)


COUNTED_ALIKE = {"params", "trainable_params", "active_params", "macs", "matmul_flops", "vector_flops", "backward_matmul_flops"}
PUBLIC = """\
from torch import nn

from generator.proof.verify.references.timm_models import import_timm


def resnet():
    return import_timm().create_model("resnet50")


def encoder():
    return nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "asked", "but"),
    [
        ("torch.nn:LSTM", "--args 4,5,batch_first=True --against lstm b=2 n=3 k=4 d=5", set()),
        ("torch.nn:GRU", "--args 4,5,batch_first=True --against gru b=2 n=3 k=4 d=5", set()),
        ("public.py:resnet", "--against resnet-50 b=2 --device meta", set()),
        # PyTorch scales queries and keys, where the spec scales their products.
        ("public.py:encoder", "--against post_norm_block b=2 n=3 d=16 h=2 f=32 activation=relu", {"vector_flops"}),
    ],
)
def test_public_modules_come_to_what_built_in_specs_say(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, word: str, asked: str, but: set[str]
) -> None:
    (tmp_path / "public.py").write_text(PUBLIC, encoding="utf-8")
    _, out, _ = run(capsys, word, *asked.split(), "--json")
    compared = {one["quantity"]: one["equal"] for one in json.loads(out)["compared"]}
    assert {key for key in COUNTED_ALIKE if not compared[key]} == but


@pytest.mark.slow
def test_the_configuration_of_a_public_model_makes_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(vocab_size=50, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=1)
    (tmp_path / "config.json").write_text(config.to_json_string(), encoding="utf-8")
    path = "transformers.models.gpt2.modeling_gpt2"
    asked = ["--config", "config.json", "--against", "gpt2", "b=2", "n=5", "m=5", "d=16", "L=2", "h=2", "V=50", "P=1024", "--json"]
    code, out, _ = run(capsys, f"{path}:GPT2LMHeadModel", *asked)
    data = json.loads(out)
    equal = {one["quantity"] for one in data["compared"] if one["equal"]}
    assert equal >= {"params", "active_params", "macs", "matmul_flops", "backward_matmul_flops"}
    assert code == 1  # transformers' module drops out, and keeps masks for it
    code, out, _ = run(capsys, f"{path}:GPT2Block", "--config", "config.json", "--inputs", "2x5x16", "--json")
    assert (code, json.loads(out)["params"]) == (0, 3280)
    code, out, _ = run(capsys, "transformers:AutoModel.from_config", "--config", "config.json", "--inputs", "2x5 below 50", "--json")
    assert (code, json.loads(out)["params"], json.loads(out)["module"]) == (0, 23776, "GPT2Model")


def test_a_module_is_held_against_a_spec(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--args", "3, 5", "--against", "layer", "b=2", "k=3", "m=5", "--specs", "mine")
    code, out, _ = run(capsys, "model.py:Layer", *asked)
    assert (code, out.splitlines()[-1]) == (0, "12 totals compared with `layer`: all equal")
    code, out, _ = run(capsys, "model.py:Layer", "--args", "3, 6", "--against", "layer", "b=2", "k=3", "m=5", "--specs", "mine")
    assert code == 1
    assert re.search(r"^Matmul FLOPs +72 +60  differs by \+12 \(\+20\.00%\)$", out, re.MULTILINE)
    assert out.splitlines()[-1].endswith("differ")


def test_what_is_missing_is_shown_and_the_exit_code_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "torch.nn:Bilinear", "--args", "3, 4, 5", "--inputs", "2x3; 2x4")
    assert code == 1
    assert re.search(r"^Matmul FLOPs +at least 0$", out, re.MULTILINE)
    assert "  _trilinear, 3 times in the module itself: it computes matrix products inside itself, into which nobody can look" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("model.py:Net", "--args", "4"), "error: `gen count` needs --inputs"),
        (("model.py:Nett", "--inputs", "3x4"), "error: model.py has no `Nett`\n  did you mean `Net`?"),
        (("model.py", "--inputs", "3x4"), "error: model.py: which class is to be counted?"),
        (("modle.py:Net", "--inputs", "3x4"), "error: modle.py: no such file"),
        (("no_such_thing:Net", "--inputs", "3x4"), "error: there is no module `no_such_thing` to import"),
        (("not a module", "--inputs", "3x4"), "error: `not a module` is neither FILE.py:Class nor PACKAGE.MODULE:Class"),
        (
            ("model.py:number", "--inputs", "3x4"),
            "error: `model.py:number` returns something of type `int`, where a torch.nn.Module is needed",
        ),
        (("model.py:Net", "--args", "w=4", "--inputs", "3x4"), "error: --args do not fit model.py:Net: missing a required argument: 'd'"),
        (("model.py:Net", "--args", "d=", "--inputs", "3x4"), "error: --args: `d=` cannot be read"),
        (("model.py:Net", "--args", "d=gelu", "--inputs", "3x4"), "error: --args: `gelu` is no number, text, True, False, None"),
        (("model.py:Net", "--args", "4", "--inputs", "y: 3x4"), "error: --inputs do not fit the forward of Net"),
        (("model.py:Net", "--args", "4", "--inputs", "x: 3by4"), "error: --inputs: `x: 3by4` cannot be read"),
        (("model.py:Net", "--args", "4", "--inputs", "x: 3x4 flaot32"), "error: --inputs: `flaot32` in `x: 3x4 flaot32` is no type"),
        (
            ("model.py:Net", "--args", "4", "--inputs", "x: 3x4 below 0"),
            "error: --inputs: `below` in `x: 3x4 below 0` is for whole numbers",
        ),
        (("model.py:Net", "--args", "4", "--inputs", "x: tokens"), "error: --inputs: `tokens` is no shape, and no input of a spec"),
        (("model.py:Net", "d=4", "--inputs", "x: 3x4"), "error: `d=4` is for the spec of --against"),
        (("model.py:Net", "--against", "nothing", "--inputs", "3x4"), "error: there is no spec named `nothing`"),
    ],
)
def test_wrong_usage_is_explained(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    code, _, error = run(capsys, *arguments)
    assert error.startswith(message)
    assert code == 2


def test_several_inputs_of_a_spec_are_taken_by_name(capsys: pytest.CaptureFixture[str], specs: Path) -> None:
    text = "title: Two\ndims: {b: batch, k: width}\ninputs:\n  x: [b, k]\n  y: [b, k]\nlayers:\n  z: {op: linear, in: x, out: [b, k]}\n"
    (specs / "both.yaml").write_text(f"{text}  sum: {{op: add, in: [z, y]}}\n", encoding="utf-8")
    asked = ("model.py:Two", "--args", "3, 3", "--against", "both", "b=2", "k=3", "--specs", "mine")
    code, _, error = run(capsys, *asked)
    assert (code, error.splitlines()) == (
        2,
        [
            "error: the spec's inputs are `x` and `y`, and the forward of Two takes `left` and `right`",
            '  say which is which: --inputs "NAME: x; NAME: y"',
        ],
    )
    code, out, _ = run(capsys, *asked, "--inputs", "right: y; left: x")
    assert (code, out.splitlines()[-1]) == (0, "12 totals compared with `both`: all equal")


def test_an_exception_of_the_users_code_is_shown_in_its_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, error = run(capsys, "model.py:Net", "--args", "4", "--inputs", "x: 3x5")
    assert (code, out) == (1, "")
    lines = error.splitlines()
    assert lines[0] == "error: model.py:13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x5 and 4x4)"
    assert lines[1:3] == ["  13 | x = torch.relu(layer(x))", "  it was called with x: [3, 5] float32"]
    assert "Traceback" not in error
    (tmp_path / "broken.py").write_text("import torch\nx = 1 +\n", encoding="utf-8")
    code, _, error = run(capsys, "broken.py:Net", "--inputs", "3")
    assert (code, error.startswith("error: broken.py:2:8: SyntaxError: invalid syntax")) == (1, True)
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    code, _, error = run(capsys, "leaves.py:Net", "--inputs", "3")
    assert (code, error.startswith("error: leaves.py ended the process (exit code 3)")) == (1, True)


def test_a_file_with_the_name_of_a_package_takes_its_place_nowhere(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(
        "import sys\nfrom torch import nn\nassert sys.modules['torch'].nn is nn\n\n\nclass A(nn.Linear):\n    pass\n"
    )
    before = [*sys.path]
    code, out, _ = run(capsys, "torch.py", "--args", "4, 5", "--inputs", "2x4", "--json")
    assert (code, json.loads(out)["params"]) == (0, 25)
    assert sys.path == before  # processes that start later look for torch in the same places


def test_the_numbers_are_the_same_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("model.py:Net", "--args", "4", "--inputs", "x: 3x4; scale: 4 bfloat16", "--json", "--mode", "inference")
    first, second = run(capsys, *asked), run(capsys, *asked)
    assert first[:2] == second[:2]
    assert json.loads(first[1])["backward_matmul_flops"] is None


@pytest.mark.parametrize("where", ["generator.proof.count.tree.ADDED", "generator.proof.measure.macs._RULES"])
def test_a_mistake_of_a_counter_is_not_taken_for_one_of_the_users_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(where, None)
    code, _, error = run(capsys, "model.py:Net", "--args", "4", "--inputs", "3x4")
    assert code == 70
    assert error.splitlines()[-2].startswith("error: a mistake in gen itself: TypeError: ")


def test_an_input_that_is_changed_in_place_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "torch.nn:ReLU", "--args", "inplace=True", "--inputs", "3x4")
    assert code == 1
    assert error.splitlines()[-1] == "  an input that gets a gradient is changed in place: write `nograd` behind it"
    assert run(capsys, "torch.nn:ReLU", "--args", "inplace=True", "--inputs", "3x4 nograd")[0] == 0
