"""What people type for sizes, and when it is one: a whole number in range."""

from __future__ import annotations

from generator.render.workbook.sheet_plan import LARGEST_SIZE, Plan
from generator.sheet.sheet import Size


def is_size(cell: str) -> str:
    """Return the condition that a cell holds a size; of text and of errors it is false."""
    return f"IFERROR(AND(ISNUMBER({cell}),{cell}>=1,{cell}<={LARGEST_SIZE},{cell}=INT({cell})),FALSE)"


def is_equal(a: str, b: str) -> str:
    """Return the condition that two cells are equal, also where one of them holds an error."""
    return f"IFERROR({a}={b},FALSE)"


def unless_given(plan: Plan, size: Size, default: str) -> str:
    """Return the formula of a size that has a default: as in use where it was typed or published, else what the default comes to here."""
    name, row = plan.names[size.name], plan.size_rows[size.name]
    given, published = plan.at("summary", f"$C${row}"), plan.at("summary", f"$B${row}")
    return f'IF(OR({is_equal(given, name)},{published}<>""),{name},{default})'


def typed_count(cells: str) -> str:
    """Return how many cells of a range hold anything; an empty text counts as nothing."""
    return f"(ROWS({cells})-COUNTBLANK({cells}))"
