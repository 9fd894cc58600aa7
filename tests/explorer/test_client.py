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
    identifier = generated.call("loyaltycards", "post_loyaltycards", body=generated.model("CardNew")(number="G-1"))
    card = generated.call("loyaltycards", "get_loyaltycards_id", identifier)
    assert (number(card.id), card.number, number(card.points)) == (identifier, "G-1", 0)
    [listed] = generated.call("loyaltycards", "get_loyaltycards", sqlfilters="(t.number:=:'G-1')")
    assert listed.number == "G-1"


def test_it_is_told_what_is_refused(generated):
    body = generated.model("PostLoyaltycardsIdSpendBody")(points=5)
    identifier = generated.call("loyaltycards", "post_loyaltycards", body=generated.model("CardNew")(number="G-2"))
    refused = generated.call("loyaltycards", "post_loyaltycards_id_spend", identifier, body=body)
    assert (refused.error.code, "0 points" in refused.error.message) == (405, True)


def test_it_goes_from_a_customer_to_a_printed_invoice(generated):
    call, model = generated.call, generated.model
    new = model("ThirdpartyNew")(name="Ada", client=model("ThirdpartyClient").CUSTOMER)
    customer = call("thirdparties", "post_thirdparties", body=new)
    line = {"desc": "Work", "qty": 2, "subprice": "10", "tva_tx": 20}
    offer = {"socid": customer, "date": "2026-11-21", "lines": [line]}
    proposal = call("proposals", "post_proposals", body=model("ProposalNew").from_dict(offer))
    call("proposals", "post_proposals_id_validate", proposal, body=model("NotriggerBody")())
    call("proposals", "post_proposals_id_close", proposal, body=model("PostProposalsIdCloseBody")(status=2))
    order = call("orders", "post_orders_createfromproposal_proposalid", proposal)
    order = int(getattr(order, "id", order))
    body = model("NotriggerIdwarehouseBody")()
    stale = call("orders", "post_orders_id_validate", order, body=body, if_match='"of-before"')
    assert stale.error.code == 412
    assert int(call("orders", "post_orders_id_validate", order, body=body).statut) == 1
    invoice = call("invoices", "post_invoices_createfromorder_orderid", order)
    invoice = int(getattr(invoice, "id", invoice))
    reference = call("invoices", "post_invoices_id_validate", invoice, body=body).ref
    paid = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "yes"}
    payment = model("PostInvoicesIdPaymentsBody").from_dict(paid)
    assert isinstance(call("invoices", "post_invoices_id_payments", invoice, body=payment), int)
    assert int(call("invoices", "get_invoices_id", invoice).statut) == 2
    assert call("invoices", "get_invoices_id_pdf", invoice).payload.read(5) == b"%PDF-"
    file = {"modulepart": "invoice", "original_file": f"{reference}/{reference}.pdf"}
    call("documents", "put_documents_builddoc", body=model("PutDocumentsBuilddocBody").from_dict(file))
    sent = call("documents", "get_documents_raw", **file)
    assert sent.payload.read(5) == b"%PDF-"
