"""A module for the tests of row rules: users see their own time sheets, who approves sees all, guests see none."""

from tests.files import write_files

MODELS = '''
from peewee import AutoField, CharField, IntegerField

from core import Account, ExactField, Model, RecordField, Records


class Sheet(Model):
    """Hours of a user."""

    id = AutoField()
    user = RecordField(Account, "User", on_delete="cascade")
    ref = CharField(max_length=20, null=True)
    hours = ExactField(digits=6, scale=2, default=0)

    class Meta:
        table_name = "timesheets_sheet"
        extrafields = "timesheet"


class Entry(Model):
    """A part of a sheet."""

    id = AutoField()
    sheet = RecordField(Sheet, "Sheet", on_delete="cascade")
    task = CharField(max_length=20, default="")

    class Meta:
        table_name = "timesheets_entry"


class Bill(Model):
    """Names a sheet, and is seen by everybody."""

    id = AutoField()
    sheet = RecordField(Sheet, "Sheet", null=True)

    class Meta:
        table_name = "timesheets_bill"


class Visit(Model):
    """A visit to a third party: seen by the visitor, if the third party is."""

    id = AutoField()
    user = RecordField(Account, "User", on_delete="cascade")
    socid = IntegerField(null=True)

    class Meta:
        table_name = "timesheets_visit"
        thirdparty = "socid"


sheets = Records(Sheet, service="timesheets", noun="Sheet")
entries = Records(Entry, service="sheetentries", noun="Entry")
bills = Records(Bill, service="sheetbills", noun="Bill")
visits = Records(Visit, service="sheetvisits", noun="Visit")
'''

API = '''
from typing import Annotated, Any

from core import Api, ListQuery

from ..models import {model}, {records}

Record = Annotated[dict[str, Any], {model}]


class {name}(Api):
    """Records.

    :rights: approve
    :access: {access}
    """

    records = {records}

    def index(self, query: ListQuery) -> list[Record]:
        return {records}.page(query)

    def get(self, id: int) -> Record:
        return {records}.read(id)

    def post(self, request_data: Record) -> int:
        return {records}.create(request_data)

    def put(self, id: int, request_data: Record) -> Record:
        {records}.change(id, request_data)
        return {records}.read(id)

    def delete(self, id: int) -> int:
        {records}.delete(id)
        return 1

    def every(self) -> list[Record]:
        """
        :url: GET all
        """
        return {records}.every({{}})
'''

ROWS = """
from core import Caller, Rows

from .models import Entry, Sheet, Visit


def own(caller: Caller) -> Rows:
    if caller.socid is not None:
        return Rows.NONE
    return Rows.ALL if caller.holds("timesheets.approve") else Rows("{user} = ?", caller.id)


def of_own(caller: Caller) -> Rows:
    rows = own(caller)
    return Rows("{sheet.user} = ? OR {sheet.ref} = ?", caller.id, "team-wide") if rows.condition else rows


def by_visitor(caller: Caller) -> Rows:
    return Rows.ALL if caller.holds("timesheets.approve") else Rows("{user} = ?", caller.id)


RULES = {Sheet: own, Entry: of_own, Visit: by_visitor}
"""


def write_timesheets(folder, access="hybrid"):
    """Write the module below a folder; answers the folder."""
    files = {"models.py": MODELS, "rows.py": ROWS}
    for file, *names in (
        ("timesheets", "Sheet", "sheets", "Timesheets"),
        ("sheetentries", "Entry", "entries", "SheetEntries"),
        ("sheetbills", "Bill", "bills", "SheetBills"),
        ("sheetvisits", "Visit", "visits", "SheetVisits"),
    ):
        text = API.format(model=names[0], records=names[1], name=names[2], access=access)
        files[f"class/api_{file}.py"] = text
    write_files(folder / "timesheets", files)
    return str(folder)


def number_of(client):
    """The user's identifier."""
    return int(client.user_id)
