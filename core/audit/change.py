"""The table of the audit trail, and how its rows are written."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import click
import peewee

from ..common.request_state import current_background, current_state
from ..storage.backend import Backend
from ..storage.database import backend, quote
from ..storage.fields import MapField
from ..storage.model import Model, meta_of

#: rows that one statement writes
BATCH = 500


class LongMapField(MapField):
    """A JSON object that may hold several of the longest texts."""

    def ddl_datatype(self, ctx: Any) -> peewee.SQL:
        """Return the column's type in the current database."""
        return peewee.SQL(backend().long_text_type)


class Change(Model):
    """A change of one row of a table, or an event such as a failed login."""

    id = peewee.BigAutoField(column_name="rowid")
    moment = peewee.BigIntegerField(index=True, help_text="when, in Unix milliseconds")
    user_id = peewee.IntegerField(column_name="fk_user", null=True, help_text="the user's ID; null outside a request")
    login = peewee.CharField(max_length=50, default="", help_text="the user's login at that time")
    key_id = peewee.IntegerField(column_name="fk_key", null=True, help_text="the API key that was used")
    address = peewee.CharField(max_length=64, default="", help_text="the address the request came from")
    operation = peewee.CharField(
        max_length=255, default="", help_text="the operation, such as POST /invoices/{id}/lines, or the command"
    )
    request_id = peewee.CharField(max_length=64, default="", help_text="the request ID (X-Request-Id)")
    kind = peewee.CharField(max_length=32, help_text="created, changed, deleted, or the name of an event")
    element = peewee.CharField(max_length=64, default="", help_text="the table of the row")
    record = peewee.CharField(max_length=64, default="", help_text="the ID of the row")
    subject_element = peewee.CharField(
        max_length=64, default="", help_text="the table of the record whose history shows the change"
    )
    subject = peewee.CharField(max_length=64, default="", help_text="the ID of that record")
    before = LongMapField(null=True, help_text="the old values of changed fields; absent fields had defaults")
    after = LongMapField(null=True, help_text="the new values of changed fields; absent fields have defaults")

    class Meta:
        table_name = "comptoir_audit"
        audited = False
        managed = (
            "id", "moment", "user_id", "login", "key_id", "address", "operation", "request_id", "kind", "element",
            "record", "subject_element", "subject", "before", "after",
        )  # fmt: skip
        indexes = ((("subject_element", "subject"), False),)


#: all but the ID
COLUMNS = tuple(field.column_name for field in meta_of(Change).sorted_fields[1:])


@lru_cache(maxsize=64)
def _insert(opened: Backend, rows: int) -> str:
    """Return the INSERT for a number of rows."""
    row = f"({', '.join([opened.placeholder] * len(COLUMNS))})"
    names = ", ".join(map(quote, COLUMNS))
    return f"INSERT INTO comptoir_audit ({names}) VALUES {', '.join([row] * rows)}"


def inserts(rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the statements that write rows of the trail, with their bound values.

    :param rows: the columns that differ from row to row: kind, element, record, subject_element, subject, before, after
    """
    common = _who()
    for first in range(0, len(rows), BATCH):
        some = rows[first : first + BATCH]
        values: list[Any] = []
        for row in some:
            values += common
            values += row
        yield _insert(backend(), len(some)), values


def _who() -> list[Any]:
    """Return the common columns: time, user, key, address, operation and request."""
    state = current_state()
    moment = time.time_ns() // 1_000_000
    job = current_background()
    if state is None and job is not None:
        return [moment, job.user, job.login[:50], None, "", f"job {job.name}"[:255], f"job {job.id}"]
    if state is None:
        return [moment, None, "", None, "", command()[:255], ""]
    caller = state.caller
    named = caller is not None and caller.id
    operation = f"{state.verb} {state.operation}" if state.operation else command()
    return [
        moment,
        caller.id if named else None,
        caller.login[:50] if named else "",
        caller.key_id if named else None,
        state.address()[:64],
        operation[:255],
        state.request_id[:64],
    ]


def command() -> str:
    """Return the running command, such as ``user add``; empty outside of a command."""
    context = click.get_current_context(silent=True)
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return " ".join(names)
