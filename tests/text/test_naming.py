"""What specs and their parts may be called: no name is a device of Windows, and none is told apart by capital letters alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.spec.library import Library
from generator.text.naming import LABEL, NAME, name_notes, name_problem, output_name_problem
from generator.text.problems import ProblemsError
from tests.support.bad_specs import errors
from tests.support.small_specs import LAYER, write_specs


@pytest.mark.parametrize("name", ["nul", "con", "aux", "prn", "com1", "com9", "lpt1", "NUL", "Con", "LPT9"])
def test_a_device_of_windows_is_the_name_of_no_spec_and_no_comparison(name: str) -> None:
    message, suggestion = name_problem(name)
    assert message == f"`{name}` cannot be the name of a spec: on Windows no file can have it, whatever stands behind a point"
    assert suggestion == f"did you mean {name.lower()}_block.yaml?"
    assert not name_problem(f"{name.lower()}_block")
    assert output_name_problem(name, "comparison")


@pytest.mark.parametrize("name", ["com", "com10", "null", "console", "lpt"])
def test_what_only_begins_like_a_device_is_a_name(name: str) -> None:
    assert not name_problem(name)


def test_a_spec_that_differs_from_another_by_capital_letters_alone_is_refused(tmp_path: Path) -> None:
    library = Library([write_specs(tmp_path, a__mine=LAYER, b__Mine=LAYER)])
    with pytest.raises(ProblemsError) as caught:
        library.spec("Mine")
    (problem,) = caught.value.problems
    assert problem.message == "`Mine` cannot be the name of a spec"
    assert problem.span is not None
    assert problem.span.source.path.endswith("b/Mine.yaml")
    assert "a/mine.yaml differs from it by capital letters alone" in problem.notes[0]
    assert not any("did you mean" in note for note in problem.notes)
    assert library.spec("mine").title == "One layer"


@pytest.mark.parametrize(
    ("name", "pattern", "suggested"),
    [
        ("n-1", NAME, "n_1"),
        ("model width", NAME, "model_width"),
        ("2d", NAME, "d"),
        ("é", NAME, "e"),
        ("BERT (base)", LABEL, "BERT-base"),
        ('a": {}, "b": open("ran", "w") or {}, "c', LABEL, "a-b-open-ran-w-or-c"),
        ("class!", NAME, ""),
        ("模型", LABEL, ""),
    ],
)
def test_a_name_near_what_was_written_is_suggested(name: str, pattern: str, suggested: str) -> None:
    assert [note for note in name_notes(name, pattern) if note.startswith("did")] == ([f"did you mean `{suggested}`?"] if suggested else [])


def test_names_of_presets_and_layouts_are_held_against_the_schema(tmp_path: Path) -> None:
    spec = LAYER.replace("small:", '\'a": {}, "b": open("ran", "w") or {}, "c\':')
    spec += """checkpoint:\n  'a" + str(open("ran", "w")) + "b':\n    model: M\n    weights: {y: {from: fc}}\n"""
    found = errors(tmp_path, spec)
    assert "cannot be a name in `presets`" in found
    assert "did you mean `a-b-open-ran-w-or-c`?" in found
    assert "cannot be a name in `checkpoint`" in found
    assert "did you mean `a-+-str-open-ran-w-+-b`?" in found
