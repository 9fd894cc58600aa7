"""Contacts over HTTP, apart from the fields that `services` lists."""

import pytest

from core.access.accounts import Account
from core.storage.database import ensure_connected
from tests.modules.thirdparties.contacts import company, make


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
