"""Third parties, contacts, products, users, setup, documents, login, status: every body and every answer is as the
OpenAPI document says, in both profiles.

Objects are closed: a key that the document does not name is wrong. Where the document names what never comes is looked
for, too.
"""

from __future__ import annotations

import importlib
from base64 import b64encode
from collections.abc import Iterator
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any, get_args

import pytest
from PIL import Image

from core import transaction
from core.records.extra_fields import TYPES
from modules.setup.company import FIELDS, Company
from modules.setup.extrafields import Type
from tests.explorer.answered import Answers
from tests.filled import demonstration, filled

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parent.parent / "samples/modules"
SERVICES = (
    "thirdparties", "contacts", "products", "users", "setup", "documents", "login", "status", "loyaltycards",
    "categories",
)  # fmt: skip

#: maps whose values callers choose: nothing more can be said of them
FREE = (".socialnetworks.*", ".param.options.*")

DAY = date(2026, 11, 21)
PASSWORD = "correct horse battery"
EXTRAS = {"array_options": {"options_colour": "r"}}
CHOICE = {"label": "Colour", "type": "select", "param": {"options": {"r": "red", "g": "green"}}}
LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 20}
#: 2026-11-21 01:53:20
PAID = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1}


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """A server with demonstration data and an extra field of each kind of record."""
    served = filled(tmp_path_factory, demonstration, modules=str(SAMPLES), profile_name=request.param)
    for element in ("societe", "socpeople", "product", "user"):
        served.client().ask("POST", f"/setup/extrafields/{element}/colour", CHOICE)
    yield Answers(served)
    served.close()


@pytest.fixture(autouse=True)
def nothing_is_wrong(answers: Answers) -> Iterator[None]:
    answers.wrong.clear()
    yield
    assert answers.wrong == []


@pytest.fixture
def as_text(answers: Answers) -> bool:
    return answers.served.settings.profile.text_values


def checked(answers: Answers, service: str) -> tuple[int, int]:
    """How many operations of a service have been held against the document, and how many answers."""
    counts = [count for place, count in answers.checked.items() if place in answers.operations(service)]
    return len(counts), sum(counts)


def send_back(answers: Answers, path: str, record: dict[str, Any]) -> Any:
    """Change a record to what it is, as far as it may be written."""
    schema = answers.document["components"]["schemas"][answers.body("PUT", path)["$ref"].rpartition("/")[2]]  # type: ignore[index]
    body = {name: value for name, value in record.items() if name in schema["properties"]}
    assert len(body) > 3
    return answers.call("PUT", path, body, id=record["id"])


def named(answers: Answers, model: str) -> set[str]:
    return answers.fields(model)


# What is published ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("service", SERVICES)
def test_nothing_may_be_anything(answers: Answers, service: str) -> None:
    assert [hole for hole in answers.untyped(service) if not hole.endswith(FREE)] == []


def test_values_are_those_of_the_profile(answers: Answers, as_text: bool) -> None:
    schemas = answers.document["components"]["schemas"]
    contact, user = schemas["Contact"]["properties"], schemas["User"]["properties"]
    kind = "string" if as_text else "integer"
    assert contact["fk_soc"]["type"] == contact["user_id"]["type"] == [kind, "null"]
    assert (contact["fk_soc"]["x-computed"], contact["user_id"]["x-reads"]) == (True, "get-users-id")
    assert user["statut"]["enum"] == user["admin"]["enum"] == (["0", "1"] if as_text else [0, 1])
    assert schemas["UserNew"]["properties"]["pass"]["type"] == "string"
    assert schemas["UserNew"]["properties"]["login"]["maxLength"] == 50
    assert schemas["Key"]["properties"]["rights"]["type"] == ["array", "null"]
    assert {"integer", "string"} < set(schemas["ThirdpartyNew"]["properties"]["commercial_id"]["type"])
    company = answers.schema("GET", "/setup/company")
    assert company is not None
    assert company["properties"]["country_id"]["type"] == [kind, "null"]


def test_a_column_of_which_more_is_said_stays_a_column(answers: Answers) -> None:
    product = answers.document["components"]["schemas"]["Product"]["properties"]
    assert "x-computed" not in product["date_creation"]
    assert product["duration_value"]["x-computed"] is True


