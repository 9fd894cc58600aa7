"""A CSV file as rows by the names of its first line, as spreadsheets write them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from io import StringIO
from typing import Any

from .errors import BadRequest, wrong_fields

#: what may stand between two cells; the one that the first line has most of does
_SEPARATORS = ",;\t"
#: the number of the first row behind the names
FIRST_LINE = 2


class CsvRow(dict[str, Any]):
    """A row by the names of the first line.

    :ivar line: its number, as a spreadsheet counts; ``row | {"day": day}`` keeps it
    """

    def __init__(self, cells: Mapping[str, Any], line: int) -> None:
        super().__init__(cells)
        self.line = line

    def __or__(self, other: Mapping[str, Any]) -> CsvRow:  # type: ignore[override]
        """The row with others of its cells."""
        return CsvRow({**self, **other}, self.line)


class CsvRows(list[CsvRow]):
    """The rows of a file.

    :ivar names: what its first line says, also where there is no row
    """

    names: list[str]


def read_csv(content: bytes) -> CsvRows:
    """The rows of a CSV file behind its first line, each by the names there; empty cells are left out.

    Lines without any cell are passed over; each row has the number that a spreadsheet shows, the first one 2.

    :param content: UTF-8, with or without its mark
    :raises BadRequest: it is no UTF-8 or no CSV, a column has no name or that of another one, or a row has more cells
        than the first one; all of these rows are named
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequest(f"expected a CSV file in UTF-8; byte {error.start} is none") from None
    heading = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=heading.count)
    try:
        names, *rows = [*csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)] or [[]]
    except csv.Error as error:
        raise BadRequest(f"expected a CSV file: {error}") from None
    names = [name.strip() for name in names]
    unfit = [name or "one without a name" for name, number in Counter(names).items() if number > 1 or not name]
    if unfit or not names:
        unfit = unfit or ["there is none"]
        raise BadRequest(f"expected a name of its own for each column in line 1: {', '.join(unfit)}")
    filled = [(line, row) for line, row in enumerate(rows, FIRST_LINE) if any(cell.strip() for cell in row)]
    if longer := [line for line, row in filled if len(row) > len(names)]:
        reason = f"expected {len(names)} cells at most, as in line 1"
        raise wrong_fields([(f"line {line}", reason) for line in longer])
    made = CsvRows(
        CsvRow({name: cell for name, cell in zip(names, row, strict=False) if cell.strip()}, line)
        for line, row in filled
    )
    made.names = names
    return made
