"""A company and a customer that the norm is content with, and their invoices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from facturx import xml_check_xsd

from core.storage.database import ensure_connected
from core.testing import Client, Served
from modules.invoices.facturx.invoice import invoice_xml
from modules.setup.constants import constant as value_of
from modules.setup.constants import set_constant, unset_constant
from tests.modules.invoices.facturx.electronic import (
    BIC,
    COMPANY,
    DAY,
    FRANCE,
    LINE,
    Invoiced,
    Make,
    Xml,
    read,
)


@pytest.fixture(scope="module", autouse=True)
def company(admin: Client) -> None:
    admin.ask("PUT", "/setup/company", COMPANY)
    set_constant("MAIN_BANK_IBAN", "FR76 3000 6000 0112 3456 7890 189")
    set_constant("MAIN_BANK_BIC", BIC)


@pytest.fixture
def constant(server: Served) -> Iterator[Callable[[str, str], None]]:
    """Set a constant until the test ends."""
    before: dict[str, str] = {}

    def put(name: str, value: str) -> None:
        ensure_connected()
        before.setdefault(name, value_of(name))
        set_constant(name, value)

    yield put
    for name, value in before.items():
        set_constant(name, value) if value else unset_constant(name)


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    body = {
        "name": "Käufer <&> Sœurs", "client": 1, "country_id": FRANCE, "address": "2 quai", "zip": "75001",
        "town": "Paris", "idprof1": "987654321", "tva_intra": "FR11987654321", "email": "in@buyer.example",
    }  # fmt: skip
    return admin.ask("POST", "/thirdparties", body)  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Make:
    """A validated invoice."""

    def make(*lines: dict[str, Any], draft: bool = False, **fields: Any) -> int:
        body = {"socid": customer, "date": DAY, "mode_reglement_id": 2, "lines": list(lines or (LINE,)), **fields}
        identifier: int = admin.ask("POST", "/invoices", body)
        if not draft:
            admin.ask("POST", f"/invoices/{identifier}/validate")
        return identifier

    return make


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory, kind: str) -> Path:
    """Where every XML is kept for the test of the business rules."""
    return tmp_path_factory.mktemp(f"papers-{kind}")


@pytest.fixture
def xml(papers: Path) -> Callable[[int], Xml]:
    """The XML of an invoice, checked against the schema."""

    def xml(identifier: int) -> Xml:
        content = invoice_xml(read(identifier))
        assert xml_check_xsd(content, flavor="factur-x", level="en16931")
        (papers / f"{identifier}-{len(list(papers.iterdir()))}.xml").write_bytes(content)
        return Xml(content)

    return xml


@pytest.fixture
def invoiced(make: Make, xml: Callable[[int], Xml]) -> Invoiced:
    """The XML of a new invoice."""

    def invoiced(*lines: dict[str, Any], **fields: Any) -> Xml:
        return xml(make(*lines, **fields))

    return invoiced
