"""Lists of invoices, and who may do what to which."""

from tests.modules.invoices.invoices import CODE, LINE, act


def test_lists_by_state(admin, make, validated):
    owner = admin.ask("POST", "/thirdparties", {"name": "Listed Ltd"})
    found = {}
    for status, state in (("draft", 0), ("unpaid", 1), ("paid", 2), ("cancelled", 3)):
        identifier = make(LINE, socid=owner)
        if state:
            act(admin, identifier, "validate")
        if state > 1:
            act(admin, identifier, "settopaid", CODE if state == 3 else {})
        found[status] = identifier

    def listed(status):
        params = {"thirdparty_ids": str(owner), "status": status}
        return [row["id"] for row in admin.ask("GET", "/invoices", params=params)]

    for status, identifier in found.items():
        assert listed(status) == [identifier]
    assert listed("") == list(found.values())
    admin.ask("GET", "/invoices?status=nonsense", status=400)
    assert admin.get("/invoices", thirdparty_ids="999999") == []


def test_users_of_others_are_not_there(admin, server, make, customer):
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    path = f"/invoices/{make(LINE, socid=own)}/contacts"
    rights = ("invoices.read", "invoices.write")
    outsider, seller = server.user(*rights, socid=own), server.user(*rights, represents=[own])
    stranger = server.user(socid=customer)

    def name(client, person, status):
        number = person.user_id
        body = {"fk_socpeople": number, "type_contact": "SALESREPFOLL", "source": "internal"}
        client.ask("POST", path, body, status=status)

    for client, person in ((outsider, stranger), (outsider, seller), (seller, stranger)):
        name(client, person, 404)
    assert admin.get(path) == []
    for client, person in ((outsider, outsider), (seller, seller), (admin, stranger)):
        name(client, person, 200)


def test_a_user_that_goes_leaves_its_invoices(admin, server, make):
    identifier = make(LINE)
    seller = server.user().user_id
    path = f"/invoices/{identifier}/contacts"
    admin.ask("POST", path, {"fk_socpeople": seller, "type_contact": "SALESREPFOLL", "source": "internal"})
    person = admin.ask("POST", "/contacts", {"lastname": "Short"})
    admin.ask("POST", path, {"fk_socpeople": person, "type_contact": "SERVICE", "source": "external"})
    admin.ask("DELETE", f"/users/{seller}")
    assert [(role["source"], role["id"]) for role in admin.get(path)] == [("external", person)]


def test_a_user_with_a_role_is_told_by_name_without_the_right_to_read_users(admin, server, make):
    body = {"login": "rolelogin", "email": "role@example.org", "lastname": "Lovelace", "firstname": "Ada"}
    seller = admin.ask("POST", "/users", body)
    path = f"/invoices/{make()}/contacts"
    admin.ask("POST", path, {"fk_socpeople": seller, "type_contact": "SALESREPFOLL", "source": "internal"})
    rights = ("invoices.read", "thirdparties.all")
    (known,) = server.user(*rights, "users.read").get(path)
    assert (known["login"], known["email"], known["statuscontact"]) == ("rolelogin", "role@example.org", 1)
    (named,) = server.user(*rights).get(path)
    assert (named["id"], named["lastname"], named["firstname"]) == (seller, "Lovelace", "Ada")
    assert (named["login"], named["email"], named["statuscontact"]) == ("", None, None)