def test_the_company_and_the_types_of_extra_fields_are_listed_once_more(answers: Answers) -> None:
    assert set(Company.__annotations__) == {*FIELDS, "country_id", "country_code", "country", "state_id"}
    assert get_args(Type) == TYPES


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("payment_terms", {"active"}),
        ("payment_types", {"active"}),
        ("vat_rates", set()),
        ("units", {"id", "sortorder"}),
        ("contact_types", {"id", "element", "active"}),
        ("countries", set()),
        ("availability", {"id", "active", "position"}),
        ("ordering_origins", {"id", "active"}),
        ("shipping_methods", {"active"}),
    ],
)
def test_a_dictionary_promises_what_it_answers(answers: Answers, name: str, hidden: set[str]) -> None:
    path = f"/setup/dictionary/{name}"
    schema = answers.schema("GET", path)["oneOf"][0]["items"]  # type: ignore[index]
    model = schema["$ref"].rpartition("/")[2]
    entries = answers.call("GET", path)
    assert set(entries[0]) == named(answers, model)
    assert not hidden & named(answers, model)


# Reading and writing -------------------------------------------------------------------------------------------------


def test_third_parties(answers: Answers, as_text: bool) -> None:
    call = answers.call
    user = answers.sample("/users", number=3)[-1]["id"]
    body = {
        "name": "Full Ltd", "client": 3, "fournisseur": 1, "code_client": "auto", "code_fournisseur": "auto",
        "email": "full@example.org", "barcode": "4006381333931", "country_id": 1, "capital": "12.5",
        "socialnetworks": {"x": "full"}, "localtax1_assuj": 1, "localtax1_value": 5, "commercial_id": user, **EXTRAS,
    }  # fmt: skip
    full = call("POST", "/thirdparties", body)
    bare = call("POST", "/thirdparties", {"name": "Bare"})
    record = call("GET", "/thirdparties/{id}", id=full)
    assert set(record) == named(answers, "Thirdparty")
    assert (record["country_code"], record["prospect"], record["status_prospect_label"]) == ("FR", 0, "Never contacted")
    send_back(answers, "/thirdparties/{id}", record)
    call("PATCH", "/thirdparties/{id}", {"town": "Lyon", **EXTRAS}, id=bare)
    give_discounts(answers, full)
    use_bank_accounts(answers, full)
    categorise(answers, "customer", "/thirdparties/{id}/categories", full)
    categorise(answers, "supplier", "/thirdparties/{id}/supplier_categories", full)
    lists = [{"properties": "name,country_code"}, {"pagination_data": "true"}, {"limit": 1000}, {"mode": 4}]
    shown = {
        "/thirdparties": lists,
        "/thirdparties/{id}/representatives": [{"mode": 1}],
        "/thirdparties/{id}/fixedamountdiscounts": [{"filter": "available"}, {"filter": "used"}],
    }
    records = [*answers.sample("/thirdparties", "client", "status"), record]
    answers.walk("thirdparties", records, queries=shown, barcode=["4006381333931"], email=["full@example.org"])
    discounts = call("GET", "/thirdparties/{id}/fixedamountdiscounts", id=full)
    assert [each["type_facture_source"] for each in discounts] == (["2", "3"] if as_text else [2, 3])
    assert set(discounts[0]) == named(answers, "Discount")
    answers.admin.ask("PUT", "/setup/conf/PRODUIT_MULTIPRICES", {"value": "1"})
    call("PUT", "/thirdparties/{id}/setpricelevel", {"priceLevel": 2}, id=full)
    answers.admin.ask("DELETE", "/setup/conf/PRODUIT_MULTIPRICES")
    twin = call("POST", "/thirdparties", {"name": "Twin"})
    call("PUT", "/thirdparties/{id}/merge/{idtodelete}", id=full, idtodelete=twin)
    identifiers = call("GET", "/thirdparties/{id}/representatives", query={"mode": 1}, id=full)
    assert identifiers == [str(user) if as_text else user]
    call("POST", "/thirdparties/{id}/representatives/{user_id}", id=bare, user_id=user)
    call("DELETE", "/thirdparties/{id}/representatives/{user_id}", id=bare, user_id=user)
    call("DELETE", "/thirdparties/{id}", id=bare)
    for status, verb, sent in ((400, "POST", {}), (404, "GET", None)):
        call(verb, "/thirdparties" if sent == {} else "/thirdparties/{id}", sent, status=status, id=99999)
    assert answers.missing("thirdparties") == []
    assert checked(answers, "thirdparties")[0] >= 19
    assert checked(answers, "thirdparties")[1] >= 35


