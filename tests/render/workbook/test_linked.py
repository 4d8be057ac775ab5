"""What a reader meets and where it leads: the glossary, links with words at the pointer, names to link to, sheets that are free."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from generator.files.resources import templates_dir
from generator.quantities import QUANTITIES
from generator.render.glossary import glossary
from generator.render.workbook import load_choices as choices
from generator.render.workbook.excel_names import is_legal
from generator.text.translated import LANGUAGES

from .calculator import Job, calculated, needs_uno
from .every import book
from .sheets import built
from .test_workbook import opened

DOCUMENTED = templates_dir().parent / "docs" / "workbook.md"


@cache
def bert(*, values: bool = False) -> Workbook:
    return load_workbook(book("bert").file, data_only=values)


def test_every_language_says_the_same_words_and_operations() -> None:
    english = glossary("en")
    for language in LANGUAGES:
        other = glossary(language)
        assert other.words.keys() == english.words.keys()
        assert other.operations.keys() == english.operations.keys()
        assert all(all(entry) for entry in (*other.words.values(), *other.operations.items()))


@pytest.mark.slow
def test_operations_of_bert_are_told_and_lead_to_their_line() -> None:
    layers, told = bert()["Layers"], bert()["Glossary"]
    rows = [row for row in range(5, layers.max_row + 1) if layers[f"B{row}"].value]
    assert len(rows) > 20
    for row in rows:
        cell = layers[f"B{row}"]
        link = cell.hyperlink
        assert link is not None, cell.value
        assert link.location.startswith("Glossary!$A$")
        line = int(link.location.rpartition("$")[2])
        assert told[f"A{line}"].value == cell.value.partition(" ")[0]
        assert link.tooltip == glossary().operations[told[f"A{line}"].value]


@pytest.mark.slow
def test_every_link_inside_leads_to_a_cell_that_says_something() -> None:
    found = ((sheet.title, cell.hyperlink) for sheet in bert().worksheets for row in sheet.iter_rows() for cell in row)
    links = [(title, link) for title, link in found if link is not None]
    assert len(links) > 80
    for title, link in links:
        assert link.tooltip, (title, link.ref)
        assert len(link.tooltip) <= 255, (title, link.ref)
        if link.location:
            sheet, _, at = link.location.replace("$", "").replace("'", "").rpartition("!")
            assert bert(values=True)[sheet][at].value not in (None, ""), (title, link.ref, link.location)


def test_a_link_changes_no_look_of_its_cell() -> None:
    summary = opened(built("encoder"))["Summary"]
    cell = summary["A13"]
    assert (cell.value, cell.hyperlink.location, cell.style) == ("b", "Presets!$A$8", "Label")


def test_names_are_legal_and_lead_to_what_they_say() -> None:
    found, stored = opened(built("encoder")), opened(built("encoder"), values=True)
    names = {name: defined.attr_text for name, defined in found.defined_names.items() if "." in name}
    assert all(is_legal(name) for name in names)
    assert {f"total.{one.key}" for one in QUANTITIES} <= names.keys()
    for name, cell in names.items():
        title, _, at = cell.replace("$", "").replace("'", "").rpartition("!")
        assert found[title][at].value is not None or not found[title][at].protection.locked, name
    labels = {name: cell.replace("$", "").rpartition("!")[2] for name, cell in names.items() if name.startswith("total.")}
    assert stored["Summary"][f"A{labels['total.macs'][1:]}"].value == "MACs"


@needs_uno
@pytest.mark.slow
def test_formulas_in_names_follow_what_is_typed(tmp_path: Path) -> None:
    one = book("bert")
    typed = {("Summary", "B2"): "bert-large", ("Memory and time", f"B{choices.choice_row('batch')}"): 8}
    own = {("Notes", "A5"): "=total.params", ("Notes", "A6"): "=scenario_a.total_gib*2", ("Notes", "A7"): "=scenario_b.input.task"}
    (answer,) = calculated([Job(one.file, [typed | own], [("Notes", "A1:A7"), ("Memory and time", "A1:I60")])], tmp_path)[0]
    assert answer.values["Notes", "A5"] == 335_141_888  # as transformers' BertModel counts bert-large-uncased
    total = answer.values["Memory and time", f"B{choices.FIRST_MEMORY_ROW + choices.MEMORY.index('total')}"]
    assert answer.values["Notes", "A6"] == pytest.approx(2 * total, rel=1e-12)
    assert answer.values["Notes", "A7"] == "Forward pass"


@pytest.mark.slow
def test_presets_show_their_weights_in_bytes_and_shares_that_make_up_the_whole() -> None:
    one, presets = book("bert"), bert(values=True)["Presets"]
    for column in one.plan.columns:
        for name, row in one.plan.preset_weight_rows.items():
            needs = one.spec.memory(column.name, b=1, n=8, dtype="float32", weights=name)
            (weights,) = (part.bytes for part in needs.needs.parts if part.key == "weight_bytes")
            assert presets[f"{column.letter}{row}"].value * 10**9 == pytest.approx(weights, rel=1e-12)
        shares = [presets[f"{column.letter}{row}"].value for row in one.plan.preset_share_rows]
        assert len(shares) > 3
        assert sum(shares) == pytest.approx(1, rel=1e-12)


@pytest.mark.slow
def test_the_documentation_lists_all_names() -> None:
    text = DOCUMENTED.read_text(encoding="utf-8")
    names = {name for name in bert().defined_names if "." in name and not name.startswith("input.")}
    missing = [name for name in names if f"`{name.replace('scenario_b.', 'scenario_a.')}`" not in text]
    assert sorted(missing) == []


def test_excel_is_not_asked_to_calculate_all_again_when_it_opens_a_file() -> None:
    calculation = opened(built("encoder")).calculation
    assert not calculation.fullCalcOnLoad
    assert calculation.calcId >= 191029


def test_sheets_of_helpers_are_locked_too() -> None:
    sheets = opened(built("many")).worksheets
    assert "Helpers" in {sheet.title for sheet in sheets}
    assert {sheet.title for sheet in sheets if not sheet.protection.sheet} == {"Layers", "Notes"}


def test_cells_may_look_otherwise_on_sheets_that_are_locked() -> None:
    for sheet in opened(built("encoder")).worksheets:
        assert not sheet.protection.sheet or not sheet.protection.formatCells, sheet.title
