"""A module with a column of every kind, what is in it, and databases to copy it between."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest

from core.common.settings import Settings
from core.contract.catalogue import catalogue
from core.records.extra_field_definitions import define
from core.records.extra_fields import store_values
from core.records.records import Records
from core.storage.database import close, database, ensure_connected
from core.testing.databases import drop_database, fresh_database, why_unavailable
from core.wsgi import build

MODELS = '''
import peewee
import pytest

from core import ExactField, MapField, Model, RecordField


class Animal(Model):
    """Whatever lives here."""

    id = peewee.AutoField()
    name = peewee.CharField(max_length=40)
    weight = ExactField(24, 8)
    rate = ExactField(8, 4, null=True)
    price = ExactField(10, 2, null=True)
    tame = peewee.BooleanField(default=False)
    picture = peewee.BlobField(null=True)
    speed = peewee.DoubleField(null=True)
    born = peewee.DateField(null=True)
    fed = peewee.TimeField(null=True)
    seen = peewee.DateTimeField(null=True)
    story = peewee.TextField(null=True)
    more = MapField(null=True)
    large = peewee.BigIntegerField(default=0)
    friend = RecordField("self", null=True)

    class Meta:
        table_name = "zoo_animal"
        extrafields = "animal"
        searched = ("name", "story")
        # Of classes that the API doesn't show
        secret = managed = ("picture", "fed")


class Keeper(Model):
    """Somebody with a key."""

    code = peewee.CharField(max_length=20, primary_key=True)
    animal = RecordField(Animal)

    class Meta:
        table_name = "zoo_keeper"


class Paper(Model):
    """A file of an animal."""

    id = peewee.AutoField()
    folder = peewee.CharField(max_length=100)
    name = peewee.CharField(max_length=100)
    size = peewee.IntegerField()

    class Meta:
        table_name = "zoo_paper"
        stored_file = ("folder", "name")
        stored_size = "size"
'''

#: two that name each other, the highest identifier not the last one, and values that are easily spoilt
ANIMALS = [
    {
        "id": 7, "name": "Öçé 😀 '\\ \"%s", "weight": Decimal("9999999999.12345678"), "rate": Decimal("-0.0001"),
        "price": Decimal("12.30"), "tame": True, "picture": bytes(range(256)), "speed": 0.1, "born": date(1969, 7, 20),
        "fed": time(23, 59, 58), "seen": datetime(2026, 11, 22, 4, 5, 6), "story": "two\nlines\t😀", "more": {"a": ["é"]},
        "large": 2**62, "friend": 9,
    },
    {
        "id": 9, "name": "", "weight": Decimal("-0.00000001"), "rate": None, "price": None, "tame": False,
        "picture": None, "speed": None, "born": None, "fed": None, "seen": None, "story": "", "more": {}, "large": -1,
        "friend": 7,
    },
]  # fmt: skip
EXTRA = {"note": "tall 😀", "worth": Decimal("0.10000001"), "day": date(2026, 2, 28)}


@contextmanager
def empty(kind, folder):
    """The URL of a database without tables, meanwhile; where this machine has no such kind the test is skipped."""
    if reason := why_unavailable(kind):
        pytest.skip(reason)
    url = fresh_database(kind, folder)
    try:
        yield url
    finally:
        close()
        drop_database(url)


def settings_of(folder, url):
    """Settings with the zoo as the one module."""
    file = folder / "modules/zoo/models.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(MODELS)
    return Settings(database=url, documents=str(folder / "documents"), modules=str(folder / "modules"))


def model(name):
    """A model of the zoo that is active."""
    return next(each for each in catalogue().models if each.__name__ == name)


def fill(settings):
    """Activate a server's database, and put everything into it."""
    build(settings)
    ensure_connected()
    define("animal", "note", {"label": "Note", "type": "varchar", "size": "60"})
    define("animal", "worth", {"label": "Worth", "type": "price"})
    define("animal", "day", {"label": "Day", "type": "date"})
    animal = model("Animal")
    animal.insert_many([{**each, "friend": None} for each in ANIMALS]).execute()
    for each in ANIMALS:
        animal.update(friend=each["friend"]).where(animal.id == each["id"]).execute()
    store_values(animal, 7, EXTRA, merge=False)
    model("Keeper").insert(code="a key", animal=9).execute()


def serve(settings, url):
    """Activate another database with the same settings."""
    build(replace(settings, database=url))
    ensure_connected()


def found_in(text):
    """The animals that a search of the current database finds."""
    return [each["id"] for each in Records(model("Animal")).page(q=text)]


def contents():
    """What the active database holds of it: animals, extra fields as they are kept, keepers."""
    animal = model("Animal")
    animals = list(animal.select().order_by(animal.id).dicts())
    for each in animals:
        each["picture"] = None if each["picture"] is None else bytes(each["picture"])
    rows = database.execute_sql("SELECT fk_object, note, worth, day FROM zoo_animal_extrafields").fetchall()
    return animals, [tuple(map(str, row)) for row in rows], list(model("Keeper").select().dicts())


def add_paper(settings, path, content):
    """A file, and the row that names it."""
    file = Path(settings.documents) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    folder, _, name = path.rpartition("/")
    model("Paper").insert(folder=folder, name=name, size=len(content)).execute()
