"""Patterns of models, and base classes of services."""

from core.contract.catalogue import catalogue
from core.records.extra_fields import element_models
from core.storage.database import database, ensure_connected
from tests.core.records.store import resolved

# Patterns of models ---------------------------------------------------------------------------------------------------


def test_a_pattern_has_no_table_and_no_kind_of_extra_fields(served, admin):
    ensure_connected()
    assert {"depot_crate", "depot_barrel", "depot_item"} <= set(database.get_tables())
    assert not [name for name in database.get_tables() if "stored" in name or name in ("document", "line")]
    kinds = set(element_models())
    assert {"depot_crate", "depot_barrel", "depot_item", "propal", "propaldet"} <= kinds
    assert "depot_stored" not in kinds
    message = admin.refused("POST", "/setup/extrafields/depot_stored/x", {"label": "x", "type": "int"}, status=404)
    assert "depot_crate" in message
    assert "depot_stored" not in message.partition("there are")[2]


def test_what_is_derived_has_the_fields_and_one_reference(served):
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
        room = model._meta.fields["room"]
        assert [each.sql for each in room.constraints] == ["REFERENCES depot_room (id)"]
        assert room.model is model


def test_models_of_one_pattern_have_options_of_their_own(admin):
    assert admin.refused("POST", "/depotbarrels", {}, status=400) == "Bad Request: `name` is required"
    answer = admin.simulate_post("/depotbarrels", json={"name": "B", "state": 4, "lid": "x", "code": "C"})
    assert "lid, state" in answer.headers["warning"]
    record = admin.get(f"/depotbarrels/{answer.json}")
    assert (record["state"], record["code"], "lid" in record) == (0, "C", False)
    changed = admin.simulate_patch("/depotcrates/0", json={})
    assert changed.status_code == 400


# Base classes of services ---------------------------------------------------------------------------------------------


def test_rights_without_a_dot_are_the_services_own(served, admin, crate):
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


def test_an_inherited_method_speaks_of_its_own_records(served, admin):
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


def body_schema(document, verb, path):
    operation = document["paths"][path][verb]
    return resolved(document, operation["requestBody"]["content"]["application/json"]["schema"])


def test_the_models_of_a_derived_service_are_documented(served, admin):
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
