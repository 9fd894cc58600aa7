"""Invoices of a third party that can be credited or replaced; by the same rule credit notes and replacements go."""

import pytest

from tests.modules.invoices.invoices import CODE, DAY, LINE, act, pay, read

CREDIT, REPLACE = "getinvoicesqualifiedforcreditnote", "getinvoicesqualifiedforreplacement"


@pytest.fixture
def customer(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})


def qualified(admin, customer, what):
    return admin.get(f"/thirdparties/{customer}/{what}")


def numbers(admin, customer, what):
    return sorted(int(number) for number in qualified(admin, customer, what))


def test_what_can_be_credited(admin, customer, make, validated):
    assert qualified(admin, customer, CREDIT) == {}
    make(LINE)
    open_, paid, deposit, gone = validated(), validated(), validated(type=3), validated()
    pay(admin, paid, "1")
    act(admin, paid, "settopaid", {"close_code": "bankcharge"})
    act(admin, gone, "settopaid", CODE)
    validated(type=2)
    assert numbers(admin, customer, CREDIT) == [open_, paid, deposit]
    assert qualified(admin, customer, CREDIT)[str(paid)] == {
        "id": paid, "ref": read(admin, paid)["ref"], "status": 2, "type": 0, "paye": 0, "paymentornot": 1,
        "total_ttc": "72.00000000", "alreadyrefunded": "0.00000000",
    }  # fmt: skip
    # A third of it, then the rest: a draft gives nothing back yet
    validated({**LINE, "qty": 1}, type=2, fk_facture_source=open_)
    rest = make({**LINE, "qty": 2}, type=2, fk_facture_source=open_)
    assert qualified(admin, customer, CREDIT)[str(open_)]["alreadyrefunded"] == "24.00000000"
    act(admin, rest, "validate")
    assert open_ not in numbers(admin, customer, CREDIT)


def test_a_credit_note_goes_by_the_same_rule(admin, customer, make, validated):
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd", "client": 1})
    whole, gone = validated(), validated()
    validated(type=2, fk_facture_source=whole)
    act(admin, gone, "settopaid", CODE)
    for source, reason in {
        make(LINE): "neither validated nor paid", gone: "neither validated", whole: "in full",
        validated(type=2): "has a type that", validated(socid=other): "third party",
    }.items():  # fmt: skip
        identifier = make(LINE, type=2, fk_facture_source=source)
        assert reason in admin.refused("POST", f"/invoices/{identifier}/validate", status=405)
        assert read(admin, identifier)["statut"] == 0


def test_only_the_last_situation_can_be_credited(admin, customer, validated):
    first = validated(type=5, situation_cycle_ref=3, situation_counter=1)
    assert numbers(admin, customer, CREDIT) == [first]
    second = validated(type=5, situation_cycle_ref=3, situation_counter=2)
    another = validated(type=5, situation_cycle_ref=4, situation_counter=1)
    assert numbers(admin, customer, CREDIT) == [second, another]


def test_what_can_be_replaced(admin, customer, make, validated):
    assert qualified(admin, customer, REPLACE) == {}
    make(LINE)
    open_, part, credited = validated(), validated(), validated()
    validated(type=3)
    pay(admin, part, "1")
    validated({**LINE, "qty": 1}, type=2, fk_facture_source=credited)
    assert numbers(admin, customer, REPLACE) == [open_]
    expected = {"id": open_, "ref": read(admin, open_)["ref"], "status": 1, "type": 0, "paid": 0, "alreadyreplaced": 0}
    assert qualified(admin, customer, REPLACE) == {str(open_): expected}
    draft = make(LINE, type=1, fk_facture_source=open_)
    assert qualified(admin, customer, REPLACE)[str(open_)]["alreadyreplaced"] == 1
    act(admin, draft, "validate")
    assert numbers(admin, customer, REPLACE) == []
    late = make(LINE, type=1, fk_facture_source=credited)
    assert "credit note" in admin.refused("POST", f"/invoices/{late}/validate", status=405)


def test_the_profile_of_the_reference(serve):
    client = serve(profile_name="dolibarr16").client()
    customer = client.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})
    assert qualified(client, customer, CREDIT) == qualified(client, customer, REPLACE) == []
    identifier = client.ask("POST", "/invoices", {"socid": customer, "date": DAY, "lines": [LINE]})
    client.ask("POST", f"/invoices/{identifier}/validate")
    assert qualified(client, customer, REPLACE)[str(identifier)]["status"] == "1"
