"""Where the rows of a spec stand in its module, as pages link to them."""

from __future__ import annotations

import ast

import pytest

from generator.render.module.lines import row_names
from generator.render.module.view import ModuleSet
from generator.render.module.writer import render_module, row_lines
from generator.sheet.compiled import compile_spec
from tests.support.builtin import builtin_library


@pytest.mark.parametrize("name", ["mlp", "swin_attention", "lstm_cell", "mixture_of_experts", "cached_cross_attention"])
def test_the_lines_of_a_row_are_the_statements_that_give_its_variables_a_value(name: str) -> None:
    modules = ModuleSet(builtin_library())
    text = render_module(compile_spec(modules.library, name), modules)
    view = modules.view(name)
    lines = row_lines(view, len(text.splitlines()))
    *_, (first, last) = [
        (node.lineno, node.end_lineno) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == "forward"
    ]
    assert lines.pop("") == [first, last]
    assigned: dict[str, list[int]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.lineno > first:
            assigned.setdefault(node.id, []).append(node.lineno)
    assert lines.keys() == {row.name for row in view.arch.rows} - view.lines.aliases.keys()
    for row, (start, end) in lines.items():
        variable = row_names(view.arch).variables[row]
        own = [number for found, numbers in assigned.items() if found == variable or found.startswith(f"{variable}_") for number in numbers]
        assert any(start <= number <= end for number in own), row
    assert all(a[1] < b[0] for a, b in zip(lines.values(), list(lines.values())[1:], strict=False))
