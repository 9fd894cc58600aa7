"""The history of a record: its changes and those of its parts, for callers who may read the record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

import peewee

from ..access.callers import current_caller
from ..storage.model import Model, meta_of
from .change import Change
from .forms import EXTRA, MASK, as_answered
from .notes import DELETED

#: the right to read the whole trail
READ = "audit.read"
#: the event of a dropped table: older entries belong to other records with the same IDs
DROPPED = "dropped"


class HistoryEntry(TypedDict, total=False):
    """One change of a record, or of a row that belongs to it."""

    id: Annotated[int, "ID of the entry in the audit trail"]
    moment: Annotated[int, "when, in Unix milliseconds"]
    user_id: Annotated[int | None, "the user's ID; null: a command of the server, or a call without a key"]
    kind: Annotated[str, "created, changed, deleted, or the name of an event"]
    operation: Annotated[str, "the operation, such as POST /invoices/{id}/lines"]
    element: Annotated[str, "the table of the changed row: the record's own, or that of a part"]
    record: Annotated[str, "the ID of that row"]
    before: Annotated[dict[str, Any] | None, "the old values of changed fields; absent fields had defaults"]
    after: Annotated[dict[str, Any] | None, "the new values of changed fields; absent fields have defaults"]
    login: Annotated[str, "the user's login at that time; this key and the next ones need the permission audit.read"]
    key_id: Annotated[int | None, "the API key that was used"]
    address: Annotated[str, "the address the request came from"]
    request_id: Annotated[str, "the request ID (X-Request-Id)"]


def may_read_trail() -> bool:
    """Return whether the caller may read the whole trail: an internal user with the right."""
    caller = current_caller()
    return caller is None or (caller.socid is None and caller.holds(READ))


def history(
    model: type[Model],
    identifier: Any,
    shown: Mapping[str, Any] | None,
    size: int | None,
    page: int,
    parts: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return a page of the changes of a record and its parts, newest first, and one more if there are more.

    A caller who may read the trail gets all of it, including drops of the table. For others the history begins after
    the last deletion of a record with this ID or of the table, because older entries may belong to another record.

    :param shown: the record as the caller reads it, which limits the fields; None: all noted fields
    :param parts: the tables of parts that the caller may read, each with a record in the form of `shown`
    """
    table, everything = meta_of(model).table_name, may_read_trail()
    parts = parts or {}
    own = Change.subject == str(identifier)
    dropped = (Change.subject == "") & (Change.kind == DROPPED)
    found = Change.select().where(Change.subject_element == table)
    if everything:
        found = found.where(own | dropped)
    else:
        found = found.where(own, Change.element.in_([table, *parts]), Change.id > _last_end(table, identifier))
    found = found.order_by(Change.id.desc())
    if size is not None:
        found = found.limit(size + 1).offset(min(size * max(page, 0), 2**62))
    return [_entry(row, shown if row.element == table else parts.get(row.element), everything) for row in found]


def _last_end(table: str, identifier: Any) -> Any:
    """Return a subquery: the ID of the newest deletion of a record, or drop of its table; 0 if it has neither."""
    end: Any = Change.alias()
    deleted = (end.subject == str(identifier)) & (end.record == str(identifier)) & (end.kind == DELETED)
    dropped = (end.subject == "") & (end.kind == DROPPED)
    newest = end.select(peewee.fn.COALESCE(peewee.fn.MAX(end.id), 0))
    return newest.where(end.subject_element == table, end.element == table, deleted | dropped)


def _entry(row: Change, shown: Mapping[str, Any] | None, everything: bool) -> dict[str, Any]:
    both = (row.before, row.after)
    values = (None if each is None else as_answered(row.element, _visible(each, shown)) for each in both)
    entry = {
        "id": row.id, "moment": row.moment, "user_id": row.user_id, "kind": row.kind, "operation": row.operation,
        "element": row.element, "record": row.record, **dict(zip(("before", "after"), values, strict=True)),
    }  # fmt: skip
    if everything:
        entry |= {
            "login": row.login, "key_id": row.key_id, "address": row.address, "request_id": row.request_id,
        }  # fmt: skip
    return entry


def _visible(values: Mapping[str, Any], shown: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        name: value for name, value in values.items() if value != MASK and (shown is None or _is_shown(name, shown))
    }


def _is_shown(name: str, shown: Mapping[str, Any]) -> bool:
    if not name.startswith(EXTRA):
        return name in shown
    extras = shown.get("array_options")
    return isinstance(extras, dict) and name.removeprefix("array_options.") in extras


def exists(model: type[Model], identifier: Any) -> bool:
    """Return whether the row exists, regardless of row rules."""
    return bool(model.select().where(meta_of(model).primary_key == identifier).exists())
