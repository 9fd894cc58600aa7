"""`expand` and `properties` over the services of an author: names, rights, limits, tags, sheets, what is broken."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from peewee import AutoField, CharField

from core import Account, ExactField, Model, RecordField
from core.storage.model import relations_of
from core.storage.serializer import etag_of, names_state, with_state
from core.testing import Served, cost, make_settings
from core.web import views

SHOP = '''
"""Shelves of a shop, and what lies on them."""

from peewee import AutoField, CharField

from core import Account, Model, RecordField, Records


class Room(Model):
    id = AutoField()
    name = CharField()
    next = RecordField("self", "Next room", null=True)

    class Meta:
        table_name = "shop_room"
        answers = None


class Shelf(Model):
    id = AutoField()
    name = CharField()
    fk_room = RecordField(Room, "Room", null=True)
    keeper = RecordField(Account, "Keeper", null=True)

    class Meta:
        table_name = "shop_shelf"


class Box(Model):
    id = AutoField()
    shelf_id = RecordField(Shelf, "Shelf", on_delete="cascade")
    label = CharField(default="")

    class Meta:
        table_name = "shop_box"


class Note(Model):
    id = AutoField()
    fk_shelf = RecordField(Shelf, "Shelf")
    fk_hidden = RecordField(Room, "Room", null=True)

    class Meta:
        table_name = "shop_note"
        secret = ("fk_hidden",)


class Shelves(Records[Shelf]):
    model, service, noun = Shelf, "shelves", "Shelf"
    owned = ((Box, "shelf_id"),)

    def complete(self, records):
        boxes = Records(Box).every({"shelf_id": [each["id"] for each in records]})
        for record in records:
            record["boxes"] = [each for each in boxes if each["shelf_id"] == record["id"]]
            record["size"] = 3


rooms = Records(Room, service="rooms", noun="Room")
shelves = Shelves()
boxes = Records(Box, service="boxes")
notes = Records(Note, service="notes")
'''

#: a service of records, with what its class says and how its right is stated
SERVICE = '''
from typing import Annotated, Any

from core import Crud, ListQuery, Part

from .. import models
from ..models import {model}, {records}

Record = Annotated[dict[str, Any], {model}{part}]


class {name}(Crud):
    """{name}."""

    records = {records}

    def index(self, query: ListQuery) -> list[Record]:
        """List them.

        {access}
        """
        return {records}.page(query)

    def get(self, id: int) -> Record:
        """Read one.

        {access}
        """
        return {records}.read(id)

    def get_named(self, name: str) -> Record | None:
        """Read one by its name, if there is one.

        {access}
        """
        return {records}.find(name, "name")

    def get_mixed(self, expand: str = "mine") -> list[Record]:
        """A parameter of the author's own.

        {access}
        """
        return [{{"id": 1, "expand": expand}}]
'''

READ = ":permission: read"


def service(name, model, records, access=READ, part=""):
    return SERVICE.format(name=name, model=model, records=records, access=access, part=part)


SERVICES = {
    "rooms": service("Rooms", "Room", "rooms"),
    "shelves": service("Shelves", "Shelf", "shelves", part=', Part("boxes", models.Box)'),
    "boxes": service("Boxes", "Box", "boxes", ":access: hybrid"),
    "notes": service("Notes", "Note", "notes"),
}


@pytest.fixture
def shop(tmp_path, folder, write, without_natives):
    """A shop of two rooms, two shelves, three boxes and a note."""
    write("shop/models.py", SHOP)
    for name, text in SERVICES.items():
        write(f"shop/class/api_{name}.py", text)
    served = Served(make_settings(tmp_path, modules=str(folder)))
    admin = served.client()
    for path, body in (
        ("rooms", {"name": "hall"}), ("rooms", {"name": "cellar", "next": 1}),
        ("shelves", {"name": "oak", "fk_room": 2, "keeper": 1}), ("shelves", {"name": "pine"}),
        ("boxes", {"shelf_id": 1, "label": "a"}), ("boxes", {"shelf_id": 1, "label": "=b"}),
        ("boxes", {"shelf_id": 2, "label": "c"}), ("notes", {"fk_shelf": 1, "fk_hidden": 1}),
    ):  # fmt: skip
        admin.ask("POST", f"/{path}", body)
    yield served
    served.close()


@pytest.fixture
def change(shop, write):
    """Change a file while the server runs."""

    def put(path, text):
        write(path, text)
        shop.server.reloader.check()

    return put


# Names ---------------------------------------------------------------------------------------------------------------


class Named(Model):
    """Each way in which a relation gets its name."""

    id = AutoField()
    socid = RecordField(Account, "Third party")
    fk_author = RecordField(Account, "User")
    reader_id = RecordField(Account, "User")
    guest = RecordField(Account, "Guest")
    fk_plain = RecordField(Account)
    ref = CharField()
    reference = RecordField(Account, "Ref")
    fk_hidden = RecordField(Account, "Hidden")
    price = ExactField()

    class Meta:
        table_name = "named"
        secret = ("fk_hidden",)


def test_names_of_relations():
    assert {name: field.name for name, field in relations_of(Named).items()} == {
        # the noun, in small letters
        "thirdparty": "socid",
        # several of one noun: the fields' names without fk_ and _id
        "author": "fk_author",
        "reader": "reader_id",
        # a field is called so already
        "guest_record": "guest",
        # no noun
        "plain": "fk_plain",
        "reference_record": "reference",
    }


def test_what_is_answered(shop):
    admin = shop.client()
    hall = {"id": 1, "name": "hall", "next": None}
    cellar = {"id": 2, "name": "cellar", "next": 1}
    oak = {"id": 1, "name": "oak", "fk_room": 2, "keeper": 1, "size": 3}
    boxes = [{"id": 1, "shelf_id": 1, "label": "a"}, {"id": 2, "shelf_id": 1, "label": "=b"}]
    assert admin.get("/rooms/2", expand="nextroom") == {**cellar, "nextroom": hall}
    assert admin.get("/rooms/1", expand="nextroom") == {**hall, "nextroom": None}
    assert admin.get("/shelves/1", expand="room") == {**oak, "boxes": boxes, "room": cellar}
    deep = admin.get("/boxes", expand="shelf.room.nextroom", limit=1)
    whole = {**oak, "boxes": boxes, "room": {**cellar, "nextroom": hall}}
    assert deep == [{**boxes[0], "shelf": whole}]
    # parts lead to no record that holds them; of the parts of what is expanded it is the same
    known = "room, room.nextroom, room.nextroom.nextroom"
    assert f"Known names: {known}" in admin.refused("GET", "/shelves?expand=boxes.shelf", status=400)
    for path in ("nothing", "boxes", "shelf.room.nextroom.nextroom", "room.", ".", "keeper", "shelf.boxes.shelf"):
        admin.refused("GET", f"/boxes?expand={path}", status=400)
    # a secret field leads nowhere
    assert "Known names: shelf, shelf.room" in admin.refused("GET", "/notes?expand=room", status=400)
    # several times, blanks, twice the same
    assert admin.get("/shelves/1?expand=room&expand=room, room.nextroom&properties=id")["room"]["nextroom"] == hall
    # null in place of a record, and a method's own parameter
    assert admin.get("/shelves/named", name="none", expand="room") is None
    assert admin.get("/shelves/named", name="oak", expand="room")["room"] == cellar
    assert admin.get("/shelves/mixed", expand="room") == [{"id": 1, "expand": "room"}]
    wrapped = admin.get("/shelves", expand="room", pagination_data="true", properties="room.name")
    assert wrapped["data"] == [{"room": {"name": "cellar"}}, {"room": None}]


def test_properties_reach_into_records_and_parts(shop):
    admin = shop.client()
    cases = {
        "name": {"name": "oak"},
        "room.name,name": {"room": {"name": "cellar"}, "name": "oak"},
        "room": {"room": {"id": 2, "name": "cellar", "next": 1}},
        "room,room.name": {"room": {"id": 2, "name": "cellar", "next": 1}},
        "id,boxes.label": {"id": 1, "boxes": [{"label": "a"}, {"label": "=b"}]},
        "size,room.nextroom.name": {"size": 3, "room": {"nextroom": {"name": "hall"}}},
        "room.name&expand=room": {"room": {"name": "cellar"}},
        "id&expand=room": {"id": 1, "room": {"id": 2, "name": "cellar", "next": 1}},
        "id,room.id&expand=room.nextroom": {
            "id": 1, "room": {"id": 2, "nextroom": {"id": 1, "name": "hall", "next": None}},
        },
    }  # fmt: skip
    for asked, expected in cases.items():
        assert list(admin.get(f"/shelves?limit=1&properties={asked}")[0]) == list(expected)
        assert admin.get(f"/shelves?limit=1&properties={asked}") == [expected], asked
        assert admin.get(f"/shelves/1?properties={asked}") == expected, asked
    for path in (
        "nothing",
        "room.nothing",
        "nothing.name",
        "boxes.nothing",
        "room.nextroom.nothing",
        "size.x",
        "room.",
    ):
        for where in ("/shelves", "/shelves/1"):
            assert f"'{path}'" in admin.refused("GET", f"{where}?properties={path}", status=400)


_KNOWN = ["id", "name", "room", "room.name", "room.nextroom", "room.nextroom.name", "boxes", "boxes.label", "size"]


@pytest.fixture
def plain(shop):
    return shop.client().get("/shelves", expand="room.nextroom")


def test_any_properties_are_a_part_of_the_whole(shop, plain):
    admin = shop.client()

    @given(st.lists(st.one_of(st.sampled_from(_KNOWN), st.text("abroom.,&=%*", max_size=12)), max_size=6))
    def held(asked):
        answer = admin.simulate_get("/shelves", params={"properties": ",".join(asked)})
        assert answer.status_code in (200, 400), answer.text
        if answer.status_code == 200:
            assert all(map(lies_in, answer.json, plain))

    held()


def lies_in(part, whole):
    """Whether all of an answer stands in a larger one."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and lies_in(each, whole[name]) for name, each in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(lies_in, part, whole))
    return bool(part == whole)


def test_plain_dicts_of_a_service_are_records_of_what_it_says_it_serves(shop, change):
    text = SERVICES["rooms"].replace("list[Record]", "list[dict]").replace("Record:", "dict:")
    change("shop/class/api_rooms.py", text.replace("Record | None", "dict | None"))
    admin = shop.client()
    assert admin.get("/shelves/1", properties="room.nextroom.name") == {"room": {"nextroom": {"name": "hall"}}}
    assert admin.get("/rooms", properties="id,nextroom.name")[1] == {"id": 2, "nextroom": {"name": "hall"}}
    assert admin.get("/rooms/2", expand="nextroom")["nextroom"]["name"] == "hall"


# Rights --------------------------------------------------------------------------------------------------------------


def test_the_right_of_what_is_named_is_needed(shop):
    reader = shop.user("shelves.read")
    message = "expand=room: you need the permission rooms.read"
    for asked in ("expand=room", "properties=id,room.name", "properties=room", "expand=room.nextroom"):
        assert message in reader.refused("GET", f"/shelves?{asked}", status=401)
        assert message in shop.user("shelves.read", "rooms.read", only=["shelves.read"]).refused(
            "GET", f"/shelves/1?{asked}", status=401
        )
    assert shop.user("shelves.read", "rooms.read").get("/shelves/1", expand="room")["room"]["id"] == 2
    # Without a key: of what is open to all, what is not
    anybody = shop.client(None)
    assert anybody.get("/boxes/1")["label"] == "a"
    assert "expand=shelf" in anybody.refused("GET", "/boxes/1?expand=shelf", status=401)


