"""Only 0 to 9 are digits, on the command line as in specs; the message names the character that is another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.cli import main
from generator.formulas.numerals import NotANumberError, number, whole_number
from tests.support.small_specs import LAYER

WIDE = "`１` is the character U+FF11; numbers are written with the digits 0 to 9"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("512", 512),
        ("30_000", 30_000),
        ("30,000", 30_000),
        ("1e6", 10**6),
        ("1.5e3", 1500),
        ("-3", -3),
        ("+7", 7),
        (".5e1", 5),
        ("1k", 1000),
        ("1.5k", 1500),
        ("8Ki", 8192),
        ("2M", 2_000_000),
        ("1.5Ki", 1536),
        ("1Gi", 2**30),
        ("1e2k", 10**5),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, value: int) -> None:
    assert whole_number(text) == value
    assert number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "two",
        "1e",
        "0x10",
        "1 2",
        "1__0",
        "1,00",
        "nan",
        "inf",
        "2.5",
        "1e-2",
        "1e999",
        "9" * 200,
        "１２",
        "٣",
        "1e３",
        "1.0005k",
        "8K",
        "8ki",
        "k",
        "1 k",
        "1kk",
        "0.1Ki",
    ],
)
def test_all_else_is_none(text: str) -> None:
    with pytest.raises(NotANumberError):
        whole_number(text)


@pytest.mark.parametrize("command", ["cost layer k=3 m=5 b=8K", "sweep layer b=1,8K --preset small", "compare layer alone k=3 m=5 b=8K"])
def test_a_letter_that_may_mean_two_things_is_asked_about(command: str, capsys) -> None:
    assert main([*command.split(), "--specs", "mine"]) == 2
    assert "did you mean 8k (8 times 1,000) or 8Ki (8 times 1,024)?" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["cost layer b=1k --preset small --json", "cost layer b=1e3 --preset small --json"])
def test_sizes_may_be_written_with_prefixes(command: str, capsys) -> None:
    assert main([*command.split(), "--specs", "mine"]) == 0
    assert json.loads(capsys.readouterr().out)["macs"] == 1000 * 3 * 5


def test_a_size_that_is_no_number_is_not_taken_for_an_option_by_diff(capsys) -> None:
    assert main(["diff", "layer", "alone", "b=two", "--specs", "mine"]) == 2
    assert "`b=two`: a size is a whole number" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "cost layer b=１２ --preset small",
        "sweep layer b=１..4 --preset small",
        "sweep layer b=1..4:+１ --preset small",
        "sweep layer b=1,１ --preset small",
        "compare layer alone b=１２ --preset small",
        "diff layer alone b=１２ k=3 m=5",
        "build mine --jobs １",
        "verify layer --samples １",
        "sweep layer b=1..4 --preset small --top １ --max params",
    ],
)
def test_digits_of_other_scripts_are_refused_on_the_command_line(command: str, capsys) -> None:
    words = command.split()
    assert main([*words, *(["--specs", "mine"] if words[0] != "build" else [])]) == 2
    assert WIDE in " ".join(capsys.readouterr().err.split())


def test_and_in_specs(specs: Path, capsys) -> None:
    text = LAYER.replace("k: width in", "k: {is: width in, value: １*m}").replace("m: 5", "m: １")
    (specs / "layer.yaml").write_text(text, encoding="utf-8")
    assert main(["check", "mine/layer.yaml"]) == 1
    assert capsys.readouterr().err.count(WIDE) == 2


def test_and_in_the_options_of_a_spec(specs: Path, capsys) -> None:
    text = LAYER.replace("inputs:", "options:\n  p: {is: rate, default: 0.5}\ninputs:").replace(
        "  y: {op: linear, out: [b, m]}", "  l: {op: linear, out: [b, m]}\n  y: {op: dropout, p: p}"
    )
    (specs / "layer.yaml").write_text(text, encoding="utf-8")
    assert main(["cost", "layer", "b=1", "p=0.25", "--preset", "small", "--specs", "mine"]) == 0
    assert main(["cost", "layer", "b=1", "p=0.１", "--preset", "small", "--specs", "mine"]) == 2
    assert WIDE in capsys.readouterr().err
