"""Options and slots on the line, of a spec and of what it uses; presets in the place of specs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archsheet import SizeError, load
from generator.cli import main
from tests.support.small_specs import write_specs

IN = ("--specs", "mine")
CELL = """
title: Cell
dims: {b: batch, n: length, d: width, f: {is: inner, default: 4*d}}
inputs: {x: [b, n, d]}
slots: {inner: {use: mlp, is: what each position does}}
layers:
  norm: {op: layer_norm}
  y: {slot: inner}
"""
WHOLE = """
title: Whole
dims: {b: batch, n: length, d: width, L: layers}
inputs: {x: [b, n, d]}
layers:
  body: {use: cell, repeat: L, with: {f: 2*d}, slots: {inner: {use: mlp, options: {bias: true}}}}
  y: {op: linear, out: [b, n, d], bias: false}
presets:
  whole-small: {set: {d: 8, L: 2}, expect: {params: 656}}
"""
WRITTEN = WHOLE.replace("{use: mlp, options: {bias: true}}", "{use: gated_mlp, options: {bias: false}}").replace("656", "864")


WIDE = """
title: Through a width of its own
dims: {b: batch, n: length, d: width, c: width between}
inputs: {x: [b, n, d]}
layers:
  there: {op: linear, in: x, out: [b, n, c]}
  back: {op: linear, out: [b, n, d]}
"""
TALL = """
title: Cells, all of them filled
dims: {b: batch, n: length, d: width, c: width between, L: layers}
inputs: {x: [b, n, d]}
layers:
  body: {use: cell, repeat: L, slots: {inner: wide}}
"""


@pytest.fixture(autouse=True)
def some_specs(specs: Path) -> None:
    write_specs(specs, cell=CELL, whole=WHOLE, written=WRITTEN.replace("whole-small", "written-small"))


def _cost(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, int]:
    assert main(["cost", *words, "--json", *IN]) == 0
    found: dict[str, int] = json.loads(capsys.readouterr().out)
    return found


def test_a_preset_stands_where_a_spec_does(capsys: pytest.CaptureFixture[str]) -> None:
    named = _cost(capsys, "whole-small", "b=1", "n=4")
    assert named == _cost(capsys, "whole", "b=1", "n=4", "--preset", "whole-small")
    assert named == _cost(capsys, "whole@whole-small", "b=1", "n=4")
    assert named["params"] == 656


def test_what_is_chosen_holds_in_all_specs_that_are_used(capsys: pytest.CaptureFixture[str]) -> None:
    """As the same spec with it written down: `written` has another block in the slot, without biases."""
    chosen = _cost(capsys, "whole-small", "b=1", "n=4", "inner=gated_mlp", "bias=false")
    written = _cost(capsys, "written-small", "b=1", "n=4")
    assert (chosen["params"], chosen["macs"], chosen["vector_flops"]) == (written["params"], written["macs"], written["vector_flops"])
    assert chosen["params"] == 864


def test_what_is_chosen_reaches_every_question(capsys: pytest.CaptureFixture[str]) -> None:
    choices = ["inner=gated_mlp", "bias=false"]
    assert main(["compare", "whole-small", "written-small", "b=1", "n=4", *choices, "--quantity", "params", "--json", *IN]) == 0
    assert capsys.readouterr().out.count("864") >= 2
    assert main(["diff", "whole", "written", *choices, *IN]) == 0
    assert main(["sweep", "whole-small", "b=1", "n=4,8", *choices, "--quantity", "params", "--csv", "-", *IN]) == 0
    assert capsys.readouterr().out.count("864") == 2
    assert main(["growth", "whole-small", "b=1", "n=4", *choices, *IN]) == 0
    assert main(["module", "whole", "--single-file", *choices, *IN]) == 0
    assert "class GatedMlp" in capsys.readouterr().out


def test_a_chosen_block_has_the_sizes_and_options_that_it_alone_knows(capsys: pytest.CaptureFixture[str]) -> None:
    """BERT with Linformer's attention is Linformer, which is a spec of its own."""
    chosen = _cost(capsys, "bert-base", "n=512", "b=2", "attention=linformer_attention", "k=128")
    written = _cost(capsys, "linformer-base", "b=2")
    assert (chosen["params"], chosen["macs"], chosen["saved_elements"]) == (written["params"], written["macs"], written["saved_elements"])
    gelu, silu = (_cost(capsys, "whole-small", "b=1", "n=4", "inner=gated_mlp", f"activation={kind}") for kind in ("gelu", "silu"))
    assert gelu["vector_flops"] != silu["vector_flops"]


