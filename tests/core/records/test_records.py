"""Records: entity tags and If-Match, replacing, patterns of models and of API classes, fields of joined tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core import query, transaction
from core.contract.catalogue import catalogue
from core.records.extra_fields import element_models
from core.storage.database import database, ensure_connected
from core.testing import Client, Served, drop_database, make_settings

Write = Callable[[str, str], Path]

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
    besides = ("items",)

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


def fill(folder: Path) -> str:
    for name, text in FILES.items():
        file = folder / "depot" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return str(folder)


@pytest.fixture(scope="module")
def served(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The native modules and the depot, on each kind of database."""
    folder = tmp_path_factory.mktemp("depot")
    served = Served(make_settings(folder, kind, modules=fill(folder / "outside")))
    yield served
    served.close()
    drop_database(served.settings.database)


@pytest.fixture(scope="module")
def admin(served: Served) -> Client:
    return served.client()


@pytest.fixture
def crate(admin: Client) -> int:
    return admin.ask("POST", "/depotcrates", {"name": "Crate"})  # type: ignore[no-any-return]


def etag(client: Client, path: str) -> str:
    return str(client.simulate_get(path).headers["etag"])


# Entity tags ---------------------------------------------------------------------------------------------------------


def test_a_tag_names_a_state_of_the_record(admin: Client, crate: int) -> None:
    path = f"/depotcrates/{crate}"
    tag = etag(admin, path)
    assert tag == etag(admin, path)
    assert tag[0] == tag[-1] == '"'
    assert admin.simulate_head(path).headers["etag"] == tag
    admin.ask("PATCH", path, {"colour": "red"})
    assert etag(admin, path) != tag
    admin.ask("PATCH", path, {"colour": "grey"})
    assert etag(admin, path) == tag
    # Neither a list nor a change has one, nor a failure
    assert "etag" not in admin.simulate_get("/depotcrates").headers
    assert "etag" not in admin.simulate_patch(path, json={}).headers
    assert "etag" not in admin.simulate_get("/depotcrates/999999").headers


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*", '"a","b" , W/{}'])
def test_a_change_with_the_records_tag_passes(admin: Client, crate: int, verb: str, form: str) -> None:
    path = f"/depotcrates/{crate}"
    headers = {"If-Match": form.format(etag(admin, path))}
    body = None if verb == "DELETE" else {"name": "Changed"}
    admin.ask(verb, path, body, headers=headers)
    if body:
        assert admin.get(path)["name"] == "Changed"
    else:
        admin.get(path, status=404)


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("form", ["{}", "W/{}", '"other"', "nonsense", '""', '{}, "other"'])
def test_a_change_with_an_old_tag_is_412_and_writes_nothing(admin: Client, crate: int, verb: str, form: str) -> None:
    path = f"/depotcrates/{crate}"
    headers = {"If-Match": form.format(etag(admin, path))}
    admin.ask("PATCH", path, {"colour": "red"})
    before = admin.get(path)
    body = None if verb == "DELETE" else {"name": "Changed", "colour": "blue"}
    message = admin.refused(verb, path, body, status=412, headers=headers)
    assert message.startswith("Precondition Failed: Crate")
    assert "changed meanwhile" in message
    assert admin.get(path) == before


def test_what_does_not_exist_is_404_whatever_its_tag(admin: Client) -> None:
    for verb in ("PUT", "PATCH", "DELETE"):
        admin.ask(verb, "/depotcrates/999999", None if verb == "DELETE" else {}, status=404, headers={"If-Match": "*"})


def test_no_tag_is_no_condition(admin: Client, crate: int) -> None:
    path = f"/depotcrates/{crate}"
    assert admin.ask("PATCH", path, {"colour": "red"}, headers={"If-Match": ""})["colour"] == "red"


def test_what_the_caller_has_is_not_sent_again(admin: Client, crate: int) -> None:
    path = f"/depotcrates/{crate}"
    tag = etag(admin, path)
    for sent in (tag, f"W/{tag}", "*", f'"x", {tag}'):
        answer = admin.simulate_get(path, headers={"If-None-Match": sent})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    assert admin.simulate_get(path, headers={"If-None-Match": '"old"'}).json["id"] == crate
    admin.ask("PATCH", path, {"colour": "red"})
    assert admin.simulate_get(path, headers={"If-None-Match": tag}).status_code == 200


