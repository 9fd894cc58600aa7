"""Contacts over HTTP: creating, reading, changing, deleting, and bodies that are refused."""

import pytest

from core.access.accounts import Account
from core.common.clock import as_if
from core.storage.database import ensure_connected
from tests.modules.thirdparties.contacts import company, make
from tests.moments import LEAP_DAY_END

#: every field that PUT keeps, a value to send and what is read back
PUT_KEPT = {
    "entity": ("1", 1),
    "lastname": ("O'Brien <i>", "O'Brien <i>"),
    "firstname": ("Zoé", "Zoé"),
    "civility_code": ("MR", "MR"),
    "address": ("1 rue\nbis", "1 rue\nbis"),
    "zip": ("75001", "75001"),
    "town": ("Θεσσαλονίκη", "Θεσσαλονίκη"),
    "state_id": (4, 4),
    "country_id": (1, 1),
    "poste": ("Buyer", "Buyer"),
    "phone_pro": ("+33 6 11.22", "+33 6 11.22"),
    "phone_perso": ("2", "2"),
    "phone_mobile": (331234, "331234"),
    "fax": ("4", "4"),
    "email": ("put@example.com", "put@example.com"),
    # 1980-05-17 is day 3789 of the epoch; an hour of it is the day
    "birthday": (3789 * 86400 + 13 * 3600, 3789 * 86400),
    "socialnetworks": ({"mastodon": "@a"}, {"mastodon": "@a"}),
    "photo": ("p.jpg", "p.jpg"),
    "priv": (1, 1),
    "statut": (0, 0),
    "stcomm_id": (2, 2),
    "fk_prospectlevel": ("PL_LOW", "PL_LOW"),
    "note_public": ("public", "public"),
    "note_private": ("private", "private"),
    "default_lang": ("pl_PL", "pl_PL"),
    "ref_ext": ("EXT", "EXT"),
}
#: every field that PUT drops, and a value that would change it
PUT_DROPPED = {
    "id": 77, "ref": 77, "fk_soc": 77, "socname": "x", "civility": "x", "country_code": "DE", "canvas": "c",
    "import_key": "k", "no_email": 1, "user_id": 1, "user_login": "x", "roles": [1], "ref_facturation": 1,
    "ref_contrat": 1, "ref_commande": 1, "ref_propal": 1, "date_creation": 1, "date_modification": 1,
    "user_creation": 99, "user_modification": 99,
}  # fmt: skip


def wrong_fields(client, body, verb="POST", path="/contacts"):
    error = client.ask(verb, path, body, status=400)["error"]
    return {each["field"]: each["message"] for each in error["errors"]}


# Create, read, change, delete -----------------------------------------------------------------------------------------


def test_a_new_contact_has_the_documented_defaults(admin, server):
    with as_if(LEAP_DAY_END):
        record = admin.get(f"/contacts/{make(admin, 'Defaults')}")
    expected = {
        "lastname": "Defaults", "entity": 1, "socid": None, "fk_soc": None, "socname": None, "statut": 1, "priv": 0,
        "stcomm_id": 0, "no_email": 0, "birthday": None, "email": None, "mail": None, "phone_pro": None,
        "country_id": None, "country_code": None, "socialnetworks": {}, "array_options": {}, "user_id": None,
        "user_login": None, "roles": None, "ref_facturation": None, "ref_propal": None,
        "user_creation": server.administrator.id,
    }  # fmt: skip
    assert {key: record[key] for key in expected} == expected
    assert record["ref"] == record["id"]
    assert record["date_creation"] == LEAP_DAY_END


def test_every_field_that_put_keeps(admin):
    owner = company(admin)
    identifier = make(admin)
    for field, (sent, expected) in PUT_KEPT.items():
        assert admin.ask("PUT", f"/contacts/{identifier}", {field: sent})[field] == expected, field
    admin.ask("PUT", f"/contacts/{identifier}", {"socid": owner})
    stored = admin.get(f"/contacts/{identifier}")
    expected_record = {field: expected for field, (_, expected) in PUT_KEPT.items()} | {"socid": owner}
    assert {field: stored[field] for field in expected_record} == expected_record
    assert stored["country_code"] == "FR"


