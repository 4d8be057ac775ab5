"""Compiles specs that are wrong and returns the text that people see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import Problem, ProblemsError
from tests.support.suggestions import followed, suggestions

HEAD = """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h}
inputs:
  x: [b, n, d]
"""
# Blocks that the bad specs use.
BLOCK = "title: A block\ndims: {b: batch size, n: length, d: width}\ninputs: {x: [b, n, d]}\n"
BLOCKS = {
    "keep": BLOCK + "layers:\n  y: {op: linear, out: [b, n, d]}\n",
    "widen": BLOCK + "layers:\n  y: {op: linear, out: [b, n, 2*d]}\n",
    "two": BLOCK
    + "layers:\n  left: {op: linear, in: x, out: [b, n, d]}\n  right: {op: linear, in: x, out: [b, n, d]}\noutputs: [left, right]\n",
    "crossed": "title: A block\ndims: {b: batch size, n: length, d: width, e: width}\ninputs: {x: [b, n, d], y: [b, n, e]}\n"
    "layers:\n  left: {op: linear, in: x, out: [b, n, d]}\n  right: {op: linear, in: y, out: [b, n, d]}\noutputs: [left, right]\n",
    "optional": BLOCK
    + "options:\n  bias: {is: add a bias, default: true}\n  kind: {is: which, default: relu, choices: [relu, gelu]}\n"
    + "layers:\n  y: {op: linear, out: [b, n, d], bias: bias}\n  z: {op: activation, kind: kind}\n",
    "sorted": "title: A block\ndims: {b: batch size, n: length}\ninputs:\n  ids: {shape: [b, n], dtype: int, below: n}\n"
    "layers:\n  y: {op: argsort}\n",
    "lookup": "title: A block\ndims: {b: batch size, n: length}\ninputs:\n  ids: {shape: [b, n], dtype: int, below: n}\n"
    "layers:\n  y: {op: embedding, count: n, width: 1}\n  z: {op: rearrange, to: b n 1 -> b n}\n",
    "slotted": BLOCK + "slots:\n  inner: {use: keep, is: what each position does}\nlayers:\n  y: {slot: inner}\n",
}


Cases = Mapping[str, tuple[str, str]]


def each_of(*groups: Cases, head: str = "") -> pytest.MarkDecorator:
    """Return the mark that runs a test for each kind of mistake, with the spec that holds it and all that is said about it.

    Args:
        groups: kinds of mistakes, by name: what follows the head, and what is said.
        head: how their specs begin.
    """
    cases = [pytest.param(head + rest, said, id=name) for group in groups for name, (rest, said) in group.items()]
    return pytest.mark.parametrize(("spec", "said"), cases)


def refused(folder: Path, name: str) -> tuple[Problem, ...]:
    """Return what is wrong with a spec of a folder. What is suggested must keep the same from being wrong again."""
    problems = _problems(folder, name)
    file = folder / f"{name}.yaml"
    for problem in problems:
        if problem.span is not None and Path(problem.span.source.path).name == file.name:
            text = file.read_bytes()
            for suggestion in suggestions(problem):
                changed = followed(problem.span.source.text, problem, suggestion)
                if changed is not None:
                    file.write_text(changed, encoding="utf-8")
                    assert problem.message not in [other.message for other in _problems(folder, name)], f"it does not help: {suggestion}"
            file.write_bytes(text)
    return problems


def _problems(folder: Path, name: str) -> tuple[Problem, ...]:
    try:
        compile_spec(Library([folder]), name)
    except ProblemsError as error:
        return error.problems
    return ()


def told(folder: Path, spec: str) -> tuple[str, str, list[str]]:
    """Return what is said about the only mistake of a spec: the message, what the caret points at, and the notes."""
    (folder / "one.yaml").write_text(spec, encoding="utf-8")
    first, line, _caret, *notes = str(ProblemsError(refused(folder, "one"))).splitlines()
    place, message = first.split(": error: ")
    under = line.split("|", 1)[1][int(place.split(":")[-1]) :]
    return message, re.split(r"[,:}\]]", under)[0], [note.strip() for note in notes]


def errors(folder: Path, spec: str | bytes, others: Mapping[str, str] = BLOCKS) -> str:
    """Return what is said about a spec named `mine`; an empty text if nothing is wrong. The current folder must be `folder`."""
    for name, text in others.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    data = spec if isinstance(spec, bytes) else spec.encode()
    (folder / "mine.yaml").write_bytes(data)
    return str(ProblemsError(refused(folder, "mine")))
