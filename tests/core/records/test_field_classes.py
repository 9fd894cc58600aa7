"""Each field class of peewee works on every database, or the file that has it is refused with the class to write."""

import importlib

import pytest

from core.contract.catalogue import catalogue

pytestmark = pytest.mark.usefixtures("without_natives")

MODELS = """
from peewee import *
from core import ExactField, MapField, Model, NumberField, RecordField, Records

class Kind(Model):
    id = AutoField()
    name = CharField(default="")

class Thing(Model):
    id = AutoField()
    value = {field}
    class Meta:
        table_name = "zoo_thing"

kinds, things = Records(Kind, service="kinds"), Records(Thing, service="things")
"""
API = """
from core import Crud
from ..models import kinds, things

class Things(Crud):
    '''Things.

    :access: protected
    '''
    records = things
"""
#: field, a value, how it is returned, a greater value, a wrong one
FITTING = {
    "CharField(max_length=9)": ("abc", "abc", "b", "0123456789"),
    "FixedCharField(max_length=3)": ("abc", "abc", "bcd", "abcd"),
    "TextField()": ("abc", "abc", "b", {}),
    "IntegerField()": (5, 5, 6, "x"),
    "SmallIntegerField()": (5, 5, 6, 40000),
    "BigIntegerField()": (2**40, 2**40, 2**41, 2**70),
    "NumberField()": (5, 5, 6, 40000),
    "BooleanField()": (False, False, True, "maybe"),
    "FloatField()": (1.5, 1.5, 2.5, "x"),
    "DoubleField()": (1.5, 1.5, 2.5, "x"),
    "ExactField(10, 2)": ("1.50", "1.50", "2.5", "x"),
    "DateTimeField()": (1795827600, 1795827600, 1795827601, "soon"),
    "DateField()": (1795824000, 1795824000, 1795910400, "soon"),
    "RecordField(Kind, 'Kind')": (1, 1, 2, "x"),
    "MapField()": ({"b": 1}, {"b": 1}, {"c": [1, None]}, "x"),
    "MapField(default=dict)": ({}, {}, {"c": 1}, 5),
    "MapField(null=True)": ({}, {}, {"c": 1}, 5),
    "MapField(default={})": ({}, {}, {"c": 1}, 5),
}


@pytest.fixture
def load(serve, folder, write, kind):
    """Serve a model with a field: ``load("TimeField()")``."""

    def load(field):
        write("zoo/models.py", MODELS.format(field=field))
        write("zoo/class/api_things.py", API)
        return serve(kind, modules=str(folder))

    return load


@pytest.mark.every_database
@pytest.mark.parametrize("field", FITTING)
def test_a_field_that_fits_can_be_written_found_and_sorted(load, field):
    sent, returned, greater, wrong = FITTING[field]
    served = load(field)
    assert catalogue().failures == ()
    client = served.client()
    if "Kind" in field:
        importlib.import_module("modules.zoo.models").Kind.insert_many([{"name": "a"}, {"name": "b"}]).execute()
    first = client.ask("POST", "/things", {"value": sent})
    second = client.ask("POST", "/things", {"value": greater})
    assert client.get(f"/things/{first}")["value"] == returned
    client.ask("POST", "/things", {"value": wrong}, status=400)
    changed = client.ask("PATCH", f"/things/{first}", {"value": greater})
    assert changed["value"] == client.get(f"/things/{second}")["value"]
    assert client.ask("PUT", f"/things/{first}", {"value": sent})["value"] == returned
    if "Map" not in field:
        assert [each["id"] for each in client.get("/things", sortfield="-value")] == [second, first]
        shown = int(sent) if isinstance(sent, bool) else sent
        found = client.get("/things", sqlfilters=f"(t.value:=:'{shown}')")
        assert [each["id"] for each in found] == [first]
    answer = client.simulate_get("/things", headers={"Accept": "text/csv"})
    assert answer.status_code == 200 and answer.text.count("\n") == 3


REFUSED = {
    "DecimalField(10, 2)": "DecimalField doesn't work here: write ExactField(digits=10, scale=2)",
    "ForeignKeyField(Kind)": 'RecordField(Kind, "Kind")',
    "ManyToManyField(Kind)": "a model with a RecordField for each of the two",
    "__import__('playhouse.postgres_ext').postgres_ext.JSONField()": "write MapField()",
    "__import__('playhouse.sqlite_ext').sqlite_ext.JSONField()": "write MapField()",
    "TimeField(null=True)": "CharField(max_length=8)",
    "UUIDField()": "CharField(max_length=36)",
    "BinaryUUIDField()": "CharField(max_length=36)",
    "BlobField()": "a file in `documents`",
    "IPField()": "CharField(max_length=39)",
    "TimestampField()": "DateTimeField()",
    "BitField(default=0)": "BooleanField()",
    "BigBitField()": "a table of its own",
    "BareField()": "CharField()",
    "CharField(max_length=3, default='toolong')": "default: expected at most 3 characters, got 7",
    "IntegerField(default='many')": "default: 'many' isn't a value of IntegerField",
}


@pytest.mark.parametrize("field", REFUSED)
def test_a_field_that_does_not_fit_is_refused_with_line_and_class(load, field):
    load(field)
    (failure,) = catalogue().failures
    assert "models.py:11: Thing.value: " in failure.reason and REFUSED[field] in failure.reason


def test_a_secret_field_that_only_the_module_writes_may_be_of_any_class(load):
    load(
        "BlobField(null=True)\n    class Meta:\n        secret = managed = ('value',)\n        table_name='zoo_thing'\nclass Other(Model):\n    id = AutoField()"
    )
    assert not [each for each in catalogue().failures if "value" in each.reason]


@pytest.mark.parametrize("key", ["CharField(primary_key=True)", "UUIDField(primary_key=True)"])
def test_records_need_a_number_as_their_key(serve, folder, write, key):
    text = MODELS.format(field="IntegerField()").replace(
        "class Thing(Model):\n    id = AutoField()", f"class Thing(Model):\n    code = {key}"
    )
    write("zoo/models.py", text)
    write("zoo/class/api_things.py", API)
    serve(modules=str(folder))
    reasons = " ".join(each.reason for each in catalogue().failures)
    assert (
        "Thing: expected `id = AutoField()`; make code a field with unique=True" in reasons
    ) or "Thing.code: " in reasons
