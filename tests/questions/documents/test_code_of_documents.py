"""What our lists say of the code in the documents: it fails, or computes something else, when it is run; what we say is right does not."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from generator.files.resources import builtin_specs_dir
from generator.questions.documents.document_folder import document_files
from generator.questions.documents.document_reader import read_document
from generator.questions.documents.formula_list import ListedFormula


def entry(document: str, printed: str) -> ListedFormula:
    entries = read_document(document_files([builtin_specs_dir()])[document]).entries
    (found,) = [one for one in entries if one.printed == printed]
    assert found.erratum
    return found


def test_the_mask_of_001_is_refused_for_two_sequences_and_eight_heads() -> None:
    entry("001", "scores.masked_fill(attention_mask.unsqueeze(1) == 0, -1e9)")
    mask = torch.tensor([[1, 1, 1], [1, 1, 0]])
    with pytest.raises(RuntimeError, match="must match"):
        torch.zeros(2, 8, 3, 3).masked_fill(mask.unsqueeze(1) == 0, -1e9)
    right = torch.zeros(2, 8, 3, 3).masked_fill(mask[:, None, None, :] == 0, -1e9)
    assert right[0].eq(0).all()
    assert right[1, ..., 2].eq(-1e9).all()


def test_the_mask_of_001_hides_by_the_wrong_sequence_where_there_are_as_many_heads() -> None:
    mask = torch.tensor([[1, 1, 1], [1, 1, 0]])
    scores = torch.zeros(2, 2, 3, 3).masked_fill(mask.unsqueeze(1) == 0, -1e9)
    assert scores[0, 1, 0, 2] == -1e9  # of the first sequence, which is whole
    assert scores[1, 0, 0, 2] == 0  # of the second, whose last place is padding


def test_the_heads_of_002_are_put_together_with_a_module_as_a_size() -> None:
    y = torch.randn(2, 3, 2, 4)
    entry("002", "y.contiguous().view(B, N, F)")
    with pytest.raises(TypeError):
        y.contiguous().view(2, 3, functional)  # type: ignore[call-overload]  # as the document has it
    assert y.contiguous().view(2, 3, 8).shape == (2, 3, 8)


def test_the_result_of_one_head_of_002_has_the_width_of_its_values() -> None:
    entry("002", "where D != F, A(X) cannot be used")
    from archsheet import load

    head = load("single_head_attention").module(embed_dim=8, e=4, v=8)
    x = torch.randn(2, 3, 8)
    assert head(x).shape == x.shape
