"""Where a claim can be looked up: the line of its spec, the lines of the module, the page and the workbook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from generator.render.markdown.escape_markdown import code, link
from generator.sheet.sheet import Sheet, SheetClaim


@dataclass(frozen=True)
class Built:
    """A spec and its outputs.

    Args:
        sheet: its sheet; the rows may be missing.
        spec: the address of its file relative to the pages of specs; empty if there is none that holds everywhere.
        places: for each claim where its rows are built: the spec and the row there (empty: all of it).
        lines: the first and last line of each row in its module; of all of it under an empty name.
        workbook: whether whoever has the page has the workbook too.
    """

    sheet: Sheet
    spec: str
    places: Sequence[Sequence[Sequence[str]]] = ()
    lines: Mapping[str, Sequence[int]] = field(default_factory=dict)
    workbook: bool = True

    @property
    def neighbours(self) -> tuple[str, ...]:
        """All specs in which the rows of its claims are built."""
        return tuple(dict.fromkeys(spec for places in self.places for spec, _ in places))

    def claim(self, pointer: str) -> tuple[SheetClaim, Sequence[Sequence[str]]]:
        """Return a claim by its id or its number, and where its rows are built. Raises KeyError."""
        for number, claim in enumerate(self.sheet.claims, start=1):
            if pointer in (claim.id, str(number)):
                return claim, self.places[number - 1] if number <= len(self.places) else ()
        raise KeyError(pointer)


def spec_cell(built: Built, up: str, line: int = 0) -> str:
    """Return a link to a spec's file, at a line of it.

    Args:
        up: the way from the page to the folder of pages, such as `../`; empty for a page that lies there.
    """
    name = code(built.sheet.name)
    return link(name, f"{up}{built.spec}{f'#L{line}' if line else ''}") if built.spec else name


def output_links(spec: str, places: Sequence[Sequence[str]], built: Mapping[str, Built], up: str) -> str:
    """Return links to the lines of the modules, to the page of a spec, and to its workbook if it is there without a build."""
    by_module = {name: [row for other, row in places if other == name] for name, _ in places}
    modules = [_module_links(name, rows, built.get(name), up) for name, rows in by_module.items()]
    has_claims = any(not claim.of_preset for claim in built[spec].sheet.claims)  # those of presets stand elsewhere
    page = link("page", f"{up}{spec}.md{'#claims' if has_claims else ''}")
    workbook = [link("workbook", f"{up}../excel/{spec}.xlsx")] if built[spec].workbook else []
    return " · ".join([*modules, page, *workbook])


def _module_links(name: str, rows: Sequence[str], built: Built | None, up: str) -> str:
    """Return a module's name with links to the lines of some rows; to the whole of it where the rows are not found."""
    address = f"{up}../modules/{name}.py"
    found = [built.lines[row] for row in rows if row in built.lines] if built is not None else []
    runs = _runs([(first, last) for first, last in found])
    if not runs:
        return link(code(f"{name}.py"), address)
    parts = [_lines(address, first, last) for first, last in runs]
    one_line = len(runs) == 1 and runs[0][0] == runs[0][1]
    return f"{code(f'{name}.py')} line{'' if one_line else 's'} {', '.join(parts)}"


def _lines(address: str, first: int, last: int) -> str:
    return link(str(first), f"{address}#L{first}") if first == last else link(f"{first}–{last}", f"{address}#L{first}-L{last}")


def _runs(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges of lines that touch or overlap."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined
