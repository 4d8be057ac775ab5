"""What passes `gen check` builds, and a format that fails costs none of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cli import main
from generator.render import formats

HEAD = "title: t\ndims: {b: batch, n: length, d: width}\ninputs: {x: [b, n, d]}\n"
EIGHTS = HEAD + "where: b % 8 == 0\nlayers:\n  y: {op: scale, by: 2}\n"
POWER = HEAD + 'layers:\n  y: {op: linear, out: [b, n, "d**n"]}\n'
GREAT_POWER = POWER + "presets:\n  great: {set: {b: 1, n: 200, d: 1000}}\n"
UNUSED_CHOICE = (
    HEAD + "options: {kind: {is: activation, choices: [relu, gelu, foo], default: relu}}\nlayers:\n  y: {op: activation, kind: kind}\n"
)
UNUSED_YES = (
    HEAD + "options: {more: {is: one more row, default: false}}\nlayers:\n"
    "  y: {op: linear, out: [b, n, d]}\n  z: {op: linear, in: y, out: [b, n, 2*d], when: more}\n  w: {op: add, in: [z, x]}\n"
)
BATCH_NORM = "title: t\ndims: {b: batch, d: width}\ninputs: {x: [b, d]}\nlayers:\n  y: {op: batch_norm}\npresets:\n  one: {set: {b: 1}}\n"
SEVEN_SIZES = """\
title: random
dims: {b: size b, n: size n, d: size d, h: size h, e: size e, m: size m, k: size k}
inputs: {x: [b, d, n], x2: [b, d, n]}
where:
  - (n + 2*0 - 2*(3 - 1) - 1)//k + 1 >= 1
layers:
  r1: {op: sub, in: [x, x]}
  r2: {op: conv1d, in: r1, channels: m, kernel: 3, stride: k, padding: 0, dilation: 2}
  r3: {op: sub, in: [r2, r2]}
  r4: {op: linear, in: x2, out: [b, d, 2*h*e], bias: false}
  r5: {op: einsum, in: [r1, r4], eq: "p q r, p q i -> q i"}
  r6: {op: linear, in: r3, out: [b, m, h*e], bias: false}
  r7: {op: rms_norm, in: r4, eps: 1e-3}
  r8: {op: layer_norm, in: r7}
outputs: [r5, r6, r8]
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def written(text: str, name: str = "spec") -> str:
        Path("mine").mkdir(exist_ok=True)
        Path(f"mine/{name}.yaml").write_text(text, encoding="utf-8")
        return f"mine/{name}.yaml"

    return written


@pytest.mark.parametrize("text", [EIGHTS, POWER, SEVEN_SIZES], ids=["eights", "power", "seven sizes"])
def test_what_passes_check_builds(write, text: str) -> None:
    file = write(text)
    assert main(["check", file]) == 0
    assert main(["build", file, "--out", "out"]) == 0
    assert {path.suffix for path in Path("out").rglob("spec.*")} == {".py", ".md", ".xlsx"}


def test_a_number_beyond_a_spreadsheet_is_refused_with_its_place_and_costs_no_other_format(write, capsys) -> None:
    file = write(GREAT_POWER)
    assert main(["check", file]) == 1
    said = "mine/spec.yaml:7:3: error: params at preset `great` is beyond the numbers of a spreadsheet, which end at 10**308"
    assert said in capsys.readouterr().err
    assert main(["build", file, "--out", "out"]) == 1
    assert said in capsys.readouterr().err
    assert {path.suffix for path in Path("out").rglob("spec.*")} == {".py", ".md"}


def test_a_choice_that_no_row_can_take_is_refused_though_it_is_not_the_default(write, capsys) -> None:
    for command in (["check"], ["build", "--out", "out"]):
        assert main([command[0], write(UNUSED_CHOICE), *command[1:]]) == 1
        assert (
            "mine/spec.yaml:6:29: error: `kind` of `y`: option `kind` may be `foo`, which is not one of relu, relu6"
            in capsys.readouterr().err
        )


def test_check_looks_at_each_option_the_other_way_too(write, capsys) -> None:
    assert main(["check", write(UNUSED_YES)]) == 1
    said = capsys.readouterr().err
    assert "`w` cannot add z and x: their shapes do not fit" in said  # below the row that is there then
    assert "where option `more` is `true`" in said
    slot = UNUSED_YES.replace("z: {op: linear, in: y, out: [b, n, 2*d], when: more}", "z: {op: linear, in: y, out: [b, n, d], bias: more}")
    assert main(["check", write(slot)]) == 0


def fails(rendering: object) -> bytes:
    raise ZeroDivisionError(rendering)


def test_a_format_that_fails_costs_none_of_the_others_and_leaves_nothing_older_behind(write, monkeypatch, capsys) -> None:
    file = write(EIGHTS)
    assert main(["build", file, "--out", "out"]) == 0
    before = Path("out/modules/spec.py").read_bytes()
    monkeypatch.setattr(formats, "page_bytes", fails)
    write(EIGHTS.replace("by: 2", "by: 3"))
    capsys.readouterr()
    assert main(["build", file, "--out", "out"]) == 1
    said = capsys.readouterr()
    assert "mine/spec.yaml:1:1: error: the markdown of `spec` cannot be rendered: ZeroDivisionError" in said.err
    assert "1 removed" in said.out
    assert Path("out/modules/spec.py").read_bytes() != before
    assert Path("out/excel/spec.xlsx").exists()
    assert not Path("out/markdown/spec.md").exists()


def test_cost_answers_and_warns_where_a_claim_fails_and_check_fails(write, capsys) -> None:
    text = HEAD + "layers: {y: {op: linear, out: [b, n, d]}}\nclaims:\n  - {of: params, equals: d**2}\n"
    file = write(text)
    assert main(["cost", file, "b=1", "n=2", "d=3", "--json"]) == 0
    said = capsys.readouterr()
    assert '"params": 12' in said.out
    assert said.err.startswith("warning: mine/spec.yaml:6:26: this claim does not hold: params is not d**2\n")
    assert main(["check", file]) == 1


def test_a_batch_of_one_is_counted_where_only_training_refuses_it(write, capsys) -> None:
    file = write(BATCH_NORM)
    assert main(["check", file]) == 0
    assert main(["cost", file, "b=1", "d=4", "--json"]) == 0
    assert '"params": 8' in capsys.readouterr().out
    assert main(["build", file, "--out", "out"]) == 0
    assert "`b > 1` (in training)" in Path("out/markdown/spec.md").read_text(encoding="utf-8")


def test_verify_names_a_preset_that_cannot_be_trained(write, capsys) -> None:
    pytest.importorskip("torch")
    file = write(BATCH_NORM)
    assert main(["verify", file, "--samples", "1", "--no-references"]) == 1
    said = capsys.readouterr().out
    assert "not checked: preset one: no sizes were found that satisfy b > 1" in said
    assert said.rstrip().endswith("equal where compared; not all was compared of spec")
