"""The last step of writing a workbook: stored values for all formulas, and the same bytes for the same content.

openpyxl writes formulas without values, and then pandas, previews and Protected View show nothing. The values come from our own
evaluation; Excel still recalculates when it opens the file. Saving a stamped file with openpyxl again would erase the values.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from fractions import Fraction

from lxml import etree

from generator.files.seal import CUSTOM, sealed_parts

Value = int | float | Fraction | str | bool
Values = Mapping[tuple[str, str], Value]  # by sheet title and coordinate

_HEADER = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_NO_CLOCK = b"2000-01-01T00:00:00Z"
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"

# What is changed in XML that is in canonical form, in which each thing is written in one way only.
_FORMULA_CELL = re.compile(rb'<c r="([A-Z]+[0-9]+)"((?: s="[0-9]+")?)(?: t="[a-zA-Z]*")?>(<f(?: [^>]*)?>[^<]*</f>)(?:<v>[^<]*</v>)?</c>')
_CHART_NAME = re.compile(rb"<((?:xdr:)?cNvPr) ")
_CLOCK = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


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
    parts = {name: _canonical(part) if name.endswith((".xml", ".rels")) else part for name, part in parts.items()}
    left = dict(values)
    for title, part in _sheet_parts(parts).items():
        parts[part] = _with_values(parts[part], title, left)
        for drawing in _drawings(parts, part):
            parts[drawing] = _with_descriptions(parts[drawing], (chart_texts or {}).get(title, ()))
    if left:
        title, coordinate = min(left)
        raise StampError(f"a value is given for {title}!{coordinate}, which holds no formula")
    parts["docProps/core.xml"] = _CLOCK.sub(rb"\g<1>" + _NO_CLOCK, parts["docProps/core.xml"])
    return _zipped(sealed_parts(parts) if CUSTOM in parts else parts)


def _sheet_parts(parts: Mapping[str, bytes]) -> dict[str, str]:
    """Return the name of the part of each sheet, by title."""
    relations = etree.fromstring(parts["xl/_rels/workbook.xml.rels"]).iter(_RELATION)
    targets = {relation.attrib["Id"]: relation.attrib["Target"].lstrip("/") for relation in relations}
    sheets = etree.fromstring(parts["xl/workbook.xml"]).iter(f"{_MAIN}sheet")
    return {sheet.attrib["name"]: targets[sheet.attrib[_ID]] for sheet in sheets}


def _drawings(parts: Mapping[str, bytes], sheet_part: str) -> list[str]:
    """Return the parts that hold the drawings of a sheet."""
    folder, _, name = sheet_part.rpartition("/")
    relations = parts.get(f"{folder}/_rels/{name}.rels")
    found = etree.fromstring(relations).iter(_RELATION) if relations else ()
    return [one.attrib["Target"].lstrip("/") for one in found if one.attrib["Type"].endswith("/drawing")]


def _with_descriptions(part: bytes, texts: Sequence[str]) -> bytes:
    """Return a drawing in which each chart says in words what it shows."""
    first, *pieces = _CHART_NAME.split(part)
    names, rests = pieces[::2], pieces[1::2]
    described = zip(names, texts, rests, strict=True)
    return first + b"".join(b'<%s descr="%s" %s' % (name, _in_quotes(text).encode(), rest) for name, text, rest in described)


def _with_values(part: bytes, title: str, values: dict[tuple[str, str], Value]) -> bytes:
    """Return a sheet's XML with values; each value used is taken out of `values`."""

    def stamped_cell(match: re.Match[bytes]) -> bytes:
        place, style, formula = match.groups()
        key = (title, place.decode())
        if key not in values:
            raise StampError(f"the formula in {title}!{key[1]} has no value")
        kind, text = _stored(values.pop(key))
        return b'<c r="%s"%s t="%s">%s<v>%s</v></c>' % (place, style, kind.encode(), formula, _in_text(text).encode())

    return _FORMULA_CELL.sub(stamped_cell, part)


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
    """Return XML in canonical form (C14N 2.0), so that it does not matter how openpyxl wrote it."""
    written: bytes = etree.tostring(etree.fromstring(part), method="c14n2")
    return _HEADER + written


def _in_text(text: str) -> str:
    """Return a text as canonical XML has it between tags."""
    return _escaped(text).replace(">", "&gt;") if ">" in text or "<" in text or "&" in text or "\r" in text else text


def _in_quotes(text: str) -> str:
    """Return a text as canonical XML has it in an attribute."""
    return _escaped(text).replace('"', "&quot;").replace("\t", "&#x9;").replace("\n", "&#xA;")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#xD;")
