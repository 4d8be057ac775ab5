"""Opening workbooks that come from anywhere: bounded in time and memory, whatever the file holds.

openpyxl trusts a file: it unpacks all of it, expands entities, and makes a cell for each place of a merged range. So the archive and
its XML are looked at before it reads them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo
from zlib import error as DeflateError  # noqa: N812 - an exception like any other

if TYPE_CHECKING:
    from openpyxl import Workbook

MAX_BYTES = 16 << 20  # of a file
MAX_UNPACKED = 24 << 20  # of all of its parts together
MAX_PARTS = 1000
MAX_ELEMENTS = 200_000  # of XML in all parts together
MAX_DEPTH = 100  # of XML
MAX_CELLS = 200_000  # of the smallest rectangle around all that a sheet holds, and of merged or linked ranges
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = 0x1  # a flag of a part of an archive
_EXPANDED = ("mergeCell", "hyperlink")  # elements of whose range openpyxl touches each cell
_RANGE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7}):\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


class UnfitWorkbookError(ValueError):
    """A file is no workbook that can be read; the text says why, as the end of a sentence."""


def opened(data: bytes) -> Workbook:
    """Return the workbook that a file holds, with its formulas. Raises UnfitWorkbookError."""
    from openpyxl import load_workbook

    parts_of(data)
    try:
        with warnings.catch_warnings():
            # Other programs add extensions of their own; openpyxl says that it leaves them out.
            warnings.simplefilter("ignore")
            book = load_workbook(BytesIO(data), keep_links=False)
    except Exception as error:  # of a damaged file openpyxl raises whatever the part at hand does
        raise UnfitWorkbookError("it is damaged, or holds what no workbook does") from error
    for sheet in book.worksheets:
        if sheet.max_row * sheet.max_column > MAX_CELLS:
            raise UnfitWorkbookError(
                f"the sheet {sheet.title} reaches to {sheet.dimensions.rpartition(':')[2]}, far beyond what it was built with"
            )
    return book


def parts_of(data: bytes) -> dict[str, bytes]:
    """Return the parts of a workbook's archive by name, of which the XML is well-formed. Raises UnfitWorkbookError."""
    if len(data) > MAX_BYTES:
        raise UnfitWorkbookError(f"it is larger than {MAX_BYTES >> 20} MiB")
    if not data:
        raise UnfitWorkbookError("it is empty")
    if data.startswith(_OLE):
        raise UnfitWorkbookError("it is protected by a password, or of the older form .xls")
    try:
        with ZipFile(BytesIO(data)) as archive:
            _require_plain(archive.infolist())
            parts = {info.filename: archive.read(info) for info in archive.infolist()}
    except (BadZipFile, DeflateError, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, OverflowError) as error:
        if isinstance(error, UnfitWorkbookError):
            raise
        raise UnfitWorkbookError("it is no archive of the form .xlsx, or damaged") from error
    if "[Content_Types].xml" not in parts:
        raise UnfitWorkbookError("it is an archive, but not that of a workbook")
    _require_sound(parts)
    return parts


def _require_plain(infos: list[ZipInfo]) -> None:
    """Look at the list of an archive, before anything is unpacked."""
    if len(infos) > MAX_PARTS:
        raise UnfitWorkbookError(f"it has more than {MAX_PARTS} parts")
    if sum(info.file_size for info in infos) > MAX_UNPACKED:
        raise UnfitWorkbookError(f"unpacked it is larger than {MAX_UNPACKED >> 20} MiB")
    names: set[str] = set()
    for info in infos:
        if info.filename.lower() in names:
            raise UnfitWorkbookError(f"its part `{info.filename}` occurs twice")
        names.add(info.filename.lower())
        if info.flag_bits & _ENCRYPTED:
            raise UnfitWorkbookError("it is protected by a password")
        if info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise UnfitWorkbookError("it is compressed in a way that workbooks are not")
        if info.filename.startswith("/") or ":" in info.filename or ".." in info.filename.replace("\\", "/").split("/"):
            raise UnfitWorkbookError(f"its part `{info.filename}` leads out of the archive")


def _require_sound(parts: Mapping[str, bytes]) -> None:
    """Read all XML once, without keeping it."""
    counts = _Counts()
    for name, part in parts.items():
        if name.lower().endswith((".xml", ".rels", ".vml")):
            try:
                counts.read(part)
            except (expat.ExpatError, LookupError, ValueError) as error:
                if isinstance(error, UnfitWorkbookError):
                    raise
                raise UnfitWorkbookError(f"its part `{name}` is damaged") from error


class _Counts:
    """How much XML there is, and how many cells its ranges have."""

    def __init__(self) -> None:
        self.elements = self.cells = self.depth = 0

    def read(self, part: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        self.depth = 0
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.StartDoctypeDeclHandler = self.doctype
        parser.Parse(part, True)

    def doctype(self, *_: object) -> None:
        raise UnfitWorkbookError("it declares entities, which workbooks do not")

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.elements += 1
        self.depth += 1
        if self.elements > MAX_ELEMENTS or self.depth > MAX_DEPTH:
            raise UnfitWorkbookError("it holds far more than any workbook that was built")
        if name.rpartition(" ")[2] in _EXPANDED and (found := _RANGE.fullmatch(attributes.get("ref", ""))):
            left, top, right, bottom = found.groups()
            self.cells += (abs(_column(right) - _column(left)) + 1) * (abs(int(bottom) - int(top)) + 1)
        if self.cells > MAX_CELLS:
            raise UnfitWorkbookError(f"it merges or links more than {MAX_CELLS:,} cells")

    def end(self, _: str) -> None:
        self.depth -= 1


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
