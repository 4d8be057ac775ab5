"""What people type for sizes, and when it is one: a whole number in range."""

from __future__ import annotations

from generator.render.workbook.plan import LARGEST_SIZE


def is_size(cell: str) -> str:
    """Return the condition that a cell holds a size; of text and of errors it is false."""
    return f"IFERROR(AND(ISNUMBER({cell}),{cell}>=1,{cell}<={LARGEST_SIZE},{cell}=INT({cell})),FALSE)"


def is_equal(a: str, b: str) -> str:
    """Return the condition that two cells are equal, also where one of them holds an error."""
    return f"IFERROR({a}={b},FALSE)"


def typed_count(cells: str) -> str:
    """Return how many cells of a range hold anything; an empty text counts as nothing."""
    return f"(ROWS({cells})-COUNTBLANK({cells}))"