def test_what_states_no_right_or_is_not_expandable_is_not_expanded(shop, change):
    admin = shop.client()
    change("shop/class/api_rooms.py", service("Rooms", "Room", "rooms", ":access: protected"))
    assert "Known names: none" in admin.refused("GET", "/shelves?expand=room", status=400)
    change("shop/class/api_rooms.py", service("Rooms", "Room", "rooms", ":access: public"))
    assert admin.get("/shelves/1", expand="room")["room"]["name"] == "cellar"
    change(
        "shop/models.py",
        SHOP.replace(
            "shelves = Shelves()", "shelves = Shelves()\nRecords.expandable = True\nShelves.expandable = False"
        ),
    )
    assert "Known names: none" in admin.refused("GET", "/boxes?expand=shelf", status=400)


def test_row_rules_and_missing_records(shop, change):
    change(
        "shop/rows.py",
        "from core import Caller, Rows\n\nfrom .models import Room\n\n\n"
        "def named(caller: Caller) -> Rows:\n"
        "    return Rows.ALL if caller.admin else Rows('{name} = ?', 'hall')\n\n\nRULES = {Room: named}\n",
    )
    reader = shop.user("shelves.read", "rooms.read")
    assert reader.get("/shelves/1", expand="room")["room"] is None
    assert reader.get("/shelves/1", properties="room.name") == {"room": None}
    assert shop.client().get("/shelves/1", expand="room")["room"]["name"] == "cellar"
    assert reader.get("/rooms", expand="nextroom") == [{"id": 1, "name": "hall", "next": None, "nextroom": None}]