def give_discounts(answers: Answers, socid: int) -> None:
    """A credit note and a paid deposit that may be used."""
    ask = answers.admin.ask
    for kind in (2, 3):
        invoice = ask("POST", "/invoices", {"socid": socid, "date": str(DAY), "type": kind, "lines": [LINE]})
        ask("POST", f"/invoices/{invoice}/validate", {})
        if kind == 3:
            ask("POST", f"/invoices/{invoice}/payments", PAID)
        ask("POST", f"/invoices/{invoice}/markAsCreditAvailable", {})


def use_bank_accounts(answers: Answers, id: int) -> None:
    """A third party's accounts, and the mandate to debit one."""
    call, one = answers.call, "/thirdparties/{id}/bankaccounts"
    answers.admin.ask("PUT", "/setup/conf/PRELEVEMENT_ICS", {"value": "FR72ZZZ123456"})
    first, second = (call("POST", one, {"iban": "FR7630006000011234567890189"}, id=id)["id"] for _ in range(2))
    call("PUT", f"{one}/{{bankaccount_id}}", {"default_rib": 1, "date_rum": str(DAY)}, id=id, bankaccount_id=second)
    call("DELETE", f"{one}/{{bankaccount_id}}", id=id, bankaccount_id=second)
    paper = "/thirdparties/{id}/generateBankAccountDocument"
    for verb in ("GET", "POST"):
        call(verb, paper, id=id)
        call(verb, f"{paper}/{{companybankid}}", id=id, companybankid=first)
        call(verb, f"{paper}/{{companybankid}}/{{model}}", id=id, companybankid=first, model="sepamandate")


def test_bank_accounts(answers: Answers) -> None:
    call, one = answers.call, "/bankaccounts/{id}"
    body = {
        "ref": "FULL",
        "label": "Full",
        "iban": "FR7630006000011234567890189",
        "solde": "10",
        "date_solde": str(DAY),
    }
    full = call("POST", "/bankaccounts", body)
    bare = call("POST", "/bankaccounts", {"ref": "BARE", "label": "Bare", "type": 2})
    record = call("GET", one, id=full)
    assert set(record) == named(answers, "BankAccount")
    send_back(answers, one, record)
    call("PATCH", one, {"comment": "x"}, id=bare)
    fields = {"date": str(DAY), "type": "VIR", "label": "Rent", "amount": "5"}
    line = call("POST", f"{one}/lines", fields, id=full)
    ends = {"bankaccount_from_id": full, "bankaccount_to_id": bare}
    moved = call("POST", "/bankaccounts/transfer", ends | {"date": str(DAY), "description": "x", "amount": "5"})
    call("PUT", f"{one}/lines/{{line_id}}", {"label": "Other"}, id=full, line_id=line)
    answers.walk("bankaccounts", [record, {"id": full, "line_id": moved["bank_id_from"]}])
    for each in (line, moved["bank_id_from"]):
        call("DELETE", f"{one}/lines/{{line_id}}", id=full, line_id=each)
    call("DELETE", one, id=bare)
    assert answers.missing("bankaccounts") == []


def categorise(answers: Answers, kind: str, path: str, id: Any) -> None:
    """Put a record into a category and take it out again, below the record."""
    category = answers.admin.ask("POST", "/categories", {"label": f"Answers {kind}", "type": kind})
    answers.call("POST", f"{path}/{{category_id}}", id=id, category_id=category)
    answers.call("GET", path, id=id)
    answers.call("DELETE", f"{path}/{{category_id}}", id=id, category_id=category)


