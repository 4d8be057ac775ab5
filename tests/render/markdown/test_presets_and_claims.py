"""Numbers at published sizes, and verdicts."""

from __future__ import annotations

from dataclasses import replace

from sympy import Integer

from generator.formulas.evaluate import evaluate
from generator.render.markdown.formula import PageFormulas
from generator.render.markdown.page import render_page
from generator.render.markdown.preset_tables import presets_section, sizes_at
from generator.sheet.compiled import compile_spec
from generator.sheet.number_formats import ITEM_BYTES, item_bytes
from generator.sheet.sheet import Sheet, SheetPreset
from generator.trace.diary import Diary
from tests.render.markdown import rendered
from tests.render.markdown.sheets import STACK, L, b, d, n, stack
from tests.support.builtin import builtin_library


def table_of(sheet: Sheet, first: str, second: str) -> list[dict[str, str]]:
    """The table whose head begins with two words, each row by column."""
    (found,) = [table for table in rendered.tables(render_page(sheet)) if table[0][:2] == [first, second]]
    return [dict(zip(found[0], line, strict=True)) for line in found[1:]]


def test_defaults_are_filled_in_and_open_sizes_stay_in_the_formulas_below_the_numbers() -> None:
    base, long = table_of(stack(), "Preset", "Sizes")
    numbers, long_numbers = table_of(stack(), "Preset", "Parameters")
    # By hand: embedding and head 2 x 1000 x 64; two blocks of 64 -> 256 -> 64 with biases.
    assert numbers["Parameters"] == f"{128_000 + 2 * (16_384 + 256 + 16_384 + 64):,} (194 K)"
    each = 2 * (2 * 2 * 64 * 256 + 64 * 1000)
    assert base["Matmul FLOPs (`b` = 1)"] == f"$`{each}n`$"
    assert (numbers["Work and memory at"], numbers["Matmul FLOPs"]) == ("`b` = 1, `n` = 128", f"{each * 128:,} (33.2 MFLOP)")
    of_long = f"{2 * 512 * (2 * 2 * 64 * 128 + 64 * 1000):,} (99.1 MFLOP)"
    assert (long["Matmul FLOPs (`b` = 1)"], long_numbers["Matmul FLOPs"]) == (of_long, of_long)
    assert long_numbers["Work and memory at"] == "`b` = 1"
    assert presets_section(stack(), PageFormulas([])).open_sizes == "`n`"


def test_expectations_are_ticked_or_contradicted() -> None:
    base, long = table_of(stack(), "Preset", "Parameters")
    source = "[Smith, 2020](<https://example.org/a_(b)>)"
    assert base["Public implementation"] == f"✓ `params` 194,176<br>`Stack`, {source}"
    assert long["Public implementation"] == f"✗ `params` 1, derived 161,152<br>`Stack`, {source}"
    assert (base["Note"], long["Note"]) == ("as built", "")


def test_totals_of_our_own_arithmetic_are_ascribed_to_nobody() -> None:
    presets = tuple(replace(preset, implementation=None) for preset in stack().presets)
    base, _ = table_of(replace(stack(), presets=presets), "Preset", "Parameters")
    assert not {"Public implementation", "Published"} & base.keys()


def test_what_a_source_prints_stands_with_its_verdict_and_not_among_the_claims() -> None:
    number = replace(stack().claims[0], quantity="params", derived=Integer(194_176), of_preset="base", conditions=("preset base",))
    right = replace(number, text="194K", claimed=Integer(194_000), digits=3, verdict="equal", note="table 1")
    wrong = replace(number, text="190K", claimed=Integer(190_000), digits=2, verdict="differs", erratum="it was counted by hand", note="")
    part = replace(right, quantity="active_params", text="66K", ignored=("head",), conditions=("preset base", "b = 1"), cite="", note="")
    sheet = replace(stack(), claims=(*stack().claims, right, wrong, part))
    base, long = table_of(sheet, "Preset", "Parameters")
    source = "[Smith, 2020](<https://example.org/a_(b)>)"
    assert base["Published"].split("<br>") == [
        f"✓ 194K ({source}, table 1)",
        f"✗ 190K; derived 194,176 ({source}): it was counted by hand",
        "✓ `active_params` 66K with `b = 1` without `head`",
    ]
    assert long["Published"] == ""
    assert len(table_of(sheet, "Quantity", "Published")) == len(stack().claims)


def test_an_expectation_that_hangs_on_open_sizes_is_not_ticked() -> None:
    sheet = replace(stack(), presets=(SheetPreset("base", {"d": 64, "L": 2, "V": 1000}, {"macs": 7}, implementation=STACK),))
    (base,) = table_of(sheet, "Preset", "Parameters")
    assert base["Public implementation"].startswith("✗ `macs` 7, depends on open sizes<br>")


