"""`q` of the native lists: what people look for is found in each kind, and no list passes it over."""

import re

import pytest

from core import query
from core.contract.catalogue import catalogue
from core.storage.database import ensure_connected

#: names of these tests alone, so that other records are not found
NAME = "Zéphyrine Quenault"


def ids(client, path, **asked):
    return [each["id"] for each in client.get(path, **asked)]


def test_third_parties_and_contacts_are_found_by_what_is_known_of_them(admin):
    firm = admin.ask("POST", "/thirdparties", {
        "name": f"Éts {NAME}", "client": 1, "code_client": "auto", "email": "bonjour@zephyr.example", "town": "Étretat",
    })  # fmt: skip
    person = admin.ask("POST", "/contacts", {
        "lastname": "Quenault", "firstname": "Zéphyrine", "socid": firm, "phone_pro": "+33 2 99 88 77 66",
    })  # fmt: skip
    code = admin.get(f"/thirdparties/{firm}")["code_client"]
    for text in ("zephyrine", "QUEN zéph", "bonjour@zephyr.example", "etretat quenault", code):
        assert ids(admin, "/thirdparties", q=text) == [firm], text
    for text in ("zeph quen", "99 88 77", "33 2 99 88 77 66"):
        assert ids(admin, "/contacts", q=text, thirdparty_ids=str(firm)) == [person], text
    assert ids(admin, "/contacts", sqlfilters="(t.phone:like:'%9 88%') and (t.lastname:like:'%enaul%')") == [person]
    assert ids(admin, "/thirdparties", q="zephyrine", mode=2) == []
    # Beside other tables, sorted by one of them, with records inside
    assert ids(admin, "/contacts", q="quenault", sqlfilters="(s.nom:like:'%Zéphyrine%')") == [person]
    assert ids(admin, "/contacts", q="quenault", sqlfilters="(s.nom:=:'nobody')") == []
    assert ids(admin, "/contacts", q="quenault", sortfield="s.nom") == [person]
    (shown,) = admin.get("/contacts", q="quenault", properties="id,thirdparty.id")
    assert shown == {"id": person, "thirdparty": {"id": firm}}
    other = admin.ask("POST", "/thirdparties", {"name": "Zéphyrine Reprise", "client": 1})
    assert ids(admin, "/thirdparties", q="zephyrine") == [firm, other]
    admin.ask("PUT", f"/thirdparties/{other}/merge/{firm}", {})
    assert ids(admin, "/thirdparties", q="reprise") == [other]
    # The e-mail has moved to the one that stays
    assert ids(admin, "/thirdparties", q="bonjour@zephyr.example") == [other]
    assert ids(admin, "/contacts", q="quenault", sqlfilters=f"(t.fk_soc:=:{other})") == [person]


def test_documents_are_found_by_the_reference_they_get(admin):
    firm = admin.ask("POST", "/thirdparties", {"name": "Searched Ltd", "client": 1})
    invoice = admin.ask("POST", "/invoices", {
        "socid": firm, "date": "2026-11-21", "ref_client": "PO-7731/b",
        "lines": [{"desc": "Desk", "qty": 1, "subprice": "10", "tva_tx": "20"}],
    })  # fmt: skip
    assert ids(admin, "/invoices", q="po 7731") == [invoice]
    assert ids(admin, "/invoices", q=f"prov{invoice}", properties="id") == [invoice]
    reference = admin.ask("POST", f"/invoices/{invoice}/validate", {})["ref"]
    assert ids(admin, "/invoices", q=reference) == [invoice]
    assert ids(admin, "/invoices", q=f"prov{invoice}") == []


def test_products_are_found_by_words_of_their_description(admin):
    long = "x " * 1990 + "perlimpinpin"
    one = admin.ask("POST", "/products", {"ref": "SEARCH-1", "label": "Bureau", "description": long})
    two = admin.ask("POST", "/products", {"ref": "SEARCH-2", "label": "Perlimpinpin", "description": None})
    # Of a long text the first 4,000 characters count: 1990 x 2 and 12 are below, 20 more are not
    three = admin.ask("POST", "/products", {"ref": "SEARCH-3", "label": "Rien", "description": "x " * 10 + long})
    assert admin.get("/products", q="perlimpinpin", ids_only=True) == [one, two]
    assert ids(admin, "/products", sqlfilters="(t.description:like:'%limpin%')") == [one]
    assert three not in ids(admin, "/products", q="perlim")
    assert ids(admin, "/products", q="search 3") == [three]


PHONES_AND_REFERENCES = {
    "llx_societe": ("phone", "code_client", "code_fournisseur"),
    "llx_socpeople": ("phone", "phone_mobile", "phone_perso"),
    "llx_product": ("ref", "barcode"),
    "llx_propal": ("ref",),
    "llx_commande": ("ref",),
    "llx_facture": ("ref",),
    "llx_expedition": ("ref",),
}


@pytest.mark.every_database("sqlite")
@pytest.mark.parametrize("table", PHONES_AND_REFERENCES)
def test_phone_numbers_and_references_are_compared_in_their_indexes(admin, table):
    ensure_connected()
    for column in PHONES_AND_REFERENCES[table]:
        ((*_, step),) = query(f"EXPLAIN QUERY PLAN SELECT rowid FROM {table} WHERE {column} LIKE '%4567%'")
        assert "USING COVERING INDEX" in step, (column, step)


def test_every_list_searches_or_says_that_it_does_not(admin):
    searched = set()
    for service in catalogue().services.values():
        for operation in service.operations:
            if not any(each.name == "q" for each in operation.inputs) or "{" in operation.template:
                continue
            answer = admin.simulate_get(operation.template, params={"q": "nobody-is-called-so"})
            if answer.status_code == 200:
                searched.add(operation.template)
                # Sums have one row without groups
                assert answer.json in ([], [{"count": 0}]), operation.template
            else:
                assert answer.status_code == 400, operation.template
                assert re.search("`q`: these records have no fields to search", answer.text), operation.template
    assert searched >= {
        "/thirdparties", "/contacts", "/products", "/proposals", "/orders", "/invoices", "/invoices/templates",
        "/shipments", "/users", "/users/groups", "/categories", "/bankaccounts", "/warehouses",
    }  # fmt: skip


def test_the_documents_name_it_where_it_finds_something(admin):
    named = admin.get("/explorer/openapi/thirdparties.json")["paths"]["/thirdparties"]["get"]["parameters"]
    assert {"$ref": "#/components/parameters/q-Parameter"} in named
    others = admin.get("/explorer/openapi/setup.json")["paths"]["/setup/conf"]["get"]["parameters"]
    assert {"$ref": "#/components/parameters/limit-Parameter"} in others
    assert {"$ref": "#/components/parameters/q-Parameter"} not in others
