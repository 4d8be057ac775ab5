"""YAML as people mean it, and exact error messages for inline mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.spec.yaml_reader import Mapping, Scalar, Sequence, find, load_source, plain, read_yaml
from generator.text.problems import Problem, ProblemsError, render
from generator.text.source import Source


def read(text: str) -> Any:
    return plain(read_yaml(Source("mine.yaml", text)))


def problems(text: str) -> tuple[Problem, ...]:
    try:
        read_yaml(Source("mine.yaml", text))
    except ProblemsError as error:
        return error.problems
    return ()


def errors(text: str) -> str:
    return "\n".join(render(problem) for problem in problems(text))


@pytest.mark.parametrize("word", ["no", "on", "off", "yes", "y", "n", "N", "True", "007", "-01", "0x10", "0o7", "1:30", "2017-06-12"])
def test_words_stay_words(word: str) -> None:
    assert read(f"{word}: {word}") == {word: word}
    assert read(f"[{word}]") == [word]


@pytest.mark.parametrize("word", [".inf", ".nan", ".", "1_", "_1", "1__0", "1e", "e5", "1.2.3", "+-1", "h*e", "d / h", "1 000", "1,5"])
def test_what_is_almost_a_number_is_a_word(word: str) -> None:
    assert read(f"a: {word}") == {"a": word}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("+3", 3),
        ("-2", -2),
        ("30_000", 30000),
        ("1e6", 1000000),
        ("1.5e3", 1500),
        ("1E2", 100),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("1e-12", 1e-12),
        ("1.25e1", 12.5),
        (".5", 0.5),
        ("-.5", -0.5),
        ("2.0", 2.0),
        ("0.1", 0.1),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_numbers_and_constants_are_read_as_people_write_them(text: str, value: object) -> None:
    found = read(f"a: {text}")["a"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("quoted", ['"{}"', "'{}'", "|-\n  {}", ">-\n  {}"])
@pytest.mark.parametrize("text", ["1", "true", "null", "1e6", "no"])
def test_quoted_scalars_are_always_texts(quoted: str, text: str) -> None:
    assert read("a: " + quoted.format(text)) == {"a": text}


texts = st.text(
    st.characters(
        codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"], exclude_characters="\u115f\u1160\u3164\uffa0"
    ),
    max_size=12,
)
trees = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**20), 10**20), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts.filter(bool), inner, max_size=4)),
    max_leaves=20,
)


@given(tree=trees, flow=st.booleans())
def test_what_pyyaml_writes_with_quotes_is_read_back(tree: object, flow: bool) -> None:
    class Quoting(yaml.SafeDumper):
        pass

    Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))
    text = yaml.dump([tree], Dumper=Quoting, default_flow_style=flow, allow_unicode=True, width=10**6)
    assert read(text) == [tree]


def test_nodes_know_their_places() -> None:
    text = 'title: Two words   # comment\nlayers:\n  q: {op: linear, out: [b, "n"]}\n  k: &k |\n    long\n  m: &m plain\n  z:\n'
    root = read_yaml(Source("mine.yaml", text))
    assert isinstance(root, Mapping)

    def at(*path: str | int) -> tuple[tuple[int, int, int] | None, tuple[int, int, int]]:
        key, value = find(root, path)
        return (key.line, key.column, key.length) if key else None, (value.line, value.column, value.length)

    assert at() == (None, (1, 1, 1))
    assert at("title") == ((1, 1, 5), (1, 8, 9))
    assert at("layers") == ((2, 1, 6), (3, 3, 1))
    assert at("layers", "q") == ((3, 3, 1), (3, 6, 1))
    assert at("layers", "q", "out", 1) == (None, (3, 28, 3))
    assert at("layers", "k") == ((4, 3, 1), (4, 9, 1))
    assert at("layers", "m") == ((6, 3, 1), (6, 9, 5))
    assert at("layers", "z") == ((7, 3, 1), (7, 5, 1))
    assert at("layers", "q", "missing", 3) == at("layers", "q")


def test_a_jsonschema_error_finds_its_place() -> None:
    root = read_yaml(Source("mine.yaml", "dims:\n  n: 5\nlist: [1, x]\n"))
    schema = {"properties": {"dims": {"additionalProperties": {"type": "string"}}, "list": {"items": {"type": "integer"}}}}
    found = [find(root, error.absolute_path)[1] for error in jsonschema.Draft202012Validator(schema).iter_errors(plain(root))]
    assert sorted((span.line, span.column) for span in found) == [(2, 6), (3, 11)]


def test_scalars_keep_text_and_style() -> None:
    root = read_yaml(Source("mine.yaml", "- 1e3\n- '1'\n- \"x\"\n- >-\n a\n b\n"))
    assert isinstance(root, Sequence)
    found = [(item.value, item.text, item.style) for item in root.items if isinstance(item, Scalar)]
    assert found == [(1000, "1e3", "plain"), ("1", "1", "single"), ("x", "x", "double"), ("a b", "a b", "folded")]


def test_keys_are_texts_and_can_be_looked_up() -> None:
    root = read_yaml(Source("mine.yaml", "1: a\ntrue: b\nnull: c\n"))
    assert isinstance(root, Mapping)
    assert plain(root) == {"1": "a", "true": "b", "null": "c"}
    value = root.get("true")
    assert isinstance(value, Scalar)
    assert value.value == "b"
    assert root.get("absent") is None


def test_aliases_repeat_values() -> None:
    assert read("a: &x [1, 2]\nb: *x\nc: {d: *x}\n") == {"a": [1, 2], "b": [1, 2], "c": {"d": [1, 2]}}


def test_independent_problems_are_reported_together() -> None:
    found = errors(
        "d: width\nn: &n 1\nd: again\n<<: {a: 1}\nx: !!int 5\ny: {eq: b i, b j, c -> b i j, k: 2}\nz: *m\nw: {op:add}\n? [a]\n: 1\n: 2\n"
    )
    assert (
        found
        == """\
