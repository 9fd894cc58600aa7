"""Records: replacing, joined tables, numbers, extra fields, statements of one's own."""

from core.storage.database import database, ensure_connected
from tests.core.records.store import etag, fill, resolved

# Replacing ------------------------------------------------------------------------------------------------------------


def test_replacing_resets_what_is_not_sent(admin):
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


def test_replacing_clears_extra_fields(admin):
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


# Joined tables --------------------------------------------------------------------------------------------------------


def test_fields_of_a_joined_table_are_answered_and_filtered(admin):
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


def test_a_second_alias_names_the_records_own_fields(admin):
    identifier = admin.ask("POST", "/depotcrates", {"name": "Second", "pieces": 41})
    for filters in ("(s.name:=:'Second')", "(s.pieces:=:41) and (t.name:=:'Second')", "not (s.pieces:<>:41)"):
        assert [record["id"] for record in admin.get("/depotcrates", sqlfilters=filters)] == [identifier]
    admin.refused("GET", "/depotcrates", status=400, params={"sqlfilters": "(r.pieces:=:1)"})


# Fields ---------------------------------------------------------------------------------------------------------------


def test_numbers_in_the_profile_of_the_specification(admin):
    record = admin.get(
        f"/depotcrates/{admin.ask('POST', '/depotcrates', {'name': 'N', 'wish': '5', 'weight': '2.50'})}"
    )
    assert (record["state"], record["wish"], record["pieces"]) == (0, 5, 1)
    assert (record["weight"], record["price"]) == ("2.50000000", "0.00000000")
    for wrong in ("x", 40000, "1.5", True):
        admin.refused("POST", "/depotcrates", {"name": "N", "wish": wrong}, status=400)


def test_extra_fields_go_with_what_belongs_to_a_record(served, admin):
    admin.ask("POST", "/setup/extrafields/depot_item/shade", {"label": "Shade", "type": "varchar"})
    kept = admin.ask("POST", "/depotcrates", {"name": "Kept", "items": [{"array_options": {"options_shade": "x"}}]})
    items = [{"word": word, "array_options": {"options_shade": word}} for word in ("dark", "light")]
    gone = admin.ask("POST", "/depotcrates", {"name": "Gone", "items": items})

    def count(table):
        ensure_connected()
        return int(database.execute_sql(f"SELECT COUNT(*) FROM {table}").fetchone()[0])

    assert (count("depot_item"), count("depot_item_extrafields")) == (3, 3)
    admin.ask("DELETE", f"/depotcrates/{gone}")
    assert (count("depot_item"), count("depot_item_extrafields")) == (1, 1)
    assert admin.get(f"/depotcrates/{kept}")["id"] == kept
    admin.ask("DELETE", "/setup/extrafields/depot_item/shade")


# In the other profile -------------------------------------------------------------------------------------------------


def test_numbers_and_trimmed_decimals_in_the_profile_of_release_16(serve, folder):
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
