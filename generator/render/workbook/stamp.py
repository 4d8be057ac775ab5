"""The last step of writing a workbook: stored values for all formulas, and the same bytes for the same content.

openpyxl writes formulas without values, and then pandas, previews and Protected View show nothing. The values come from our own
evaluation; Excel still recalculates when it opens the file. Saving a stamped file with openpyxl again would erase the values.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from fractions import Fraction
from xml.dom.minidom import Document, parseString
from xml.etree.ElementTree import canonicalize

from generator.files.seal import CUSTOM, sealed_parts

Value = int | float | Fraction | str | bool
Values = Mapping[tuple[str, str], Value]  # by sheet title and coordinate

_HEADER = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_NO_CLOCK = "2000-01-01T00:00:00Z"
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


class StampError(ValueError):
    """A formula without a value, or a value without a formula."""


def stamped(workbook: bytes, values: Values, chart_texts: Mapping[str, Sequence[str]] | None = None) -> bytes:
    """Return a saved workbook with the value of every formula stored beside it.

    Args:
        workbook: what openpyxl saved.
        values: the value of every formula cell.
        chart_texts: for each sheet with charts what each of them shows, in words.

    Raises:
        StampError: a formula cell has no value here, or a value is given for a cell without a formula.
    """
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    left = dict(values)
    for title, part in _sheet_parts(parts).items():
        parts[part] = _with_values(parts[part], title, left)
        for drawing in _drawings(parts, part):
            parts[drawing] = _with_descriptions(parts[drawing], (chart_texts or {}).get(title, ()))
    if left:
        title, coordinate = min(left)
        raise StampError(f"a value is given for {title}!{coordinate}, which holds no formula")
    parts["docProps/core.xml"] = _without_clock(parts["docProps/core.xml"])
    written = {name: _canonical(part) if name.endswith((".xml", ".rels")) else part for name, part in parts.items()}
    return _zipped(sealed_parts(written) if CUSTOM in written else written)


def _sheet_parts(parts: Mapping[str, bytes]) -> dict[str, str]:
    """Return the name of the part of each sheet, by title."""
    relations = _parsed(parts["xl/_rels/workbook.xml.rels"]).getElementsByTagName("Relationship")
    targets = {relation.getAttribute("Id"): relation.getAttribute("Target").lstrip("/") for relation in relations}
    sheets = _parsed(parts["xl/workbook.xml"]).getElementsByTagName("sheet")
    return {sheet.getAttribute("name"): targets[sheet.getAttribute("r:id")] for sheet in sheets}


def _drawings(parts: Mapping[str, bytes], sheet_part: str) -> list[str]:
    """Return the parts that hold the drawings of a sheet."""
    folder, _, name = sheet_part.rpartition("/")
    relations = parts.get(f"{folder}/_rels/{name}.rels")
    found = _parsed(relations).getElementsByTagName("Relationship") if relations else []
    return [one.getAttribute("Target").lstrip("/") for one in found if one.getAttribute("Type").endswith("/drawing")]


def _with_descriptions(part: bytes, texts: Sequence[str]) -> bytes:
    """Return a drawing in which each chart says in words what it shows."""
    document = _parsed(part)
    frames = document.getElementsByTagName("xdr:cNvPr") or document.getElementsByTagName("cNvPr")
    for frame, text in zip(frames, texts, strict=True):
        frame.setAttribute("descr", text)
    return document.toxml("utf-8")


def _with_values(part: bytes, title: str, values: dict[tuple[str, str], Value]) -> bytes:
    """Return a sheet's XML with values; each value used is taken out of `values`."""
    document = _parsed(part)
    for cell in document.getElementsByTagName("c"):
        if not cell.getElementsByTagName("f"):
            continue
        key = (title, cell.getAttribute("r"))
        if key not in values:
            raise StampError(f"the formula in {title}!{key[1]} has no value")
        for empty in cell.getElementsByTagName("v"):
            cell.removeChild(empty)
        kind, text = _stored(values.pop(key))
        cell.setAttribute("t", kind)
        cell.appendChild(document.createElement("v")).appendChild(document.createTextNode(text))
    return document.toxml("utf-8")


def _parsed(part: bytes) -> Document:
    """Read XML that openpyxl wrote just now; names keep their prefixes, which ElementTree would make up anew."""
    return parseString(part)  # noqa: S318 - not from outside


def _stored(value: Value) -> tuple[str, str]:
    """Return the type and the text under which the file stores a value."""
    if isinstance(value, bool):
        return "b", str(int(value))
    if isinstance(value, str):
        return "str", value
    try:
        return "n", format(float(value), ".17g")
    except OverflowError:
        raise StampError(f"{value} is too large for a spreadsheet") from None


def _without_clock(part: bytes) -> bytes:
    document = _parsed(part)
    for name in ("dcterms:created", "dcterms:modified"):
        for time in document.getElementsByTagName(name):
            time.replaceChild(document.createTextNode(_NO_CLOCK), time.childNodes[0])
    return document.toxml("utf-8")


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return the file: the same bytes for the same parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 0
            archive.writestr(entry, content)
    return out.getvalue()


def _canonical(part: bytes) -> bytes:
    """Return XML in canonical form, so that it does not matter which XML library openpyxl found."""
    return _HEADER + canonicalize(part.decode("utf-8")).encode("utf-8")
