"""What a source leaves out is taken out of the derived formula exactly."""

from __future__ import annotations

from pathlib import Path

from tests.sheet.claims.claim_specs import claims, problems


def test_biases_and_norms_are_left_out_of_parameters(tmp_path: Path) -> None:
    without_both, without_bias, without_norm = claims(
        tmp_path,
        "{of: params, ignore: [bias, norm], given: {f: 4*d}, equals: 12*d**2}",
        "{of: params, ignore: bias, given: {f: 4*d}, equals: 12*d**2 + d}",  # the gain of the norm is left
        "{of: params, ignore: norm, given: {f: 4*d}, equals: 12*d**2 + 4*d + 5*d}",
    )
    assert [claim.verdict for claim in (without_both, without_bias, without_norm)] == ["equal"] * 3
    assert without_both.ignored == ("bias", "norm")


def test_a_bias_that_an_option_switches_off_is_not_taken_out_twice(tmp_path: Path) -> None:
    from generator.sheet.compiled import compile_spec
    from generator.spec.library import Library

    claims(tmp_path, "{of: params, row: [up, down], ignore: bias, equals: 2*d*f}")
    sheet = compile_spec(Library([tmp_path / "block.yaml"]), "block", {"bias": False}).sheet
    assert sheet.claims[0].verdict == "equal"


def test_a_bias_in_a_stack_is_counted_for_each_layer(tmp_path: Path) -> None:
    from generator.sheet.compiled import compile_spec
    from generator.spec.library import Library

    claims(tmp_path)
    (tmp_path / "stack.yaml").write_text(
        "title: A stack\n"
        "dims: {b: batch size, n: sequence length, d: model width, h: heads, L: layers}\n"
        "inputs: {x: [b, n, d]}\n"
        "where: d % h == 0\n"
        "layers: {blocks: {use: block, repeat: L}}\n"
        "claims: [{of: params, ignore: [bias, norm], equals: 12*L*d**2}]\n",
        encoding="utf-8",
    )
    assert compile_spec(Library([tmp_path]), "stack").sheet.claims[0].verdict == "equal"


def test_an_op_and_a_row_can_be_left_out(tmp_path: Path) -> None:
    by_op, by_row = claims(
        tmp_path,
        "{of: macs, ignore: linear, equals: 2*b*n**2*d}",
        "{of: macs, ignore: [attended, up], equals: b*n*d*f}",
    )
    assert (by_op.verdict, by_row.verdict) == ("equal", "equal")


def test_a_bias_cannot_be_told_apart_in_vector_work(tmp_path: Path) -> None:
    note = "the addition of a bias is not told apart from the other work of its row; ignore rows or ops instead"
    found = problems(tmp_path, "{of: vector_flops, ignore: bias, equals: 1}")
    assert found == [(1, "`ignore: bias` cannot be taken out of vector_flops", (note,))]


def test_a_word_that_is_no_kind_of_work_gets_a_suggestion(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "{of: macs, ignore: layernorm, equals: 1}")
    assert found[1] == "`ignore` names `layernorm`, which is no op, no row and none of the kinds"
    assert found[2][0].startswith("did you mean `layer_norm`")
