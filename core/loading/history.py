"""The history of every record: a route beside the one that reads it, unless the author has written one."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from inspect import Parameter
from typing import Any

from ..access.callers import is_internal
from ..audit.history import HistoryEntry, exists, history, may_read_trail
from ..common.errors import NotFound
from ..contract.annotations import in_python
from ..contract.catalogue import Operation
from ..records.lists import ListQuery, Page, page_size
from ..records.records import Records
from ..storage.model import meta_of
from .parts import readable_parts

_DOC = """List the history of a record.

Returns the changes of the record and its parts, the newest first: which fields changed, when, by whom and by which
operation. If you may read the record, you may read its history, except for parts that you may not read. With the
permission `audit.read`, you also see logins, keys and addresses, and the history of deleted records. External users
get 404.

:url: GET {%(name)s}/history
:param %(name)s: the record, as when you read it
:param limit: changes per page; 0: the largest page {@min 0}
:param page: page number, from 0 {@min 0}
:raises NotFound: the record doesn't exist
%(access)s
"""


def history_class(api_class: type, operations: Iterable[Operation], records: Any) -> Any:
    """A class with the method `history`, beside the one that reads a record by its identifier; None: none is due.

    :param records: the `Records` that the class serves, if it says so
    """
    if not isinstance(records, Records) or not meta_of(records.model).audited:
        return None
    served = [each for each in operations if each.verb == "GET" and each.segments[:1] and _is_value(each.segments[0])]
    if any(len(each.segments) == 2 and each.segments[1].lower() == "history" for each in served):
        return None
    # Of a number and a word in one place the number is tried first, here as when reading
    reading = sorted((each for each in served if len(each.segments) == 1), key=_is_text)
    return _make(api_class, reading[0], records) if reading else None


def _is_value(segment: str) -> bool:
    return segment.startswith("{")


def _is_text(operation: Operation) -> bool:
    return next(each.type for each in operation.inputs if each.place == "path") not in (int, float)


def _make(api_class: type, reading: Operation, records: Records[Any]) -> type:
    (taken,) = [each for each in reading.inputs if each.place == "path"]
    name = in_python(taken.name)

    class History:
        """The history of the records of a service."""

        def history(self, **given: Any) -> Any:
            return _page(records, self._read, given[name], given["limit"], given["page"])

        def _read(self, identifier: Any) -> Any:
            """The record as its own operation answers it: with its checks, its rules and what it leaves out."""
            return getattr(api_class(), reading.name)(**{name: identifier})

    parameters = [
        Parameter("self", Parameter.POSITIONAL_OR_KEYWORD),
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=taken.type),
        Parameter("limit", Parameter.POSITIONAL_OR_KEYWORD, annotation=int, default=100),
        Parameter("page", Parameter.POSITIONAL_OR_KEYWORD, annotation=int, default=0),
    ]
    method: Any = History.history
    method.__signature__ = inspect.Signature(parameters, return_annotation=list[HistoryEntry])
    permission = f":permission: {reading.permission.text}" if reading.permission else ""
    access = permission or ("" if reading.is_silent else f":access: {reading.access}")
    method.__doc__ = _DOC % {"name": name, "access": access}
    return History


def _page(records: Records[Any], read: Any, identifier: Any, limit: int, page: int) -> Page:
    if not is_internal():
        raise NotFound(f"{records.noun} {identifier!s:.80} not found", dolibarr=f"{records.noun} not found")
    try:
        shown = read(identifier)
        shown = shown if isinstance(shown, dict) else {}
    except NotFound:
        if not may_read_trail() or exists(records.model, identifier):
            raise
        # What is gone was seen by whoever may read the trail
        shown = None
    size = page_size(limit)
    parts = {} if may_read_trail() else readable_parts(records.model)
    found = Page(history(records.model, identifier, shown, size, page, parts))
    if shown is None and not found:
        raise NotFound(f"{records.noun} {identifier!s:.80} not found", dolibarr=f"{records.noun} not found")
    found.query = ListQuery(limit=limit, page=page)
    if size is not None:
        del found[size:]
    return found
