"""Rendering of errors, checked against text laid out by hand."""

from __future__ import annotations

import pickle

import pytest

from generator.text.problems import Problem, Problems, ProblemsError, render
from generator.text.source import Source, Span

EINSUM = '  scores: {op: einsum, in: [q_heads, k_heads], eq: "b h i e, b h j e -> b h i j"}'


def test_a_problem_shows_place_line_caret_and_notes() -> None:
    source = Source("specs/mine.yaml", "\n" * 13 + EINSUM)
    message = "`scores` contracts axis e of q_heads with axis e of k_heads, but their sizes differ"
    problem = Problem(message, Span(source, 14, 11), ("q_heads is [b, h, n, d/h]; k_heads is [b, h, n, d]", "first\nsecond"))
    assert (
        render(problem)
        == """\
specs/mine.yaml:14:11: error: `scores` contracts axis e of q_heads with axis e of k_heads, but their sizes differ
   14 |   scores: {op: einsum, in: [q_heads, k_heads], eq: "b h i e, b h j e -> b h i j"}
      |           ^
  q_heads is [b, h, n, d/h]; k_heads is [b, h, n, d]
  first
  second"""
    )


def test_a_problem_without_a_place_is_its_message() -> None:
    assert render(Problem("nothing to build", None, ("name a spec",))) == "error: nothing to build\n  name a spec"


@pytest.mark.parametrize(
    ("line", "column", "length", "caret"),
    [
        ("abc: def", 6, 3, "     ^^^"),
        ("\ta: b", 2, 1, "\t^"),
        ("a\tb: c", 6, 1, " \t   ^"),
        ("幅: x", 4, 1, "    ^"),
        ("a: 幅x", 4, 2, "   ^^^"),
        ("e\u0301: x", 5, 1, "   ^"),
        ("abc", 2, 99, " ^^"),
        ("abc", 4, 1, "   ^"),
        ("abc", 9, 1, "   ^"),
    ],
)
def test_the_caret_stands_under_its_characters(line: str, column: int, length: int, caret: str) -> None:
    shown = render(Problem("m", Span(Source("f", line), 1, column, length))).split("\n")
    assert shown[1:] == [f"    1 | {line}", f"      | {caret}"]


@pytest.mark.parametrize("column", [1, 50, 51, 52, 500, 871, 880, 990, 1000])
def test_a_long_line_is_cut_around_the_caret(column: int) -> None:
    line = "".join(chr(0x21 + n % 90) for n in range(1000))
    _, shown, caret = render(Problem("m", Span(Source("f", line), 1, column))).split("\n")
    assert len(shown) <= 130
    assert shown[caret.index("^")] == line[column - 1]
    assert shown.startswith("    1 | …") == (column > 51)
    assert shown.endswith("…") == (column < 931)


def test_control_characters_never_reach_the_terminal() -> None:
    rendered = render(Problem("found \x1b[31m", Span(Source("a\x07", "x: \x1b[2J\u202ey"), 1, 4), ("\x00",)))
    assert not set(rendered) & set("\x1b\x07\x00\u202e")


def test_an_error_holds_all_problems_sorted_and_each_once() -> None:
    one, two = Source("a.yaml", "x: 1\ny: 2\n"), Source("b.yaml", "z: 3\n")
    problems = Problems()
    problems.raise_if_any()
    problems.add("fourth", Span(two, 1, 1))
    problems.extend([Problem("third", Span(one, 2, 4)), Problem("second", Span(one, 2, 1))])
    problems.add("first", None)
    problems.add("second", Span(one, 2, 1))
    with pytest.raises(ProblemsError) as caught:
        problems.raise_if_any()
    assert [problem.message for problem in caught.value.problems] == ["first", "second", "third", "fourth"]
    assert str(caught.value).startswith("error: first\na.yaml:2:1: error: second\n    2 | y: 2\n")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301  worker processes send it back


@pytest.mark.parametrize(
    ("line", "start", "length", "offset", "expected"),
    [
        ("a: b + c", 4, 5, 4, (8, 1)),
        ("a: b + c", 4, 5, 5, (9, 1)),
        ("a: b + c", 4, 5, 6, (4, 5)),
        ('a: "b + c"', 4, 7, 4, (9, 1)),
        ("a: 'it''s'", 4, 7, 2, (7, 2)),
        ("a: 'it''s'", 4, 7, 3, (9, 1)),
        (r'a: "\u00e9\"x"', 4, 11, 0, (5, 6)),
        (r'a: "\u00e9\"x"', 4, 11, 1, (11, 2)),
        (r'a: "\u00e9\"x"', 4, 11, 2, (13, 1)),
        ("a: |", 4, 1, 3, (4, 1)),
    ],
)
def test_a_place_inside_a_scalar_accounts_for_quotes(line: str, start: int, length: int, offset: int, expected: tuple[int, int]) -> None:
    place = Span(Source("f", line), 1, start, length).inside(offset)
    assert (place.column, place.length) == expected


def test_lines_are_counted_as_yaml_counts_them() -> None:
    source = Source("f", "a\r\nb\rc\nd\x0be\u2028f")
    assert [source.line(n) for n in range(7)] == ["", "a", "b", "c", "d\x0be", "f", ""]
