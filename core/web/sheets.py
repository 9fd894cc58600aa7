"""Lists as JSON lines, and as sheets: CSV and XLSX, whose cells a spreadsheet takes as values, never as formulas.

A text that begins with ``=`` would otherwise be run by the spreadsheet of whoever opens the export.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ..storage.serializer import to_json

#: what a text that a spreadsheet runs begins with; those for wide scripts are read as the plain ones
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")

Rows = list[dict[str, Any]]


def _names(rows: Rows) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _plain(value: Any) -> Any:
    """A cell's value: lists and maps as JSON."""
    return to_json(value).decode() if isinstance(value, (dict, list)) else value


class Csv:
    """A list as CSV, with a line of names; it may come in pieces, of which the first decides on the columns."""

    def __init__(self) -> None:
        self._names: list[str] | None = None

    def dump(self, rows: Rows) -> bytes:
        """The next rows.

        :raises ValueError: one has a column that those of the first piece did not have
        """
        out = io.StringIO()
        writer = csv.writer(out)
        if self._names is None:
            self._names = _names(rows)
            writer.writerow(self._names)
        names, known = self._names, set(self._names)
        for row in rows:
            if not row.keys() <= known:
                further = sorted(row.keys() - known)
                raise ValueError(f"expected only the columns of the first rows, but a later row also has {further}")
            writer.writerow([_harmless(_plain(row.get(name))) for name in names])
        return out.getvalue().encode()


def dump_csv(rows: Rows) -> bytes:
    """A list as CSV, with a line of names."""
    return Csv().dump(rows)


def dump_lines(rows: Rows) -> bytes:
    """A list as JSON lines: a record a line."""
    return b"".join(to_json(row) + b"\n" for row in rows)


def _harmless(value: Any) -> Any:
    """A cell that no spreadsheet mistakes for a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA) and not _is_number(value):
        return "'" + value
    return value


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except ArithmeticError:
        return False


def dump_xlsx(rows: Rows) -> bytes:
    """A list as an XLSX workbook of one sheet, with a line of names; amounts stay exact, as text."""
    # Here, for it takes a start 0.06 s, and few ask for it
    import xlsxwriter  # type: ignore[import-untyped]

    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(out, options) as book:
        sheet = book.add_worksheet()
        names = _names(rows)
        sheet.write_row(0, 0, names, book.add_format({"bold": True}))
        sheet.freeze_panes(1, 0)
        for place, row in enumerate(rows, 1):
            for column, name in enumerate(names):
                value = _plain(row.get(name))
                if isinstance(value, (bool, int, float)):
                    sheet.write(place, column, value)
                elif value is not None:
                    sheet.write_string(place, column, str(value)[:32767])
    return out.getvalue()


#: media types of what may come in pieces
CSV, LINES = "text/csv", "application/x-ndjson"
#: media type → what writes it
SHEETS: dict[str, Callable[[Rows], bytes]] = {
    CSV: dump_csv,
    LINES: dump_lines,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": dump_xlsx,
}
