"""A module refuses sizes that its rows cannot have, in the words of the sheet, before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from generator.proof.verify.instance import Workbench
from generator.render.module.condition_checks import checked_when_built, checked_when_run, own_conditions
from generator.sheet.preset_totals import complete
from generator.spec.library import Library
from tests.support.small_specs import write_specs

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing from Python 3.11 on

DIMS = "{b: batch, n: length, m: other, d: width, P: places, g: groups}"
SEQUENCE, MATRIX, IMAGE = "{x: [b, n, d]}", "{x: [b, n, m]}", "{x: [b, d, n]}"
QUERIES = "{q: [b, 2, n, 4], k: [b, 2, m, 4], v: [b, 2, m, 4]}"
SIZES = {"b": 2, "n": 5, "m": 3, "d": 4, "P": 8, "g": 2}
CONVOLUTION = "op: conv1d, channels: d, kernel: 3"


class Written:
    """A spec of one row, its module and its sheet."""

    def __init__(self, folder: Path, layers: str, inputs: str = SEQUENCE, *, where: str = "", options: str = "", **others: str) -> None:
        where, options = f"where: {where}\n" if where else "", f"options: {options}\n" if options else ""
        text = f"title: One row\ndims: {DIMS}\n{options}{where}inputs: {inputs}\nlayers:\n"
        write_specs(folder, one=text + "".join(f"  {row}\n" for row in layers.splitlines()), **others)
        self.bench = Workbench(Library([folder]))

    def __enter__(self) -> Self:
        self.bench.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.bench.__exit__(*exception)

    def run(self, *, training: bool = True, options: Mapping[str, Any] | None = None, **sizes: int) -> Any:
        """Build the module at sizes, and run it on inputs of theirs."""
        torch.manual_seed(0)
        whole: dict[str, Any] = dict(complete(self.bench.compiled("one").sheet.sizes, SIZES | sizes))
        arguments = {a.name: whole[a.name] for a in self.bench.modules.view("one").arguments}
        module = self.bench.module_class("one")(**arguments, **(options or {}))
        return module.train(training)(*self.bench.inputs("one", whole))

    def checks(self) -> tuple[list[str], list[str]]:
        """Return the conditions that the constructor checks, and those of `forward`."""
        view = self.bench.modules.view("one")
        told = {argument.name for argument in view.arguments}
        found = own_conditions(view.arch, told)
        early, late = checked_when_built(found, told), checked_when_run(found, told)
        return [str(one.condition) for one in early], [str(one.condition) for one in late]


@pytest.mark.parametrize(
    ("row", "inputs", "good", "bad", "condition"),
    [
        ("op: select, axis: 1, index: m - 2", SEQUENCE, {"n": 2, "m": 3}, {"m": 1}, "m >= 2"),
        ("op: select, axis: 1, index: m - 2", SEQUENCE, {"n": 2, "m": 3}, {"n": 1, "m": 3}, "n > m - 2"),
        ("op: select, axis: 1, index: -m", SEQUENCE, {"n": 3, "m": 3}, {"n": 2, "m": 3}, "n >= m"),
        ("op: slice, axis: 1, start: m - 3, size: 2", SEQUENCE, {"m": 3}, {"m": 2}, "m >= 3"),
        ("op: slice, axis: 1, start: m - 3, size: n - 4", SEQUENCE, {"m": 7}, {"m": 8}, "m <= 7"),
        ("op: pad, axis: 1, before: m - 3", SEQUENCE, {"m": 3}, {"m": 2}, "m >= 3"),
        ("op: scale, by: (n - m)**-0.5", SEQUENCE, {"m": 4}, {"m": 5}, "n > m"),
        ("op: scale, by: 1/(n - m)", SEQUENCE, {"m": 6}, {"m": 5}, "n != m"),
        ("op: scale, by: sqrt(n/2 - m)", SEQUENCE, {"n": 5, "m": 2}, {"n": 3, "m": 2}, "n >= 2*m"),
        ("op: shift, by: log2(n - m)", SEQUENCE, {"m": 4}, {"m": 5}, "n > m"),
        ("op: positional, kind: learned, length: P", SEQUENCE, {"n": 8}, {"n": 9}, "n <= P"),
        ("op: relative_positions, reach: m - 2", SEQUENCE, {"m": 2}, {"m": 1}, "m >= 2"),
        ("op: attention, causal: true, offset: m - n, in: [q, k, v]", QUERIES, {"m": 5}, {"m": 4}, "n <= m"),
        ("op: mask, kind: causal", MATRIX, {"m": 5}, {"m": 4}, "n <= m"),
        ('op: hide, axes: b i j, where: "j // (n - m) > i"', SEQUENCE, {"m": 4}, {"m": 5}, "n != m"),
        ('op: hide, axes: b i j, where: "j % (m - 2) > i"', SEQUENCE, {"m": 1}, {"m": 2}, "m != 2"),
        ('op: hide, axes: b i j, where: "j > n // (m - 2)"', SEQUENCE, {"m": 3}, {"m": 2}, "m != 2"),
        ("op: pool, kind: avg, kernel: m, padding: 1", IMAGE, {"m": 2}, {"m": 1}, "m >= 2"),
        (f"{CONVOLUTION}, stride: m - 1", IMAGE, {"m": 2}, {"m": 1}, "m >= 2"),
        (f"{CONVOLUTION}, stride: m, transposed: true, output_padding: 2", IMAGE, {"m": 3}, {"m": 2}, "m > 2"),
        (f"{CONVOLUTION}, stride: m, dilation: g, transposed: true, output_padding: 2", IMAGE, {"m": 1, "g": 3}, {"m": 2}, "max(m, g) > 2"),
        ("op: group_norm, groups: d", IMAGE, {"b": 1, "n": 2}, {"b": 1, "n": 1}, "b*n > 1"),
        ("op: scale, by: sqrt(d/g - 1)", SEQUENCE, {"g": 4}, {"g": 5}, "d >= g"),
        ("op: scale, by: 1/(n//(m - 2))", SEQUENCE, {"m": 4}, {"m": 2}, "m != 2"),
        ("op: batch_norm", IMAGE, {"b": 2, "n": 1}, {"b": 1, "n": 1}, "b*n > 1"),
        ("op: linear, out: [b, n, m - 2]", SEQUENCE, {"m": 3}, {"m": 2}, "m > 2"),
        ("op: unfold, axis: 1, size: m", SEQUENCE, {"m": 5}, {"m": 6}, "n >= m"),
    ],
)
def test_sizes_that_a_row_cannot_have_are_refused_by_module_and_sheet(
    tmp_path: Path, row: str, inputs: str, good: Mapping[str, int], bad: Mapping[str, int], condition: str
) -> None:
    with Written(tmp_path, f"y: {{{row}}}", inputs) as one:
        assert torch.isfinite(one.run(**good).masked_fill(torch.tensor("hide" in row or "mask" in row), 0)).all()
        with pytest.raises(ValueError, match=r"must hold; found") as refused:
            one.run(**bad)
        assert str(refused.value).startswith(f"{condition} must hold")
        sheet = one.bench.compiled("one").sheet
        assert condition in [constraint.text for constraint in (*sheet.constraints, *sheet.trained)]


def test_conditions_on_sizes_that_are_told_are_checked_when_the_module_is_built(tmp_path: Path) -> None:
    with Written(tmp_path, "y: {op: select, axis: 1, index: m - 2}") as one:
        assert one.checks() == (["m >= 2"], ["n > m - 2"])


def test_what_a_condition_of_the_spec_or_of_another_row_implies_is_not_checked_once_more(tmp_path: Path) -> None:
    rows = "s: {op: slice, axis: 1, start: 1, size: n - 1}\ny: {op: slice, axis: 1, start: 2, size: n - 3}"
    with Written(tmp_path / "rows", rows) as one:
        assert one.checks() == ([], ["n > 3"])
    with Written(tmp_path / "where", "y: {op: slice, axis: 1, size: m}", where="n > m") as one:
        assert one.checks() == ([], ["n > m"])


def test_a_stronger_condition_guards_what_a_weaker_one_would(tmp_path: Path) -> None:
    rows = "s: {op: scale, by: n % (m - 1)}\nt: {op: scale, by: 1/(n % (m - 1))}\ny: {op: pad, axis: 1, before: m - 3}"
    with Written(tmp_path, rows) as one:
        assert one.checks()[0] == ["m >= 3"]
        with pytest.raises(ValueError, match="m >= 3 must hold; found m = 1"):
            one.run(m=1)


def test_the_conditions_of_a_blocks_rows_are_left_to_its_module(tmp_path: Path) -> None:
    inner = f"title: In\ndims: {DIMS}\ninputs: {SEQUENCE}\nlayers:\n  y: {{op: scale, by: sqrt(m - 3)}}\n"
    with Written(tmp_path, "y: {use: inner, repeat: g - 2}", inner=inner) as one:
        assert one.checks() == (["g >= 2"], [])
        with pytest.raises(ValueError, match="m >= 3 must hold; found m = 2"):
            one.run(m=2, g=3)


def test_a_row_that_an_option_skips_needs_nothing_then(tmp_path: Path) -> None:
    row = "y: {op: scale, by: (n - m)**-0.5, when: turn}\nz: {op: scale, by: sqrt(n - m + 1)}"
    with Written(tmp_path, row, options="{turn: {is: whether, default: true}}") as one:
        assert one.checks() == ([], ["n > m", "n + 1 >= m"])
        with pytest.raises(ValueError, match="n > m must hold; found n = 5, m = 6"):
            one.run(m=6)
        assert torch.isfinite(one.run(m=6, options={"turn": False})).all()
        with pytest.raises(ValueError, match=r"n \+ 1 >= m must hold"):
            one.run(m=7, options={"turn": False})


def test_an_option_without_which_an_op_needs_less_is_looked_at(tmp_path: Path) -> None:
    row = "y: {op: attention, causal: future, offset: m - n, in: [q, k, v]}"
    with Written(tmp_path, row, QUERIES, options="{future: {is: whether, default: true}}") as one:
        with pytest.raises(ValueError, match="n <= m must hold"):
            one.run(m=4)
        assert torch.isfinite(one.run(m=4, options={"future": False})).all()


def test_a_batch_norm_of_a_single_value_is_refused_in_training_alone(tmp_path: Path) -> None:
    with Written(tmp_path, "y: {op: batch_norm}", IMAGE) as one:
        assert one.run(b=1, n=1, training=False).shape == (1, 4, 1)


def test_conditions_on_quotients_are_not_rounded(tmp_path: Path) -> None:
    with Written(tmp_path, "y: {op: scale, by: 2}", MATRIX, where="n/2 > m") as one:
        assert one.run(n=5, m=2).shape == (2, 5, 2)
        with pytest.raises(ValueError, match="must hold; found n = 4, m = 2"):
            one.run(n=4, m=2)


def test_a_size_derived_at_run_time_is_worked_out_behind_what_it_divides_by(tmp_path: Path) -> None:
    text = "title: At run time\ndims: {b: batch, n: length, d: width, e: {is: part, value: d / (n - 2)}}\ninputs: {x: [b, n, d]}\nlayers:\n"
    write_specs(tmp_path, one=text + '  y: {op: rearrange, to: "b n (a e) -> b n a e"}\n')
    with Workbench(Library([tmp_path])) as bench:
        module = bench.module_class("one")()
        assert module(torch.ones(1, 4, 6)).shape == (1, 4, 2, 3)
        for length in (1, 2):
            with pytest.raises(ValueError, match=f"n > 2 must hold; found n = {length}"):
                module(torch.ones(1, length, 6))


def test_a_condition_that_no_module_can_check_is_said_to_be_unchecked(tmp_path: Path) -> None:
    with Written(tmp_path, "y: {op: linear, out: [b, n, d]}", where="[n > m, n > 2, d > 1]") as one:
        said = " ".join((one.bench.module_class("one").__doc__ or "").split())
    assert "Not checked, as the inputs do not show all of these sizes: n > m." in said