#: what a record of each service is made of
BODIES: dict[str, dict[str, Any]] = {
    "thirdparties": {"name": "Tagged Ltd"},
    "contacts": {"lastname": "Doe"},
    "products": {"ref": "TAGGED", "label": "Tagged"},
    "users": {"login": "tagged"},
    "depotcrates": {"name": "Crate"},
    "proposals": {"date": 1795219200, "lines": [{"qty": 1, "subprice": "9.99"}]},
    "orders": {"date": 1795219200, "lines": [{"qty": 1, "subprice": "9.99"}]},
    "invoices": {"date": 1795219200, "lines": [{"qty": 1, "subprice": "9.99"}]},
}


def tagged_services() -> list[str]:
    """The services that read and change one record by its identifier."""
    routes = {(each.verb, each.template) for service in catalogue().services.values() for each in service.operations}
    return sorted(
        path.split("/")[1]
        for verb, path in routes
        if verb == "GET" and path.endswith("/{id}") and path.count("/") == 2 and ("PUT", path) in routes
    )


def test_the_tag_of_every_service_is_taken_by_its_own_put(admin: Client) -> None:
    customer = admin.ask("POST", "/thirdparties", {"name": "Customer"})
    found = [name for name in tagged_services() if name != "depotbarrels"]
    assert set(found) >= {"thirdparties", "contacts", "products", "users", "proposals", "depotcrates"}
    refused = []
    for name in found:
        body = BODIES[name] | ({"socid": customer} if "date" in BODIES[name] else {})
        path = f"/{name}/{admin.ask('POST', f'/{name}', body)}"
        record = admin.get(path)
        for verb in ("PUT", "PATCH", "DELETE"):
            admin.refused(verb, path, None if verb == "DELETE" else {}, status=412, headers={"If-Match": '"old"'})
            body = {} if verb == "DELETE" else {"json": record}
            answer = admin.simulate_request(verb, path, headers={"If-Match": etag(admin, path)}, **body)
            if answer.status_code != 200:
                refused.append(f"{verb} {path} {answer.text[:200]}")
    assert refused == []


# Replacing -----------------------------------------------------------------------------------------------------------


def test_replacing_resets_what_is_not_sent(admin: Client) -> None:
    room = admin.ask("POST", "/depotcrates/room", {"name": "North"})
    fields = {
        "name": "Full", "colour": "red", "room": room, "wish": 3, "pieces": 7, "weight": "1.5", "price": "9.99",
        "code": "C1", "lid": "oak",
    }  # fmt: skip
    path = f"/depotcrates/{admin.ask('POST', '/depotcrates', fields)}"
    full = admin.get(path)
    replaced = admin.ask("PUT", path, {"price": "3"})
    assert replaced == full | {
        "colour": "grey", "room": None, "room_name": None, "wish": None, "pieces": 1, "weight": None,
        "price": "3.00000000", "lid": None,
    }  # fmt: skip
    # What must be there may be changed, and not taken away; null takes a default where there is no null
    assert admin.ask("PUT", path, {"name": "Other", "pieces": None, "colour": None}) == replaced | {
        "name": "Other", "price": "0.00000000", "colour": None,
    }  # fmt: skip
    assert "name" in admin.refused("PUT", path, {"name": None}, status=400)
    assert admin.get(path)["name"] == "Other"


