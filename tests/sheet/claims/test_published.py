"""What sources print of presets is decided in the digits that they give, under the options of the preset."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from generator.spec.library import Library

# d = 100: two layers of 100 times 400 weights, 80,000, and 500 biases where there are any.
NET = """\
title: Net
dims: {n: positions, d: width, f: {is: inner width, default: 4*d}}
options: {bias: {is: biases, default: false}}
inputs: {x: [n, d]}
layers:
  up: {op: linear, out: [n, f], bias: bias}
  down: {op: linear, out: [n, d], bias: bias}
presets:
  plain:
    set: {d: 100}
    cite: vaswani2017
    published:
      - 80K
      - {prints: 81K, cite: devlin2019, note: table 1, erratum: it counts by hand}
      - {of: macs, prints: 0.8 million, given: {n: 10}}
      - {prints: 40K, ignore: down}
  biased:
    set: {d: 100}
    options: {bias: true}
    published:
      - {prints: 80.5K}
      - {prints: 80K, ignore: bias}
claims:
  - {of: macs, equals: 2*n*d*f}
"""


def sheet(folder: Path) -> Sheet:
    file = folder / "net.yaml"
    file.write_text(NET, encoding="utf-8")
    return compile_spec(Library([file]), "net").sheet


def test_each_number_has_its_verdict_and_its_source(tmp_path: Path) -> None:
    found = [(claim.of_preset, claim.text, int(claim.derived), claim.verdict, claim.cite) for claim in sheet(tmp_path).claims[1:]]
    assert found == [
        ("plain", "80K", 80_000, "equal", "vaswani2017"),
        ("plain", "81K", 80_000, "differs", "devlin2019"),
        ("plain", "0.8 million", 800_000, "equal", "vaswani2017"),
        ("plain", "40K", 40_000, "equal", "vaswani2017"),
        ("biased", "80.5K", 80_500, "equal", ""),
        ("biased", "80K", 80_000, "equal", ""),
    ]


def test_claims_of_the_file_keep_their_numbers_and_sources_are_known(tmp_path: Path) -> None:
    made = sheet(tmp_path)
    assert (made.claims[0].text, made.claims[0].of_preset) == ("2*n*d*f", "")
    assert set(made.references) == {"vaswani2017", "devlin2019"}


@pytest.mark.slow
def test_no_vocabulary_gives_both_sizes_that_the_paper_prints_of_the_transformer() -> None:
    """What the specs say of 65 and 213 million, from the derived totals: each word is d parameters, and 37,000 are set."""
    from generator.api import load

    transformer = load("transformer")
    base, big = (transformer.cost(preset=f"transformer-{size}").params for size in ("base", "big"))
    least = -(-(64_500_000 - (base - 37_000 * 512)) // 512)
    most = (213_499_999 - (big - 37_000 * 1024)) // 1024
    assert (least, most) == (39_769, 36_272)
    notes = " ".join(claim.erratum for claim in transformer.sheet.claims if claim.of_preset)
    assert f"{least:,}" in notes
    assert f"{most:,}" in notes


def misprint(spec: str, preset: str) -> tuple[int, str]:
    """What is derived in place of a number that does not hold, and why it does not."""
    from generator.api import load

    (claim,) = [claim for claim in load(spec).sheet.claims if claim.of_preset == preset and claim.verdict == "differs"]
    return int(claim.derived), claim.erratum


@pytest.mark.slow
def test_numbers_in_the_reasons_follow_from_the_derived_totals() -> None:
    total, why = misprint("fnet", "fnet-large")
    d, V = 1024, 32000  # the head that guesses words: a linear layer with its bias, a normalisation, and a bias for each word
    assert f"{total + d**2 + 3 * d + V:,}" in why
    active, why = misprint("deepseek_v2_lite", "deepseek-v2-lite")
    assert f"{(active - 102400 * 2048) / 1e9:.2f} billion" in why
    total, why = misprint("vit", "vit-large-patch16-224")
    assert f"it is {total / 1e6:.1f} million, without it {(total - 1000 * 1024 - 1000) / 1e6:.1f}" in why
    total, why = misprint("llama", "llama-65b")
    assert f"{total:,}" in why
    total, why = misprint("swin", "swin-tiny-patch4-window7-224")
    assert f"{total:,}" in why
    total, why = misprint("mistral", "mistral-7b")
    assert f"{total / 1e9:.2f} billion" in why
    for size in ("xlarge", "xxlarge"):
        total, why = misprint("albert", f"albert-{size}")
        assert f"{total / 1e6:.1f} million" in why
