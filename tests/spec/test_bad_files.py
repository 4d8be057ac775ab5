"""Files that cannot be specs, and folders that hold odd things."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.bad_specs import BLOCKS, HEAD, errors

GOOD = HEAD + "layers:\n  y: {op: linear, out: [b, n, d]}\n"


def first_line(text: str) -> str:
    return text.partition("\n")[0]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", "mine.yaml:1:1: error: the file is empty"),
        ("# only\n# comments\n", "mine.yaml:1:1: error: the file is empty"),
        ("hello\n", "mine.yaml:1:1: error: expected `key: value` entries; found `hello`"),
        ("- a\n- b\n", "mine.yaml:1:1: error: expected `key: value` entries; found a list"),
        (GOOD.replace("  x: [b", "\tx: [b"), "mine.yaml:9:1: error: this line is indented with a tab; YAML wants spaces"),
        (GOOD.replace("batch", "b\xe4tch").encode("latin-1"), "mine.yaml:3:7: error: the byte 0xE4 is not UTF-8"),
        (GOOD.encode("utf-16"), "mine.yaml:1:1: error: the byte 0xFF is not UTF-8"),
        (GOOD.replace("Mine", "Mi\x00ne"), "mine.yaml:1:10: error: the character U+0000 cannot be seen and is not allowed; remove it"),
        (GOOD + "#" * (1 << 20), "mine.yaml:1:1: error: the file is larger than 1 MiB"),
        (GOOD + "---\n" + GOOD, "mine.yaml:12:1: error: a second document begins here; a file holds one"),
        (GOOD.replace("Mine", "!!python/object/apply:os.system [ls]"), "mine.yaml:1:8: error: tags (`!...`) are not used here"),
        ("title: " + "[" * 2000 + "]" * 2000, "mine.yaml:1:71: error: the file is nested deeper than 64 levels"),
        (
            "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
            + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
            "mine.yaml:5:36: error: the file has more than 100,000 values once its aliases are written out",
        ),
        (
            GOOD + "".join(f"  r{i}: {{op: scale, by: 2}}\n" for i in range(2000)),
            "mine.yaml:10:1: error: `layers` has 2,001 entries; at most 2,000 are read",
        ),
    ],
)
def test_what_is_said_about_a_file_that_is_no_spec(spec: str | bytes, expected: str, folder: Path) -> None:
    assert first_line(errors(folder, spec)) == expected


@pytest.mark.parametrize("spec", [GOOD, "\ufeff" + GOOD, GOOD.replace("\n", "\r\n")])
def test_a_mark_of_byte_order_and_other_line_ends_do_no_harm(spec: str, folder: Path) -> None:
    assert errors(folder, spec) == ""


@pytest.mark.parametrize(
    ("stem", "likely"),
    [
        ("My-Block", "\n  did you mean my_block.yaml?"),
        ("a.b", "\n  did you mean a_b.yaml?"),
        ("BERT", "\n  did you mean bert.yaml?"),
        ("class", ""),
        ("2d", ""),
        ("é", ""),
    ],
)
def test_a_file_name_that_cannot_name_a_module(stem: str, likely: str, folder: Path) -> None:
    (folder / f"{stem}.yaml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(ProblemsError) as caught:
        compile_spec(Library([folder]), stem)
    assert str(caught.value) == (
        f"{stem}.yaml:1:1: error: `{stem}` cannot be the name of a spec\n    1 | title: Mine\n      | ^{likely}\n"
        "  a spec's name is its file's name, and a Python module's: a-z, digits and _, beginning with a letter, no word of Python"
    )


def test_two_files_of_one_name(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "mine.yaml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(ProblemsError) as caught:
        compile_spec(Library([folder]), "mine")
    assert str(caught.value) == (
        "b/mine.yaml:1:1: error: two specs are named `mine`\n    1 | title: Mine\n      | ^\n"
        "  the other is a/mine.yaml\n  a spec's name is its file's name; rename one"
    )


def test_a_folder_with_the_name_of_a_file_is_a_folder(folder: Path) -> None:
    (folder / "outer.yaml").mkdir()
    (folder / "outer.yaml" / "inner.yaml").write_text(GOOD, encoding="utf-8")
    assert list(Library([folder]).own) == ["inner"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_that_lead_nowhere_or_round_in_a_circle(folder: Path) -> None:
    (folder / "one.yaml").symlink_to(folder / "two.yaml")
    (folder / "two.yaml").symlink_to(folder / "one.yaml")
    (folder / "gone.yaml").symlink_to(folder / "nothing")
    (folder / "around").symlink_to(folder)
    (folder / "mine.yaml").write_text(GOOD, encoding="utf-8")
    library = Library([folder])
    assert compile_spec(library, "mine").sheet.name == "mine"
    for name, reason in [
        ("one", "Too many levels of symbolic links"),
        ("two", "Too many levels of symbolic links"),
        ("gone", "No such file"),
    ]:
        with pytest.raises(ProblemsError) as caught:
            compile_spec(library, name)
        assert str(caught.value).startswith(f"{name}.yaml:1:1: error: the file cannot be read: {reason}")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    (folder / "mine.yaml").write_text(GOOD, encoding="utf-8")
    (folder / "mine.yaml").chmod(0)
    with pytest.raises(ProblemsError) as caught:
        compile_spec(Library([folder]), "mine")
    assert str(caught.value).startswith("mine.yaml:1:1: error: the file cannot be read: Permission denied")


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        ("- a\n", "references.yaml:1:1: error: expected one entry for each source"),
        ("x: 1\n", "references.yaml:1:4: error: reference `x` needs label and text"),
        ("x: {label: a}\n", "references.yaml:1:1: error: reference `x` needs `text`"),
        ("x: {label: a, text: b, ulr: c}\n", "references.yaml:1:24: error: unknown key `ulr` in reference `x`"),
        ("x: {label: [a], text: b}\n", "references.yaml:1:12: error: expected a text in `label` of reference `x`"),
    ],
)
def test_what_is_said_about_references(references: str, expected: str, folder: Path) -> None:
    (folder / "references.yaml").write_text(references, encoding="utf-8")
    assert first_line(errors(folder, GOOD)) == expected


def test_specs_that_use_each_other_in_a_circle(folder: Path) -> None:
    others = BLOCKS | {"left": HEAD + "layers:\n  y: {use: right}\n", "right": HEAD + "layers:\n  y: {use: mine}\n"}
    assert (
        errors(folder, HEAD + "layers:\n  y: {use: left}\n", others)
        == """\
