"""`gen cost`: exact numbers, and errors that say what to give instead."""

from __future__ import annotations

import json

import pytest

from generator.cli import main
from generator.quantities import QUANTITIES
from tests.support.small_specs import PAIR, write_specs

KEYS = [quantity.key for quantity in QUANTITIES]
IN_BYTES = [
    *("dtype", "param_bytes", "saved_bytes", "state_bytes", "traffic_bytes", "peak_bytes", "arithmetic_intensity"),
    *("saved_bytes_formula", "peak_bytes_formula", "saved_by_kind", "weights", "cache", "activations", "estimates"),
]


def cost(capsys, *arguments: str) -> dict:
    assert main(["cost", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_has_the_documented_keys_in_order(capsys) -> None:
    data = cost(capsys, "mine/pair.yaml", "b=3", "--preset", "tiny")
    assert list(data) == ["spec", "preset", "dims", *KEYS, "formulas", "rows", *IN_BYTES]
    assert (data["spec"], data["preset"], data["dims"]) == ("pair", "tiny", {"b": 3, "h": 2, "k": 8, "e": 4})
    assert list(data["formulas"]) == KEYS
    assert all(list(row) == ["name", "op", "shape", "repeat", *KEYS] for row in data["rows"])
    assert [(row["name"], row["op"], row["shape"], row["repeat"]) for row in data["rows"]] == [
        ("first.y", "linear", [3, 8], 1),
        ("bent", "activation", [3, 8], 1),
        ("second.y", "linear", [3, 8], 1),
    ]


def test_json_says_what_others_have_counted_of_a_preset(capsys) -> None:
    data, again = (cost(capsys, "gpt2", "b=1", "n=8", "--preset", "gpt2") for _ in range(2))
    assert again == data  # from what was kept
    assert data["implementation"] == {"model": "GPT2LMHeadModel", "cite": "transformers", "params": 124439808}
    (printed,) = data["published"]
    assert printed.pop("erratum")
    assert printed == {
        "of": "params", "prints": "117M", "derived": 124439808, "verdict": "differs", "cite": "radford2019", "note": "table 2",
    }  # fmt: skip


def test_numbers_are_those_of_linear_algebra(capsys) -> None:
    data = cost(capsys, "mine/pair.yaml", "b=3", "h=2")
    assert data["preset"] is None
    assert data["params"] == 2 * (8 * 8 + 8)
    assert data["macs"] == 2 * 3 * 8 * 8
    assert data["matmul_flops"] == 2 * data["macs"]
    assert data["formulas"]["params"] == "2*k**2 + 2*k"


@pytest.mark.parametrize("spec", ["multi_head_attention", "post_norm_block", "pre_norm_block", "cross_attention"])
def test_rows_sum_to_the_totals(capsys, spec) -> None:
    data = cost(
        capsys, spec, "b=2", "n=6", "d=8", "h=2", *(["m=5"] if spec == "cross_attention" else []), *(["f=16"] if "block" in spec else [])
    )
    for key in KEYS:
        assert sum(row[key] for row in data["rows"]) == data[key], key


def test_counts_are_exact_beyond_floating_point(capsys) -> None:
    k = 10**9 + 7
    data = cost(capsys, "mine/layer.yaml", f"b={k}", f"k={k}", f"m={k}")
    assert data["macs"] == k**3


def test_sizes_on_the_line_win_over_the_preset(capsys) -> None:
    assert cost(capsys, "mine/layer.yaml", "--preset", "small", "b=1", "m=7")["params"] == 3 * 7 + 7


def test_sizes_may_stand_on_both_sides_of_an_option(capsys) -> None:
    assert cost(capsys, "mine/layer.yaml", "b=1", "--preset", "small", "m=7")["dims"] == {"b": 1, "k": 3, "m": 7}


def test_options_change_what_is_counted(capsys) -> None:
    assert cost(capsys, "mine/pair.yaml", "b=3", "h=2", "second=false")["params"] == 8 * 8 + 8


@pytest.mark.parametrize("text", ["1000000", "1_000_000", "1,000,000", "1e6"])
def test_sizes_are_read_as_people_write_them(capsys, text) -> None:
    assert cost(capsys, "mine/layer.yaml", f"b={text}", "--preset", "small")["dims"]["b"] == 1_000_000


def test_names_are_found_in_specs_and_in_the_folders_given(specs, capsys) -> None:
    assert cost(capsys, "pair", "b=1", "h=1", "--specs", "mine")["spec"] == "pair"
    specs.rename("specs")
    assert cost(capsys, "pair", "b=1", "h=1")["spec"] == "pair"


def test_a_file_hides_a_builtin_spec_of_its_name(specs, capsys) -> None:
    write_specs(specs, mlp=(specs / "layer.yaml").read_text())
    assert cost(capsys, "mine/mlp.yaml", "b=1", "k=2", "m=3")["params"] == 9


def test_without_json_people_get_exact_and_rounded_numbers_and_formulas(capsys) -> None:
    assert main(["cost", "mine/layer.yaml", "b=2", "k=1000", "m=2000"]) == 0
    assert capsys.readouterr().out == (
        "One layer (layer)\n"
        "b=2, k=1,000, m=2,000\n"
        "\n"
        "                                               exactly  about\n"
        "Parameters                                   2,002,000  2.002 M\n"
        "MACs                                         4,000,000  4.000 MMAC\n"
        "Matmul FLOPs                                 8,000,000  8.000 MFLOP\n"
        "Pointwise FLOPs                                  4,000  4.000 kFLOP\n"
        "Backward matmul FLOPs                       16,000,000  16.00 MFLOP\n"
        "Activation memory (kept for backward)            2,000  2.000 k elements\n"
        "Memory traffic                               2,008,000  2.008 M elements\n"
        "Parameters in bfloat16                       4,004,000  4.004 M bytes\n"
        "Activation memory in bfloat16                    4,000  4.000 k bytes\n"
        "Memory traffic in bfloat16                   4,016,000  4.016 M bytes\n"
        "Peak memory of a training step in bfloat16      24,000  24.00 k bytes\n"
        "Arithmetic intensity                                    1.99 FLOP per byte\n"
        "\n"
        "params                = k*m + m\n"
        "macs                  = b*k*m\n"
        "matmul_flops          = 2*b*k*m\n"
        "vector_flops          = b*m\n"
        "backward_matmul_flops = 4*b*k*m\n"
        "saved_elements        = b*k\n"
        "traffic_elements      = b*k + b*m + k*m + m\n"
        "saved_bytes           = 2*b*k\n"
        "peak_bytes            = 4*b*k + 4*b*m\n"
    )


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("mixture_of_experts b=1 n=2 d=3 f=4 E=5 k=2", {"Active parameters", "Parameters"}),
        ("attention_with_lora b=1 n=2 d=4 h=2 r=1 s=1", {"Trainable parameters", "Parameters"}),
        ("gpt2 b=1 n=2 --preset gpt2", {"KV cache and state", "Visible matmul FLOPs"}),
        ("mlp b=1 n=2 d=3", {"Parameters"}),
    ],
)
def test_what_says_nothing_beside_the_other_counts_is_left_out(capsys, words, shown) -> None:
    assert main(["cost", *words.split()]) == 0
    titles = {line.split("  ")[0] for line in capsys.readouterr().out.splitlines()}
    others = {"Active parameters", "Trainable parameters", "KV cache and state", "Visible matmul FLOPs"} - shown
    assert (shown <= titles, others & titles) == (True, set())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "the cost of `pair` needs `b` and `h`, which are not given\n  b: rows\n  h: heads\n  presets: `tiny`"),
        ("--preset tiny", "the cost of `pair` needs `b`, which is not given\n  b: rows\n  presets: `tiny`"),
        ("b=1 h=0", "size `h` must be at least 1, not 0"),
        ("b=1 h=-2", "size `h` must be at least 1, not -2"),
        ("b=1 h=2.5", "`h=2.5`: a size is a whole number, such as h=512"),
        ("b=1 h=two", "`h=two`: a size is a whole number, such as h=512"),
        ("b=1 h=inf", "`h=inf`: a size is a whole number, such as h=512"),
        ("b=1 h", "`h` is not of the form NAME=VALUE\n  sizes and options are given as n=512 or causal=true, without spaces"),
        ("b=1 h=", "`h=` is not of the form NAME=VALUE\n  sizes and options are given as n=512 or causal=true, without spaces"),
        ("b=1 b=2", "`b` is given twice"),
        ("b=1 h=3 k=4", "these sizes break `k % h == 0`\n  h is 3, k is 4"),
        ("b=1 h=2 e=4", "`e` cannot be given: it is always k/h"),
        ("b=1 hh=2", "`hh` is not a size of `pair`\n  did you mean `h`?\n  sizes: `b`, `h` and `k`\n  options: `bend` and `second`"),
        (
            "b=1 secnd=true",
            (
                "`secnd` is not a size of `pair`\n  did you mean `second` or `bend`?\n  sizes: `b`, `h` and `k`\n"
                "  options: `bend` and `second`"
            ),
        ),
        ("b=1 h=2 second=no", "option `second` is true or false, not `no`"),
        ("b=1 h=2 bend=relo", "option `bend` cannot be `relo`\n  did you mean `relu`?\n  choices: `relu` and `silu`"),
        ("b=1 --preset tinny", "`pair` has no preset `tinny`\n  did you mean `tiny`?\n  presets: `tiny`"),
    ],
)
def test_what_is_wrong_is_said(capsys, settings, message) -> None:
    assert main(["cost", "mine/pair.yaml", *settings.split()]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"error: {message}\n"


def test_a_size_that_may_be_a_word_is_a_matter_of_the_spec(capsys) -> None:
    """`true` is no size, even where the spec has an option of another name."""
    assert main(["cost", "mine/pair.yaml", "h=true"]) == 2
    assert "`h=true`: a size is a whole number" in capsys.readouterr().err


def test_a_spec_without_presets_says_so(specs, capsys) -> None:
    write_specs(specs, pair=PAIR.partition("presets:")[0])
    assert main(["cost", "mine/pair.yaml", "--preset", "tiny"]) == 2
    assert capsys.readouterr().err == "error: `pair` has no preset `tiny`\n  `pair` has no presets\n"