def test_categories(answers: Answers) -> None:
    call, one = answers.call, "/categories/{id}"
    body = {"label": "Full", "type": 2, "color": "20f040", "description": "All", "position": 3, "ref_ext": "outside"}
    full = call("POST", "/categories", body)
    bare = call("POST", "/categories", {"label": "Bare", "type": 0, "fk_parent": 0})
    record = call("GET", one, id=full)
    assert set(record) == named(answers, "Category")
    send_back(answers, one, record)
    call("PATCH", one, {"visible": 0}, id=full)
    company = answers.admin.get("/thirdparties", sqlfilters="(t.code_client:isnot:NULL)", limit=1)[0]
    product = answers.sample("/products", number=1)[0]
    ends = [(full, "customer", company["id"], company["code_client"]), (bare, "product", product["id"], product["ref"])]
    for category, kind, identifier, ref in ends:
        by_id = {"id": category, "type": kind, "object_id": identifier}
        by_ref = {"id": category, "type": kind, "object_ref": ref}
        call("POST", f"{one}/objects/{{type}}/{{object_id}}", **by_id)
        call("GET", f"{one}/objects", id=category)
        call("GET", f"{one}/objects", id=category, query={"onlyids": 1})
        call("GET", "/categories/object/{type}/{id}", type=kind, id=identifier)
        call("DELETE", f"{one}/objects/{{type}}/{{object_id}}", **by_id)
        call("POST", f"{one}/objects/{{type}}/ref/{{object_ref}}", **by_ref)
        call("DELETE", f"{one}/objects/{{type}}/ref/{{object_ref}}", **by_ref)
    kinds = answers.sample("/categories", "type", number=1)
    answers.walk("categories", kinds, queries={"/categories": [{"type": "customer"}]})
    call("GET", f"{one}/objects", id=full, query={"type": "product"}, status=405)
    call("DELETE", one, id=bare)
    assert answers.missing("categories") == []


def test_contacts(answers: Answers) -> None:
    call = answers.call
    owner = answers.sample("/thirdparties")[0]["id"]
    body = {
        "lastname": "Doe", "firstname": "Jo", "socid": int(owner), "email": "doe@example.org", "birthday": "1980-02-03",
        "country_id": 1, "priv": 1, "socialnetworks": {"x": "doe"}, **EXTRAS,
    }  # fmt: skip
    full = call("POST", "/contacts", body)
    bare = call("POST", "/contacts", {"lastname": "Nobody"})
    record = call("GET", "/contacts/{id}", id=full, query={"includeroles": 1, "includecount": 1})
    assert set(record) == named(answers, "Contact")
    assert record["fk_soc"] == record["socid"] == owner
    send_back(answers, "/contacts/{id}", record)
    call("PATCH", "/contacts/{id}", {"birthday": ""}, id=full)
    shown = {"/contacts": [{"limit": 1000}, {"thirdparty_ids": owner}, {"pagination_data": "true"}]}
    records = [*answers.sample("/contacts", "statut"), *answers.admin.get("/contacts", sortfield="t.rowid", limit=40)]
    answers.walk("contacts", records, queries=shown)
    call("DELETE", "/contacts/{id}", id=bare)
    categorise(answers, "contact", "/contacts/{id}/categories", full)
    call("POST", "/contacts/{id}/createUser", {"login": "doe", "password": PASSWORD}, id=full)
    assert answers.missing("contacts") == []
    assert checked(answers, "contacts")[0] >= 12
    assert checked(answers, "contacts")[1] >= 60


def test_products(answers: Answers, as_text: bool) -> None:
    call = answers.call
    body = {
        "ref": "S-1", "label": "Care", "type": 1, "price": "49.90", "tva_tx": 20, "duration_value": 1,
        "duration_unit": "m", "barcode": "4000000000017", "ref_ext": "outside", "weight": "1.5", "weight_units": 0,
        "fk_unit": 1, "country_id": 1, **EXTRAS,
    }  # fmt: skip
    # Prices of segments are told where they are on
    answers.admin.ask("PUT", "/setup/conf/PRODUIT_MULTIPRICES", {"value": "1"})
    full = call("POST", "/products", body)
    bare = call("POST", "/products", {"ref": "P-1", "label": "Bare"})
    # What is told of its stock is told where it is asked for
    asked = {"includestockdata": "true", "includesubproducts": 1, "includeparentid": "true"}
    record = call("GET", "/products/{id}", query=asked, id=full)
    assert set(record) == named(answers, "Product")
    record = call("GET", "/products/{id}", id=full)
    place = call("POST", "/warehouses", {"label": "Loft"})
    stocked = call("POST", "/products", {"ref": "P-2", "label": "Stocked"})
    call("POST", "/stockmovements", {"product_id": stocked, "warehouse_id": place, "qty": 3})
    call("GET", "/products/{id}/stock", id=stocked)
    assert (record["duration_value"], record["duration_unit"]) == ("1" if as_text else 1, "m")
    assert isinstance(record["date_creation"], str) == as_text
    send_back(answers, "/products/{id}", record)
    send_back(answers, "/products/{id}", call("GET", "/products/{id}", id=bare))
    call("PATCH", "/products/{id}", {"duration_value": None, "duration_unit": ""}, id=full)
    lists = [{"ids_only": "true"}, {"ids_only": "true", "pagination_data": "true"}, {"pagination_data": "true"}]
    records = [*answers.sample("/products", "type", "status"), record]
    answers.walk("products", records, queries={"/products": [*lists, {"properties": "ref,date_creation"}]})
    identifiers = call("GET", "/products", query={"ids_only": "true", "limit": 1})
    assert [type(each) for each in identifiers] == [str if as_text else int]
    call("DELETE", "/products/{id}", id=bare)
    vary(answers)
    offer(answers, stocked)
    categorise(answers, "product", "/products/{id}/categories", full)
    assert answers.missing("products") == []
    assert checked(answers, "products")[0] >= 38
    assert checked(answers, "products")[1] >= 20


