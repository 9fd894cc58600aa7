"""How many statements reading, validating and paying cost, files included: each is a way to the database and back.

The numbers are limits that were set beforehand; what is kept in memory is there, as it is in a server that has run.
"""

from functools import partial
from itertools import repeat

import pytest

from core.testing import statements

pytestmark = pytest.mark.every_database

LINES = [
    {"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": 20},
    {"desc": "Delivery", "qty": 1, "subprice": 100, "tva_tx": "5.5", "product_type": 1},
]
PAYMENT = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1}


def draft(admin, service, customer):
    return admin.ask("POST", f"/{service}", {"socid": customer, "date": "2026-11-21", "lines": LINES})


def validated(admin, service, customer):
    made = draft(admin, service, customer)
    admin.ask("POST", f"/{service}/{made}/validate")
    return made


def warm(calls):
    """How many statements the third of some calls costs: what is kept in memory is there by then."""
    next(calls)()
    next(calls)()
    call = next(calls)
    with statements() as seen:
        call()
    return len(seen)


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_a_creation(admin, customer, kind, service):
    product = admin.ask("POST", "/products", {"ref": f"CHAIR-{service}", "label": "Chair", "price": 80, "tva_tx": 20})
    body = {"socid": customer, "date": "2026-11-21", "lines": [*LINES, {"fk_product": product, "qty": 1}]}
    admin.ask("POST", f"/{service}", body)
    with statements() as seen:
        admin.ask("POST", f"/{service}", body)
    verbs = [each.partition(" ")[0] for each in seen]
    # Key, third party and products; the document's ID, or its reference; document, lines, event and audit trail
    identified = ["INSERT", "UPDATE"] if kind == "mysql" else ["SELECT", "INSERT"]
    assert verbs == ["SELECT", "SELECT", "SELECT", *identified, "INSERT", "INSERT", "INSERT"]


@pytest.mark.parametrize(("service", "limit"), [("proposals", 17), ("orders", 17), ("invoices", 23)])
def test_a_validation(admin, customer, service, limit):
    # Two of them write down what the two transactions, of the record and of its PDF, have changed
    paths = (f"/{service}/{draft(admin, service, customer)}/validate" for _ in range(3))
    assert warm(partial(admin.ask, "POST", path) for path in paths) <= limit


def test_a_payment(admin, customer):
    paths = (f"/invoices/{validated(admin, 'invoices', customer)}/payments" for _ in range(3))
    # One of them reads the days of the payments for the PDF, and one whether the PDF shows that the invoice is paid
    assert warm(partial(admin.ask, "POST", path, PAYMENT) for path in paths) <= 24


@pytest.mark.parametrize(("service", "limit"), [("proposals", 5), ("orders", 5), ("invoices", 5)])
def test_reading(admin, customer, service, limit):
    path = f"/{service}/{validated(admin, service, customer)}"
    assert warm(repeat(partial(admin.get, path))) <= limit
