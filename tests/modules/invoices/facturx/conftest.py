"""A company and a customer that the norm is content with, and their invoices."""

import pytest
from facturx import xml_check_xsd

from core.storage.database import ensure_connected
from modules.invoices.facturx.invoice import invoice_xml
from modules.setup.constants import constant as value_of
from modules.setup.constants import set_constant, unset_constant
from tests.modules.invoices.facturx.electronic import (
    BIC,
    COMPANY,
    DAY,
    FRANCE,
    LINE,
    Xml,
    read,
)


@pytest.fixture(scope="module", autouse=True)
def company(admin):
    admin.ask("PUT", "/setup/company", COMPANY)
    set_constant("MAIN_BANK_IBAN", "FR76 3000 6000 0112 3456 7890 189")
    set_constant("MAIN_BANK_BIC", BIC)


@pytest.fixture
def constant(server):
    """Set a constant until the test ends."""
    before = {}

    def put(name, value):
        ensure_connected()
        before.setdefault(name, value_of(name))
        set_constant(name, value)

    yield put
    for name, value in before.items():
        set_constant(name, value) if value else unset_constant(name)


@pytest.fixture(scope="module")
def customer(admin):
    body = {
        "name": "Käufer <&> Sœurs", "client": 1, "country_id": FRANCE, "address": "2 quai", "zip": "75001",
        "town": "Paris", "idprof1": "987654321", "tva_intra": "FR11987654321", "email": "in@buyer.example",
    }  # fmt: skip
    return admin.ask("POST", "/thirdparties", body)


@pytest.fixture
def make(admin, customer):
    """A validated invoice."""

    def make(*lines, draft=False, **fields):
        body = {"socid": customer, "date": DAY, "mode_reglement_id": 2, "lines": list(lines or (LINE,)), **fields}
        identifier = admin.ask("POST", "/invoices", body)
        if not draft:
            admin.ask("POST", f"/invoices/{identifier}/validate")
        return identifier

    return make


@pytest.fixture(scope="module")
def xmls(tmp_path_factory, kind):
    """Where every XML is kept for the test of the business rules."""
    return tmp_path_factory.mktemp(f"xmls-{kind}")


@pytest.fixture
def xml(xmls):
    """The XML of an invoice, checked against the schema."""

    def xml(identifier):
        content = invoice_xml(read(identifier))
        assert xml_check_xsd(content, flavor="factur-x", level="en16931")
        (xmls / f"{identifier}-{len(list(xmls.iterdir()))}.xml").write_bytes(content)
        return Xml(content)

    return xml


@pytest.fixture
def invoiced(make, xml):
    """The XML of a new invoice."""

    def invoiced(*lines, **fields):
        return xml(make(*lines, **fields))

    return invoiced


@pytest.fixture
def seller_of(admin):
    """Let the company be one of another country, with these numbers only, until the test ends."""

    def change(country, **numbers):
        none = dict.fromkeys(("tva_intra", "idprof1", "idprof2", "idprof3"), "")
        admin.ask("PUT", "/setup/company", {**COMPANY, **none, "country_code": country, **numbers})

    yield change
    admin.ask("PUT", "/setup/company", {"idprof3": "", **COMPANY})