right.yaml:11:12: error: `mine` uses itself: mine -> left -> right -> mine
   11 |   y: {use: mine}
      |            ^^^^
  used by `y` (left.yaml:11)
  used by `y` (mine.yaml:11)"""
    )


@pytest.mark.slow
def test_specs_that_grow_without_bound_are_refused(folder: Path) -> None:
    double = HEAD + "layers:\n  y: {use: NEXT}\n  z: {use: NEXT}\n"
    others = BLOCKS | {f"level{i}": double.replace("NEXT", f"level{i + 1}" if i < 17 else "keep") for i in range(18)}
    said = errors(folder, double.replace("NEXT", "level0"), others)
    assert first_line(said) == "mine.yaml:11:12: error: `mine` comes to more than 10,000 rows once all specs that it uses are written out"


def test_a_mistake_in_a_used_spec_names_the_row_that_uses_it(folder: Path) -> None:
    broken = BLOCKS["keep"].replace("linear, out", "add, in: [x, x, y], out")
    assert (
        errors(folder, HEAD + "layers:\n  y: {use: keep}\n  z: {use: keep}\n", BLOCKS | {"keep": broken})
        == """\
keep.yaml:5:27: error: `y` reads itself
    5 |   y: {op: add, in: [x, x, y], out: [b, n, d]}
      |                           ^
  a row reads rows above it
  used by `y` (mine.yaml:11)"""
    )
