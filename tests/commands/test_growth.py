"""`gen growth`: orders, terms and crossings in the terminal."""

from __future__ import annotations

import json

from generator.cli import main


def test_attention_word_for_word(capsys) -> None:
    assert main(["growth", "pre_norm_block"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[0] == "Pre-norm encoder block (pre_norm_block)"
    (flops,) = [" ".join(line.split()) for line in shown.splitlines() if line.startswith("matmul_flops")]
    assert flops == "matmul_flops O(b*n**2*d + b*n*d**2 + b*n*d*f) 1 2 2 – 1 n: O(b*n**2*d); d: O(b*n*d**2)"
    assert "  macs: quadratic part above linear part once n > 2*d + f\n" in shown


def test_with_sizes_terms_are_shown_by_value(capsys) -> None:
    assert main(["growth", "bert", "--preset", "bert-base", "n=512", "b=1"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["matmul_flops", "4*b*n*d*L*f", "57,982,058,496", "60.0%"] in lines


def test_json_has_orders_terms_and_crossings(capsys) -> None:
    assert main(["growth", "bert", "--preset", "bert-base", "n=512", "b=1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["orders"]["vector_flops"]["powers"]["h"] == "1"
    assert "h" not in data["orders"]["matmul_flops"]["powers"]
    first = data["crossings"][0]
    assert (first["less"], first["more"], first["from"]) == ("mlp", "multi head attention", "f - 2*d")
    excluded = {"more": "multi head attention", "excluded_by": "n <= P"}
    assert first["at_presets"] == {
        "bert-base": {"at": 1536.0, "from": 1537, **excluded},
        "bert-large": {"at": 2048.0, "from": 2049, **excluded},
    }
    assert sum(term["share"] for term in data["terms"]["params"]) > 0.999