def test_a_service_that_cannot_be_loaded_is_501_by_name(shop, change):
    admin = shop.client()
    change("shop/class/api_rooms.py", "1 / 0")
    message = admin.refused("GET", "/shelves?expand=room", status=501)
    assert "expand=room" in message
    assert admin.get("/boxes/1", expand="shelf")["shelf"]["name"] == "oak"
    change("shop/class/api_rooms.py", SERVICES["rooms"])
    assert admin.get("/shelves/1", expand="room")["room"]["name"] == "cellar"


# Tags, sheets, limits ------------------------------------------------------------------------------------------------


def test_tags(shop):
    admin = shop.client()
    plain = admin.simulate_get("/shelves/1").headers["ETag"]
    seen = admin.simulate_get("/shelves/1?expand=room").headers["ETag"]
    part = admin.simulate_get("/shelves/1?properties=room.name").headers["ETag"]
    assert len({plain, seen, part}) == 3
    state = plain.strip('"')
    assert seen.strip('"').partition("-")[0] == part.strip('"').partition("-")[0] == state

    def again(path, tag):
        return admin.simulate_get(path, headers={"If-None-Match": tag}).status_code

    assert again("/shelves/1?expand=room", seen) == 304 and again("/shelves/1", plain) == 304
    assert again("/shelves/1", seen) == 200 and again("/shelves/1?expand=room", plain) == 200
    admin.ask("PUT", "/rooms/2", {"name": "vault"})
    assert again("/shelves/1?expand=room", seen) == 200 and again("/shelves/1", plain) == 304
    # It is the shelf that is changed, and that is as it was read
    for tag, status in ((seen, 200), (seen, 412), (plain, 412)):
        changed = admin.simulate_put("/shelves/1", json={"name": f"oak {tag}"}, headers={"If-Match": tag})
        assert changed.status_code == status
    assert names_state('W/"x", ' + with_state(etag_of(b"1"), etag_of(b"2")), etag_of(b"2"))
    assert not names_state(with_state(etag_of(b"1"), etag_of(b"2")), etag_of(b"1"))


def test_sheets(shop):
    admin = shop.client()

    def rows(query):
        answer = admin.simulate_get(f"/shelves?{query}", headers={"Accept": "text/csv"})
        assert answer.status_code == 200, answer.text
        return list(csv.reader(io.StringIO(answer.text)))

    assert rows("properties=name,room.name,room.nextroom.name,boxes.label") == [
        ["name", "room.name", "room.nextroom.name", "boxes"],
        ["oak", "cellar", "hall", '[{"label":"a"},{"label":"=b"}]'],
        ["pine", "", "", '[{"label":"c"}]'],
    ]
    assert rows("properties=id&expand=room") == [
        ["id", "room.id", "room.name", "room.next"], ["1", "2", "cellar", "1"], ["2", "", "", ""],
    ]  # fmt: skip
    assert rows("properties=boxes,id")[1] == [
        '[{"id":1,"shelf_id":1,"label":"a"},{"id":2,"shelf_id":1,"label":"=b"}]',
        "1",
    ]


def test_limits(shop, monkeypatch):
    admin = shop.client()
    assert cost(lambda: admin.get("/boxes", expand="shelf.room")) - cost(lambda: admin.get("/boxes")) == 3
    monkeypatch.setattr(views, "IDS_OF_A_STATEMENT", 1)
    assert [each["shelf"]["id"] for each in admin.get("/boxes", expand="shelf")] == [1, 1, 2]
    monkeypatch.setattr(views, "MOST_EXPANDED", 8)
    # Three shelves, with two, two and one boxes
    assert len(admin.get("/boxes", expand="shelf")) == 3
    monkeypatch.setattr(views, "MOST_EXPANDED", 7)
    assert "expected at most 7 referenced records, got 8" in admin.refused("GET", "/boxes?expand=shelf", status=400)
    many = ",".join(f"x{number}" for number in range(1001))
    for name in ("expand", "properties"):
        admin.refused("GET", f"/shelves/1?{name}={many}", status=400)


def test_the_document_tells_what_there_is(shop, change):
    admin = shop.client()

    def names(path):
        document = admin.get(f"/explorer/openapi/{path.split('/')[1]}.json")
        said = document["paths"][path]["get"]["parameters"]
        items = next((each["schema"]["items"] for each in said if each.get("name") == "expand"), None)
        return None if items is None else [each["const"] for each in items.get("anyOf", [items])]

    assert names("/shelves") == ["room", "room.nextroom", "room.nextroom.nextroom"] == names("/shelves/{id}")
    assert names("/notes") == ["shelf", "shelf.room", "shelf.room.nextroom"]
    change("shop/class/api_rooms.py", "1 / 0")
    assert names("/shelves") is None and names("/notes") == ["shelf"]
