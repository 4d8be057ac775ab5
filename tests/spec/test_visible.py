"""Any text that people can see is a text; what they cannot see is refused where it stands, raw or as an escape."""

from __future__ import annotations

import pytest

from generator.spec.yaml_reader import plain, read_yaml
from generator.text.problems import ProblemsError
from generator.text.source import Source


def said(written: str) -> str:
    with pytest.raises(ProblemsError) as caught:
        read_yaml(Source("f.yaml", f"a: {written}\n"))
    (problem,) = caught.value.problems
    assert problem.span is not None
    return f"{problem.span.line}:{problem.span.column}: {problem.message}"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r'"A face \ud83d\ude00 as JSON writes it"', "A face 😀 as JSON writes it"),
        (r'"\U0001F600 at once"', "😀 at once"),
        (r"'Learning rate \xi in C:\users'", r"Learning rate \xi in C:\users"),
        (r'"two\nlines\tand a tab"', "two\nlines\tand a tab"),
        ("نمی\u200cخواهم 👩\u200d🔬", "نمی\u200cخواهم 👩\u200d🔬"),  # joiners, without which these would be other words and signs
    ],
)
def test_what_can_be_seen_is_a_text(written: str, text: str) -> None:
    assert plain(read_yaml(Source("f.yaml", f"a: {written}\n"))) == {"a": text}


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (r'"a\ud83d b"', "1:6: the character U+D83D is half of a character; the other half is missing"),
        (r'"a\udb40\udc41"', "1:6: the character U+E0041 cannot be seen and is not allowed; remove it"),
        (r'"\ude00\ud83d"', "1:5: the character U+DE00 is half of a character; the other half is missing"),
        (r'"😀\ud83d\ude00\u202eab"', "1:18: the character U+202E cannot be seen and is not allowed; remove it"),
        ('"a\u202eb"', "1:6: the character U+202E cannot be seen and is not allowed; remove it"),
        ("a\u2066b", "1:5: the character U+2066 cannot be seen and is not allowed; remove it"),
        (r'"a\0"', "1:6: the character U+0000 cannot be seen and is not allowed; remove it"),
        (r'"a\e[31m"', "1:6: the character U+001B cannot be seen and is not allowed; remove it"),
        (r'"a\rb"', "1:6: the character U+000D cannot be seen and is not allowed; remove it"),
        (r'"a\Lb"', "1:6: the character U+2028 cannot be seen and is not allowed; remove it"),
        (r'"a\u200bb"', "1:6: the character U+200B cannot be seen and is not allowed; remove it"),
        (r'"a\ufeff"', "1:6: the character U+FEFF cannot be seen and is not allowed; remove it"),
        (r'"a\U00110000"', r"1:6: there is no character \U00110000; the last one is \U0010FFFF"),
        (f'"{"x" * 10_001}"', "1:4: the text has 10,001 characters; at most 10,000 are read"),
        (r'{"b\n": 1}', "1:5: a key stands in one line"),
    ],
)
def test_what_cannot_be_seen_is_refused_where_it_stands(written: str, problem: str) -> None:
    assert said(written) == problem
