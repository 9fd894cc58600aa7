"""All records of a list (`all=1`), as JSON lines or CSV: piece by piece, so that no memory grows with them.

The method that lists is called for each piece, with the cursor of the last one. Whichever thread of the worker the
client comes back to makes the next one: between two pieces nothing is open, no statement, transaction or snapshot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import falcon

from ..common.errors import shown, wrong_fields
from ..common.request_state import RequestState, begin
from ..common.settings import settings
from ..records.lists import ListQuery, Page
from ..storage.cache_version import cache_version
from ..storage.database import begin_work, end_of_request
from .sheets import CSV, LINES, Csv, Rows, dump_lines
from .views import View

#: records that are read at once
PIECE = 1000

#: what lists a piece
List = Callable[[ListQuery], Any]


def asks_for_all(arguments: dict[str, Any]) -> str:
    """The argument of a method that asks for all records of a list; empty: none does."""
    return next((name for name, each in arguments.items() if isinstance(each, ListQuery) and each.all), "")


def write_stream(
    request: falcon.Request,
    response: falcon.Response,
    state: RequestState,
    view: View | None,
    query: ListQuery,
    listed: List,
) -> None:
    """Answer all records of a list; what is wrong with the request is known with the first piece.

    :raises BadRequest: not in this form, or not of this list
    """
    if request.env.get("SERVER_PROTOCOL") == "HTTP/1.0":
        # There the end of the connection ends the answer, so that half of it passes for the whole
        raise wrong_fields([("all", "expected HTTP/1.1, got HTTP/1.0; check the proxy")])
    accept = request.env.get("HTTP_ACCEPT", "*/*")
    kind = next((each for each in (LINES, CSV) if each in accept), LINES if "*/*" in accept else "")
    _ensure_streamable(kind, view, accept)
    stream = _Stream(state, view, query, listed, kind)
    first = stream.next_records()
    tell_total(response, first)
    response.content_type = kind
    if request.method != "HEAD":
        stream.ready = stream.dump(first)
        body: Any = stream
        response.stream = body


def tell_total(response: falcon.Response, page: Page) -> None:
    """Say how many records there are, where that was asked for, and whether it is an estimate."""
    if page.total is not None:
        response.set_header("X-Total-Count", str(page.total))
        if page.estimated:
            response.set_header("X-Total-Estimated", "1")


def _ensure_streamable(kind: str, view: View | None, accept: str) -> None:
    if not kind:
        raise wrong_fields([("all", f"expected `Accept: {LINES}` or `Accept: {CSV}`, got {shown(accept)}")])
    if kind == CSV and view is not None and not view.names_columns:
        reason = "for CSV, list the columns of the referenced records, such as `properties=ref,thirdparty.name`"
        raise wrong_fields([("expand", reason)])


class _Stream:
    """The pieces of an answer. One that cannot be made raises: the connection ends without the end of the answer."""

    def __init__(self, state: RequestState, view: View | None, query: ListQuery, listed: List, kind: str) -> None:
        self._state = state
        self._view = view
        self._query = replace(query, limit=min(PIECE, settings().max_page), page=0, pagination_data=False)
        self._listed = listed
        self._ended = False
        self._dump: Callable[[Rows], bytes] = dump_lines if kind == LINES else Csv().dump
        #: the piece that has been made, but not taken
        self.ready = b""

    def __iter__(self) -> _Stream:
        """The pieces, once."""
        return self

    def __next__(self) -> bytes:
        """The next piece, made by the thread that asks for it, as if the request came to it."""
        while not self.ready:
            if self._ended:
                raise StopIteration
            begin(self._state)
            try:
                begin_work(self._state.generation)
                self._state.cache.clear()
                self._state.cache_version = None
                cache_version()
                self.ready = self.dump(self.next_records())
            finally:
                end_of_request()
                begin(None)
        content, self.ready = self.ready, b""
        return content

    def next_records(self) -> Page:
        """The next records.

        :raises BadRequest: this list has no cursor
        """
        query = self._query
        page = self._listed(query)
        if not isinstance(page, Page):
            raise wrong_fields([("all", "this list doesn't support `all`")])
        full = not query.after and not page.cursor and len(page) == query.limit
        if full and self._listed(replace(query, limit=1, page=query.limit)):
            raise wrong_fields([("sortfield", "to return all records, sort by the records' own fields")])
        self._query = replace(query, after=page.cursor, count=False)
        self._ended = not page.cursor
        return page

    def dump(self, page: Page) -> bytes:
        """Records as they are sent."""
        return self._dump(page if self._view is None else self._flat(page))

    def _flat(self, page: Page) -> Rows:
        assert self._view is not None
        seen = self._view.apply(page)
        return seen if self._dump is dump_lines else self._view.flat(seen)
