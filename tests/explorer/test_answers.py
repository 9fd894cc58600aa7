"""What proposals, orders, invoices and a module's own kind of document answer is what the OpenAPI document says.

Each answer is held against its schema, in which objects hold nothing but what is named; and so is each body.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.explorer.answered import Answers
from tests.filled import demonstration, filled

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parent.parent / "samples"

#: service → the states of its records, their kind in definitions of extra fields, the schema of a record
KINDS: dict[str, tuple[tuple[int, ...], str, str]] = {
    "proposals": ((0, 1, 2, 3, 4), "propal", "Proposal"),
    "orders": ((-1, 0, 1, 2, 3), "commande", "Order"),
    "invoices": ((0, 1, 2, 3), "facture", "Invoice"),
    "contracts": ((0, 1, 2, 3), "contract", "Contract"),
}
NATIVE = ("proposals", "orders", "invoices")
#: what another module serves below orders; in the profile dolibarr16 it is 404 where there is none
GUESTS = ("/orders/{id}/shipment", "/invoices/templates")
#: keys that only the answers of ``createfrom…`` and of ``validate`` hold
ORIGIN = {"origin", "origin_id", "oldref"}

#: 2026-11-21 01:53:20
PAID = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no", "num_payment": "C-1", "accountid": 1}
LINES = [
    {"desc": "Care", "qty": 2, "subprice": "49.90", "tva_tx": 20, "array_options": {"options_colour": "r"}},
    {"desc": "Shop price", "qty": 1, "subprice": 12, "tva_tx": "5.5", "price_base_type": "TTC"},
]


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    options = {"modules": str(SAMPLES / "modules"), "profile_name": request.param}
    served = filled(tmp_path_factory, demonstration, **options)
    definition = {"label": "Colour", "type": "select", "param": {"options": {"r": "red", "g": "green"}}}
    for _, element, _ in KINDS.values():
        for kind in (element, {"contract": "contractline"}.get(element, f"{element}det")):
            served.client().ask("POST", f"/setup/extrafields/{kind}/colour", definition)
    yield Answers(served)
    served.close()


@pytest.fixture(autouse=True)
def clean(answers: Answers) -> Iterator[None]:
    """Each test's own answers must fit."""
    answers.wrong.clear()
    yield
    assert answers.wrong == []


@pytest.fixture(scope="module")
def customer(answers: Answers) -> int:
    return answers.admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def contact(answers: Answers, customer: int) -> int:
    body = {"lastname": "Doe", "socid": customer, "email": "doe@example.org"}
    return answers.admin.ask("POST", "/contacts", body)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def product(answers: Answers) -> int:
    body = {"ref": "WIDGET", "label": "Widget", "type": 0, "price": 3, "cost_price": 2, "barcode": "4000000000017"}
    return answers.admin.ask("POST", "/products", body)  # type: ignore[no-any-return]


# What is published ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("service", KINDS)
def test_nothing_is_published_as_anything(answers: Answers, service: str) -> None:
    assert answers.untyped(service) == []


@pytest.mark.parametrize("service", KINDS)
def test_states_are_an_enumeration(answers: Answers, service: str) -> None:
    states, _, model = KINDS[service]
    properties = answers.document["components"]["schemas"][model]["properties"]
    as_text = answers.served.settings.profile.text_values and service != "proposals"
    for name in ("statut", "status"):
        assert sorted(properties[name]["enum"], key=int) == [str(state) if as_text else state for state in states]


def test_a_surplus_or_a_wrong_value_is_found(answers: Answers, customer: int, contact: int) -> None:
    """What all others rely on."""
    body = {"socid": customer, "date": "2026-11-21", "lines": LINES}
    identifier = answers.call("POST", "/orders", body)
    answers.admin.ask("POST", f"/orders/{identifier}/contact/{contact}/BILLING")
    record = answers.call("GET", "/orders/{id}", query={"contact_list": 0}, id=identifier)
    schema = answers.schema("GET", "/orders/{id}")
    assert schema is not None and answers.errors(schema, record) == []
    for path in ([], ["lines", 0], ["contacts_ids", 0], ["array_options"], ["lines", 0, "array_options"]):
        changed = copy.deepcopy(record)
        inner: Any = changed
        for key in path:
            inner = inner[key]
        if not inner:
            inner = changed["array_options"] = {}
        inner["surprise"] = 1
        assert ["surprise" in error for error in answers.errors(schema, changed)] == [True], path
    for key, value in (("brouillon", 2), ("statut", 7), ("total_ht", 1.5), ("linkedObjectsIds", {"propal": {"1": []}})):
        assert answers.errors(schema, record | {key: value}), key


