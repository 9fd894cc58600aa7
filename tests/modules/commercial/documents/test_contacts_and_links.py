"""Contacts with roles, and links between documents, on each kind."""

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
        # The roles there are, and not those of users
        assert all(code in message for code in ("BILLING", "SHIPPING", desk.kind.role))
        assert "SALESREPFOLL" not in message
        admin.ask("POST", desk.path(identifier, "contact", jane, "BILLING"), status=304)
        admin.refused("POST", desk.path(identifier, "contact", 999999, "BILLING"), status=404)
        admin.refused("POST", desk.path(999999, "contact", jane, "BILLING"), status=404)
        for code in ("SHIPPING", "NOSUCH"):
            admin.refused("DELETE", desk.path(identifier, "contact", jane, code), status=404)


def test_a_contact_that_goes_leaves_its_documents(desk, admin):
    person = admin.ask("POST", "/contacts", {"lastname": "Short"})
    identifier = desk.make()
    admin.ask("POST", desk.path(identifier, "contact", person, "BILLING"))
    admin.ask("DELETE", f"/contacts/{person}")
    assert desk.read(identifier)["contacts_ids"] == []
    assert admin.get(desk.path(identifier, "contacts")) == []


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
