"""The audit trail over HTTP."""

from typing import Annotated, Any

from core import Api, ListQuery
from core.for_natives import Change

from ..trail import TrailFilter, changes

ChangeRecord = Annotated[dict[str, Any], Change]


class Audit(Api):
    """The audit trail: changes to records, and failed logins.

    Entries can't be changed or deleted.
    """

    group = "Administration"

    def index(self, query: ListQuery, wanted: TrailFilter) -> list[ChangeRecord]:
        """List the audit trail.

        Newest first. External users see nothing.

        :permission: audit.read
        """
        return changes.asked(query, wanted)

    def get(self, id: int) -> ChangeRecord:
        """Read an audit entry.

        :permission: audit.read
        """
        return changes.read(id)