def test_replacing_clears_extra_fields(admin: Client) -> None:
    for name in ("one", "two"):
        admin.ask("POST", f"/setup/extrafields/depot_crate/{name}", {"label": name, "type": "varchar", "default": "d"})
    both = {"options_one": "a", "options_two": "b"}
    path = f"/depotcrates/{admin.ask('POST', '/depotcrates', {'name': 'X', 'array_options': both})}"
    assert admin.ask("PATCH", path, {"array_options": {"options_one": "c"}})["array_options"] == both | {
        "options_one": "c"
    }
    assert admin.ask("PUT", path, {"array_options": {"options_two": "e"}})["array_options"] == {
        "options_one": None, "options_two": "e",
    }  # fmt: skip
    assert admin.ask("PUT", path, {})["array_options"] == {"options_one": None, "options_two": None}
    for name in ("one", "two"):
        admin.ask("DELETE", f"/setup/extrafields/depot_crate/{name}")


# Patterns of models --------------------------------------------------------------------------------------------------


def test_a_pattern_has_no_table_and_no_kind_of_extra_fields(served: Served, admin: Client) -> None:
    ensure_connected()
    assert {"depot_crate", "depot_barrel", "depot_item"} <= set(database.get_tables())
    assert not [name for name in database.get_tables() if "stored" in name or name in ("document", "line")]
    kinds = set(element_models())
    assert {"depot_crate", "depot_barrel", "depot_item", "propal", "propaldet"} <= kinds
    assert "depot_stored" not in kinds
    message = admin.refused("POST", "/setup/extrafields/depot_stored/x", {"label": "x", "type": "int"}, status=404)
    assert "depot_crate" in message
    assert "depot_stored" not in message.partition("there are")[2]


def test_what_is_derived_has_the_fields_and_one_reference(served: Served) -> None:
    ensure_connected()
    fields = {"id", "name", "colour", "room", "state", "wish", "pieces", "weight", "price", "code"}
    assert {column.name for column in database.get_columns("depot_barrel")} == fields
    assert {column.name for column in database.get_columns("depot_crate")} == fields | {"lid"}
    for table in ("depot_crate", "depot_barrel"):
        keys = database.get_foreign_keys(table)
        # On MariaDB a reference in a column's own line is read over
        expected = [] if served.settings.database.startswith("mysql") and not keys else [("room", "depot_room", "id")]
        assert [(key.column, key.dest_table, key.dest_column) for key in keys] == expected
    for model in (element_models()["depot_crate"], element_models()["depot_barrel"]):
        room: Any = model._meta.fields["room"]  # type: ignore[attr-defined]
        assert [each.sql for each in room.constraints] == ["REFERENCES depot_room (id)"]
        assert room.model is model


def test_models_of_one_pattern_have_options_of_their_own(admin: Client) -> None:
    assert admin.refused("POST", "/depotbarrels", {}, status=400) == "Bad Request: name field missing"
    answer = admin.simulate_post("/depotbarrels", json={"name": "B", "state": 4, "lid": "x", "code": "C"})
    assert "state, lid" in answer.headers["warning"]
    record = admin.get(f"/depotbarrels/{answer.json}")
    assert (record["state"], record["code"], "lid" in record) == (0, "C", False)
    changed = admin.simulate_patch("/depotcrates/0", json={})
    assert changed.status_code == 400


# Base classes of services --------------------------------------------------------------------------------------------


def test_rights_without_a_dot_are_the_services_own(served: Served, admin: Client, crate: int) -> None:
    services = catalogue().services
    for name in ("depotcrates", "depotbarrels"):
        shown = {
            (each.verb, each.template): each.permission and each.permission.text for each in services[name].operations
        }
        assert shown["GET", f"/{name}"] == f"{name}.read"
        assert shown["PUT", f"/{name}/{{id}}"].count(f"{name}.") == 3
        assert shown["PATCH", f"/{name}/{{id}}"] == "depotcrates.write"
        assert f"{name}.paint" in catalogue().rights
    reader = served.user("depotcrates.read")
    assert reader.get(f"/depotcrates/{crate}")["id"] == crate
    reader.get("/depotbarrels", status=401)
    reader.ask("PUT", f"/depotcrates/{crate}", {}, status=401)
    painter = served.user("depotcrates.write", "depotcrates.paint")
    painter.ask("PUT", f"/depotcrates/{crate}", {})
    served.user("depotcrates.write").ask("PUT", f"/depotcrates/{crate}", {}, status=401)
    painter.get(f"/depotcrates/{crate}", status=401)
    barrel = admin.ask("POST", "/depotbarrels", {"name": "B"})
    # A name with a dot is another service's
    assert painter.ask("PATCH", f"/depotbarrels/{barrel}", {"colour": "red"})["colour"] == "red"


