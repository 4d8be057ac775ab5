"""Numbers as sources print them: their value, and how many digits are given."""

from __future__ import annotations

import pytest

from generator.formulas.numerals import NotANumberError
from generator.spec.published import Printed, read_printed


@pytest.mark.parametrize(
    ("text", "value", "digits"),
    [
        ("117M", 117_000_000, 3),
        ("340M", 340_000_000, 2),  # zeros at the end of a whole number only say how large it is
        ("13.0B", 13_000_000_000, 3),  # those behind a point are given
        ("0.3M", 300_000, 1),
        ("65 million", 65_000_000, 2),
        ("1542M", 1_542_000_000, 4),
        ("3,209M", 3_209_000_000, 4),
        ("109,482,240", 109_482_240, 8),
        ("2.5e9", 2_500_000_000, 2),
        ("4.5G", 4_500_000_000, 2),
        ("7", 7, 1),
    ],
)
def test_a_printed_number_has_a_value_and_digits(text: str, value: int, digits: int) -> None:
    assert read_printed(text) == Printed(value, digits)


@pytest.mark.parametrize("text", ["", "M", "about 117M", "1.5", "117 m", "0M", "1,17M", "-3M", "１１７M", "1e99", "1.0000000000000001e30"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(NotANumberError):
        read_printed(text)
