"""Files of points: CSV, JSON and Parquet, written chunk by chunk; all hold exact integers."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Protocol

from generator.questions.sweep.sweep_chunks import Chunk
from generator.text.errors import SizeError

_INT64 = 2**63
_LARGEST_DECIMAL = 10**38  # what Parquet's widest exact number holds


class PointWriter(Protocol):
    """Takes chunks of points."""

    def write(self, chunk: Chunk) -> None:
        """Write some points."""

    def close(self) -> None:
        """Finish the file."""


class CsvWriter:
    """One line a point."""

    def __init__(self, stream: IO[str], names: Sequence[str]) -> None:
        self._names = names
        self._writer = csv.writer(stream, lineterminator="\n")
        self._writer.writerow(names)

    def write(self, chunk: Chunk) -> None:
        """Write some points."""
        self._writer.writerows(rows(chunk, self._names))

    def close(self) -> None:
        """Nothing is left to do."""


class JsonWriter:
    """A list of objects, one a line."""

    def __init__(self, stream: IO[str], names: Sequence[str]) -> None:
        self._stream, self._names, self._is_empty = stream, names, True
        stream.write("[")

    def write(self, chunk: Chunk) -> None:
        """Write some points."""
        lines = [json.dumps(dict(zip(self._names, row, strict=True))) for row in rows(chunk, self._names)]
        if lines:
            self._stream.write(("\n" if self._is_empty else ",\n") + ",\n".join(lines))
            self._is_empty = False

    def close(self) -> None:
        """End the list."""
        self._stream.write("\n]\n")


class ParquetWriter:
    """Columns of int64; of decimals with 38 digits where the greatest value of the grid might need more.

    Args:
        bounds: a bound on each column; None where there is none.
    """

    def __init__(self, path: Path, names: Sequence[str], bounds: Mapping[str, int | None]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self._names = names
        self._pa = pa
        self._schema = pa.schema([(name, self._kind(bounds.get(name))) for name in names])
        self._file = parquet.ParquetWriter(path, self._schema)

    def _kind(self, bound: int | None) -> Any:
        return self._pa.int64() if bound is not None and bound < _INT64 else self._pa.decimal128(38, 0)

    def write(self, chunk: Chunk) -> None:
        """Write some points as one row group. Raises SizeError where a number has more than 38 digits or is not whole."""
        if not chunk.count:
            return
        arrays = [self._array(chunk.columns[name], field.type, name) for name, field in zip(self._names, self._schema, strict=True)]
        self._file.write_table(self._pa.Table.from_arrays(arrays, schema=self._schema))

    def _array(self, values: Any, kind: Any, name: str) -> Any:
        if values.dtype != object and kind == self._pa.int64():
            return self._pa.array(values, type=kind)
        whole = [plain(value) for value in values]
        if not all(isinstance(value, int) and abs(value) < _LARGEST_DECIMAL for value in whole):
            raise SizeError(f"`{name}` has values that Parquet cannot hold exactly", "write CSV or JSON instead")
        return self._pa.array(whole, type=kind)

    def close(self) -> None:
        """Write the end of the file."""
        self._file.close()


def rows(chunk: Chunk, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Return the points of a chunk as tuples of Python numbers; fractions as text."""
    if not chunk.count:
        return iter(())
    return zip(*([plain(value) for value in chunk.columns[name].tolist()] for name in names), strict=True)


def plain(value: Any) -> Any:
    """Return a number as files can hold it."""
    return value if isinstance(value, int) else int(value) if hasattr(value, "dtype") else str(value)


@contextmanager
def opened(kind: str, path: Path, names: Sequence[str], bounds: Mapping[str, int | None]) -> Iterator[PointWriter]:
    """Open a file for points of a kind (csv, json or parquet). A file that could not be finished is removed.

    Raises:
        SizeError: Parquet is asked for, and pyarrow is not installed.
        OSError: the file cannot be written.
    """
    if kind == "parquet" and find_spec("pyarrow") is None:
        raise SizeError("Parquet files are written by pyarrow, which is not installed", "install it with: pip install 'archsheet[parquet]'")
    try:
        if kind == "parquet":
            with _closed(ParquetWriter(path, names, bounds)) as writer:
                yield writer
            return
        with (
            path.open("w", encoding="utf-8", newline="") as stream,
            _closed((CsvWriter if kind == "csv" else JsonWriter)(stream, names)) as text,
        ):
            yield text
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@contextmanager
def _closed(writer: PointWriter) -> Iterator[PointWriter]:
    yield writer
    writer.close()
