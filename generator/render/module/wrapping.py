"""Breaks long lines of generated code where a careful person would: at the arguments of a call, or at each method of a chain."""

from __future__ import annotations

from itertools import pairwise

LONGEST = 110  # characters of a line, without the indentation of the function's body
_OPENING, _CLOSING = "([{", ")]}"


def wrapped(line: str) -> list[str]:
    """Return a statement on as many lines as it needs; unchanged where it is short or cannot be broken."""
    if len(line) <= LONGEST:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    target, equals, expression = line.strip().partition(" = ")
    if equals and _splits(target, " "):
        chain = _chain(expression)
        if len(chain) > 2:
            inner = [f"{indent}    {chain[0]}{chain[1]}", *(f"{indent}    {call}" for call in chain[2:])]
            return [f"{indent}{target} = (", *inner, f"{indent})"]
        terms = _top_level(expression, " | ")
        if len(terms) > 1:
            return [f"{indent}{target} = (", f"{indent}    {terms[0]}", *(f"{indent}    | {term}" for term in terms[1:]), f"{indent})"]
    return _arguments(line, indent)


def _splits(text: str, sign: str) -> bool:
    """Say whether a target is no part of a call: no bracket is open in it."""
    return not any(bracket in text for bracket in _OPENING) or sign not in text


def _chain(expression: str) -> list[str]:
    """Split `x.a(1).b(2)` into `x`, `.a(1)`, `.b(2)`; one part where it is no chain of calls."""
    depth, starts = 0, []
    for i, sign in enumerate(expression):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0 and sign in " +-*/@":
            return [expression]
        if depth == 0 and sign == "." and "(" in expression[i:].split(".", 2)[1]:
            starts.append(i)
    bounds = [0, *starts, len(expression)]
    return [expression[a:b] for a, b in pairwise(bounds) if a != b]


def _arguments(line: str, indent: str) -> list[str]:
    """Put the arguments of the last call on lines of their own."""
    line, comma = (line[:-1], ",") if line.endswith("),") else (line, "")
    if not line.endswith(")"):
        return [line]
    depth = 0
    for start in range(len(line) - 1, -1, -1):
        depth += (line[start] in _CLOSING) - (line[start] in _OPENING)
        if depth == 0:
            break
    arguments = _top_level(line[start + 1 : -1], ",")
    if len(arguments) < 2 or " for " in line[start:]:
        return [f"{line}{comma}"]
    inner = [part for argument in arguments for part in wrapped(f"{indent}    {argument},")]
    return [line[: start + 1], *inner, f"{indent}){comma}"]


def _top_level(text: str, separator: str) -> list[str]:
    """Split at a separator outside brackets, quotes and the names of a lambda's arguments."""
    parts, depth, quote, begin, header = [], 0, "", 0, 0
    for i, sign in enumerate(text):
        if text.startswith("lambda ", i) and not quote:
            header = text.index(":", i)
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        depth += 0 if quote else (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0 and not quote and i >= header and text.startswith(separator, i):
            parts.append(text[begin:i].strip())
            begin = i + len(separator)
    return [part for part in (*parts, text[begin:].strip()) if part]