# Reading -------------------------------------------------------------------------------------------------------------


def own(answers: Answers) -> int:
    """How many answers have been held, those of guests left out: not each record has some of theirs."""
    return sum(count for (_, path), count in answers.checked.items() if not path.startswith(GUESTS))


@pytest.mark.parametrize("service", NATIVE)
def test_reading(answers: Answers, service: str) -> None:
    """Two records of each state, as far as there are two, in every way they are read."""
    states = KINDS[service][0]
    records = answers.sample(f"/{service}", "statut")
    assert {int(each["statut"]) for each in records} == set(states)
    before = own(answers)
    one = [{"contact_list": 0}, {"contact_list": -1}]
    lists = [{"pagination_data": "true"}, {"properties": "ref,statut"}, {"sortfield": "t.rowid", "page": 1}]
    queries = {f"/{service}": lists, f"/{service}/{{id}}": one, f"/{service}/ref/{{ref}}": one}
    answers.walk(service, records, queries=queries)
    # By identifier and by reference thrice, lines, contacts, history, of an invoice payments; the list four times
    ways = 10 if service == "invoices" else 9
    assert len(records) >= 2 * len(states) - 1
    assert own(answers) - before == ways * len(records) + 4


@pytest.mark.parametrize("service", KINDS)
def test_all_that_is_published_is_answered(
    answers: Answers, service: str, customer: int, contact: int, product: int
) -> None:
    """And what was read may be sent back as the body of a change says."""
    identifier = draft(answers, service, customer, fk_product=product)
    role = "BILLING" if service in NATIVE else "CUSTOMER"
    answers.admin.ask("POST", f"/{service}/{identifier}/contact/{contact}/{role}")
    record = answers.call("GET", f"/{service}/{{id}}", id=identifier)
    schemas = answers.document["components"]["schemas"]
    model = KINDS[service][2]
    # An invoice that was not made from an order has these in the profile of the reference alone
    told = ORIGIN | ({"delivery_date", "date_livraison"} if service == "invoices" else set())
    assert answers.fields(model) - told == set(record) - told
    assert answers.fields(f"{model}Line") == set(record["lines"][0])
    assert record["contacts_ids"] and record["linkedObjectsIds"]
    for name, sent in ((f"{model}Change", record), (f"{model}LineChange", record["lines"][0])):
        fields = {key: value for key, value in sent.items() if key in schemas[name]["properties"]}
        assert len(fields) > 10
        assert answers.errors({"$ref": f"#/components/schemas/{name}"}, fields) == []


# Writing -------------------------------------------------------------------------------------------------------------


def draft(answers: Answers, service: str, customer: int, *, fk_product: int | None = None, **fields: Any) -> int:
    """A draft with two lines and a link."""
    order = answers.admin.get("/orders", limit=1)[0]["id"]
    body = {
        "socid": customer,
        "date": "2026-11-21",
        "lines": [LINES[0] | {"fk_product": fk_product}, LINES[1]] if fk_product else LINES,
        "linked_objects": {"commande": [int(order)]},
        **fields,
    }
    identifier: int = answers.call("POST", f"/{service}", body)
    return identifier


