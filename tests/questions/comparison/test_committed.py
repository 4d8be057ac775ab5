"""Every comparison of the repository: each crossing is confirmed by plain counting on both sides of it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from generator.files.resources import builtin_specs_dir
from generator.formulas.evaluate import evaluate
from generator.questions.comparison.comparison_folder import comparison_files
from generator.questions.comparison.comparison_reader import read_comparison
from generator.questions.comparison.result import ComparisonResult, SidePair, compared
from generator.render.comparison.comparison_page import render_comparison
from generator.spec.library import Library

LIBRARY = Library([builtin_specs_dir()])
FILES = comparison_files(LIBRARY)


@cache
def result_of(name: str) -> ComparisonResult:
    return compared(read_comparison(FILES[name], LIBRARY))


NO_CLOSED_FORMS = (
    "images_from_224_to_1024",
    "key_value_caches",
    "attention_over_a_grid_of_patches",
)  # their sizes follow from the swept one
SLOW = ("images_from_224_to_1024", "efficient_attention_at_bert_base")


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in sorted(FILES)])
def result(request: pytest.FixtureRequest) -> ComparisonResult:
    return result_of(request.param)


def costs(result: ComparisonResult, pair: SidePair, at: Fraction | int) -> tuple[Fraction, Fraction]:
    """Both sides at a size, from the formulas of the specs themselves."""
    size = result.comparison.axis.size

    def cost(subject, *, whole: bool = False) -> Fraction:
        sizes = {name.name: evaluate(value, {size: at}) for name, value in subject.sizes.items()} | {size: at}
        formula = (
            subject.symbolic(pair.measure.key) if not whole else type(subject)("", subject.sheet, subject.given).symbolic(pair.measure.key)
        )
        return Fraction(evaluate(formula, sizes))

    if pair.second is None:
        return 2 * cost(pair.first), cost(pair.first, whole=True)
    return cost(pair.first), pair.ratio * cost(pair.second)


def test_sides_agree_at_each_root_and_differ_in_the_right_direction_around_it(result: ComparisonResult) -> None:
    for pair in result.pairs:
        signs = pair.crossing.signs
        assert len(signs) == len(pair.crossing.roots) + 1
        for i, root in enumerate(pair.crossing.roots):
            if root.value is not None:
                near = Fraction(str(root.value.evalf(40)))
                first, second = costs(result, pair, near)
                assert abs(first - second) <= Fraction(1, 10**12) * max(first, second)
            below, above = (root.low - 1, root.high + 1) if root.is_whole else (root.low, root.high)
            for at, sign in ((below, signs[i]), (above, signs[i + 1])):
                between = all(other is root or not min(at, root.low) <= other.near <= max(at, root.high) for other in pair.crossing.roots)
                if between and at >= 1:
                    first, second = costs(result, pair, at)
                    assert (first > second) - (first < second) == sign, (pair.measure.key, at)


def test_signs_hold_at_every_value_of_the_table(result: ComparisonResult) -> None:
    for pair in result.pairs:
        for at in result.comparison.axis.values:
            first, second = costs(result, pair, at)
            stretch = sum(1 for root in pair.crossing.roots if at > (root.high if root.is_whole else root.low))
            if first != second:
                assert ((first > second) - (first < second)) == pair.crossing.signs[stretch]


def test_closed_forms_come_to_the_roots(result: ComparisonResult) -> None:
    checked = 0
    for pair in result.pairs:
        if pair.closed is not None and pair.closed.verdict == "crosses" and len(pair.crossing.roots) == 1:
            sizes = {**(pair.second.sizes if pair.second else {}), **pair.first.sizes}
            value = pair.closed.roots[0].subs(sizes)
            assert float(value) == pytest.approx(pair.crossing.roots[0].near)
            checked += 1
        elif pair.closed is not None and pair.closed.verdict in ("less", "more", "equal"):
            assert pair.crossing.roots == ()
    assert checked or result.comparison.name in NO_CLOSED_FORMS


def test_values_are_those_of_gen_cost(result: ComparisonResult) -> None:
    for table in result.tables:
        for at, row in zip(result.comparison.axis.values, table.values, strict=True):
            for subject, value in zip(result.comparison.subjects, row, strict=True):
                if value is None or result.comparison.view == "share":
                    continue
                sizes = {name.name: evaluate(known, {result.comparison.axis.size: at}) for name, known in subject.sizes.items()}
                assert value == evaluate(subject.symbolic(table.measure.key), {**sizes, result.comparison.axis.size: at})


def test_the_page_has_every_side_every_measure_and_the_chart(result: ComparisonResult) -> None:
    page = render_comparison(result)
    assert page.startswith("<!-- Made by `gen build`")
    assert f"]({result.comparison.name}.svg)" in page
    for table in result.tables:
        assert f"\n## {table.measure.title}\n" in page
    assert page.count("\n| ") >= len(result.comparison.subjects)


def crossing(name: str, measure: str, second: str = "", ratio: Fraction | int = 1) -> SidePair:
    (found,) = [
        pair
        for pair in result_of(name).pairs
        if pair.measure.key == measure and (pair.second is None or pair.second.label == second) and pair.ratio == ratio
    ]
    return found


def test_document_003_linear_attention_in_a_layer() -> None:
    """12 n d^2 + 2 n^2 d, with linear attention 12 n d^2 + 2 n d e + n d (e the width of a head): twice at n = f + 2d + 2e + 1."""
    for name, d in (("linear_attention_in_a_layer", 768), ("linear_attention_in_a_layer_large", 1024)):
        assert crossing(name, "macs", "linear").crossing.roots[0].value == 64 + Fraction(1, 2)
        assert crossing(name, "macs", "linear", 2).crossing.roots[0].value == 4 * d + 2 * d + 2 * 64 + 1


def test_the_answers_of_comparisons_are_their_numbers() -> None:
    base = "linear_attention_in_a_layer"
    starts = [crossing(base, "macs", "linear", ratio).crossing.first_whole(0) for ratio in (1, Fraction(10, 9), Fraction(3, 2), 2)]
    assert starts == [65, 584, 2401, 4738]
    answer = result_of(base).comparison.answer
    assert all(f"n = {start:,}" in answer for start in starts)
    saved = crossing(base, "saved_elements", "linear", 2).crossing.first_whole(0)
    assert f"half is saved from n = {saved:,}" in " ".join(answer.split())


@pytest.mark.parametrize(
    ("name", "kept"), [("causal_attention_at_bert_base", "n = 4,078 on"), ("causal_attention_at_bert_large", "n = 4,158 on")]
)
def test_the_answers_of_causal_comparisons_are_their_numbers(name: str, kept: str) -> None:
    causal = result_of(name).comparison.answer
    for measure, words in (("macs", "from n = 33 on"), ("total_flops", "from n = 65 on"), ("saved_elements", kept)):
        start = crossing(name, measure, "linear").crossing.first_whole(0)
        assert words in causal
        assert f"n = {start:,} on" in words


def test_table_1_of_2017_attention_is_cheaper_than_recurrence_while_n_is_less_than_d() -> None:
    assert crossing("recurrence_convolution_attention", "macs", "recurrence").crossing.roots[0].value == 512
    assert crossing("recurrence_convolution_attention", "macs", "convolution of width 3").crossing.roots[0].value == 768


def test_half_a_layer_is_attention_from_twice_the_width_on() -> None:
    roots = [pair.crossing.roots[0].value for pair in result_of("attention_share_of_a_layer").pairs if pair.measure.key == "macs"]
    assert roots == [2 * d for d in (128, 768, 1600, 4096, 12288)]


def test_caches_are_as_small_as_deepseek_says() -> None:
    """DeepSeek-V2, table 1: (d_c + d_h^R) = 4.5 d_h elements a token and layer, as grouped-query attention with 2.25 groups."""
    table = next(table for table in result_of("key_value_caches").tables if table.measure.key == "state_elements")
    many, grouped, one, latent, absorbed = (value // 1024 for value in table.values[0])
    assert (many, grouped, one, latent, absorbed) == (2 * 128 * 128, 2 * 8 * 128, 2 * 128, 576, 576)
    assert Fraction(latent, 2 * 128) == Fraction(9, 4)


def test_one_token_of_absorbed_latent_attention_multiplies_what_is_worked_out_by_hand() -> None:
    """DeepSeek-V2's sizes: six matrices once, and in each of 128 heads 512 + 64 products for the score of a token and 512 to read it.

    7,864,320 + 37,748,736 for the query, 2,949,120 for the latent vector, 8,388,608 into the latent width and as many out of it, 83,886,080
    for the result; 139,264 for each token so far.
    """
    table = next(table for table in result_of("key_value_caches").tables if table.measure.key == "macs")
    absorbed = dict(zip(result_of("key_value_caches").comparison.axis.values, (row[-1] for row in table.values), strict=True))
    assert (absorbed[1024], absorbed[16384], absorbed[131072]) == (291_831_808, 2_430_926_848, 18_402_836_480)
    first = crossing("key_value_caches", "macs", "latent (512 + 64), absorbed").crossing.roots[0].value
    assert first == Fraction(4 * 5120 * 16384 - 149_225_472, 139_264 - 32_768)
    assert f"up to {int(first):,} tokens" in " ".join(result_of("key_value_caches").comparison.answer.split())


def test_every_file_of_the_folder_is_read() -> None:
    assert sorted(FILES) == sorted(path.stem for path in (Path(builtin_specs_dir()) / "comparisons").glob("*.yaml"))
    assert len(FILES) >= 6