def offer(answers: Answers, product: int) -> None:
    """What suppliers ask for a product, and what some customers pay."""
    call, admin, paths = answers.call, answers.admin, "/products/{id}"
    other = admin.ask("POST", "/thirdparties", {"name": "Both", "client": 1, "fournisseur": 1, "code_client": "auto"})
    asked = {
        "qty": 1, "buyprice": 4, "price_base_type": "HT", "fourn_id": other, "availability": 1, "ref_fourn": "A",
        "tva_tx": 20,
    }  # fmt: skip
    bought = call("POST", f"{paths}/purchase_prices", asked, id=product)
    call("GET", "/products/purchase_prices")
    call("GET", f"{paths}/purchase_prices", id=product)
    call("DELETE", f"{paths}/purchase_prices/{{priceid}}", id=product, priceid=bought)
    prices = f"{paths}/selling_multiprices"
    for kind, constant, key, body in (
        ("per_segment", "PRODUIT_MULTIPRICES", "price_level", {"price_level": 2, "price": "9"}),
        ("per_customer", "PRODUIT_CUSTOMER_PRICES", "priceid", {"fk_soc": other, "price": "8"}),
        ("per_quantity", "PRODUIT_CUSTOMER_PRICES_BY_QTY", "priceid", {"quantity": "10", "unitprice": "7"}),
    ):
        admin.ask("PUT", f"/setup/conf/{constant}", {"value": "1"})
        made = call("POST", f"{prices}/{kind}", body, id=product)
        place = {"id": product, key: made if key == "priceid" else 2}
        call("GET", f"{prices}/{kind}", id=product)
        for verb in ("PUT", "PATCH"):
            call(verb, f"{prices}/{kind}/{{{key}}}", {}, **place)
        if kind == "per_segment":
            call("GET", f"{prices}/{kind}/{{{key}}}", **place)
        call("DELETE", f"{prices}/{kind}/{{{key}}}", **place)
        admin.ask("DELETE", f"/setup/conf/{constant}")


def vary(answers: Answers) -> None:
    """Call what is served of attributes, variants and components."""
    call, below = answers.call, "/products/attributes"
    attribute = call("POST", below, {"ref": "CUT", "label": "Cut", "ref_ext": "outside", "position": 1})
    wide = call("POST", f"{below}/{{id}}/values", {"ref": "WIDE", "value": "wide"}, id=attribute)
    slim = call("POST", f"{below}/{{id}}/values", {"ref": "SLIM", "value": "slim"}, id=attribute)
    call("GET", below)
    record = call("GET", f"{below}/{{id}}", id=attribute)
    assert set(record) == named(answers, "Attribute")
    for name in ("ref", "ref_ext"):
        call("GET", f"{below}/{name}/{{{name}}}", **{name: record[name]})
    for verb in ("PUT", "PATCH"):
        call(verb, f"{below}/{{id}}", {"label": "Cuts"}, id=attribute)
        call(verb, f"{below}/values/{{id}}", {"value": "very wide"}, id=wide)
    for path in ("{id}/values", "ref/{ref}/values", "{id}/values/ref/{ref}"):
        call("GET", f"{below}/{path}", id=attribute, ref="WIDE" if path.endswith("{ref}") else "CUT")
    call("GET", f"{below}/values/{{id}}", id=wide)
    parent = call("POST", "/products", {"ref": "TROUSERS", "label": "Trousers", "price": 60})
    impact = {"weight_impact": "0.5", "price_impact": 5, "price_impact_is_percent": False}
    features = [{str(attribute): value} for value in (wide, slim)]
    first = call("POST", "/products/{id}/variants", {**impact, "features": features[0], "ref_ext": "out"}, id=parent)
    call("POST", "/products/ref/{ref}/variants", {**impact, "features": features[1]}, ref="TROUSERS")
    call("GET", "/products/{id}/variants", id=parent)
    call("GET", "/products/ref/{ref}/variants", ref="TROUSERS")
    variant = call("GET", "/products/variants/{id}", id=first)
    assert set(variant) == named(answers, "Variant") | {"attributes"}
    for verb in ("PUT", "PATCH"):
        call(verb, "/products/variants/{id}", {"variation_price": "6"}, id=first)
    call("POST", "/products/{id}/subproducts/add", {"subproduct_id": 1, "qty": "2.5", "incdec": 1}, id=parent)
    assert call("GET", "/products/{id}/subproducts", id=parent)
    call("DELETE", "/products/{id}/subproducts/remove/{subproduct_id}", id=parent, subproduct_id=1)
    for each in call("GET", "/products/{id}/variants", id=parent):
        call("DELETE", "/products/variants/{id}", id=each["id"])
    call("DELETE", f"{below}/values/{{id}}", id=wide)
    call("DELETE", f"{below}/{{id}}/values/ref/{{ref}}", id=attribute, ref="SLIM")
    call("DELETE", f"{below}/{{id}}", id=attribute)
    call("DELETE", "/products/{id}", id=parent)


