"""A CSV file as spreadsheets write it: rows by the column names in the first line.

A spreadsheet calculates a text that begins with ``=``, so a cell with such a text has an apostrophe before it.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from io import StringIO
from typing import Any

from .errors import BadRequest, joined, shown
from .json_texts import MOST_VALUES, read_json

#: possible separators; the most frequent one in the first line is used
_SEPARATORS = ",;\t"
#: the line number of the first row after the column names
FIRST_LINE = 2
#: how a text begins that a spreadsheet calculates; full-width characters count as the plain ones
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
#: columns whose cells are JSON, as the CSV of a list has them
_AS_JSON = ("array_options", "lines")


class CsvRow(dict[str, Any]):
    """A row, by column name.

    :ivar line: its line number, as in a spreadsheet; ``row | {"day": day}`` preserves it
    """

    def __init__(self, cells: Mapping[str, Any], line: int) -> None:
        super().__init__(cells)
        self.line = line

    def __or__(self, other: Mapping[str, Any]) -> CsvRow:  # type: ignore[override]
        """Return the row with some cells replaced."""
        return CsvRow({**self, **other}, self.line)

    def as_body(self) -> dict[str, Any]:
        """Return the row as the body of a record: a column such as ``options_colour`` is an extra field."""
        body, extras = dict[str, Any](), dict[str, Any]()
        for name, cell in self.items():
            option = name.removeprefix("array_options.")
            if option.startswith("options_"):
                extras[option] = cell
            else:
                body[name] = _from_json(cell) if name in _AS_JSON else cell
        whole = body.get("array_options", {})
        return body | {"array_options": whole | extras} if extras and isinstance(whole, dict) else body


class CsvRows(list[CsvRow]):
    """The rows of a file.

    :ivar names: the column names of the first line, even if the file has no rows
    """

    names: list[str]


def harmless(text: str) -> str:
    """Return a text as a cell that no spreadsheet calculates; `read_csv` restores the text."""
    plain = text.lstrip("'")
    return "'" + text if plain.startswith(_FORMULA) and (plain != text or not _is_number(text)) else text


def _restored(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell.lstrip("'").startswith(_FORMULA) else cell


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except ArithmeticError:
        return False


def _from_json(cell: Any) -> Any:
    try:
        return read_json(cell) if isinstance(cell, str) else cell
    except ValueError:
        return cell


def read_csv(content: bytes, most: int | None = None) -> CsvRows:
    """Return the rows of a CSV file after its first line, each by column name; empty cells are left out.

    Empty lines are skipped. Each row has its line number in a spreadsheet, so the first one has 2. An apostrophe before
    a text that a spreadsheet would calculate is left out.

    :param content: UTF-8, with or without a byte order mark
    :param most: maximum number of rows; no more are read; None: unlimited
    :raises BadRequest: the content isn't UTF-8 or CSV, a column name is missing or repeated, or there are too many
        rows or values. An empty line has a value for each column. Also if rows have more cells than the first line;
        the message lists all of them
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequest(f"expected a CSV file in UTF-8; byte {error.start} is not UTF-8") from None
    heading = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=heading.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        unfit = [
            f"{shown(name)} {number} times" if name else "an empty name"
            for name, number in Counter(names).items()
            if number > 1 or not name
        ]
        if unfit or not names:
            got = joined(unfit) or "no columns"
            raise BadRequest(f"line 1: expected a unique name for each column; got {got}")
        filled, values = [], 0
        for line, row in enumerate(reader, FIRST_LINE):
            values += max(len(row), len(names))
            if values > MOST_VALUES:
                raise BadRequest(f"expected at most {MOST_VALUES} values, got more")
            if any(map(str.strip, row)):
                filled.append((line, row))
                if most is not None and len(filled) > most:
                    raise BadRequest(f"expected at most {most} rows, got more")
    except csv.Error as error:
        raise BadRequest(f"expected a CSV file, but it can't be read: {error}") from None
    if longer := [(line, len(row)) for line, row in filled if len(row) > len(names)]:
        expected = f"expected at most {len(names)} cells, as in line 1"
        raise BadRequest(errors=[(f"line {line}", f"{expected}; got {number}") for line, number in longer])
    made = CsvRows(
        CsvRow({name: _restored(cell) for name, cell in zip(names, row, strict=False) if cell.strip()}, line)
        for line, row in filled
    )
    made.names = names
    return made