def test_every_field_that_put_drops(admin):
    identifier = make(admin, socid=company(admin))
    before = admin.get(f"/contacts/{identifier}")
    answer = admin.simulate_put(f"/contacts/{identifier}", json=PUT_DROPPED)
    assert answer.status_code == 200
    assert answer.json | {"date_modification": 0} == before | {"date_modification": 0}
    for field in PUT_DROPPED:
        assert field in answer.headers["warning"], field


def test_a_contact_leaves_its_third_party(admin):
    owner = company(admin)
    for nobody in (-1, "-1", 0, None, ""):
        identifier = make(admin, socid=owner)
        assert admin.ask("PUT", f"/contacts/{identifier}", {"socid": nobody})["socid"] is None


def test_an_unknown_third_party(admin):
    message = admin.refused("POST", "/contacts", {"lastname": "No trace", "socid": 999999}, status=404)
    assert "Thirdparty 999999 not found" in message
    assert admin.get("/contacts", sqlfilters="(t.lastname:=:'No trace')") == []
    identifier = make(admin)
    admin.refused("PUT", f"/contacts/{identifier}", {"socid": 999999}, status=404)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("1980-05-17", 3789 * 86400),
        ("1980-05-17T23:30:00Z", 3789 * 86400),
        # 1955-03-02 is 5419 days before the epoch
        ("1955-03-02", -5419 * 86400),
        (-5419 * 86400, -5419 * 86400),
        (str(3789 * 86400), 3789 * 86400),
        (0, 0),
        ("", None),
        (None, None),
    ],
)
def test_birthdays(admin, sent, expected):
    assert admin.get(f"/contacts/{make(admin, birthday=sent)}")["birthday"] == expected


def test_the_user_made_from_a_contact(admin, server):
    identifier = make(admin)
    ensure_connected()
    user = Account.create(login="fromcontact", contact_id=identifier)
    record = admin.get(f"/contacts/{identifier}")
    assert (record["user_id"], record["user_login"]) == (user.id, "fromcontact")
    for rights, login in ((("contacts.read",), None), (("contacts.read", "users.read"), "fromcontact")):
        shown = server.user(*rights).get(f"/contacts/{identifier}")
        assert (shown["user_id"], shown["user_login"]) == (user.id, login)
    assert "a user was created from it" in admin.refused("DELETE", f"/contacts/{identifier}", status=405)
    assert admin.get(f"/contacts/{identifier}")["id"] == identifier


def test_deleting(admin):
    identifier = make(admin)
    assert admin.ask("DELETE", f"/contacts/{identifier}")["success"]["code"] == 200
    assert admin.refused("GET", f"/contacts/{identifier}", status=404) == f"Not Found: Contact {identifier} not found"
    admin.refused("DELETE", f"/contacts/{identifier}", status=404)


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [{}, {"lastname": ""}, {"lastname": None}, {"lastname": "  "}, {"firstname": "x"}])
def test_a_lastname_is_needed(admin, body):
    assert admin.refused("POST", "/contacts", body, status=400) == "Bad Request: `lastname` is required"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("statut", 2), ("statut", "x"), ("priv", -1), ("entity", 5), ("socid", "abc"), ("socid", 1.5), ("socid", [1]),
        ("birthday", "tomorrow"), ("birthday", "31/12/1980"), ("birthday", 10**15), ("email", "x"),
        ("lastname", "x" * 51), ("firstname", {}), ("phone_pro", "1" * 31), ("civility_code", "MISTERS"),
        ("socialnetworks", [1]), ("stcomm_id", "x"), ("country_id", 2**31), ("note_public", "a\x00"),
        ("default_lang", "polski_"), ("array_options", 5),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(admin, field, value):
    assert field in wrong_fields(admin, {"lastname": "x", field: value})
    identifier = make(admin)
    assert field in wrong_fields(admin, {field: value}, "PUT", f"/contacts/{identifier}")
    assert field in wrong_fields(admin, {field: value}, "PATCH", f"/contacts/{identifier}")