def test_users(answers: Answers) -> None:
    call = answers.call
    owner = answers.sample("/thirdparties")[0]["id"]
    body = {
        "login": "full", "lastname": "Full", "email": "full.user@example.org", "pass": PASSWORD, "statut": 1, "admin": 0,
        "birth": "1980-02-03", "thm": "12.5", "datestartvalidity": str(DAY), "employee": 1, **EXTRAS,
    }  # fmt: skip
    full = call("POST", "/users", body)
    group = call("POST", "/users/groups", {"name": "Everybody", "note": "all", "color": "ff8800"})
    call("GET", "/users/{id}/setGroup/{group}", id=full, group=group)
    call("PUT", "/users/{id}/rights", {"rights": ["contacts.read", "products.read"]}, id=full)
    call("PUT", "/users/groups/{group}/rights", {"rights": ["contacts.read"]}, group=group)
    wishes = [{}, {"label": "till"}, {"expires": "2100-01-01", "rights": ["contacts.read"], "label": "some"}]
    keys = [call("POST", "/users/{id}/keys", wish, id=full) for wish in wishes]
    record = call("GET", "/users/{id}", id=full, query={"includepermissions": 1})
    own = call("GET", "/users/info", query={"includepermissions": 1})
    assert set(record) | {"user_group_list"} == set(own) == named(answers, "User")
    assert set(call("GET", "/users/groups/{group}", query={"load_members": 1}, group=group)) == named(answers, "Group")
    assert set(call("GET", "/users/{id}/keys", id=full)[0]) == named(answers, "Key")
    send_back(answers, "/users/{id}", {name: value for name, value in record.items() if name != "entity"})
    call("PATCH", "/users/{id}", {"statut": 0, "pass": f"{PASSWORD} staple"}, id=full)
    call("PUT", "/users/groups/{group}", {"note": None}, group=group)
    call("PUT", "/users/{id}/thirdparty", {"socid": int(owner)}, id=full)
    call("PUT", "/users/{id}/thirdparty", {"socid": None}, id=full)
    groups = [each["id"] for each in answers.admin.get("/users/groups")]
    shown = {"/users/groups/{group}": [{"load_members": 1}], "/users": [{"pagination_data": "true"}, {"user_ids": 1}]}
    answers.walk("users", answers.sample("/users", number=9), queries=shown, group=groups)
    categorise(answers, "user", "/users/{id}/categories", full)
    refused = {"login": "next", "pass": "short"}
    call("POST", "/users", refused, status=400)
    call("POST", "/users/{id}/keys/{key}/rotate", {}, id=full, key=keys[0]["id"])
    call("DELETE", "/users/{id}/keys/{key}", id=full, key=keys[0]["id"])
    call("DELETE", "/users/{id}/groups/{group}", id=full, group=group)
    call("DELETE", "/users/groups/{group}", group=group)
    call("DELETE", "/users/{id}", id=full)
    assert answers.missing("users") == []
    assert checked(answers, "users")[0] >= 30
    assert checked(answers, "users")[1] >= 50


