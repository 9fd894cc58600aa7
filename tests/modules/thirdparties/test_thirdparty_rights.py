"""Who may do what to third parties; representatives, extra fields, demonstration data."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pytest

from core.records.extra_field_definitions import define, undefine
from core.storage.database import database, ensure_connected
from core.testing import Client, Served
from tests.modules.thirdparties.thirdparties import make, names, wrong_fields

# Extra fields ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def extra_fields(server: Served) -> Iterator[None]:
    ensure_connected()
    define("societe", "colour", {"label": "Colour", "type": "varchar", "size": "10"})
    define("societe", "points", {"label": "Points", "type": "int"})
    define("societe", "worth", {"label": "Worth", "type": "price"})
    yield
    ensure_connected()
    for name in ("colour", "points", "worth"):
        undefine("societe", name)


@pytest.mark.usefixtures("extra_fields")
class TestExtraFields:
    def test_kept_and_read(self, admin: Client) -> None:
        identifier = make(admin, array_options={"options_colour": "red", "points": "7", "options_worth": "1.5"})
        assert admin.get(f"/thirdparties/{identifier}")["array_options"] == {
            "options_colour": "red", "options_points": 7, "options_worth": "1.50000000",
        }  # fmt: skip

    def test_put_replaces_and_patch_merges(self, admin: Client) -> None:
        identifier = make(admin, array_options={"options_colour": "red", "options_points": 7})
        path = f"/thirdparties/{identifier}"
        assert admin.ask("PUT", path, {"town": "x"})["array_options"]["options_points"] == 7
        patched = admin.ask("PATCH", path, {"array_options": {"options_colour": "blue"}})["array_options"]
        assert patched == {"options_colour": "blue", "options_points": 7, "options_worth": None}
        replaced = admin.ask("PUT", path, {"array_options": {"options_colour": "green"}})["array_options"]
        assert replaced == {"options_colour": "green", "options_points": None, "options_worth": None}

    def test_filtered_and_sorted_by(self, admin: Client) -> None:
        for colour, points in (("red", 3), ("green", 1), ("blue", 2)):
            make(admin, colour, ref_ext="ef", array_options={"options_colour": colour, "options_points": points})
        make(admin, "none", ref_ext="ef")
        ours = "(t.ref_ext:=:'ef')"
        assert names(admin.get("/thirdparties", sqlfilters=f"{ours} and (ef.points:>=:2)")) == ["red", "blue"]
        assert names(admin.get("/thirdparties", sqlfilters=f"{ours} and (ef.colour:like:'%E%')")) == [
            "red", "green", "blue",
        ]  # fmt: skip
        rows = admin.get("/thirdparties", sqlfilters=ours, sortfield="ef.points", sortorder="desc")
        assert names(rows) == ["red", "blue", "green", "none"]

    @pytest.mark.parametrize(
        ("field", "value"), [("options_points", "many"), ("options_colour", "x" * 11), ("options_worth", "2,5")]
    )
    def test_values_that_do_not_fit(self, admin: Client, field: str, value: str) -> None:
        wrong = wrong_fields(admin, {"client": 9, "array_options": {field: value}})
        assert set(wrong) == {"client", "name", f"array_options.{field}"}

    def test_unknown_ones_are_named(self, admin: Client) -> None:
        answer = admin.simulate_post("/thirdparties", json={"name": "x", "array_options": {"options_size": 1}})
        assert "array_options.options_size" in answer.headers["warning"]

    def test_they_go_with_the_record(self, admin: Client) -> None:
        identifier = make(admin, array_options={"options_colour": "red"})
        admin.ask("DELETE", f"/thirdparties/{identifier}")
        ensure_connected()
        rows = database.execute_sql(f"SELECT COUNT(*) FROM llx_societe_extrafields WHERE fk_object = {identifier}")
        assert rows.fetchone()[0] == 0


def test_a_required_extra_field(admin: Client) -> None:
    older = make(admin)
    ensure_connected()
    define("societe", "must", {"label": "Must", "type": "varchar", "required": 1})
    try:
        assert set(wrong_fields(admin, {"name": "x"})) == {"array_options.options_must"}
        assert set(wrong_fields(admin, {"client": 9})) == {"client", "name", "array_options.options_must"}
        wrong = wrong_fields(admin, {"name": "x", "array_options": {"options_must": ""}})
        assert set(wrong) == {"array_options.options_must"}
        make(admin, array_options={"options_must": "x"})
        # A change that does not speak of it passes, and one of nothing to nothing; one that empties it does not
        admin.ask("PUT", f"/thirdparties/{older}", {"town": "x"})
        body = {"array_options": {"options_must": None}}
        admin.ask("PUT", f"/thirdparties/{older}", body)
        admin.ask("PUT", f"/thirdparties/{older}", {"array_options": {"options_must": "x"}})
        assert set(wrong_fields(admin, body, "PUT", f"/thirdparties/{older}")) == {"array_options.options_must"}
    finally:
        ensure_connected()
        undefine("societe", "must")


# Representatives ------------------------------------------------------------------------------------------------------


def test_representatives(server: Served, admin: Client) -> None:
    identifier = make(admin)
    path = f"/thirdparties/{identifier}/representatives"
    assert admin.get(path) == []
    first, second = (server.user().user_id for _ in range(2))
    admin.ask("POST", f"{path}/{second}")
    assert admin.ask("POST", f"{path}/{first}")["id"] == identifier
    told = admin.get(path)
    assert [user["id"] for user in told] == [first, second]
    assert {"id", "login", "lastname", "firstname", "email", "statut"} <= set(told[0])
    assert not [key for key in told[0] if "pass" in key or "key" in key or key == "admin"]
    assert admin.get(path, mode=1) == [first, second]
    assert "already" in admin.refused("POST", f"{path}/{first}", status=405)
    assert admin.ask("DELETE", f"{path}/{first}")["success"]["code"] == 200
    admin.refused("DELETE", f"{path}/{first}", status=404)
    assert admin.get(path, mode=1) == [second]
    assert "User 99999 not found" in admin.refused("POST", f"{path}/99999", status=404)
    admin.refused("GET", "/thirdparties/99999/representatives", status=404)
    admin.refused("POST", f"/thirdparties/99999/representatives/{first}", status=404)
    admin.refused("GET", path, status=400, params={"mode": "2"})


def test_representatives_are_told_by_name_without_the_right_to_read_users(server: Served, admin: Client) -> None:
    identifier = make(admin)
    path = f"/thirdparties/{identifier}/representatives"
    body = {"login": "secretlogin", "email": "secret@example.org", "lastname": "Lovelace", "firstname": "Ada"}
    user = admin.ask("POST", "/users", body)
    name = {"id": user, "lastname": "Lovelace", "firstname": "Ada"}
    told = server.user("thirdparties.read", "thirdparties.write", "thirdparties.all")
    assert told.ask("POST", f"{path}/{user}")["id"] == identifier
    assert told.get(path) == [name]
    assert server.user("thirdparties.read", socid=identifier).get(path) == [name]
    # An external user sees no other user, whatever the rights
    assert server.user("thirdparties.read", "users.read", socid=identifier).get(path) == [name]
    reader = server.user("thirdparties.read", "thirdparties.all", "users.read")
    assert reader.get(path) == admin.get(path) == [
        {"id": user, "entity": 1, "login": "secretlogin", "lastname": "Lovelace", "firstname": "Ada",
         "email": "secret@example.org", "statut": 1}
    ]  # fmt: skip
    limited = server.user("thirdparties.read", "thirdparties.all", "users.read", only=["thirdparties.read"])
    admin.ask("POST", f"{path}/{limited.user_id}")
    assert name in limited.get(path)
    assert "secret" not in str(limited.get(path))


def test_an_external_user_represents_nobody(server: Served, admin: Client) -> None:
    identifier = make(admin)
    external = server.user(socid=identifier).user_id
    admin.refused("POST", f"/thirdparties/{identifier}/representatives/{external}", status=405)
    admin.refused("POST", "/thirdparties", {"name": "x", "commercial_id": external}, status=405)


def test_a_creation_names_a_representative(server: Served, admin: Client) -> None:
    user = server.user().user_id
    identifier = make(admin, commercial_id=user)
    assert admin.get(f"/thirdparties/{identifier}/representatives", mode=1) == [user]
    assert admin.get(f"/thirdparties/{make(admin, commercial_id=-1)}/representatives") == []
    message = admin.refused("POST", "/thirdparties", {"name": "No trace 2", "commercial_id": 99999}, status=404)
    assert "99999" in message
    assert admin.get("/thirdparties", sqlfilters="(t.nom:=:'No trace 2')") == []


# Rights ---------------------------------------------------------------------------------------------------------------


def test_one_right_is_enough(server: Served, admin: Client) -> None:
    identifier = make(admin, "Readable")
    reader = server.user("thirdparties.read", "thirdparties.all")
    assert reader.get(f"/thirdparties/{identifier}")["name"] == "Readable"
    restricted = server.user(admin=True, only=["thirdparties.read", "thirdparties.all"])
    assert restricted.get(f"/thirdparties/{identifier}")["name"] == "Readable"
    restricted.refused("POST", "/thirdparties", {"name": "x"}, status=401)


def test_demonstration_data(admin: Client) -> None:
    import random

    from modules.thirdparties.demo import make as make_demo

    made = []
    for _ in range(2):
        last = make(admin, "Last")
        last_contact = admin.ask("POST", "/contacts", {"lastname": "Last"})
        ensure_connected()
        make_demo(random.Random(1), datetime.date(2026, 11, 21))
        shown = "name,town,phone,email,client,fournisseur,outstanding_limit,date_creation,status"
        companies = admin.get("/thirdparties", sqlfilters=f"(t.rowid:>:{last})", properties=shown, limit=400)
        shown = "lastname,firstname,phone_pro,birthday,email,socname,date_creation"
        people = admin.get("/contacts", sqlfilters=f"(t.rowid:>:{last_contact})", properties=shown, limit=400)
        made.append((companies, people))
    assert made[0] == made[1]
    companies, people = made[0]
    assert (len(companies), len({row["name"] for row in companies}), len(people)) == (160, 160, 300)
    assert any("Ελ" in row["name"] for row in companies)
    assert any("Ź" in row["name"] for row in companies)
    assert any(person["socname"] is None for person in people)
    assert all(row["date_creation"] < 1795219200 for row in companies + people)  # 2026-11-21
