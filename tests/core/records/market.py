"""A module for the test of the same errors: stalls of a market, which may exist once by several rules; and an import
that creates many records of any service.
"""

from tests.files import write_files

MODELS = '''
from peewee import AutoField, BooleanField, CharField, DateField, DateTimeField, IntegerField, TextField

from core import BadRequest, ExactField, MapField, Model, RecordField, Records, Refused

from ..thirdparties.models import Thirdparty


class Stall(Model):
    """A stall of a market."""

    id = AutoField()
    number = CharField(max_length=9, unique=True)
    place = CharField(max_length=9)
    day = DateField()
    hall = CharField(max_length=9, default="north", choices=(("north", "north"), ("south", "south")))
    rent = ExactField(digits=8, scale=2)
    guests = IntegerField(default=1)
    opened = DateTimeField(null=True)
    lit = BooleanField(default=False)
    marks = MapField(null=True)
    note = TextField(null=True)
    tenant = RecordField(Thirdparty, "Tenant", null=True)
    beside = RecordField("self", "Stall", null=True)
    label = CharField(max_length=40, help_text="filled by prepare")
    state = CharField(max_length=9, default="new")

    class Meta:
        table_name = "market_stall"
        required = ("place", "-label")
        managed = ("state",)
        thirdparty = "tenant"
        extrafields = "market_stall"
        aliases = {"no": "number"}
        indexes = ((("place", "day", "hall"), True),)


def capitals(text):
    if "?" in text:
        raise ValueError("expected a number of a stall")
    return text.upper()


class Stalls(Records[Stall]):
    model, service, noun = Stall, "stalls", "Stall"
    cleaners = {"number": capitals}

    def prepare(self, values, before):
        if (values.get("rent") or 0) > 1000:
            raise BadRequest(errors=[("rent", "expected at most 1000")])
        if values.get("guests") == 13:
            raise Refused("13 guests bring bad luck")
        if before is None or values.get("label", "") is None:
            values["label"] = f"stall {values.get('number') or before and before.number}"


stalls = Stalls()
'''

STALLS = '''
from core import Crud
from core.crud import Record

from ..models import stalls


class Stalls(Crud):
    """Stalls.

    :strict:
    """

    records = stalls

    def post_many(self, rows: list[Record]) -> list[int]:
        """Create many.

        :permission: write
        """
        return stalls.create_many(rows)

    def put(self, id: int, request_data: Record) -> Record:
        """Replace.

        :permission: write
        """
        stalls.change(id, request_data, replace=True)
        return stalls.read(id)
'''

IMPORTS = '''
from typing import Any

from core import Api

from core.for_natives import catalogue


class Imports(Api):
    """Imports."""

    def post(self, service: str, rows: list[dict[str, Any]]) -> list[int]:
        """Create many records of a service.

        :access: protected
        """
        return catalogue().services[service].records.create_many(rows)
'''


def fill(folder):
    """Write the module below a folder; return the folder."""
    write_files(
        folder / "market", {"models.py": MODELS, "class/api_stalls.py": STALLS, "class/api_imports.py": IMPORTS}
    )
    return str(folder)
