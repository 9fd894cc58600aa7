"""Each kind of document in turn, with a customer, a contact and a product."""

import pytest

from tests.modules.commercial.documents.desk import SERVED, Desk


@pytest.fixture(scope="module", params=SERVED, ids=lambda kind: kind.path)
def desk(request, admin, customer):
    # A dictionary fills itself when it is first asked, which is written, too
    admin.get("/setup/dictionary/units")
    return Desk(admin, request.param, customer)


@pytest.fixture(scope="module")
def jane(admin, customer):
    body = {"lastname": "Doe", "firstname": "Jane", "email": "jane@example.com", "socid": customer}
    return admin.ask("POST", "/contacts", body)


@pytest.fixture(scope="module")
def product(admin):
    body = {
        "ref": "WORK", "label": "Work", "description": "An hour of work", "type": 1, "price": "80", "tva_tx": "5.5",
        "cost_price": "60", "fk_unit": 2,
    }  # fmt: skip
    return admin.ask("POST", "/products", body)
