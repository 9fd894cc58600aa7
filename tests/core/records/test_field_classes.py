"""Each field class of peewee works on every database, or the file that has it is refused with the class to write."""

import importlib
import sys

import pytest

from core.contract.catalogue import catalogue
from core.testing import serving
from tests.files import write_files

pytestmark = pytest.mark.any_database

MODELS = """
from peewee import *
from core import ExactField, MapField, Model, NumberField, RecordField, Records

class Kind(Model):
    id = AutoField()
    name = CharField(default="")
    class Meta:
        table_name = "ZOO_kind"

class Thing(Model):
    KEY
    value = FIELD
    class Meta:
        table_name = "ZOO_thing"

kinds, things = Records(Kind, service="kinds_ZOO"), Records(Thing, service="ZOO")
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
#: what only the module writes may be of any class
SECRET = (
    "BlobField(null=True)\n    class Meta:\n        secret = managed = ('value',)\n        table_name='ZOO_thing'\n"
    "class Other(Model):\n    id = AutoField()"
)
KEYS = ("code = CharField(primary_key=True)", "code = UUIDField(primary_key=True)")
#: each case has a module of its own
MODULES = {case: f"zoo{number}" for number, case in enumerate([*FITTING, *REFUSED, SECRET, *KEYS])}


@pytest.fixture(scope="module")
def zoo(kind, tmp_path_factory):
    """A server of a kind of database with a module for each field; why modules failed."""
    folder = tmp_path_factory.mktemp(kind)
    for case, name in MODULES.items():
        key, field = (case, "IntegerField()") if case in KEYS else ("id = AutoField()", case)
        text = MODELS.replace("KEY", key).replace("FIELD", field).replace("ZOO", name)
        files = {"models.py": text, f"class/api_{name}.py": API.replace("class Things", f"class {name.title()}")}
        write_files(folder / "modules" / name, files)
    (folder / "natives").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["core.common.settings"], "NATIVE_MODULES", folder / "natives")
        with serving(folder, kind, modules=str(folder / "modules")) as served:
            yield served, {each.file.parent.parent.name: each.reason for each in catalogue().failures}


@pytest.mark.every_database
@pytest.mark.parametrize("field", FITTING)
def test_a_field_that_fits_can_be_written_found_and_sorted(zoo, field):
    sent, returned, greater, wrong = FITTING[field]
    (served, failed), name = zoo, MODULES[field]
    assert name not in failed
    client = served.client()
    if "Kind" in field:
        importlib.import_module(f"modules.{name}.models").Kind.insert_many([{"name": "a"}, {"name": "b"}]).execute()
    first = client.ask("POST", f"/{name}", {"value": sent})
    second = client.ask("POST", f"/{name}", {"value": greater})
    assert client.get(f"/{name}/{first}")["value"] == returned
    client.ask("POST", f"/{name}", {"value": wrong}, status=400)
    changed = client.ask("PATCH", f"/{name}/{first}", {"value": greater})
    assert changed["value"] == client.get(f"/{name}/{second}")["value"]
    assert client.ask("PUT", f"/{name}/{first}", {"value": sent})["value"] == returned
    if "Map" not in field:
        assert [each["id"] for each in client.get(f"/{name}", sortfield="-value")] == [second, first]
        shown = int(sent) if isinstance(sent, bool) else sent
        found = client.get(f"/{name}", sqlfilters=f"(t.value:=:'{shown}')")
        assert [each["id"] for each in found] == [first]
    answer = client.simulate_get(f"/{name}", headers={"Accept": "text/csv"})
    assert answer.status_code == 200 and answer.text.count("\n") == 3


@pytest.mark.parametrize("field", REFUSED)
def test_a_field_that_does_not_fit_is_refused_with_line_and_class(zoo, field):
    reason = zoo[1][MODULES[field]]
    assert "models.py:13: Thing.value: " in reason and REFUSED[field] in reason


def test_a_secret_field_that_only_the_module_writes_may_be_of_any_class(zoo):
    assert "value" not in zoo[1].get(MODULES[SECRET], "")


@pytest.mark.parametrize("key", KEYS)
def test_records_need_a_number_as_their_key(zoo, key):
    reason = zoo[1][MODULES[key]]
    assert (
        "Thing: expected `id = AutoField()`; make code a field with unique=True" in reason or "Thing.code: " in reason
    )
