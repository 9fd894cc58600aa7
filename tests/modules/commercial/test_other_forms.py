"""Forms of values that the default profile also accepts: dates, words, flags, codes and signs of a sort order."""

import pytest

from core.common.clock import as_if
from core.testing import serving
from tests.moments import LEAP_DAY, LEAP_DAY_END

#: 2026-11-24 00:00 UTC
DAY = 1795478400


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("old"), profile_name="dolibarr16") as server:
        yield server.client()


def invoice(client, customer):
    line = {"desc": "Desk", "qty": 1, "subprice": 100}
    made = int(client.ask("POST", "/invoices", {"socid": customer, "date": "2026-11-21", "lines": [line]}))
    client.ask("POST", f"/invoices/{made}/validate")
    return made


PAYMENT = {"datepaye": "2026-11-24", "paymentid": "VIR", "closepaidinvoices": True}


def test_a_payment_of_a_day_by_a_code(admin, customer):
    made = invoice(admin, customer)
    admin.ask("POST", f"/invoices/{made}/payments", PAYMENT)
    (paid,) = admin.get(f"/invoices/{made}/payments")
    assert (paid["type"], paid["date"]) == ("VIR", DAY)
    assert int(admin.get(f"/invoices/{made}")["statut"]) == 2
    other = invoice(admin, customer)
    admin.ask(
        "POST", f"/invoices/{other}/payments", PAYMENT | {"datepaye": DAY, "closepaidinvoices": "no", "paymentid": 2}
    )
    assert int(admin.get(f"/invoices/{other}")["statut"]) == 1


@pytest.mark.parametrize(("name", "value"), [("datepaye", "soon"), ("paymentid", "CASHEW"), ("closepaidinvoices", "x")])
def test_what_is_in_no_form_is_rejected(admin, customer, name, value):
    error = admin.ask("POST", f"/invoices/{invoice(admin, customer)}/payments", PAYMENT | {name: value}, status=400)
    assert [each["field"] for each in error["error"]["errors"]] == [name]


def test_a_proposal_is_closed_with_a_word(admin, customer):
    for word, state in (("signed", 2), ("Refused", 3), ("3", 3)):
        made = admin.ask("POST", "/proposals", {"socid": customer, "date": "2026-11-21"})
        admin.ask("POST", f"/proposals/{made}/validate")
        message = admin.refused("POST", f"/proposals/{made}/close", {"status": "sold"}, status=400)
        assert 'expected one of 2, 3, signed, refused; got "sold"' in message
        assert int(admin.ask("POST", f"/proposals/{made}/close", {"status": word})["statut"]) == state


def test_fields_take_codes_words_and_flags(admin):
    body = {"name": "Codes", "client": "customer", "country_id": "FR", "mode_reglement_id": "VIR", "tva_assuj": True}
    record = admin.get(f"/thirdparties/{admin.ask('POST', '/thirdparties', body)}")
    assert (record["client"], record["country_code"], record["tva_assuj"]) == (1, "FR", 1)
    # 2 is the ID of VIR in Dolibarr's dictionary
    assert record["mode_reglement_id"] == 2
    error = admin.ask("POST", "/thirdparties", body | {"country_id": "XX", "client": "friend"}, status=400)
    assert {each["field"] for each in error["error"]["errors"]} == {"country_id", "client"}
    product = admin.ask("POST", "/products", {"ref": "FORMS", "label": "x", "type": "service", "status": False})
    assert [admin.get(f"/products/{product}")[name] for name in ("type", "status")] == [1, 0]


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_a_document_without_a_date_is_of_today(admin, customer, service):
    with as_if(LEAP_DAY_END):
        record = admin.get(f"/{service}/{admin.ask('POST', f'/{service}', {'socid': customer})}")
    assert record["date"] == LEAP_DAY


def test_a_sign_sorts_in_descending_order(admin):
    for first, last in (("A", "Sign1"), ("B", "Sign1"), ("A", "Sign2")):
        admin.ask("POST", "/contacts", {"lastname": last, "firstname": first})

    def names(**query):
        found = admin.get("/contacts", sqlfilters="(t.lastname:like:'Sign%')", **query)
        return [f"{each['firstname']} {each['lastname']}" for each in found]

    assert names(sortfield="-lastname,firstname") == ["A Sign2", "A Sign1", "B Sign1"]
    assert names(sortfield="lastname,-firstname") == ["B Sign1", "A Sign1", "A Sign2"]
    assert names(sortfield="-lastname,firstname", sortorder="ASC,DESC") == ["A Sign2", "B Sign1", "A Sign1"]
    message = admin.refused("GET", "/contacts?sortfield=lastnam", status=400)
    assert "did you mean lastname?" in message
    assert "expected one of" in admin.refused("GET", "/contacts?sortfield=qqqqqq", status=400)


def test_abandoned_is_a_filter(admin, customer):
    made = invoice(admin, customer)
    admin.ask("POST", f"/invoices/{made}/settopaid", {"close_code": "abandon"})
    for word in ("abandoned", "cancelled"):
        assert made in [int(each["id"]) for each in admin.get(f"/invoices?status={word}&limit=0")]


def test_dolibarr16_rejects_what_dolibarr_rejects(old):
    customer = int(old.ask("POST", "/thirdparties", {"name": "Old", "client": 1}))
    made = invoice(old, customer)
    for name, value in PAYMENT.items():
        body = {"datepaye": DAY, "paymentid": 2, "closepaidinvoices": "no"} | {name: value}
        assert name in old.refused("POST", f"/invoices/{made}/payments", body, status=400)
    assert "date field missing" in old.refused("POST", "/orders", {"socid": customer}, status=400)
    # Recorded: a line without anything is accepted
    assert old.ask("POST", "/orders", {"socid": customer, "date": DAY, "lines": [{}]}) > 0


def described(client):
    """Return the schemas, and the keys of the body of a payment."""
    document = client.get("/explorer/openapi.json")
    payment = document["paths"]["/invoices/{id}/payments"]["post"]["requestBody"]["content"]["application/json"]
    return document["components"]["schemas"], payment["schema"]["properties"]


def test_the_document_shows_the_other_forms(tmp_path):
    with serving(tmp_path) as server:
        schemas, payment = described(server.client())
    for name in ("OrderNew", "ProposalNew", "InvoiceNew"):
        assert schemas[name]["required"] == ["socid"]
        assert "today" in schemas[name]["properties"]["date"]["description"]
    person = schemas["ThirdpartyNew"]["properties"]
    for accepted in (payment["datepaye"], payment["paymentid"], person["country_id"], person["mode_reglement_id"]):
        assert {"integer", "string"} <= set(accepted["type"])
    assert "also as a code" in person["country_id"]["description"]
    assert "also as a word" in person["client"]["description"]
    assert "also true or false" in person["tva_assuj"]["description"]
    assert "or true" in payment["closepaidinvoices"]["description"]
    # Only what is sent has other forms
    assert schemas["Thirdparty"]["properties"]["country_id"]["type"] == ["integer", "null"]


def test_the_document_of_dolibarr16_shows_none(old):
    schemas, payment = described(old)
    assert schemas["OrderNew"]["required"] == ["date", "socid"]
    assert payment["datepaye"]["type"] == payment["paymentid"]["type"] == "integer"
    assert "also" not in schemas["ThirdpartyNew"]["properties"]["country_id"]["description"]
