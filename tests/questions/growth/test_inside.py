"""What changes places inside one spec: the numbers of document 003, and their like for other models."""

from __future__ import annotations

import pytest

from generator.api import load
from generator.formulas.symbols import symbol
from generator.questions.growth.crossing_words import preset_words
from generator.questions.growth.growth_summary import dominant_terms, inside, one_long_sequence
from generator.questions.growth.inner_crossings import Division, met
from generator.questions.growth.terms import terms_by_size


def at_preset(spec: str, measure: str, large: str, small: str, preset: str) -> float:
    found = [
        one
        for one in inside(load(spec).sheet)
        if one.measure == measure and (one.crossing.first.words, one.crossing.second.words, one.crossing.size) == (large, small, "n")
    ]
    (one,) = found
    return float(one.at_presets[preset].root)


def test_document_003_is_exact_for_bert() -> None:
    """n > 2hd = 1536: attention above the feed-forward network; n > 6hd = 4608: the quadratic part above the linear one."""
    assert at_preset("bert", "macs", "multi head attention", "mlp", "bert-base") == 1536
    assert at_preset("bert", "macs", "quadratic part", "linear part", "bert-base") == 4608
    assert at_preset("bert", "macs", "multi head attention", "mlp", "bert-large") == 2048
    assert at_preset("bert", "macs", "quadratic part", "linear part", "bert-large") == 6144


def test_the_512_positions_of_bert_exclude_its_crossings() -> None:
    (first, *_) = inside(load("bert").sheet)
    assert preset_words(first.at_presets["bert-base"], first.crossing) == "1,536 (excluded: n <= P)"


def test_who_is_above_follows_the_sign_and_not_the_degree() -> None:
    """Luna: the cost of packing does not grow with n, so the feed-forward network overtakes: 48 n d^2 against (4 n + 4 l) d^2 + 4 n l d."""
    first = next(one for one in inside(load("luna").sheet) if one.crossing.size == "n")
    assert (first.crossing.first.words, first.crossing.second.words) == ("mlp", "cross attention")
    met = first.at_presets["luna-base"].met
    assert met is not None
    assert (met.low, met.high, met.large.name) == (69, 70, "mlp")
    d, packed, f = 768, 64, 3072
    attention = [4 * n * d**2 + 4 * packed * d**2 + 4 * n * packed * d for n in (69, 70)]
    network = [2 * n * d * f for n in (69, 70)]
    assert attention[0] > network[0]
    assert attention[1] < network[1]


def test_formulas_that_a_divisor_leaves_out_are_excluded() -> None:
    """Performer: with more heads than width there is no head width."""
    first = next(one for one in inside(load("performer").sheet) if one.crossing.size == "h")
    assert preset_words(first.at_presets["performer-base"], first.crossing) == "6,144 (excluded: d % h == 0)"


@pytest.mark.parametrize("spec", ["bert", "gpt2", "vit", "post_norm_block", "performer", "linformer", "efficient_attention"])
def test_parts_agree_at_the_root_and_change_places_around_it(spec: str) -> None:
    division = Division(load(spec).sheet)
    found = [(one, met(one, view.sizes), view.sizes) for one in division.crossings("macs") for view in division.views]
    assert bool(found) == (spec != "efficient_attention")  # d = h/(4*h - 1) is below one, so nothing crosses
    for one, there, sizes in found:
        size = symbol(one.size)
        difference = one.first.cost - one.second.cost
        assert difference.subs(size, one.root).simplify() == 0
        if there is not None:
            numbers = {symbol(name): value for name, value in sizes.items() if name != one.size}
            sign = 1 if there.large == one.first else -1
            assert sign * difference.subs(size, there.low).subs(numbers) < 0 < sign * difference.subs(size, there.high).subs(numbers)


def test_terms_are_sorted_and_sum_to_the_whole() -> None:
    sheet = load("bert").sheet
    sizes, chosen = one_long_sequence(sheet, sheet.presets[0].sizes)
    assert chosen == {"b": 1, "n": 512}  # as long as the positions allow
    terms = terms_by_size(sheet.totals["matmul_flops"], sizes)
    assert [term.value for term in terms] == sorted((term.value for term in terms), reverse=True)
    assert sum(term.value for term in terms) == load("bert").cost("bert-base", b=1, n=512).matmul_flops
    assert sum(term.share for term in terms) == 1


def test_the_feed_forward_network_dominates_bert_base() -> None:
    """Of 12 d^2 n + 2 d n^2 a layer, 8 d^2 n is the feed-forward network: 60 % at n = 512."""
    first = dominant_terms(load("bert").sheet, "matmul_flops")[0]
    assert float(first.terms[0].share) == pytest.approx(0.6, abs=0.005)


def test_what_was_assumed_of_other_sizes_is_kept() -> None:
    """In a block that attends to m = n tokens the costs are those of n alone only as long as m follows."""
    found = [one for one in Division(load("llama_block").sheet).crossings("macs") if one.size == "n"]
    assert {one.first.words: one.assumed for one in found} == {
        "causal rotary attention": (("m", symbol("n")),),
        "quadratic part": (("m", symbol("n")),),
    }