mine.yaml:3:1: error: the key `d` occurs twice
    3 | d: again
      | ^
  the first is on line 1: d: width
mine.yaml:4:1: error: merge keys (`<<`) are not supported; write the entries out
    4 | <<: {a: 1}
      | ^^
mine.yaml:5:4: error: tags (`!...`) are not used here
    5 | x: !!int 5
      |    ^
  put the text in quotes if it begins with `!`
mine.yaml:6:14: error: `b j` has no value
    6 | y: {eq: b i, b j, c -> b i j, k: 2}
      |              ^^^
  a comma ends the text before it; if the text goes on, put it in quotes: eq: "b i, b j, c -> b i j"
mine.yaml:7:4: error: `*m` repeats a value that is not marked `&m` above
    7 | z: *m
      |    ^^
  a text that begins with `*` goes in quotes
mine.yaml:8:5: error: `op:add` has no value
    8 | w: {op:add}
      |     ^^^^^^
  a space is missing after the colon: op: add
mine.yaml:9:3: error: a key must be a word or a text
    9 | ? [a]
      |   ^
mine.yaml:11:1: error: a key is missing before `:`
   11 | : 2
      | ^"""
    )


SYNTAX = [
    ("a: 1\nb\nc: 2\n", "2:1", "expected `key: value`; found `b`"),
    ("a: b: c\n", "1:5", "a second `: ` in one entry"),
    ("op:linear\nx: 1\n", "1:3", "a space is missing after `op:`"),
    ("a:\n  b:1\n  c: 2\n", "2:4", "a space is missing after `b:`"),
    ("a: 1\n  b: 2\n", "2:3", "this line is indented deeper than line 1, which has a value already"),
    ("a: b # c\n  d: e\n", "2:3", "this line is indented deeper than line 1, which has a value already"),
    ("a:\n  b: 1\n c: 2\n", "3:2", "the indentation of this line fits no line above"),
    ("  a: 1\nb: 2\n", "2:1", "the indentation of this line fits no line above"),
    ("a: - b\n", "1:4", "a list item cannot begin in the middle of a line"),
    ("- a\nb: c\n", "2:1", "a `key: value` line stands among list items"),
    ("a: 1\n- b\n", "2:1", "a list item stands among `key: value` lines"),
    ("- a\n-b\n", "2:1", "a space is missing after `-`"),
    ("a: @x\n", "1:4", "a text cannot begin with `@`"),
    ("a: `x\n", "1:4", "a text cannot begin with a backtick"),
    ("a: %x\n", "1:4", "a text cannot begin with `%`"),
    ("a: |x\n", "1:4", "`|` at the beginning of a text has a meaning of its own in YAML"),
    ("a: > 3\n", "1:4", "`>` at the beginning of a text has a meaning of its own in YAML"),
    ("a: *\n", "1:4", "`*` at the beginning of a text has a meaning of its own in YAML"),
    ("a: & x\n", "1:4", "`&` at the beginning of a text has a meaning of its own in YAML"),
    ("a: !x!y 1\n", "1:4", "`!` at the beginning of a text has a meaning of its own in YAML"),
    ("a: ? b\n", "1:4", "`?` cannot stand here"),
    ('a: "x\nb: 2\n', "1:4", "this quote is never closed"),
    ("a: 'it's'\n", "1:8", "text goes on after the end of the value"),
    ('a: "\\d"\n', "1:5", "`\\d` means nothing in double quotes"),
    ('a: "\\xZZ"\n', "1:7", "an escape such as \\x41 or \\u00e9 is incomplete here"),
    ("a: [1] b\n", "1:8", "text goes on after the end of the value"),
    ("a: {b: 1\nc: 2\n", "1:4", "this `{` is never closed"),
    ("a: [1, 2\nc: 3\n", "1:4", "this `[` is never closed"),
    ("a: [1, 2\n\n\n", "1:4", "this `[` is never closed"),
    ("a: {b: [1, 2}\n", "1:13", "`}` closes the `[` of column 8"),
    ("a: {b: 1}}\n", "1:10", "this `}` closes nothing"),
    ("a: ]\n", "1:4", "this `]` closes nothing"),
    ("a: {b: c, d: e f: g}\n", "1:17", "a second `: ` in one entry of `{...}`"),
    ("a: {b: c\n    d: e}\n", "2:6", "a second `: ` in one entry of `{...}`"),
    ('a: {b: "x" c: 2}\n', "1:12", "expected `,` or `}` before this"),
    ("a: {b: 1,, c: 2}\n", "1:10", "a value is missing before `,`"),
    (": b\n", "1:1", "a key is missing before `:`"),
    ("a:\n\tb: 1\n", "2:1", "this line is indented with a tab; YAML wants spaces"),
    ("a:\tb\n", "1:3", "a tab stands where YAML wants spaces"),
    ("%YAML 2.0\n---\na: 1\n", "1:1", "a line that begins with `%` is not understood"),
    ("a: 1\n---\nb: 2\n", "2:1", "a second document begins here; a file holds one"),
    ("a: &x {b: *x}\n", "1:11", "`*x` stands inside the value that it repeats"),
    ("a: &x 1\nb: &x 2\n", "2:4", "`&x` is used twice"),
    ("", "1:1", "the file is empty"),
    ("# only a comment\n", "1:1", "the file is empty"),
    ("---\n", "1:1", "the file is empty"),
    ("a: 1e999\n", "1:4", "the number is out of bounds: powers of ten go to 300"),
    ("a: 1" + "0" * 200 + "\n", "1:4", "the number has more than 100 digits"),
    ("a: 1\n\xa0\xa0b: 2\n", "2:1", "an unusual space stands here, such as U+00A0; write an ordinary one"),
    ("a: x\x00y\n", "1:5", "the character U+0000 cannot be seen and is not allowed; remove it"),
    ("a: 1\nb: \ufeffx\n", "2:4", "the character U+FEFF cannot be seen and is not allowed; remove it"),
    ("a: " + "[" * 70 + "]" * 70, "1:67", "the file is nested deeper than 64 levels"),
]


@pytest.mark.parametrize(("text", "place", "message"), SYNTAX)
def test_mistakes_are_explained_in_place(text: str, place: str, message: str) -> None:
    assert errors(text).split("\n")[0] == f"mine.yaml:{place}: error: {message}"


def test_an_unclosed_brace_says_before_which_line_it_should_close() -> None:
    assert (
        errors("layers:\n  q: {op: linear, out: [b, n]\n  k: {op: linear}\n")
        == """\
