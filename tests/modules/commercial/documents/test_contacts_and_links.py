"""Contacts with roles, and links between documents, on each kind."""

import pytest

from tests.modules.commercial.documents.desk import nothing_written


def test_contacts_with_roles(desk, admin, jane):
    identifier = desk.make()
    for role in ("BILLING", desk.kind.role.lower()):
        admin.ask("POST", desk.path(identifier, "contact", jane, role))
    assert set(desk.read(identifier)["contacts_ids"]) == {jane}
    rows = admin.get(desk.path(identifier), contact_list=0)["contacts_ids"]
    assert rows == admin.get(desk.path(identifier, "contacts"))
    assert [row["code"] for row in rows] == ["BILLING", desk.kind.role]
    expected = {
        "source": "external", "socid": desk.customer, "id": jane, "nom": "Doe", "civility": "", "lastname": "Doe",
        "firstname": "Jane", "email": "jane@example.com", "login": "", "photo": "", "statuscontact": 1, "status": 4,
    }  # fmt: skip
    assert {name: rows[0][name] for name in expected} == expected
    assert admin.get(desk.path(identifier), contact_list=-1)["contacts_ids"] is None
    assert [row["code"] for row in admin.get(desk.path(identifier, "contacts"), type="BILLING")] == ["BILLING"]
    listed = admin.get(desk.path(), sqlfilters=f"(t.rowid:=:{identifier})")
    assert set(listed[0]["contacts_ids"]) == {jane}
    admin.ask("DELETE", desk.path(identifier, "contact", jane, "BILLING"))
    assert [row["code"] for row in admin.get(desk.path(identifier, "contacts"))] == [desk.kind.role]


def test_roles_that_cannot_be_given(desk, admin, jane):
    identifier = desk.make()
    admin.ask("POST", desk.path(identifier, "contact", jane, "BILLING"))
    with nothing_written():
        message = admin.refused("POST", desk.path(identifier, "contact", jane, "NOSUCH"), status=404)
        assert all(code in message for code in ("BILLING", "SHIPPING", desk.kind.role, "SALESREPFOLL"))
        admin.ask("POST", desk.path(identifier, "contact", jane, "BILLING"), status=304)
        admin.refused("POST", desk.path(identifier, "contact", 999999, "BILLING"), status=404)
        admin.refused("POST", desk.path(999999, "contact", jane, "BILLING"), status=404)
        admin.refused("POST", desk.path(identifier, "contact", 999999, "SALESREPFOLL"), status=404)
        for code in ("SHIPPING", "SALESREPFOLL", "NOSUCH"):
            admin.refused("DELETE", desk.path(identifier, "contact", jane, code), status=404)


def test_roles_of_users_are_given_and_taken_back(desk, admin, server):
    identifier, seller = desk.make(), server.user().user_id
    path = desk.path(identifier, "contact", seller, "SALESREPFOLL")
    admin.ask("POST", path)
    rows = admin.get(desk.path(identifier, "contacts"))
    assert [(row["source"], row["id"], row["code"]) for row in rows] == [("internal", seller, "SALESREPFOLL")]
    assert desk.read(identifier)["contacts_ids"] == []
    admin.ask("POST", path, status=304)
    admin.ask("DELETE", path)
    assert admin.get(desk.path(identifier, "contacts")) == []
    assert admin.refused("DELETE", path, status=404) == f"Not Found: user {seller} does not have the role SALESREPFOLL"


@pytest.fixture(params=["contacts", "users"])
def person(request, admin, server):
    """The path of a contact or a user, the ID, and a role."""
    if request.param == "contacts":
        made = admin.ask("POST", "/contacts", {"lastname": "Short"})
        return f"/contacts/{made}", made, "BILLING"
    made = server.user().user_id
    return f"/users/{made}", made, "SALESREPFOLL"


def test_roles_in_drafts_go_with_their_contact_or_user(desk, admin, person):
    path, number, role = person
    identifier = desk.make()
    admin.ask("POST", desk.path(identifier, "contact", number, role))
    answer = admin.simulate_delete(path)
    assert answer.status_code == 200
    assert answer.headers["warning"] == f'299 comptoir "removed {path[1 : -len(f"s/{number}")]} {number} from drafts"'
    assert desk.read(identifier)["contacts_ids"] == []
    assert admin.get(desk.path(identifier, "contacts")) == []


@pytest.mark.every_database
def test_whoever_has_a_role_in_a_validated_document_stays(desk, admin, person):
    path, number, role = person
    identifier = desk.make({"desc": "x", "qty": 1, "subprice": 5})
    admin.ask("POST", desk.path(identifier, "contact", number, role))
    desk.act(identifier, "validate")
    error = admin.ask("DELETE", path, status=405)["error"]
    noun = "Contact" if "contacts" in path else "User"
    assert (error["reason"], error["message"]) == (
        "in_use",
        f"Method Not Allowed: {noun} {number} can't be deleted, because it is used by {desk.kind.path}; "
        "to deactivate it, set `statut` to 0",
    )
    assert [(each["method"], each["path"]) for each in error["allowed"]] == [("PATCH", path)]
    entries = {"entries": [{"method": "DELETE", "id": number}]}
    assert admin.ask("POST", f"{path.rpartition('/')[0]}/batch", entries, status=405)["error"]["reason"] == "in_use"
    assert [row["id"] for row in admin.get(desk.path(identifier, "contacts"))] == [number]
    assert admin.ask("PATCH", path, {"statut": 0})["statut"] == 0


def test_links_are_shown_on_both_sides(desk, admin):
    first, second = desk.make(), desk.make()
    name = desk.kind.element
    both = desk.made(linked_objects={name: [first, str(second)]})
    assert sorted(both["linkedObjectsIds"][name].values()) == [first, second]
    assert list(desk.read(first)["linkedObjectsIds"][name].values()) == [both["id"]]
    again = desk.made(linkedObjectsIds=both["linkedObjectsIds"])
    assert sorted(again["linkedObjectsIds"][name].values()) == [first, second]
    assert list(desk.made(linked_objects={name: first})["linkedObjectsIds"][name].values()) == [first]
    admin.ask("DELETE", desk.path(both["id"]))
    assert list(desk.read(second)["linkedObjectsIds"][name].values()) == [again["id"]]


def test_links_that_cannot_be_made(desk, admin):
    name = desk.kind.element
    with nothing_written():
        admin.refused("POST", desk.path(), desk.body({}, linked_objects={name: 999999}), status=404)
        for wrong in ({"nosuch": 1}, {name: "x"}, {name: [[1]]}, 5, "x", [1], {name: True}):
            answer = admin.ask("POST", desk.path(), desk.body({}, linked_objects=wrong), status=400)
            assert "linked_objects" in answer["error"]["message"]
