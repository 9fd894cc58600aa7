"""The audit trail in the API."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from core import BadRequest, ListQuery, Records
from core.for_natives import Catalogue, Change, Page, as_answered, cached_per_catalogue


@dataclass(frozen=True)
class TrailFilter:
    """Filters for a list of audit entries.

    :param user: identifier of the user who did it
    :param key: identifier of the key that was sent
    :param service: the service whose records it happened to, their parts included, such as invoices; or a table
    :param record: identifier of the record, together with its service
    :param operation: what was called, such as `POST /invoices/{id}/lines`, or a command, such as `user add`
    :param kind: created, changed, deleted, or the name of an event, such as login_failed
    :param request: the request, as X-Request-Id names it
    :param since: not before this instant
    :param until: before this instant
    """

    user: int | None = None
    key: int | None = None
    service: str = ""
    record: str = ""
    operation: str = ""
    kind: str = ""
    request: str = ""
    since: datetime | None = None
    until: datetime | None = None


class Changes(Records[Change]):
    """Entries of the audit trail; newest first by default."""

    model = Change
    service = "audit"
    noun = "Entry"

    def asked(self, query: ListQuery, wanted: TrailFilter) -> Page:
        """Return a page of the matching entries.

        :raises BadRequest: a record without its service
        """
        if wanted.record and not wanted.service:
            raise BadRequest(errors=[("record", "`record` requires `service`")])
        tables = _tables()
        where = {
            "user_id": wanted.user, "key_id": wanted.key, "subject": wanted.record, "operation": wanted.operation,
            "kind": wanted.kind, "request_id": wanted.request,
            "subject_element": tables.get(wanted.service.lower(), wanted.service),
        }  # fmt: skip
        if not query.sortfield and not query.sortorder:
            query = replace(query, sortfield="t.rowid", sortorder="DESC")
        query = replace(query, sqlfilters=_within(query.sqlfilters, wanted.since, wanted.until))
        return self.page(query, {name: value for name, value in where.items() if value not in (None, "")})

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the service of the record, and format values as its service returns them."""
        services = {table: service for service, table in reversed(_tables().items())}
        for record in records:
            record["service"] = services.get(record["subject_element"])
            for name in ("before", "after"):
                if record[name]:
                    record[name] = as_answered(record["element"], record[name])


def _within(sqlfilters: str, since: datetime | None, until: datetime | None) -> str:
    """Return a filter with bounds of time added."""
    bounds = [(">=", since), ("<", until)]
    parts = [f"(t.moment:{operator}:{_milliseconds(moment)})" for operator, moment in bounds if moment is not None]
    return " and ".join([*([f"({sqlfilters})"] if sqlfilters.strip() else []), *parts])


def _milliseconds(moment: datetime) -> int:
    return int(moment.replace(tzinfo=UTC).timestamp() * 1000)


@cached_per_catalogue
def _tables(served: Catalogue) -> dict[str, str]:
    """Return the table of each service's records."""
    return {
        name: each.records.model._meta.table_name for name, each in served.services.items() if each.records is not None
    }


changes = Changes()
