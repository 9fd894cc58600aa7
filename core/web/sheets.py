"""Lists as CSV, XLSX and JSON lines, and all records of a list (`all=1`) as a stream.

A text that begins with ``=`` is a formula to a spreadsheet, so CSV has an apostrophe before it and XLSX stores it as
text.

For a stream, the method that lists is called for each batch of rows, with the cursor of the last one, so memory doesn't
grow with the list. Between two batches, no statement and no transaction is open, and any thread makes the next one.
A workbook is written to temporary files, which are sent at the end. Its cells have room for 32,767 characters; a text
that was cut ends with its length.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from decimal import localcontext
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

import falcon

from ..common.authors_code import DEFAULT_CONTEXT
from ..common.csv_rows import harmless
from ..common.errors import BadRequest, NotAcceptable, shown
from ..common.request_state import RequestState, begin
from ..common.settings import settings
from ..records.lists import ListQuery, Page
from ..storage.database import end_of_request, ensure_connected
from ..storage.serializer import to_json
from .views import View

#: media types of streams
CSV, LINES = "text/csv", "application/x-ndjson"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#: media type of a page with its totals: what ``pagination_data`` returns, too
PAGE = "application/vnd.comptoir.page+json"
#: records that a sheet of a workbook has room for
MOST_ROWS = 1_048_575
#: records in a batch of a stream
PIECE = 1000
#: bytes of a workbook that are sent at once
PIECE_BYTES = 256 * 1024
#: characters that a cell of a workbook has room for
_CELL_SIZE = 32_767

_XLSX_OPTIONS = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}

Rows = list[dict[str, Any]]


def _columns(rows: Rows, names: str) -> list[str]:
    """Return the columns of rows; of a list without rows those that the request names."""
    if not rows:
        return list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    return list(dict.fromkeys(name for row in rows for name in row))


def _cell(value: Any) -> Any:
    """Return the value of a cell: lists and maps as JSON."""
    return to_json(value).decode() if isinstance(value, (dict, list)) else value


def _harmless_cell(value: Any) -> Any:
    return harmless(value) if isinstance(value, str) else _cell(value)


class CsvWriter:
    """Writes a list as CSV, in one or more batches; the first one has the columns.

    :param names: the columns that the request names, separated by commas
    """

    def __init__(self, names: str = "") -> None:
        self._names = names
        self._columns: list[str] | None = None

    def dump(self, rows: Rows) -> bytes:
        """Return the next rows as CSV.

        :raises ValueError: a row has a column that the first batch didn't have
        """
        out = io.StringIO()
        writer = csv.writer(out)
        if self._columns is None:
            self._columns = _columns(rows, self._names)
            if self._columns:
                writer.writerow(self._columns)
        known = set(self._columns)
        for row in rows:
            if not row.keys() <= known:
                further = sorted(row.keys() - known)
                raise ValueError(f"expected only the columns of the first rows, but a later row also has {further}")
            writer.writerow([_harmless_cell(row.get(name)) for name in self._columns])
        return out.getvalue().encode(errors="replace")


def dump_lines(rows: Rows) -> bytes:
    """Return a list as JSON lines, one record a line."""
    return b"".join(to_json(row) + b"\n" for row in rows)


class XlsxWriter:
    """Writes a list as an XLSX workbook of one sheet, in one or more batches; the first one has the columns.

    Amounts stay exact, as text.

    :param names: the columns that the request names, separated by commas
    :param in_files: write the rows to temporary files, for a list of any length
    """

    def __init__(self, names: str = "", *, in_files: bool = False) -> None:
        self._names = names
        # Few callers need it, and importing it takes 0.06 s
        import xlsxwriter  # type: ignore[import-untyped]

        self._kept = ExitStack()
        self._out: IO[bytes] = io.BytesIO()
        kept: dict[str, Any] = {"in_memory": True}
        if in_files:
            folder = self._kept.enter_context(TemporaryDirectory())
            self._out = self._kept.enter_context(TemporaryFile(dir=folder))  # noqa: SIM115
            kept = {"constant_memory": True, "tmpdir": folder}
        self._book = xlsxwriter.Workbook(self._out, _XLSX_OPTIONS | kept)
        self._sheet = self._book.add_worksheet()
        self._sheet.freeze_panes(1, 0)
        self._columns: list[str] = []
        self._rows = 0

    def dump(self, rows: Rows) -> bytes:
        """Add rows; return nothing, because only `pieces` returns the workbook.

        :raises BadRequest: the sheet has no room for them
        """
        if not self._rows:
            self._columns = _columns(rows, self._names)
            self._sheet.write_row(0, 0, self._columns, self._book.add_format({"bold": True}))
        require_room(self._rows + len(rows))
        for number, row in enumerate(rows, self._rows + 1):
            for column, name in enumerate(self._columns):
                value = _cell(row.get(name))
                if isinstance(value, (bool, int, float)):
                    self._sheet.write(number, column, value)
                elif value is not None:
                    self._sheet.write_string(number, column, _short(str(value)))
        self._rows += len(rows)
        return b""

    def pieces(self) -> Iterator[bytes]:
        """Complete the workbook, and yield its bytes."""
        self._book.close()
        self._out.seek(0)
        while content := self._out.read(PIECE_BYTES):
            yield content

    def close(self) -> None:
        """Remove the temporary files."""
        self._kept.close()


def _short(text: str) -> str:
    """Return a text that fits in a cell of a workbook."""
    end = f" [cut: {len(text)} characters; CSV has all of them]"
    return text if len(text) <= _CELL_SIZE else text[: _CELL_SIZE - len(end)] + end


def require_room(number: int) -> None:
    """Check that a workbook has room for a number of records.

    :raises BadRequest: it hasn't
    """
    if number > MOST_ROWS:
        raise BadRequest(errors=[("all", f"expected at most {MOST_ROWS} records for XLSX, got {number}; use CSV")])


def dump_xlsx(rows: Rows, names: str = "") -> bytes:
    """Return a list as an XLSX workbook."""
    book = XlsxWriter(names)
    book.dump(rows)
    return b"".join(book.pieces())


#: media type → function that makes it of the records, and of the columns that the request names
SHEETS: dict[str, Callable[[Rows, str], bytes]] = {
    CSV: lambda rows, names: CsvWriter(names).dump(rows),
    LINES: lambda rows, names: dump_lines(rows),
    XLSX: dump_xlsx,
}


def sheet_type(accept: str, result: Any) -> str:
    """Return the media type of the sheet that a request accepts; empty if it accepts JSON.

    :raises NotAcceptable: it accepts neither, or the result isn't a list of records
    """
    if any(each in accept for each in ("application/json", "*/*", "application/*", PAGE)):
        return ""
    wanted = next((each for each in SHEETS if each in accept), "")
    if not wanted:
        raise NotAcceptable(
            f"expected `application/json` or one of {', '.join(SHEETS)} in Accept, got {accept:.80}",
            dolibarr="Content negotiation failed. Try `application/json` instead.",
        )
    if not isinstance(result, list) or not all(isinstance(each, dict) for each in result):
        raise NotAcceptable(f"only lists of records can be returned as {wanted}; send `Accept: application/json`")
    return wanted


# Streams -------------------------------------------------------------------------------------------------------------


def asks_for_all(arguments: dict[str, Any]) -> str:
    """Return the argument of a method that asks for all records of a list; empty if none does."""
    return next((name for name, each in arguments.items() if isinstance(each, ListQuery) and each.all), "")


def write_stream(
    request: falcon.Request,
    response: falcon.Response,
    state: RequestState,
    view: View | None,
    query: ListQuery,
    read_page: Callable[[ListQuery], Any],
) -> None:
    """Write all records of a list. An invalid request is rejected before the response begins.

    :param read_page: the method that lists
    :raises BadRequest: the list can't be streamed, or not in an accepted format
    """
    if request.env.get("SERVER_PROTOCOL") == "HTTP/1.0":
        # In HTTP/1.0, a response ends with its connection, so a client would take half of it for the whole
        raise BadRequest(errors=[("all", "expected HTTP/1.1, got HTTP/1.0; check the proxy")])
    accept = request.env.get("HTTP_ACCEPT", "*/*")
    kind = next((each for each in (LINES, CSV, XLSX) if each in accept), LINES if "*/*" in accept else "")
    if not kind:
        raise BadRequest(errors=[("all", f"expected `Accept: {LINES}`, `{CSV}` or `{XLSX}`, got {shown(accept)}")])
    if kind != LINES and view is not None and not view.names_columns:
        reason = (
            "for CSV and XLSX, list the columns of the referenced records, such as `properties=ref,thirdparty.name`"
        )
        raise BadRequest(errors=[("expand", reason)])
    stream = _Stream(state, view, query, read_page, kind, request.get_param("properties") or "")
    first = stream.next_page()
    write_page_headers(response, first)
    response.content_type = kind
    if request.method == "HEAD":
        # falcon would report that the unknown length is 0
        response.stream = ()
    else:
        stream.begin(first)
        response.stream = stream


def write_page_headers(response: falcon.Response, page: Page) -> None:
    """Write the number of all records if it was requested, and which ones the caller sees if it isn't all."""
    if page.total is not None:
        response.set_header("X-Total-Count", str(page.total))
    if page.seen:
        response.set_header("Visible-Records", page.seen)