def live(answers: Answers, service: str, customer: int, contact: int) -> int:
    """All that every kind of document can; answers a draft that has been validated once."""
    one, line = f"/{service}/{{id}}", f"/{service}/{{id}}/lines/{{lineid}}"
    role = f"{one}/contact/{{contactid}}/{{type}}"
    code = "BILLING" if service in NATIVE else "CUSTOMER"
    identifier = draft(answers, service, customer, ref_ext=f"outside {service}")
    call, known = answers.call, {"id": identifier}
    call("GET", f"/{service}/ref_ext/{{ref_ext}}", ref_ext=f"outside {service}")
    number = call("POST", f"{one}/lines", {"qty": "1.5", "subprice": 3, "tva_tx": "20 (A)"}, **known)
    several = call("POST", f"{one}/lines", LINES, **known)
    # The profile of the reference answers one number for a list of lines: how many they are
    made = several if isinstance(several, list) else [each["id"] for each in call("GET", f"{one}/lines", **known)][-2:]
    call("PUT", line, {"desc": "changed", "qty": 2, "subprice": "7"}, lineid=number, **known)
    call("PATCH", line, {"rang": 1, "price_base_type": "TTC", "subprice": "7"}, lineid=number, **known)
    call("DELETE", line, lineid=made[0], **known)
    call("GET", f"{one}/lines", query={"sqlfilters": "(d.description:like:'c%')"}, **known)
    call("POST", role, contactid=contact, type=code, **known)
    people = call("GET", f"{one}/contacts", **known)
    assert [each["code"] for each in people] == [code]
    call("DELETE", role, contactid=contact, type=code, **known)
    call("PUT", one, {"ref_client": "their number", "note_public": "thanks"}, **known)
    call("PATCH", one, {"note_private": "to be watched", "array_options": {"options_colour": "g"}}, **known)
    call("POST", f"{one}/validate", **known)
    call("POST", f"{one}/settodraft", **known)
    call("DELETE", one, id=draft(answers, service, customer))
    return identifier


def refuse(answers: Answers, service: str) -> None:
    """Answers of failure are published, too."""
    one = f"/{service}/{{id}}"
    answers.call("POST", f"/{service}", {"socid": "far"}, status=400)
    answers.call("GET", one, status=404, id=999_999)
    answers.call("GET", one, status=400, id=1, query={"contact_list": 5})
    answers.call("GET", one, status=401, id=1, client=answers.served.client(None))
    answers.call("POST", f"{one}/settodraft", status=404, id=999_999)


def test_a_proposal(answers: Answers, customer: int, contact: int) -> None:
    identifier = live(answers, "proposals", customer, contact)
    one, call = "/proposals/{id}", answers.call
    call("POST", f"{one}/line", {"desc": "an option", "subprice": 2}, id=identifier)
    call("PATCH", one, {"duree_validite": 45}, id=identifier)
    call("POST", f"{one}/validate", id=identifier)
    signed = call("POST", f"{one}/close", {"status": 2, "note_private": "by mail"}, id=identifier)
    assert signed["statut_libelle"] == "signed"
    call("POST", f"{one}/setinvoiced", id=identifier)
    refuse(answers, "proposals")
    assert answers.missing("proposals") == []


def test_an_order(answers: Answers, customer: int, contact: int) -> None:
    identifier = live(answers, "orders", customer, contact)
    one, call = "/orders/{id}", answers.call
    for name in ("validate", "setinvoiced", "close", "reopen", "cancel"):
        call("POST", f"{one}/{name}", id=identifier)
    proposal = draft(answers, "proposals", customer)
    made = call("POST", "/orders/createfromproposal/{proposalid}", proposalid=proposal)
    assert made["origin"] == "propal" and int(made["origin_id"]) == proposal
    call("POST", f"{one}/reopen", id=identifier)
    call("POST", f"{one}/shipment/{{warehouse_id}}", id=identifier, warehouse_id=1)
    assert len(call("GET", f"{one}/shipment", id=identifier)) == 1
    refuse(answers, "orders")
    assert answers.missing("orders") == []


def test_a_contract(answers: Answers, customer: int, contact: int) -> None:
    identifier = live(answers, "contracts", customer, contact)
    for name in ("validate", "start", "close", "reopen"):
        answers.call("POST", f"/contracts/{{id}}/{name}", id=identifier)
    answers.walk("contracts", answers.sample("/contracts", "statut"))
    refuse(answers, "contracts")
    assert answers.missing("contracts") == []


