"""Parameters that take one of some words: the form offers them, and any other one is refused with those there are."""

import pytest

from tests.explorer.calling import Caller, is_written
from tests.filled import demonstration, filled

# Demonstration data takes ten seconds; the other tests that need it are slow as well, and share it
pytestmark = pytest.mark.slow

#: parameters that take any words → why
OPEN = {
    "filter": "words that a name holds", "town": "a name", "zipcode": "a code", "ref": "a reference",
    "ref_ext": "a reference", "barcode": "a code", "original_file": "a path", "name": "a function of any module",
    "kind": "the trail also holds events of modules that are gone", "operation": "as kind", "request": "a name",
    "service": "as kind", "module": "entries that a module has brought, be it gone", "lang": "any language",
    "properties": "fields of the record", "expand": "records", "after": "a cursor", "module_part": "as modulepart",
    "login": "a login", "entity": "a name", "password": "secret", "q": "words",
}  # fmt: skip
#: dictionaries whose entries may be of any type
OPEN_TYPES = ("/setup/dictionary/contact_types", "/setup/dictionary/event_types")


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    """A server with demonstration data."""
    served = filled(tmp_path_factory, demonstration)
    yield Caller(served)
    served.close()


def test_a_word_that_nobody_knows_is_refused(caller):
    taken, refused = [], set()
    for verb, path in caller.operations():
        if is_written(verb) or path == "/login":
            continue
        parameters, _ = caller.examples(verb, path)
        for each in caller.parameters(verb, path):
            name = each["name"]
            is_open = name in OPEN and not {"enum", "x-values", "$ref"} & {*each.get("schema", {})}
            if each["in"] != "query" or is_open or (name == "type" and path in OPEN_TYPES):
                continue
            answer = caller.call(verb, path, {**parameters, name: "unpayed"})
            if answer.status_code == 400 and name in answer.text:
                refused.add(name)
            elif caller.call(verb, path, parameters).status_code == 200:
                taken.append(f"{verb} {path}?{name}=unpayed: {answer.status_code} {answer.text[:200]}")
    assert taken == []
    assert refused >= {"status", "modulepart", "type", "mode", "sortorder", "sortfield", "sqlfilters", "filter"}


def test_the_refusal_tells_what_is_expected(caller):
    told = {
        "/invoices?status=unpayed": "draft, unpaid, paid, abandoned, cancelled",
        "/documents?id=1&modulepart=bill": "expected one of",
        "/categories?type=things": "product, supplier, customer, contact, user",
        "/orders/2/contacts?type=boss": "BILLING, CUSTOMER",
        "/setup/extrafields?type=things": "commande, ",
        "/orders?sortorder=upwards": "ASC or DESC",
    }
    for address, words in told.items():
        path, _, query = address.partition("?")
        values = dict(each.split("=") for each in query.split("&"))
        found = caller.call("GET", path.replace("/2/", "/{id}/"), {"id": 2, **values})
        assert found.status_code == 400 and words in found.text, address


def test_choices_are_said(caller):
    def schema(path, name):
        return next(each["schema"] for each in caller.parameters("GET", path) if each["name"] == name)

    assert [*schema("/categories/object/{type}/{id}", "type")["x-values"]][:2] == ["product", "supplier"]
    assert schema("/thirdparties", "mode")["x-values"]["4"] == "suppliers"
    assert "orders" in schema("/documents", "modulepart")["x-values"]
    assert [*schema("/documents", "sortorder")["x-values"]] == ["asc", "desc"]
    assert [*schema("/setup/dictionary/currencies", "multicurrency")["x-values"]] == ["0", "1", "2"]


def test_the_older_profile_takes_what_the_reference_takes(old_client):
    old_client.ask("POST", "/thirdparties", {"name": "One", "client": 1})
    order = old_client.ask("POST", "/orders", {"socid": 1, "date": "2026-11-21"})
    assert old_client.get(f"/orders/{order}/contacts", type="boss") == []


@pytest.fixture
def old_client(tmp_path):
    """An administrator of a server in the older profile."""
    from core.testing import serving

    with serving(tmp_path, profile_name="dolibarr16") as served:
        yield served.client()