def test_an_inherited_method_speaks_of_its_own_records(served: Served, admin: Client) -> None:
    summaries = {
        (each.verb, each.template): each.annotation.summary
        for name in ("depotcrates", "depotbarrels")
        for each in catalogue().services[name].operations
    }
    assert summaries["GET", "/depotcrates"] == "List crates."
    assert summaries["GET", "/depotbarrels"] == "List barrels."
    assert summaries["GET", "/depotbarrels/{id}"] == "Roll the barrel here."
    document = admin.get("/explorer/openapi.json")
    assert "{noun}" not in str(document)
    barrel = admin.ask("POST", "/depotbarrels", {"name": "B"})
    assert admin.get(f"/depotbarrels/{barrel}")["rolled"] == 1


def resolved(document: dict[str, Any], schema: Any) -> dict[str, Any]:
    while "$ref" in schema:
        place: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            place = place[part]
        schema = place
    return schema  # type: ignore[no-any-return]


def body_schema(document: dict[str, Any], verb: str, path: str) -> dict[str, Any]:
    operation = document["paths"][path][verb]
    return resolved(document, operation["requestBody"]["content"]["application/json"]["schema"])


def test_the_models_of_a_derived_service_are_documented(served: Served, admin: Client) -> None:
    document = admin.get("/explorer/openapi.json")
    post = body_schema(document, "post", "/depotcrates")
    assert {"name", "colour", "lid", "weight"} <= set(post["properties"])
    assert "lid" not in body_schema(document, "post", "/depotbarrels")["properties"]
    item = resolved(document, resolved(document, post["properties"]["items"])["items"])
    assert {"word", "crate"} <= set(item["properties"])
    assert "items" not in body_schema(document, "put", "/depotcrates/{id}")["properties"]
    answer = document["paths"]["/depotcrates/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert {"state", "room", "lid"} <= set(resolved(document, answer)["properties"])
    lines = resolved(document, body_schema(document, "post", "/proposals")["properties"]["lines"])
    line = resolved(document, lines["items"])
    assert {"qty", "subprice", "tva_tx", "fk_product"} <= set(line["properties"])
    assert "required" not in line or "fk_propal" not in line["required"]


# Joined tables -------------------------------------------------------------------------------------------------------


def test_fields_of_a_joined_table_are_answered_and_filtered(admin: Client) -> None:
    rooms = [admin.ask("POST", "/depotcrates/room", {"name": name}) for name in ("East", "West")]
    ids = [admin.ask("POST", "/depotcrates", {"name": f"J{each}", "room": each}) for each in (*rooms, None)]
    mine = "(t.name:like:'J%')"
    found = admin.get("/depotcrates", sqlfilters=mine)
    assert [(record["id"], record["room_name"]) for record in found] == list(
        zip(ids, ("East", "West", None), strict=True)
    )
    assert admin.get(f"/depotcrates/{ids[1]}")["room_name"] == "West"
    assert [each["id"] for each in admin.get("/depotcrates", sqlfilters=f"{mine} and (r.name:=:'West')")] == [ids[1]]
    sort = {"sqlfilters": mine, "sortfield": "r.name", "sortorder": "DESC", "properties": "room_name"}
    assert admin.get("/depotcrates", **sort) == [{"room_name": "West"}, {"room_name": "East"}, {"room_name": None}]
    # Only what is named of the table
    admin.refused("GET", "/depotcrates", status=400, params={"sqlfilters": "(r.id:=:1)"})


def test_a_second_alias_names_the_records_own_fields(admin: Client) -> None:
    identifier = admin.ask("POST", "/depotcrates", {"name": "Second", "pieces": 41})
    for filters in ("(s.name:=:'Second')", "(s.pieces:=:41) and (t.name:=:'Second')", "not (s.pieces:<>:41)"):
        assert [record["id"] for record in admin.get("/depotcrates", sqlfilters=filters)] == [identifier]
    admin.refused("GET", "/depotcrates", status=400, params={"sqlfilters": "(r.pieces:=:1)"})


# Fields --------------------------------------------------------------------------------------------------------------


def test_numbers_in_the_profile_of_the_specification(admin: Client) -> None:
    record = admin.get(
        f"/depotcrates/{admin.ask('POST', '/depotcrates', {'name': 'N', 'wish': '5', 'weight': '2.50'})}"
    )
    assert (record["state"], record["wish"], record["pieces"]) == (0, 5, 1)
    assert (record["weight"], record["price"]) == ("2.50000000", "0.00000000")
    for wrong in ("x", 40000, "1.5", True):
        admin.refused("POST", "/depotcrates", {"name": "N", "wish": wrong}, status=400)


def test_extra_fields_go_with_what_belongs_to_a_record(served: Served, admin: Client) -> None:
    admin.ask("POST", "/setup/extrafields/depot_item/shade", {"label": "Shade", "type": "varchar"})
    kept = admin.ask("POST", "/depotcrates", {"name": "Kept", "items": [{"array_options": {"options_shade": "x"}}]})
    items = [{"word": word, "array_options": {"options_shade": word}} for word in ("dark", "light")]
    gone = admin.ask("POST", "/depotcrates", {"name": "Gone", "items": items})

    def count(table: str) -> int:
        ensure_connected()
        return int(database.execute_sql(f"SELECT COUNT(*) FROM {table}").fetchone()[0])

    assert (count("depot_item"), count("depot_item_extrafields")) == (3, 3)
    admin.ask("DELETE", f"/depotcrates/{gone}")
    assert (count("depot_item"), count("depot_item_extrafields")) == (1, 1)
    assert admin.get(f"/depotcrates/{kept}")["id"] == kept
    admin.ask("DELETE", "/setup/extrafields/depot_item/shade")


def test_a_statement_of_ones_own_binds_its_values(admin: Client) -> None:
    nasty = 'O\'Hara % ? \\ "x"'
    crate = admin.ask("POST", "/depotcrates", {"name": nasty, "pieces": 12})
    assert query("SELECT id FROM depot_crate WHERE name = ? AND pieces > ?", (nasty, 11)) == [(crate,)]
    assert query("SELECT id FROM depot_crate WHERE name = ?", [nasty]) == [(crate,)]
    assert query("SELECT COUNT(*) FROM depot_crate WHERE name IS NULL") == [(0,)]
    assert query("SELECT id FROM depot_crate WHERE name = ?", ("' OR 1 = 1 -- ",)) == []
    with transaction():
        assert query("SELECT pieces FROM depot_crate WHERE id = ?", (crate,)) == [(12,)]


# In the other profile ------------------------------------------------------------------------------------------------


def test_numbers_and_trimmed_decimals_in_the_profile_of_release_16(serve: Any, folder: Path) -> None:
    old = serve(modules=fill(folder), profile_name="dolibarr16").client()
    for weight, shown in (("2.50", "2.5"), (100, "100"), ("-0.00000001", "-0.00000001"), (0, "0"), (None, None)):
        body = {"name": "N", "wish": "5", "weight": weight, "price": "2.5"}
        path = f"/depotcrates/{old.ask('POST', '/depotcrates', body)}"
        record = old.get(path)
        assert (record["state"], record["wish"], record["pieces"]) == (0, 5, "1")
        assert (record["weight"], record["price"]) == (shown, "2.50000000")
        # What was read can be sent back
        assert old.ask("PUT", path, record, headers={"If-Match": etag(old, path)}) == record
    document = old.get("/explorer/openapi.json")
    answer = document["paths"]["/depotcrates/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    fields = resolved(document, answer)["properties"]
    assert "integer" in str(fields["state"])
    assert "integer" not in str(fields["pieces"])
    filtered = old.get("/depotcrates", sqlfilters="(t.weight:>:2.4) and (t.state:=:0)")
    assert {record["weight"] for record in filtered} == {"2.5", "100"}