def test_a_default_that_hangs_on_an_open_size_follows_it() -> None:
    sheet = replace(stack(), presets=(SheetPreset("deep", {"L": 2, "V": 10}, {}),))
    (deep,) = table_of(sheet, "Preset", "Sizes")
    assert deep["Parameters"] == "$`16d^2 + 30d`$"  # 2Vd + L(2df + d + f) with f = 4d
    (numbers,) = table_of(sheet, "Preset", "Parameters")
    assert numbers["Work and memory at"] == "`b` = 1, `n` = 128, `d` = 128"
    assert numbers["Parameters"] == f"{16 * 128**2 + 30 * 128:,} (266 K)"


def test_active_parameters_and_state_have_columns_only_where_there_are_any() -> None:
    sheet = stack()
    assert "Active parameters" not in table_of(sheet, "Preset", "Parameters")[0]
    totals = dict(sheet.totals) | {"active_params": d**2, "state_elements": 2 * b * n * d * L}
    sheet = replace(sheet, totals=totals)
    base, long = table_of(sheet, "Preset", "Parameters")
    assert base["Active parameters"] == "4,096 (4.10 K)"
    assert (base["KV cache and state"], long["KV cache and state"]) == ("32,768 (32.8 K)", "131,072 (131 K)")
    base, long = table_of(sheet, "Preset", "Sizes")
    assert base["KV cache and state (`b` = 1)"] == "$`256n`$"
    assert long["KV cache and state (`b` = 1)"] == "131,072 (131 K)"


def test_where_all_sizes_are_set_only_the_sizes_stand_below_the_numbers() -> None:
    sheet = replace(stack(), presets=(SheetPreset("batch", {"b": 8, "n": 1, "d": 1, "f": 1, "L": 1, "V": 1}, {}),))
    (batch,) = table_of(sheet, "Preset", "Parameters")
    assert batch["Matmul FLOPs"] == "48"
    assert "Work and memory at" not in batch
    assert [*table_of(sheet, "Preset", "Sizes")[0]] == ["Preset", "Sizes"]


def test_the_peak_at_a_preset_is_that_of_all_its_layers_one_by_one() -> None:
    sheet = compile_spec(builtin_library(), "bert").sheet
    base, _ = table_of(sheet, "Preset", "Parameters")
    assert base["Work and memory at"] == "`b` = 1, `n` = 512"
    sizes, _ = sizes_at(sheet, sheet.presets[0])
    assert sheet.peak is not None
    for dtype in ("float32", "bfloat16"):
        count = evaluate(sheet.peak.replayed(Diary(sizes), dtype).bytes(item_bytes(ITEM_BYTES[dtype])), sizes)
        assert base[f"Peak memory, {dtype}"] == f"{float(count) / 10**6:.0f} MB"


def test_claims_say_equal_or_by_how_much_they_differ() -> None:
    equal, differs = table_of(stack(), "Quantity", "Published")
    assert (equal["Verdict"], equal["Published"]) == ("✓ equal", "`2*b*n*L*d*f + b*n*d*V`")
    assert differs["Verdict"] == r"✗ published − derived = $`-L \left(d + f\right)`$"
    assert differs["Note"] == "no biases"


def test_a_claim_about_one_row_names_it() -> None:
    claim = replace(stack().claims[0], scope="blocks.mlp")
    assert table_of(replace(stack(), claims=(claim,)), "Quantity", "Published")[0]["Quantity"] == "MACs of `blocks.mlp`"


def test_orders_comparisons_and_stated_attributes_say_what_they_are() -> None:
    equal = stack().claims[0]
    order = replace(equal, text="n*d", verdict="same order", kind="order", is_order=True, growing=("n", "d"), conditions=("f = 4*d",))
    more = replace(equal, text="n > 2*d", verdict="holds", kind="exceeds", against="a, b", difference=2 * d * (n - 2 * d))
    stated = replace(equal, quantity="path length", text="n", verdict="stated", kind="stated", is_order=True, because="step by step")
    digits = replace(equal, digits=2, ignored=("bias", "norm"))
    rows = table_of(replace(stack(), claims=(order, more, stated, digits)), "Quantity", "Published")
    assert [(row["Published"], row["Where"], row["Verdict"]) for row in rows] == [
        ("O(`n*d`)", "`f = 4*d`; as `n`, `d` grow", "✓ same order"),
        ("more than `a`, `b` once `n > 2*d`", "", "✓ holds"),
        ("O(`n`)", "", "stated, not derived"),
        ("`2*b*n*L*d*f + b*n*d*V`", "without `bias`, `norm`; to 2 digits", "✓ equal to 2 digits"),
    ]
    assert (rows[1]["Derived"], rows[2]["Derived"]) == (r"minus `a`, `b`: $`2d \left(n - 2d\right)`$", "")
    assert (rows[2]["Quantity"], rows[2]["Note"]) == ("path length", "eq. 3<br>step by step")
