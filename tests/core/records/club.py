"""A module for the tests of what must be there, of what is wrong all at once, and of what happens to children."""

import sys

from tests.files import write_files

MODELS = '''
from datetime import date
from decimal import Decimal

from peewee import AutoField, BigIntegerField, BooleanField, CharField, DateField, DateTimeField, IntegerField, TextField

from core import BadRequest, ExactField, MapField, Model, RecordField, Records, Refused


class Named(Model, pattern=True):
    id = AutoField()
    label = CharField(max_length=20)
    nick = CharField(max_length=20, null=True)
    author = IntegerField(null=True)
    pin = CharField(max_length=9, null=True)

    class Meta:
        required = ("label", "nick")
        managed = ("id", "author")
        secret = ("pin",)
        aliases = {"name": "label", "short": "nick"}


class Member(Named):
    number = CharField(max_length=9, unique=True)
    joined = DateField(null=True)
    coach = RecordField("self", "Member", null=True, on_delete="clear")

    class Meta:
        table_name = "club_member"
        required = ("-nick",)
        managed = ("joined",)
        aliases = {"no": "number", "short": None}
        extrafields = "club_member"


class Sheet(Model):
    """Hours of a member."""

    id = AutoField()
    member = RecordField(Member, "Member")
    day = DateField()
    hours = ExactField(digits=8, scale=2)
    week = IntegerField(help_text="filled by prepare")
    place = CharField(max_length=9)
    task = CharField(max_length=20)
    details = MapField()
    state = CharField(max_length=9, default="new")
    tag = CharField(max_length=9, null=True, unique=True)

    class Meta:
        table_name = "club_sheet"
        required = ("-week", "-place")
        indexes = ((("member", "day"), True), (("day",), False))


class Part(Model):
    """A part of a sheet; goes with it."""

    id = AutoField()
    sheet = RecordField(Sheet, "Sheet", on_delete="cascade")
    before = RecordField("self", "Part", null=True, on_delete="cascade")
    word = CharField(max_length=9, default="")

    class Meta:
        table_name = "club_part"
        extrafields = "club_part"


class Remark(Model):
    """Goes with its part, and nobody names it."""

    id = AutoField()
    part = RecordField(Part, "Part", on_delete="cascade")

    class Meta:
        table_name = "club_remark"
        extrafields = "club_remark"


class Bill(Model):
    """Keeps a part."""

    id = AutoField()
    part = RecordField(Part, "Part", null=True)
    sheet = RecordField(Sheet, "Sheet", null=True, on_delete="clear")

    class Meta:
        table_name = "club_bill"


class Named_(Records):
    managed = ("state",)


class Sheets(Named_):
    model = Sheet
    service = "clubsheets"
    noun = "Sheet"
    managed = ()

    def prepare(self, values, before):
        if values.get("task") == "fail":
            raise BadRequest(errors=[("task", "task must not fail")])
        if "day" in values and values["day"]:
            values["week"] = values["day"].isocalendar()[1]
            values.setdefault("place", "here")

    def removing(self, row):
        if row.task == "kept":
            raise Refused("a kept task stays")


members = Records(Member, service="clubmembers", noun="Member")
sheets = Sheets()
parts = Records(Part, service="clubparts", noun="Part")
remarks = Records(Remark, service="clubremarks", noun="Remark")
bills = Records(Bill, service="clubbills", noun="Bill")
'''

EVENTS = '''
from core import Refused

from .models import Bill, bills


def before_clubsheets_deleted(record):
    """The club's bills of a sheet that was given away go first."""
    if record["task"] == "given":
        for bill in Bill.select().where(Bill.part.is_null(False)):
            bills.delete(bill.id)
    if record["task"] == "own words":
        raise Refused("the club says no")
'''

API = '''
from core import Crud
from core.crud import Record

from ..models import {records}


class Club{title}(Crud):
    """Records."""

    records = {records}
{create}
    def put(self, id: int, request_data: Record) -> Record:
        """Replace a record."""
        {records}.change(id, request_data, replace=True)
        return {records}.read(id)
'''
CREATE = '''
    def post(self, request_data: Record) -> int:
        """Create a record."""
        return sheets.create(request_data, details={"by": "server"})
'''


def fill(folder):
    """Write the module below a folder; answers the folder."""
    files = {"models.py": MODELS, "events.py": EVENTS}
    for records in ("members", "sheets", "parts", "remarks", "bills"):
        text = API.format(records=records, title=records.capitalize(), create=CREATE if records == "sheets" else "")
        files[f"class/api_club{records}.py"] = text
    write_files(folder / "club", files)
    return str(folder)


def models():
    """The module's models, as they are served."""
    return sys.modules["modules.club.models"]
