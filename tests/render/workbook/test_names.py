"""Which names Excel accepts, written down from its documentation, and how sizes get theirs."""

from __future__ import annotations

import pytest

from generator.render.workbook.excel_names import excel_names, is_legal


@pytest.mark.parametrize(
    "name",
    ["b", "n", "d", "L", "e", "N", "h_", "d_model", "_x", "width", "rate.of.change", "XFE1", "A1048577", "A0", "RCA", "R1C1x", "RR",
     "CC1CC", "é", "α", "宽度", "x" * 255, "ABCD1", "TRUEST", "d1_"],
)  # fmt: skip
def test_legal_names(name: str) -> None:
    assert is_legal(name)


@pytest.mark.parametrize(
    "name",
    ["", "R", "C", "r", "c", "RC", "R1", "C2", "R1C1", "r12c", "R[1]C[-1]", "d1", "L1", "bn1", "A1", "XFD1048576", "xfd1", "AA100", "$A$1",
     "TRUE", "False", "1d", "2", "a b", "a-b", "a+b", "a'b", "d²", "x" * 256, "ﾠ ", "Print_Area", "_xlnm.Print_Area", "_xlfn", ".a"],
)  # fmt: skip
def test_illegal_names(name: str) -> None:
    assert not is_legal(name)


def test_sizes_keep_their_names_where_they_can() -> None:
    assert excel_names(["b", "n", "d_model"]) == {"b": "b", "n": "n", "d_model": "d_model"}


def test_names_that_excel_takes_for_something_else_get_an_underscore() -> None:
    assert excel_names(["R", "C", "d1", "TRUE"]) == {"R": "R_", "C": "C_", "d1": "d1_", "TRUE": "TRUE_"}


def test_case_does_not_tell_names_apart() -> None:
    assert excel_names(["n", "N"]) == {"n": "n", "N": "N_"}
    assert excel_names(["N", "n"]) == {"N": "N", "n": "n_"}


def test_a_size_that_already_has_the_new_name_keeps_it() -> None:
    assert excel_names(["R", "R_", "R_2"]) == {"R": "R_3", "R_": "R_", "R_2": "R_2"}


@pytest.mark.parametrize(
    "sizes",
    [["straße", "STRASSE"], ["n", "N", "ｎ"], ["x" * 300, "x" * 301], ["", " ", "a b"], ["_xlpm.a", "1"], ["R", "r", "C", "c"]],
)
def test_all_names_are_legal_and_different(sizes: list[str]) -> None:
    names = excel_names(sizes)
    assert list(names) == sizes
    assert all(is_legal(name) for name in names.values())
    assert len({name.casefold() for name in names.values()}) == len(sizes)