mine.yaml:2:6: error: this `{` is never closed
    2 |   q: {op: linear, out: [b, n]
      |      ^
  expected `}` before line 3"""
    )


def test_tabs_on_more_lines_are_counted() -> None:
    assert errors("a:\n\tb: 1\n\tc: 2\n\td: 3\n").endswith("\n  so are 2 more lines below")


def test_problems_found_before_an_error_of_syntax_are_kept() -> None:
    found = [problem.message for problem in problems("a: 1\na: 2\nb: [1\n")]
    assert found == ["the key `a` occurs twice", "this `[` is never closed"]


@given(st.text(st.sampled_from("ab:,-[]{}\"'#&*!|>%@`\n\t ?\\0\u00a0\x85é"), max_size=30))
def test_any_text_is_read_or_explained_without_the_words_of_a_parser(text: str) -> None:
    for problem in problems(text):
        assert problem.span is not None
        assert problem.span.column <= len(problem.span.source.line(problem.span.line)) + 1
        assert not any(word in render(problem) for word in ("token", "scanning", "block end", "expected <"))


def test_the_expansion_of_aliases_is_bounded() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=False)]
    assert "error: the file has more than 100,000 values once its aliases are written out" in errors("\n".join(lines))


def test_aliases_cannot_nest_deeper_than_the_bound() -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 80))]
    assert "error: the file is nested deeper than 64 levels" in errors("\n".join(lines))


def test_a_file_is_loaded_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: \xc3\xa9\r\n")
    assert load_source(path, "specs/s.yaml") == Source("specs/s.yaml", "a: é\r\n")
    assert read("\ufeffa: é") == {"a": "é"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: 1\nb: \xe9t\xe9\n", "specs/s.yaml:2:4: error: the byte 0xE9 is not UTF-8"),
        ("a: é".encode("utf-16"), "specs/s.yaml:1:1: error: the byte 0xFF is not UTF-8"),
        (b"#" * (2**20 + 1), "specs/s.yaml:1:1: error: the file is larger than 1 MiB"),
    ],
)
def test_files_that_are_no_text_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(data)
    with pytest.raises(ProblemsError) as caught:
        load_source(path, "specs/s.yaml")
    assert str(caught.value).split("\n")[0] == message
