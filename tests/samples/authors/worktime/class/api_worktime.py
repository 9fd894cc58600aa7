"""Working time over HTTP."""

from datetime import date
from typing import Annotated, Any, Literal

from core import Accepted, Api, ListQuery, Upload, transaction

from ..jobs import note_file
from ..models import Entry, entries

EntryRecord = Annotated[dict[str, Any], Entry]


class Worktime(Api):
    """Note hours, approve them, and add them up.

    Users see their own entries; who holds `worktime.approve` sees all.

    :rights: approve
    """

    records = entries

    def index(self, query: ListQuery) -> list[EntryRecord]:
        """List the entries one may see.

        :permission: read
        """
        return entries.page(query)

    def get(self, id: int) -> EntryRecord:
        """Read an entry.

        :permission: read
        """
        return entries.read(id)

    def post(self, request_data: EntryRecord) -> int:
        """Note hours of one's own.

        :permission: write
        """
        return entries.create(request_data, user=self.user.id)

    def patch(self, id: int, request_data: EntryRecord) -> EntryRecord:
        """Change what is sent.

        :raises Refused: the entry is approved
        :permission: write
        """
        entries.change(id, request_data)
        return entries.read(id)

    def delete(self, id: int) -> int:
        """Delete an entry.

        :raises Refused: the entry is approved
        :permission: delete
        """
        entries.delete(id)
        return 1

    def approve(self, id: int) -> EntryRecord:
        """Approve an entry.

        :url: POST {id}/approve
        :raises Refused: the entry is approved already
        :permission: approve
        """
        entries.approve(id)
        return entries.read(id)

    def sums(
        self,
        by: Literal["user", "project", "month", "activity"] = "user",
        begin: date | None = None,
        end: date | None = None,
    ) -> list[dict[str, Any]]:
        """Add up the hours of the entries one may see.

        :param by: what to add up by
        :param begin: the first day
        :param end: the last day
        :permission: read
        """
        return entries.sums(by, begin, end)

    def post_import(self, file: Upload) -> int:
        """Note what stands in a CSV file, or nothing of it; answers how many.

        :strict:
        :param file: with the columns day, hours, activity, project, socid and note
        :permission: write
        """
        return entries.note_file(file.rows(), self.user.id)

    def post_import_later(self, file: Upload) -> Accepted:
        """Leave a large file to a job; its result says how many were noted, and what is wrong.

        :url: POST import/later
        :strict:
        :param file: with the columns day, hours, activity, project, socid and note
        :permission: write
        """
        with transaction():
            return Accepted(note_file.later(entries.leave(file.rows(), self.user.id)))