class _Stream:
    """The batches of a response. If one fails, the connection ends before the response is complete."""

    def __init__(
        self,
        state: RequestState,
        view: View | None,
        query: ListQuery,
        read_page: Callable[[ListQuery], Any],
        kind: str,
        names: str,
    ) -> None:
        self._names = names
        self._state = state
        self._view = view
        count = query.count or kind == XLSX
        self._query = replace(query, limit=min(PIECE, settings().max_page), page=0, pagination_data=False, count=count)
        self._read_page = read_page
        self._ended = False
        self._kind = kind
        self._dump: Callable[[Rows], bytes] = CsvWriter(names).dump if kind == CSV else dump_lines
        #: the rest of the response, once all batches are made
        self._rest: Iterator[bytes] = iter(())
        #: called at the end of the response, even if it isn't complete
        self.close: Callable[[], None] = lambda: None
        #: the batch that has been made, but not sent
        self.ready = b""

    def __iter__(self) -> _Stream:
        """Return the iterator over the batches: this object."""
        return self

    def __next__(self) -> bytes:
        """Return the next batch, made by the calling thread in the state of the request. It may be empty."""
        if not self.ready and self._ended:
            return next(self._rest)
        if not self.ready:
            begin(self._state)
            try:
                ensure_connected()
                self._state.cache.clear()
                self._state.cache_version = None
                with localcontext(DEFAULT_CONTEXT):
                    self.ready = self.dump(self.next_page())
            finally:
                end_of_request()
                begin(None)
        content, self.ready = self.ready, b""
        return content

    def begin(self, page: Page) -> None:
        """Make the first batch.

        :raises BadRequest: a workbook has no room for all records
        """
        if self._kind == XLSX:
            require_room(page.total or 0)
            book = XlsxWriter(self._names, in_files=True)
            self._dump, self._rest, self.close = book.dump, book.pieces(), book.close
        self.ready = self.dump(page)

    def next_page(self) -> Page:
        """Return the next records.

        :raises BadRequest: the list has no cursor
        """
        query = self._query
        page = self._read_page(query)
        if not isinstance(page, Page):
            raise BadRequest(errors=[("all", "this list doesn't support `all`")])
        full = not query.after and not page.cursor and len(page) == query.limit
        if full and self._read_page(replace(query, limit=1, page=query.limit)):
            raise BadRequest(errors=[("sortfield", "to return all records, sort by the records' own fields")])
        self._query = replace(query, after=page.cursor, count=False)
        self._ended = not page.cursor
        return page

    def dump(self, page: Page) -> bytes:
        """Return records as bytes."""
        if self._view is None:
            return self._dump(page)
        selected = self._view.apply(page)
        return self._dump(selected if self._kind == LINES else self._view.flat(selected))