def test_the_setup(answers: Answers) -> None:
    call = answers.call
    company = call("GET", "/setup/company")
    assert set(company) == set(answers.schema("GET", "/setup/company")["properties"])  # type: ignore[index]
    company = {name: company[name] for name in Company.__annotations__}
    call("PUT", "/setup/company", {**company, "fax": None, "country_id": 1, "managers": ""})
    call("PUT", "/setup/company", {"country_id": None, "country_code": "", "country": ""})
    call("PUT", "/setup/company", company)
    call("PUT", "/setup/conf/{constantname}", {"value": "1"}, constantname="TRIED")
    call("PUT", "/setup/conf/{constantname}", {"value": "hidden"}, constantname="TRIED_PASSWORD")
    shown = {each["name"]: each for each in call("GET", "/setup/conf", query={"limit": 1000})}
    assert set(shown["TRIED"]) == named(answers, "Constant")
    assert (shown["TRIED"]["value"], shown["TRIED_PASSWORD"]["value"]) == ("1", None)
    kinds = ("varchar", "int", "price", "date", "datetime", "boolean", "select", "checkbox", "link")
    for number, kind in enumerate(kinds):
        body = {"label": kind, "type": kind, "pos": number, "unique": False, "required": 0, "alwayseditable": 1}
        options = CHOICE["param"] if kind in ("select", "checkbox") else None
        body |= {"size": 20, "default": None, "param": options}
        call("POST", "/setup/extrafields/{elementtype}/{attrname}", body, elementtype="societe", attrname=f"a{kind}")
    defined = {"elementtype": "societe", "attrname": "aselect"}
    definition = call("GET", "/setup/extrafields/{elementtype}/{attrname}", **defined)
    change = {name: value for name, value in definition.items() if name in ("label", "pos", "unique", "param", "size")}
    call("PUT", "/setup/extrafields/{elementtype}/{attrname}", change | {"type": "select"}, **defined)
    assert set(call("GET", "/setup/extrafields")) == {"societe", "socpeople", "product", "user"}
    call("POST", "/setup/extrafields/{elementtype}/{attrname}", {"label": "x"}, status=400, **defined)
    for path in (path for verb, path in answers.operations("setup") if verb == "GET" and "{" not in path):
        call("GET", path, query={"limit": 1} if path not in ("/setup/company", "/setup/modules") else {}, status=None)
    words = {"byCode/{code}": "FR", "byISO/{iso}": "FRA", "{id}": 1}
    for end, value in words.items():
        path = f"/setup/dictionary/countries/{end}"
        assert call("GET", path, query={"lang": "de"}, **{end.partition("{")[2][:-1]: value})["label"] == "Frankreich"
    entry = {"code": "OWN", "label": "Of our own"}
    added = call("POST", "/setup/dictionary/{name}", entry, name="incoterms")
    assert call("GET", "/setup/dictionary/{name}/{id}", name="incoterms", id=added)["label"] == "Of our own"
    call("PUT", "/setup/dictionary/{name}/{id}", {"active": 0}, name="incoterms", id=added)
    call("PATCH", "/setup/dictionary/{name}/{id}", {"active": 1}, name="incoterms", id=added)
    call("DELETE", "/setup/dictionary/{name}/{id}", name="incoterms", id=added)
    call("GET", "/setup/dictionary/states/{id}", id=369)
    call("GET", "/setup/dictionary/states/byCode/{code}", code="69")
    place = call("POST", "/setup/establishments", {"label": "Workshop"})
    for verb in ("PUT", "PATCH"):
        call(verb, "/setup/establishments/{id}", {"town": "Lyon"}, id=place)
    assert set(call("GET", "/setup/establishments/{id}", id=place)) == named(answers, "Establishment")
    call("DELETE", "/setup/establishments/{id}", id=place)
    answers.walk("setup", constantname=["TRIED"])
    call("GET", "/setup/conf/{constantname}", constantname="TRIED_PASSWORD", status=403)
    call("DELETE", "/setup/conf/{constantname}", constantname="TRIED")
    for kind in kinds:
        call("DELETE", "/setup/extrafields/{elementtype}/{attrname}", elementtype="societe", attrname=f"a{kind}")
    # a checkout has no list of files
    assert answers.missing("setup") == ["GET /setup/checkintegrity"]
    assert checked(answers, "setup")[0] == 65
    assert checked(answers, "setup")[1] >= 55


def picture() -> str:
    kept = BytesIO()
    Image.new("RGB", (8, 8), "red").save(kept, "PNG")
    return b64encode(kept.getvalue()).decode()


