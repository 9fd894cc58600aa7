"""Equal is equal: a record that is read and sent back, by another user and by PUT or PATCH, stays what it is."""

from datetime import datetime

import pytest

from core.contract.catalogue import catalogue
from core.storage.database import ensure_connected
from core.testing import extra_field

pytestmark = pytest.mark.slow

LINE = {"desc": "Desk", "qty": 2, "subprice": "19.99", "tva_tx": "20"}
#: type of an extra field → what its definition says besides, and a value
TYPES = {
    "varchar": ({"size": "20"}, "blue"),
    "text": ({}, "long"),
    "int": ({}, 7),
    "double": ({"size": "24,8"}, "1.5"),
    "price": ({}, "12.5"),
    "date": ({}, "2026-11-21"),
    "datetime": ({}, "2026-11-21T10:00:00Z"),
    "boolean": ({}, True),
    "select": ({"param": {"options": {"a": "A", "b": "B"}}}, "a"),
    "checkbox": ({"param": {"options": {"a": "A", "b": "B"}}}, "a,b"),
    "mail": ({}, "a@example.org"),
}
#: service → the element of its extra fields, a body, and whether it is validated
KINDS = {
    "thirdparties": ("societe", {"name": "Acme", "client": 1, "email": "a@example.org", "capital": "5000"}, False),
    "contacts": ("socpeople", {"lastname": "Lenoir", "birthday": "1980-02-03"}, False),
    "products": ("product", {"ref": "LAMP", "label": "Lamp", "price": "89.50", "tva_tx": "20"}, False),
    "proposals": ("propal", {"socid": 1, "date": "2026-11-21", "duree_validite": 30, "lines": [LINE]}, True),
    "orders": ("commande", {"socid": 1, "date": "2026-11-21", "lines": [LINE]}, True),
    "invoices": ("facture", {"socid": 1, "date": "2026-11-21", "lines": [LINE]}, True),
    "users": ("user", {"login": "grace", "lastname": "Hopper", "email": "grace@example.org"}, False),
}
WHEN = ("date_modification", "datem")
STAMPS = ("fk_user_modif", "user_modification", "date_modification", "datem", "tms")


@pytest.fixture(scope="module")
def another(server):
    """Another administrator than the one who has made the records."""
    return other_administrator(server.client(), server)


def other_administrator(admin, server, login="other"):
    user = admin.ask("POST", "/users", {"login": login, "admin": 1})
    return server.client(admin.ask("POST", f"/users/{user}/keys", {"label": "other"})["key"])


def make(admin, service, **more):
    if admin.simulate_get("/thirdparties/1").status_code != 200:
        assert int(admin.ask("POST", "/thirdparties", {"name": "Customer", "client": 1})) == 1
    _, body, validated = KINDS[service]
    number = make.__dict__["number"] = make.__dict__.get("number", 0) + 1
    unique = {"products": {"ref": f"LAMP{number}"}, "users": {"login": f"g{number}", "email": f"g{number}@example.org"}}
    identifier = int(admin.ask("POST", f"/{service}", body | unique.get(service, {}) | more))
    if validated:
        admin.ask("POST", f"/{service}/{identifier}/validate")
    return identifier


def aged(service, identifier):
    """Let whoever changed a record last, and when, be told from a change of now."""
    ensure_connected()
    records = catalogue().services[service].records
    values = {name: datetime(2020, 1, 1) for name in records.model._meta.fields if name in WHEN}
    records.model.update(**values).where(records.model._meta.primary_key == identifier).execute()


def sent_back(client, service, identifier, verb, **other):
    before = client.get(f"/{service}/{identifier}")
    client.ask(verb, f"/{service}/{identifier}", before | other)
    assert client.get(f"/{service}/{identifier}") == before


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
@pytest.mark.parametrize("service", KINDS)
def test_without_extra_fields(admin, another, service, verb):
    identifier = make(admin, service)
    aged(service, identifier)
    sent_back(another, service, identifier, verb)


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
@pytest.mark.parametrize("service", KINDS)
def test_with_an_extra_field_that_was_defined_later(admin, another, service, verb):
    identifier = make(admin, service)
    aged(service, identifier)
    element = KINDS[service][0]
    with extra_field(admin, element, "late"), extra_field(admin, element, "must", required=1):
        for nothing in ({}, None, "", [], {"options_late": None}, {"options_late": "", "options_must": ""}):
            sent_back(another, service, identifier, verb, array_options=nothing)


@pytest.mark.parametrize("service", KINDS)
@pytest.mark.parametrize("type_name", TYPES)
def test_with_an_extra_field_of_each_type(admin, another, service, type_name):
    definition, value = TYPES[type_name]
    element = KINDS[service][0]
    with extra_field(admin, element, "first", type=type_name, **definition), extra_field(admin, element, "second"):
        identifier = make(admin, service, array_options={"options_first": value})
        aged(service, identifier)
        assert another.get(f"/{service}/{identifier}")["array_options"]["options_first"] not in (None, "")
        for verb in ("PUT", "PATCH"):
            sent_back(another, service, identifier, verb)


@pytest.mark.parametrize("service", KINDS)
def test_a_patch_of_what_is_ignored_notes_nobody(admin, another, service):
    identifier = make(admin, service)
    aged(service, identifier)
    before = another.get(f"/{service}/{identifier}")
    # Users refuse what they do not know: a misspelt right would be none
    unknown = {} if service == "users" else {"nonsense": 1, "date_creation": 5}
    for body in ({}, {"id": 99, **unknown}):
        another.ask("PATCH", f"/{service}/{identifier}", body)
        assert another.get(f"/{service}/{identifier}") == before


#: extra fields of a validated invoice stay as they are
@pytest.mark.parametrize("service", [each for each in KINDS if each != "invoices"])
def test_a_change_of_an_extra_field_alone_is_noted(admin, another, service):
    with extra_field(admin, KINDS[service][0], "colour"):
        identifier = make(admin, service)
        aged(service, identifier)
        before = another.get(f"/{service}/{identifier}")
        after = another.ask("PATCH", f"/{service}/{identifier}", {"array_options": {"options_colour": "red"}})
        assert {name for name in STAMPS if name in before and after[name] != before[name]}
        if service != "users":
            changer = next(name for name in ("fk_user_modif", "user_modification") if name in after)
            assert after[changer] == another.get("/users/info")["id"]


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_a_line_that_is_sent_back_notes_nobody(admin, another, service, verb):
    identifier = make(admin, "thirdparties") and int(admin.ask("POST", f"/{service}", KINDS[service][1]))
    aged(service, identifier)
    before = another.get(f"/{service}/{identifier}")
    line = before["lines"][0]
    another.ask(verb, f"/{service}/{identifier}/lines/{line['id']}", line)
    assert another.get(f"/{service}/{identifier}") == before
    another.ask(verb, f"/{service}/{identifier}/lines/{line['id']}", line | {"desc": "Chair"})
    after = another.get(f"/{service}/{identifier}")
    assert after["date_modification"] > before["date_modification"]
    assert after["fk_user_modif"] != before["fk_user_modif"]
