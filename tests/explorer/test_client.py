"""A client made from the document by a program: it creates and reads records over HTTP."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.testing import ADMIN_KEY, Served, make_settings
from tests.explorer.addresses import address_of

# The generator writes a client of all services, twice
pytestmark = [pytest.mark.slow, pytest.mark.lasting]

#: the generator knows neither PDF nor CSV: both are bytes to it
MEDIA_TYPES = {"content_type_overrides": dict.fromkeys(("application/pdf", "text/csv"), "application/octet-stream")}
MODULES = Path(__file__).parent.parent / "samples" / "modules"


class Generated:
    """The generated package, and a client of it with the administrator's key."""

    def __init__(self, name, address):
        self.name = name
        self.profile = name.partition("_")[2]
        made = importlib.import_module(f"{name}.client").AuthenticatedClient
        self.client = made(
            base_url=address, token=ADMIN_KEY, prefix="", auth_header_name="DOLAPIKEY", httpx_args={"trust_env": False}
        )

    def call(self, tag, operation, *args, **values):
        module = importlib.import_module(f"{self.name}.api.{tag}.{operation}")
        return module.sync(*args, client=self.client, **values)

    def model(self, name):
        return getattr(importlib.import_module(f"{self.name}.models"), name)


@pytest.fixture(scope="module", params=["specification", pytest.param("dolibarr16", marks=pytest.mark.lasting)])
def generated(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("client")
    served = Served(make_settings(folder, modules=str(MODULES), profile_name=request.param))
    name = f"client_{request.param}"
    try:
        with address_of(served) as address:
            yield from _generate(name, folder, served, address)
    finally:
        sys.path[:] = [each for each in sys.path if each != str(folder)]
        for each in [each for each in sys.modules if each.partition(".")[0] == name]:
            del sys.modules[each]


def _generate(name, folder, served, address):
    document = folder / "openapi.json"
    document.write_text(json.dumps(served.client().get("/explorer/openapi.json")))
    types = folder / "types.json"
    types.write_text(json.dumps(MEDIA_TYPES))
    subprocess.run(
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"),
            *("--path", str(document), "--output-path", str(folder / name), "--config", str(types)),
        ],
        check=True,
        cwd=folder,
        # The program formats what it has made with ruff
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    sys.path.insert(0, str(folder))
    made = Generated(name, address)
    with made.client:
        yield made


def number(value):
    """An identifier in either profile."""
    return int(value)


def test_it_creates_and_reads_a_loyalty_card(generated):
    identifier = generated.call("loyaltycards", "issue_card", body=generated.model("CardNew")(number="G-1"))
    card = generated.call("loyaltycards", "get_one_card", identifier)
    assert (number(card.id), card.number, number(card.points)) == (identifier, "G-1", 0)
    [listed] = generated.call("loyaltycards", "list_cards", sqlfilters="(t.number:=:'G-1')")
    assert listed.number == "G-1"


def test_it_is_told_what_is_refused(generated):
    body = generated.model("SpendPointsFromCardBody")(points=5)
    identifier = generated.call("loyaltycards", "issue_card", body=generated.model("CardNew")(number="G-2"))
    refused = generated.call("loyaltycards", "spend_points_from_card", identifier, body=body)
    assert (refused.error.code, "0 points" in refused.error.message) == (405, True)


def test_it_goes_from_a_customer_to_a_printed_invoice(generated):
    call, model = generated.call, generated.model
    new = model("ThirdpartyNew")(name="Ada", client=model("ThirdpartyClient").CUSTOMER)
    customer = call("thirdparties", "create_thirdparty", body=new)
    line = {"desc": "Work", "qty": 2, "subprice": "10", "tva_tx": 20}
    offer = {"socid": customer, "date": "2026-11-21", "lines": [line]}
    proposal = call("proposals", "create_proposal", body=model("ProposalNew").from_dict(offer))
    call("proposals", "validate_proposal", proposal, body=model("NotriggerBody")())
    call("proposals", "accept_or_refuse_proposal", proposal, body=model("AcceptOrRefuseProposalBody")(status=2))
    order = call("orders", "create_order_from_proposal", proposal)
    order = int(getattr(order, "id", order))
    body = model("NotriggerIdwarehouseBody")()
    stale = call("orders", "validate_order", order, body=body, if_match='"of-before"')
    assert stale.error.code == 412
    assert int(call("orders", "validate_order", order, body=body).statut) == 1
    invoice = call("invoices", "create_invoice_from_order", order)
    invoice = int(getattr(invoice, "id", invoice))
    reference = call("invoices", "validate_invoice", invoice, body=body).ref
    paid = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "yes"}
    payment = model("AddPaymentToInvoiceBody").from_dict(paid)
    assert isinstance(call("invoices", "add_payment_to_invoice", invoice, body=payment), int)
    assert int(call("invoices", "get_invoice", invoice).statut) == 2
    assert call("invoices", "download_pdf_of_invoice", invoice).payload.read(5) == b"%PDF-"
    file = {"modulepart": "invoice", "original_file": f"{reference}/{reference}.pdf"}
    call("documents", "generate_pdf_of_document", body=model("GeneratePdfOfDocumentBody").from_dict(file))
    sent = call("documents", "download_file", **file)
    assert sent.payload.read(5) == b"%PDF-"
