"""Files that are no workbooks, or made to harm whoever opens them, each with words of the line that refuses it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from openpyxl import load_workbook

LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 50}">' for before, name in zip("abcdefg", "bcdefgh", strict=True))
    + "]><x>&h;</x>"
).encode()
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]><x>&secret;</x>'
EMPTY_CELLS = b"".join(b'<c r="A%d"/>' % i for i in range(1, 300_000))


def parts_of(workbook: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts: Mapping[str, bytes], *more: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (*parts.items(), *more):
            archive.NameToInfo.pop(name, None)  # which would warn that it is there already
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def edited(workbook: bytes, change: Callable[[Any], None]) -> bytes:
    book = load_workbook(io.BytesIO(workbook))
    change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def with_mark(workbook: bytes, name: str, value: str) -> bytes:
    def change(book: Any) -> None:
        book.custom_doc_props[f"archsheet.{name}"].value = value

    return edited(workbook, change)


def with_cell(workbook: bytes, at: str, value: Any) -> bytes:
    def change(book: Any) -> None:
        book["Summary"][at] = value

    return edited(workbook, change)


def archives(workbook: bytes) -> Iterator[tuple[str, bytes, str]]:
    """What is wrong with the file itself: its name here, its bytes, and what is said."""
    parts = parts_of(workbook)
    sheet = parts["xl/worksheets/sheet1.xml"]
    yield "empty", b"", "it is empty"
    yield "text", b"b,k,m\n1,2,3\n", "no archive"
    yield "ole", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5000), "protected by a password, or of the older form .xls"
    yield "truncated", workbook[: len(workbook) // 2], "no archive"
    yield "archive", zipped({"a.txt": b"a"}), "not that of a workbook"
    for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/styles.xml", "docProps/custom.xml", "xl/worksheets/sheet1.xml"):
        yield f"without {name}", zipped({key: part for key, part in parts.items() if key != name}), "error: "
    for name in ("xl/workbook.xml", "xl/sharedStrings.xml", "docProps/custom.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml"):
        yield f"laughs in {name}", zipped({**parts, name: LAUGHS}), "declares entities"
        yield f"outside in {name}", zipped({**parts, name: OUTSIDE}), "declares entities"
        yield f"laughs in UTF-16 in {name}", zipped({**parts, name: LAUGHS.decode().encode("utf-16")}), "declares entities"
    yield "bomb", zipped(parts, ("xl/media/a.bin", bytes(100 << 20))), "unpacked it is larger than"
    yield "bomb of cells", zipped({**parts, "xl/worksheets/sheet1.xml": _between(sheet, EMPTY_CELLS)}), "far more than any workbook"
    yield "deep", zipped({**parts, "xl/worksheets/sheet1.xml": b"<a>" * 5000 + b"</a>" * 5000}), "far more than any workbook"
    yield "twice", zipped(parts, ("xl/workbook.xml", parts["xl/workbook.xml"])), "occurs twice"
    yield "traversal", zipped(parts, ("../../evil.xml", b"<a/>")), "leads out of the archive"
    yield "absolute", zipped(parts, ("/etc/evil.xml", b"<a/>")), "leads out of the archive"
    merged = sheet.replace(b"</sheetData>", b'</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>')
    yield "merged", zipped({**parts, "xl/worksheets/sheet1.xml": merged}), "merges or links more than"
    far = sheet.replace(b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>')
    yield "far", zipped({**parts, "xl/worksheets/sheet1.xml": far}), "reaches to XFD1048576"
    for step in range(0, len(workbook), len(workbook) // 12):
        flipped = bytearray(workbook)
        flipped[step : step + 40] = bytes(byte ^ 0x5A for byte in flipped[step : step + 40])
        yield f"flipped at {step}", bytes(flipped), ""  # perhaps only the name of a part, so what is said may differ


def _between(sheet: bytes, cells: bytes) -> bytes:
    return sheet.replace(b"</sheetData>", b'<row r="900">' + cells + b"</row></sheetData>")


def contents(workbook: bytes, size_cell: str) -> Iterator[tuple[str, bytes, str]]:
    """What is wrong with what a workbook says: its name here, its bytes, and what is said."""
    parts = parts_of(workbook)
    yield "options", with_mark(workbook, "options", "{"), "made with options that `my_layer` does not have"
    yield "options that are a list", with_mark(workbook, "options", "[1]"), "made with options that `my_layer` does not have"
    yield "options of others", with_mark(workbook, "options", json.dumps({"wings": 2})), "made with options that"
    yield "deep options", with_mark(workbook, "options", "[" * 30000), "made with options that"
    yield "language", with_mark(workbook, "language", "../../../etc/passwd"), "is in the language `../../../etc/passwd`"
    yield "spec", with_mark(workbook, "spec", "../../secret"), "`../../secret`, which is not there"
    yield "hash", with_mark(workbook, "hash", "0"), "an older version of the spec"
    yield "date", with_cell(workbook, size_cell, __import__("datetime").date(2020, 1, 1)), "holds a date or a time, but the size"
    yield "formula", with_cell(workbook, size_cell, "=1+1"), "holds a formula, but the size"
    yield "truth", with_cell(workbook, size_cell, True), "holds True, but the size"
    marked = with_cell(workbook, size_cell, 12345)
    sheet = parts_of(marked)["xl/worksheets/sheet1.xml"]
    for number, said in (("1e999", "a number beyond all bounds"), ("NaN", "cannot be read as a workbook"), ("1" * 9000, ""), ("x", "")):
        changed = sheet.replace(b">12345<", f">{number}<".encode())
        assert changed != sheet
        yield f"number {number[:5]}", zipped({**parts_of(marked), "xl/worksheets/sheet1.xml": changed}), said
    chart = parts["xl/workbook.xml"].replace(b'name="Layers"', b'name="Rows"')
    yield "renamed sheet", zipped({**parts, "xl/workbook.xml": chart}), "the sheet Layers is missing"