@pytest.mark.slow
def test_what_is_chosen_may_need_sizes_that_only_the_user_of_the_slot_has(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cell has no size c: what stands in its slot by default, where nobody leaves that to it, stays."""
    bent = WIDE.replace("  back:", "  bent: {op: activation, kind: gelu}\n  back:")
    write_specs(specs, wide=WIDE, bent=bent, tall=TALL)
    assert main(["verify", "tall", "inner=bent", "--samples", "1", *IN]) == 0
    capsys.readouterr()
    assert main(["module", "tall", "inner=bent", "--single-file", *IN]) == 0
    written = capsys.readouterr().out
    assert "class Bent(" in written
    assert "class Wide(" not in written
    norm, biases, gelu = 3 * (8 * 8 + 4), 3 * (2 + 8), 3 * 2 * 5
    assert _cost(capsys, "tall", "inner=bent", "b=1", "n=3", "d=8", "c=2", "L=2")["vector_flops"] == 2 * (norm + biases + gelu)


def test_what_is_chosen_is_proven(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "whole-small", "inner=gated_mlp", "bias=false", "--samples", "2", "--json", *IN]) == 0
    found = json.loads(capsys.readouterr().out)[0]
    assert found["equal"]
    assert {check["derived"] for case in found["cases"] if case["preset"] for check in case["checks"] if check["quantity"] == "params"} == {
        864
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["whole", "bais=false"], "`bais` is no size of `whole`, and no option or slot of it or of what it uses\n  did you mean `bias`?"),
        (["whole", "bias=maybe"], "option `bias` is true or false, not `maybe`"),
        (["whole", "inner=gated_mpl"], "inner=gated_mpl\n      |       ^^^^^^^^^\n  did you mean `gated_mlp` or `granite_moe`?"),
        (["whole-smal", "n=1"], "there is no spec named `whole-smal`\n  did you mean `whole-small`"),
    ],
)
def test_what_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", *words, *IN]) != 0
    assert said in capsys.readouterr().err


def test_a_preset_of_two_specs_is_no_target(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_specs(specs, other=WHOLE)
    assert main(["cost", "whole-small", "b=1", "n=4", *IN]) == 1
    said = capsys.readouterr().err
    assert "error: `other` and `whole` have a preset `whole-small`" in said or "error: `whole` and `other` have a preset" in said
    assert "name the spec too, such as " in said


def test_show_says_where_options_of_used_specs_come_from(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layers = "layers:\n  y: {use: cell}\n  z: {use: mlp, options: {bias: thick}}\n"
    options = "options: {bias: {is: biases, default: false}, thick: {is: others, default: true}}\n"
    cell = CELL.replace("slots:", "options: {bias: {is: biases, default: true}}\nslots:")
    write_specs(specs, cell=cell, outer=WHOLE.partition("layers:")[0] + options + layers)
    assert main(["show", "outer", *IN]) == 0
    said = capsys.readouterr().out
    assert "\n  bias of cell = false, from outer\n  bias of mlp = false, from cell\n  bias of mlp = true, from `thick` of outer\n" in said


def test_show_lists_what_must_hold_of_the_sizes_though_nobody_has_written_it(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stacks = "".join(f"  {name.lower()}: {{use: rms_norm, repeat: {name} - 1}}\n" for name in "KLMP")
    sizes = "b: batch, n: length, d: width, K: one, L: another, M: a third, P: a fourth number of layers"
    text = f"title: Stacks\ndims: {{{sizes}}}\ninputs: {{x: [b, n, d]}}\nlayers:\n{stacks}where: d > n\n"
    write_specs(specs, stacks=text)
    assert main(["show", "stacks", *IN]) == 0  # of three stacks it is tried whether there are no layers
    assert "\n  where n < d; P >= 2\n" in capsys.readouterr().out
    assert main(["show", "stacks", *IN, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["where"] == ["n < d", "P >= 2"]


def test_python_takes_presets_and_choices_too() -> None:
    whole = load("whole-small", specs="mine", inner="gated_mlp", bias=False)
    assert whole.cost(b=1, n=4).params == 864
    assert load("whole@whole-small", specs="mine").cost(b=1, n=4).params == 656
    assert load("whole", specs="mine").cost(preset="whole-small", b=1, n=4).params == 656
    with pytest.raises(SizeError, match="`bais` is not an option of `whole`"):
        load("whole", specs="mine", bais=False)


@pytest.mark.slow
def test_a_module_is_built_as_chosen() -> None:
    module = load("whole-small", specs="mine", inner="gated_mlp", bias=False).module()
    assert sum(weight.numel() for weight in module.parameters()) == 864
