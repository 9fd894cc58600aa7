"""A module of records that show what `Records` can do: patterns, joined tables, lists of further records."""

from tests.files import write_files

MODELS = '''
"""Crates and barrels in rooms: both are things that are stored."""

from decimal import Decimal

from peewee import AutoField, CharField, IntegerField

from core import ExactField, Model, NumberField, RecordField, Records


class Room(Model):
    id = AutoField()
    name = CharField(max_length=20)

    class Meta:
        table_name = "depot_room"
        required = ("name",)


class Stored(Model, pattern=True):
    id = AutoField()
    name = CharField(max_length=20, help_text="what is painted on it")
    colour = CharField(max_length=10, null=True, default="grey")
    room = RecordField(Room, "Room", null=True)
    state = NumberField(default=0)
    wish = NumberField(null=True)
    pieces = IntegerField(default=1)
    weight = ExactField(24, 8, trimmed=True, null=True)
    price = ExactField(24, 8, default=Decimal(0))
    code = CharField(max_length=9, null=True)

    class Meta:
        required = ("name",)
        managed = ("id", "state")
        create_only = ("code",)
        extrafields = "depot_stored"


class Crate(Stored):
    lid = CharField(max_length=10, null=True)

    class Meta:
        table_name = "depot_crate"
        extrafields = "depot_crate"


class Barrel(Stored):
    class Meta:
        table_name = "depot_barrel"
        extrafields = "depot_barrel"


class Item(Model):
    """What a crate holds."""

    id = AutoField()
    crate = RecordField(Crate, "Crate")
    word = CharField(max_length=10, null=True)

    class Meta:
        table_name = "depot_item"
        extrafields = "depot_item"


class Things(Records):
    joins = {"r": (Room, "room", ("name",))}
    answers = {"room_name": "r.name"}
    second_alias = "s"


class Crates(Things):
    model = Crate
    service = "depotcrates"
    noun = "Crate"
    owned = ((Item, "crate"),)
    extra_keys = ("items",)

    def stored(self, identifier, body, before):
        for each in body.get("items") or []:
            items.insert(*items.accept(each | {"crate": identifier}))


class Barrels(Things):
    model = Barrel
    service = "depotbarrels"
    noun = "Barrel"


crates, barrels, rooms, items = Crates(), Barrels(), Records(Room, noun="Room"), Records(Item, noun="Item")
'''
BASE = '''
"""What the services of all stored things share."""

from typing import Annotated, Any

from core import Api, ListQuery, Part

Thing = Annotated[dict[str, Any], "model"]
Filled = Annotated[dict[str, Any], "model", Part("items", "item")]


class StoreApi(Api):
    """Stored things."""

    noun = "thing"
    things: Any
    model: Any
    item: Any

    def index(self, query: ListQuery) -> list[Thing]:
        """List {noun}s.

        :permission: read
        """
        return self.things.page(query)

    def get(self, id: int) -> Thing:
        """Read the {noun}.

        :raises NotFound: there is no such {noun}
        :permission: read
        """
        return self.things.read(id)

    def post(self, request_data: Filled) -> int:
        """Store a {noun}.

        :permission: write
        """
        return self.things.create(request_data)

    def put(self, id: int, request_data: Thing) -> Thing:
        """Change the {noun} entirely.

        :permission: write and read or paint
        """
        self.things.change(id, request_data, replace=True)
        return self.things.read(id)

    def patch(self, id: int, request_data: Thing | None = None) -> Thing:
        """Change what is sent of the {noun}.

        :permission: depotcrates.write
        """
        self.things.change(id, request_data or {}, merge_extras=True)
        return self.things.read(id)

    def delete(self, id: int) -> int:
        """Throw the {noun} away.

        :permission: delete
        """
        self.things.delete(id)
        return 1
'''
CRATES = '''
from ..base import StoreApi
from ..models import Crate, Item, crates, rooms


class DepotCrates(StoreApi):
    """Crates.

    :rights: paint
    """

    noun = "crate"
    model = Crate
    item = Item
    things = crates

    def post_room(self, name: str) -> int:
        """Build a room."""
        return rooms.create({"name": name})
'''
BARRELS = '''
from ..base import StoreApi
from ..models import Barrel, Item, barrels


class DepotBarrels(StoreApi):
    """Barrels.

    :rights: paint
    """

    noun = "barrel"
    model = Barrel
    item = Item
    things = barrels

    def get(self, id: int) -> dict:
        """Roll the {noun} here.

        :permission: read
        """
        return self.things.read(id) | {"rolled": 1}
'''
FILES = {
    "models.py": MODELS, "base.py": BASE, "class/api_depotcrates.py": CRATES, "class/api_depotbarrels.py": BARRELS,
}  # fmt: skip


def fill(folder):
    write_files(folder / "depot", FILES)
    return str(folder)


def etag(client, path):
    return str(client.simulate_get(path).headers["etag"])


def resolved(document, schema):
    while "$ref" in schema:
        place = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            place = place[part]
        schema = place
    return schema
