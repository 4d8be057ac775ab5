"""What changes places inside one spec: the numbers of document 003, and their like for other models."""

from __future__ import annotations

import pytest

from generator.api import load
from generator.growth.inside import crossings_inside
from generator.growth.summary import dominant_terms, example_sizes, inside
from generator.growth.terms import terms_by_size
from generator.symbols import symbol


def at_preset(spec: str, measure: str, large: str, preset: str) -> float:
    (found,) = [one for one in inside(load(spec).sheet) if one.measure == measure and one.crossing.large.strip("`") == large]
    return float(found.at_presets[preset])


def test_document_003_is_exact_for_bert() -> None:
    """n > 2hd = 1536: attention above the feed-forward network; n > 6hd = 4608: the quadratic part above the linear one."""
    assert at_preset("bert", "macs", "blocks.attended", "bert-base") == 1536
    assert at_preset("bert", "macs", "quadratic part", "bert-base") == 4608
    assert at_preset("bert", "macs", "blocks.attended", "bert-large") == 2048
    assert at_preset("bert", "macs", "quadratic part", "bert-large") == 6144


@pytest.mark.parametrize("spec", ["bert", "gpt2", "vit", "post_norm_block"])
def test_parts_agree_at_the_root_and_differ_around_it(spec) -> None:
    sheet = load(spec).sheet
    rows = {row.path: row.costs["macs"] for row in sheet.rows}
    found = [one for one in crossings_inside(sheet) if one.large.strip("`") in rows]
    assert found or spec == "vit"
    for one in found:
        size = symbol(one.size)
        same = {symbol(s.name): s.value for s in sheet.sizes if s.kind == "default" and s.value is not None and s.value.is_Symbol}
        difference = (rows[one.large.strip("`")] - rows[one.small.strip("`")]).xreplace(same)
        assert difference.subs(size, one.root).expand().simplify() == 0
        numbers = {symbol(name): 7 + 50 * i for i, name in enumerate(["b", "d", "L", "h"])} | {symbol("f"): 3000}
        around = [difference.subs(size, one.root + step).subs(numbers) for step in (-1, 1)]
        assert around[0] < 0 < around[1]


def test_terms_are_sorted_and_sum_to_the_whole() -> None:
    sheet = load("bert").sheet
    sizes, chosen = example_sizes(sheet, sheet.presets[0].sizes)
    assert chosen == {"b": 1, "n": 512}  # as long as the positions allow
    terms = terms_by_size(sheet.totals["matmul_flops"], sizes)
    assert [term.value for term in terms] == sorted((term.value for term in terms), reverse=True)
    assert sum(term.value for term in terms) == load("bert").cost("bert-base", b=1, n=512).matmul_flops
    assert sum(term.share for term in terms) == 1


def test_the_feed_forward_network_dominates_bert_base() -> None:
    """Of 12 d^2 n + 2 d n^2 a layer, 8 d^2 n is the feed-forward network: 60 % at n = 512."""
    first = dominant_terms(load("bert").sheet, "matmul_flops")[0]
    assert float(first.terms[0].share) == pytest.approx(0.6, abs=0.005)