def test_an_invoice(answers: Answers, customer: int, contact: int) -> None:
    identifier = live(answers, "invoices", customer, contact)
    one, call = "/invoices/{id}", answers.call

    def bill(**fields: Any) -> int:
        made = draft(answers, "invoices", customer, **fields)
        call("POST", f"{one}/validate", id=made)
        return made

    person = {"type_contact": "SALESREPFOLL", "source": "internal", "fk_socpeople": answers.served.administrator.id}
    call("POST", f"{one}/contacts", person, id=identifier)
    assert [each["source"] for each in call("GET", f"{one}/contacts", id=identifier)] == ["internal"]
    call("POST", f"{one}/validate", id=identifier)
    payment = call("POST", f"{one}/payments", PAID | {"closepaidinvoices": "yes"}, id=identifier)
    call("PUT", "/invoices/payments/{id}", {"num_payment": "C-2"}, id=payment)
    assert [each["num"] for each in call("GET", f"{one}/payments", id=identifier)] == ["C-2"]
    call("POST", f"{one}/settounpaid", id=identifier)
    amounts = {str(bill()): {"amount": "1.5"}, str(bill()): "remain", str(bill()): 2}
    call("POST", "/invoices/paymentsdistributed", PAID | {"arrayofamounts": amounts})
    order = draft(answers, "orders", customer)
    made = call("POST", "/invoices/createfromorder/{orderid}", orderid=order)
    assert made["origin"] == "commande" and int(made["origin_id"]) == order
    abandoned = call("POST", f"{one}/settopaid", {"close_code": "abandon", "close_note": "lost"}, id=bill())
    assert int(abandoned["statut"]) == 3
    refuse(answers, "invoices")
    credit(answers, bill, draft(answers, "invoices", customer))
    plan(answers, customer, contact, identifier)
    assert answers.missing("invoices") == []


def plan(answers: Answers, customer: int, contact: int, invoice: int) -> None:
    """Templates of invoices."""
    every, one, call = "/invoices/templates", "/invoices/templates/{id}", answers.call
    line = {"desc": "Rent", "qty": 1, "subprice": "100", "tva_tx": 20}
    planned = {"frequency": 1, "unit_frequency": "m", "date_when": 1795219200, "lines": [line]}
    template = call("POST", every, {"title": "Rent", "socid": customer, **planned})
    copied = call("POST", f"{every}/createfrominvoice/{{id}}", {"title": "Again", "socid": customer}, id=invoice)
    copied = copied["id"] if isinstance(copied, dict) else copied
    call("GET", every)
    assert call("GET", one, id=template)["title"] == "Rent"
    for verb in ("PUT", "PATCH"):
        call(verb, one, {"note_public": "thanks"}, id=template)
    added = call("POST", f"{one}/lines", line, id=template)
    for verb in ("PUT", "PATCH"):
        call(verb, f"{one}/lines/{{lineid}}", line | {"qty": 2}, id=template, lineid=added)
    assert len(call("GET", f"{one}/lines", id=template)) == 2
    call("DELETE", f"{one}/lines/{{lineid}}", id=template, lineid=added)
    role = {"contactid": contact, "type": "BILLING"}
    call("POST", f"{one}/contact/{{contactid}}/{{type}}", id=template, **role)
    assert len(call("GET", f"{one}/contacts", id=template)) == 1
    call("DELETE", f"{one}/contact/{{contactid}}/{{type}}", id=template, **role)
    # A new third party is closed in the profile of the reference, and a closed one gets no invoice
    answers.admin.ask("PUT", f"/thirdparties/{customer}", {"status": 1})
    call("POST", f"{one}/createinvoice", id=template)
    call("DELETE", one, id=copied)


def credit(answers: Answers, bill: Any, other: int) -> None:
    """Credit notes, and the discounts they become: one pays an invoice, one is a line of a draft."""
    one, call = "/invoices/{id}", answers.call
    discounts = []
    for _ in range(2):
        note = bill(type=2, fk_facture_source=bill(), lines=[{"qty": 1, "subprice": 5, "tva_tx": 20}])
        call("POST", f"{one}/markAsCreditAvailable", id=note)
        discounts.append(int(call("GET", f"{one}/discount", id=note)["id"]))
    paid = bill()
    call("POST", f"{one}/usecreditnote/{{discountid}}", id=paid, discountid=discounts[0])
    assert [each["type"] for each in call("GET", f"{one}/payments", id=paid)] == ["CREDIT_NOTE"]
    record = call("GET", one, id=paid)
    assert record["totalcreditnotes"] == "6.00000000" and not float(record["totalpaid"] or 0)
    call("POST", f"{one}/usediscount/{{discountid}}", id=other, discountid=discounts[1])
    lines = call("GET", f"{one}/lines", id=other)
    assert int(lines[-1]["fk_remise_except"]) == discounts[1]