def test_documents(answers: Answers) -> None:
    call, ask = answers.call, answers.admin.ask
    owner = int(answers.sample("/thirdparties")[0]["id"])
    proposal = ask("POST", "/proposals", {"socid": owner, "date": str(DAY), "lines": [LINE]})
    record = ask("POST", f"/proposals/{proposal}/validate", {})
    file = {"modulepart": "proposal", "original_file": f"{record['ref']}/{record['ref']}.pdf"}
    built = call("PUT", "/documents/builddoc", {**file, "langcode": "fr_FR", "doctemplate": "azur"})
    fetched = call("GET", "/documents/download", query=file)
    assert set(built) - set(fetched) == {"langcode", "template"}
    sent = {"modulepart": "proposal", "ref": record["ref"], "filename": "words.txt", "filecontent": " words \n"}
    assert call("POST", "/documents/upload", sent) == "words.txt"
    note = {**file, "original_file": f"{record['ref']}/words.txt"}
    # Blanks at the ends of a text belong to the file
    assert call("GET", "/documents/download", query=note)["content"] == b64encode(b" words \n").decode()
    call(
        "POST",
        "/documents/upload",
        {**sent, "filecontent": "d29yZHM=", "fileencoding": "base64", "overwriteifexists": 1},
    )
    listed = call("GET", "/documents", query={"modulepart": "proposal", "id": proposal, "sortfield": "name"})
    assert sorted(each["name"] for each in listed) == sorted([f"{record['ref']}.pdf", "words.txt"])
    assert call("PUT", "/documents/logo", {"filename": "our.png", "filecontent": picture()}) == "our.png"
    call("GET", "/documents/download", query={**file, "original_file": "no/no.pdf"}, status=404)
    call("DELETE", "/documents", query=note)
    ask("PUT", "/setup/company", {"name": "Vasseur", "country_code": "FR"})
    checked_mentions = call("GET", "/documents/check", query={"modulepart": "proposals", "id": proposal})
    assert checked_mentions["missing"] and checked_mentions["there"]
    assert answers.missing("documents") == []
    assert checked(answers, "documents")[0] == 7
    assert checked(answers, "documents")[1] >= 8


def test_a_file_is_sent_in_a_part_of_its_own(answers: Answers) -> None:
    for verb, path in (("post", "/documents/upload"), ("put", "/documents/logo")):
        content = answers.document["paths"][path][verb]["requestBody"]["content"]
        sent = content["multipart/form-data"]["schema"]["properties"]["file"]
        assert sent["format"] == "binary"
        assert "file" not in content["application/json"]["schema"]["properties"]


def test_login_and_status(answers: Answers) -> None:
    ask = answers.admin.ask
    user = ask("POST", "/users", {"login": "enters", "pass": PASSWORD})
    known = {"login": "enters", "password": PASSWORD}
    anybody = answers.served.client(None)
    answers.call("POST", "/login", {**known, "entity": "1", "reset": True}, client=anybody)
    in_url = answers.served.settings.profile.key_in_url
    answers.call("GET", "/login", query=known, client=anybody, status=200 if in_url else 405)
    answers.call("POST", "/login", {**known, "password": "wrong"}, client=anybody, status=403)
    answers.call("GET", "/status", client=answers.served.user())
    ask("DELETE", f"/users/{user}")
    assert answers.missing("login") == ([] if in_url else ["GET /login"])
    assert (answers.missing("status"), checked(answers, "status")) == ([], (1, 1))


def test_a_module_of_others(answers: Answers) -> None:
    card = answers.call("POST", "/loyaltycards", {"number": "A-1"})
    record = answers.call("GET", "/loyaltycards/{id}", id=card)
    assert set(record) == named(answers, "Card")
    answers.call("POST", "/loyaltycards/{id}/spend", {"points": 1}, id=card, status=405)
    answers.call("GET", "/loyaltycards", query={"pagination_data": "true"})
    with transaction():
        importlib.import_module("modules.loyalty.models").Card.update(points=5).execute()
    assert int(answers.call("POST", "/loyaltycards/{id}/spend", {"points": 2}, id=card)["points"]) == 3
    assert len(answers.call("GET", "/loyaltycards/{id}/history", id=card)) == 3
    assert answers.missing("loyaltycards") == []
    assert checked(answers, "loyaltycards")[1] >= 4
