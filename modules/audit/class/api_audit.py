"""The audit trail over HTTP."""

from typing import Annotated, Any

from core import Api, Change, ListQuery

from ..trail import TrailFilter, changes

ChangeRecord = Annotated[dict[str, Any], Change]


class Audit(Api):
    """Who changed what, when and from where: every change of every record, and logins that failed.

    Each entry is one row that one request, or one command, has changed, written in the transaction that changed it.
    Nobody changes or deletes entries over HTTP, and the database refuses it as well. The history of one record is
    beside the record: `GET /invoices/{id}/history`.
    """

    def index(self, query: ListQuery, wanted: TrailFilter) -> list[ChangeRecord]:
        """List the audit trail, what has happened, the newest first; external users see none of it.

        :raises BadRequest: a filter that cannot be used
        :permission: audit.read
        """
        return changes.asked(query, wanted)

    def get(self, id: int) -> ChangeRecord:
        """Read one entry of the audit trail.

        :param id: identifier of the entry
        :raises NotFound: there is no such entry
        :permission: audit.read
        """
        return changes.read(id)
