"""What is still open of a third party's proposals, orders and invoices."""

import pytest

DAY = 1795219200
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}
#: a line of three decimals: 0.335 becomes 0.34, and 0.402 with VAT 0.40
SMALL = {"desc": "Screw", "qty": 1, "subprice": "0.335", "tva_tx": 20}
EMPTY = {"opened": "0.00000000", "total_ht": "0.00000000", "total_ttc": "0.00000000", "refs": {}, "refsopened": {}}
KINDS = ("proposals", "orders", "invoices")


@pytest.fixture
def customer(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})


def validated(admin, kind, customer, *lines, **fields):
    body = {"socid": customer, "date": DAY, "lines": list(lines or (LINE,)), **fields}
    identifier = admin.ask("POST", f"/{kind}", body)
    admin.ask("POST", f"/{kind}/{identifier}/validate")
    return int(identifier)


def opened(admin, kind, customer, **query):
    return admin.get(f"/thirdparties/{customer}/outstanding{kind}", **query)


@pytest.mark.parametrize("path", KINDS)
def test_validated_ones_are_open_and_drafts_are_not(admin, customer, path):
    assert opened(admin, path, customer) == EMPTY
    admin.ask("POST", f"/{path}", {"socid": customer, "date": DAY, "lines": [LINE]})
    first, second = validated(admin, path, customer), validated(admin, path, customer, SMALL)
    refs = {str(number): admin.get(f"/{path}/{number}")["ref"] for number in (first, second)}
    # 60 and 0.34 before taxes, 72 and 0.40 with them
    assert opened(admin, path, customer) == {
        "opened": "72.40000000", "total_ht": "60.34000000", "total_ttc": "72.40000000", "refs": refs,
        "refsopened": refs,
    }  # fmt: skip
    assert opened(admin, path, customer, mode="supplier") == EMPTY


@pytest.mark.parametrize("path", KINDS)
def test_a_mode_that_does_not_exist_is_400(admin, customer, path):
    admin.refused("GET", f"/thirdparties/{customer}/outstanding{path}?mode=both", status=400)


def test_what_is_refused_or_billed_is_not_open(admin, customer):
    signed, refused = validated(admin, "proposals", customer), validated(admin, "proposals", customer)
    admin.ask("POST", f"/proposals/{signed}/close", {"status": 2})
    admin.ask("POST", f"/proposals/{refused}/close", {"status": 3})
    assert list(opened(admin, "proposals", customer)["refs"]) == [str(signed)]
    admin.ask("POST", f"/proposals/{signed}/setinvoiced")
    assert opened(admin, "proposals", customer) == EMPTY
    closed, billed, gone = (validated(admin, "orders", customer) for _ in range(3))
    admin.ask("POST", f"/orders/{closed}/close")
    admin.ask("POST", f"/orders/{billed}/setinvoiced")
    admin.ask("POST", f"/orders/{gone}/cancel")
    assert list(opened(admin, "orders", customer)["refs"]) == [str(closed)]


def test_of_invoices_what_remains_is_open_and_credit_notes_count(admin, customer):
    def left():
        return str(opened(admin, "invoices", customer)["opened"])

    part, whole = validated(admin, "invoices", customer), validated(admin, "invoices", customer)
    paid = {"datepaye": DAY, "paymentid": 2, "closepaidinvoices": "yes"}
    shares = {str(part): "10.01", str(whole): "remain"}
    admin.ask("POST", "/invoices/paymentsdistributed", {"arrayofamounts": shares, **paid})
    assert left() == "61.99000000"
    assert list(opened(admin, "invoices", customer)["refs"]) == [str(part)]
    # A credit note of 24 gives back, whether it is validated alone, made a discount, or used
    credit = validated(admin, "invoices", customer, {**LINE, "qty": 1}, type=2)
    assert left() == "37.99000000"
    admin.ask("POST", f"/invoices/{credit}/markAsCreditAvailable")
    assert left() == "37.99000000"
    discount = admin.get(f"/invoices/{credit}/discount")["id"]
    admin.ask("POST", f"/invoices/{part}/usecreditnote/{discount}")
    assert left() == "37.99000000"
    admin.ask("POST", f"/invoices/{part}/settopaid", {"close_code": "badcustomer"})
    assert left() == "0.00000000"


def test_the_profile_of_the_reference(serve):
    client = serve(profile_name="dolibarr16").client()
    customer = client.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})
    # As recorded
    for kind in KINDS:
        answer = opened(client, kind, customer)
        assert (answer["opened"], answer["refs"]) == (0, [])
    identifier = validated(client, "invoices", customer, SMALL)
    answer = opened(client, "invoices", customer)
    assert (answer["opened"], list(answer["refsopened"])) == (0.4, [str(identifier)])
