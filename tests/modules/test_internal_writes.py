"""Notes, costs and margins: an external user's calls keep them in the database, and neither write nor print them."""

import base64
import io

import pytest
from pypdf import PdfReader

from core.contract.catalogue import catalogue

NOTE, COST, COMPANY_NOTE = "PRIVATE-4711", "47.11000000", "OUR-OWN-NOTE-4712"
LINE_KEYS = {"pa_ht", "marge_tx", "marque_tx"}
DOCUMENTS = ("proposals", "orders", "invoices")


class World:
    """A third party with documents, its external user who holds every right, and an administrator."""

    def __init__(self, server):
        self.admin = server.client()
        company = {
            "name": "Comptoir Ltd",
            "address": "1 Main St",
            "zip": "75001",
            "town": "Paris",
            "country_code": "FR",
        }
        self.admin.ask("PUT", "/setup/company", company | {"note_private": COMPANY_NOTE})
        self.socid = self.admin.ask("POST", "/thirdparties", {"name": "Own", "client": 1, "note_private": NOTE})
        product = {"ref": "CRANE", "label": "Crane", "price": "100", "tva_tx": "20", "cost_price": "48.12"}
        self.product = self.admin.ask("POST", "/products", product | {"note_private": NOTE})
        self.external = server.user(*catalogue().rights, socid=self.socid)

    def document(self, service):
        line = {"fk_product": self.product, "qty": 1, "subprice": "100", "pa_ht": "47.11", "desc": "Crane"}
        body = {"socid": self.socid, "date": "2026-11-21", "note_private": NOTE, "lines": [line]}
        return int(self.admin.ask("POST", f"/{service}", body))

    def kept(self, service, identifier):
        record = self.admin.get(f"/{service}/{identifier}")
        return record["note_private"], [line["pa_ht"] for line in record["lines"]]


@pytest.fixture(scope="module")
def world(server):
    return World(server)


def is_hidden(record):
    return "note_private" not in record and all(LINE_KEYS.isdisjoint(line) for line in record["lines"])


@pytest.mark.parametrize("service", DOCUMENTS)
def test_a_new_document_takes_neither_note_nor_cost(world, service):
    """The cost of the line is the product's, as where nothing is sent."""
    line = {"fk_product": world.product, "qty": 1, "subprice": "100", "pa_ht": "1"}
    body = {"socid": world.socid, "date": "2026-11-21", "note_private": "mine", "lines": [line]}
    made = world.external.ask("POST", f"/{service}", body)
    assert world.kept(service, made) == (None, ["48.12000000"])
    added = world.external.ask("POST", f"/{service}/{made}/lines", line)
    assert added and world.kept(service, made)[1] == ["48.12000000"] * 2


@pytest.mark.parametrize("service", DOCUMENTS)
def test_changes_leave_both(world, service):
    made = world.document(service)
    line = world.admin.get(f"/{service}/{made}/lines")[0]["id"]
    for verb in ("PUT", "PATCH"):
        body = {"socid": world.socid, "date": "2026-11-22", "note_public": "ours", "note_private": "mine"}
        answer = world.external.simulate_request(verb, f"/{service}/{made}", json=body)
        assert answer.status_code == 200 and is_hidden(answer.json), answer.text
        assert "note_private" in answer.headers["warning"]
        unsent = world.external.simulate_request(
            verb, f"/{service}/{made}/lines/{line}", json={"qty": 2, "subprice": "90"}
        )
        assert unsent.status_code == 200 and "pa_ht" not in unsent.headers.get("warning", ""), unsent.text
        sent = world.external.simulate_request(verb, f"/{service}/{made}/lines/{line}", json={"qty": 2, "pa_ht": "1"})
        assert sent.status_code == 200 and "ignored: pa_ht" in sent.headers["warning"], sent.text
        assert world.kept(service, made) == (NOTE, [COST])


def test_documents_made_from_others_keep_both(world):
    proposal = world.document("proposals")
    assert is_hidden(world.external.ask("POST", f"/proposals/{proposal}/validate"))
    signed = world.external.simulate_post(f"/proposals/{proposal}/close", json={"status": 2, "note_private": "mine"})
    assert signed.status_code == 200 and is_hidden(signed.json)
    assert "ignored: note_private" in signed.headers["warning"]
    order = world.external.ask("POST", f"/orders/createfromproposal/{proposal}")
    assert is_hidden(order)
    invoice = world.external.ask("POST", f"/invoices/createfromorder/{order['id']}")
    assert is_hidden(invoice)
    for service, made in (("proposals", proposal), ("orders", order["id"]), ("invoices", invoice["id"])):
        assert world.kept(service, made) == (NOTE, [COST])


def test_a_product_and_a_third_party_keep_what_the_caller_does_not_see(world):
    for verb in ("PUT", "PATCH"):
        body = {"label": "Crane, tall", "cost_price": "1", "note_private": "mine", "pmp": "1"}
        answer = world.external.simulate_request(verb, f"/products/{world.product}", json=body)
        assert answer.status_code == 200 and {"cost_price", "pmp", "note_private"}.isdisjoint(answer.json)
        product = world.admin.get(f"/products/{world.product}")
        assert (product["cost_price"], product["note_private"]) == ("48.12000000", NOTE)
        world.external.ask(verb, f"/thirdparties/{world.socid}", {"town": "Rouen", "note_private": "mine"})
        assert world.admin.get(f"/thirdparties/{world.socid}")["note_private"] == NOTE


def test_the_company_s_note_is_hidden_and_stays(world):
    constant = "MAIN_INFO_SOCIETE_NOTE"
    assert "note_private" not in world.external.get("/setup/company")
    answer = world.external.simulate_put("/setup/company", json={"managers": "Ada", "note_private": "mine"})
    assert answer.status_code == 200 and "can't set these company fields: note_private" in answer.headers["warning"]
    world.external.refused("GET", f"/setup/conf/{constant}", status=403)
    world.external.refused("PUT", f"/setup/conf/{constant}", {"value": "mine"}, status=403)
    world.external.refused("DELETE", f"/setup/conf/{constant}", status=403)
    assert world.admin.get("/setup/company")["note_private"] == COMPANY_NOTE
    assert world.admin.get("/setup/company")["managers"] == "Ada"


@pytest.mark.parametrize("who", ["external", "admin"])
@pytest.mark.parametrize("service", DOCUMENTS)
def test_no_pdf_prints_any_of_it(world, service, who):
    """Whoever builds it, and also where the company's own text asks for it."""
    made = world.document(service)
    builder = getattr(world, who)
    ref = f"(PROV{made})"
    body = {"modulepart": service, "original_file": f"{ref}/{ref}.pdf"}
    built = builder.ask("PUT", "/documents/builddoc", body)["content"]
    fetched = world.external.get("/documents/download", **body)["content"]
    for content in (built, fetched):
        text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(base64.b64decode(content))).pages)
        assert "Crane" in text
        for planted in (NOTE, COMPANY_NOTE, "47.11", "47,11", "48.12", "48,12", "112.26", "112,26"):
            assert planted not in text


def test_no_text_of_the_company_names_it(world):
    """A free text of PDFs that asks for a private note or a cost is refused when it is set."""
    for name in ("company.note_private", "note_private", "thirdparty.note_private", "pa_ht", "cost_price"):
        world.admin.refused("PUT", "/setup/conf/INVOICE_FREE_TEXT", {"value": f"See {{{name}}}"}, status=400)
