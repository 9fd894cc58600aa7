"""`GET /<documents>/{id}/pdf`: the stored PDF, or one that is made for the response; never a change."""

from pathlib import Path

import pytest

from tests.modules.documents.calls import build, names, pdf_path, proposal, upload, validated
from tests.modules.documents.pdf_text import text_of


def pdf(client, identifier, service="proposals", **headers):
    return client.simulate_get(f"/{service}/{identifier}/pdf", headers=headers)


def test_the_stored_pdf_of_a_validated_document(client):
    made = validated(client)
    answer = pdf(client, made["id"])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == f'attachment; filename="{made["ref"]}.pdf"'
    assert answer.content == f"%PDF-1.4 {made['ref']} state 1 de_DE".encode()
    # As it was stored, even if it would be printed otherwise now
    build(client, made["ref"], langcode="fr_FR")
    assert pdf(client, made["id"]).content.endswith(b"fr_FR")
    raw = client.simulate_get("/documents/raw", params={"modulepart": "propal", "original_file": made["last_main_doc"]})
    assert raw.content == pdf(client, made["id"]).content
    assert raw.headers["etag"] == pdf(client, made["id"]).headers["etag"]
    tag = answer.headers["etag"]
    assert pdf(client, made["id"], **{"If-None-Match": tag}).status_code == 200
    tag = pdf(client, made["id"]).headers["etag"]
    assert pdf(client, made["id"], **{"If-None-Match": tag}).status_code == 304
    part = pdf(client, made["id"], Range="bytes=1-3")
    assert (part.status_code, part.content) == (206, b"PDF")


def test_the_pdf_of_a_draft_is_made_and_not_stored(client):
    draft = proposal(client)
    before = client.simulate_get(f"/proposals/{draft}")
    answer = pdf(client, draft)
    assert answer.content == f"%PDF-1.4 (PROV{draft}) state 0 de_DE".encode()
    assert f"(PROV{draft}).pdf" in answer.headers["content-disposition"]
    after = client.simulate_get(f"/proposals/{draft}")
    # The record and its tag are as before, and so are its files
    assert (after.json, after.headers["etag"]) == (before.json, before.headers["etag"])
    at = {"modulepart": "propal", "original_file": pdf_path(f"(PROV{draft})")}
    assert client.simulate_get("/documents/raw", params=at).status_code == 404
    # A draft changes after it was printed: what is returned is the draft as it is
    build(client, f"(PROV{draft})", langcode="es_ES")
    client.ask("PUT", f"/proposals/{draft}", {"model_pdf": "plain"})
    assert pdf(client, draft).content.endswith(b"state 0 es_ES")


def test_a_document_that_is_a_draft_again_is_printed_as_it_is(client):
    made = validated(client)
    client.ask("POST", f"/proposals/{made['id']}/settodraft", {})
    assert pdf(client, made["id"]).content == f"%PDF-1.4 {made['ref']} state 0 de_DE".encode()


def test_a_pdf_that_is_gone_is_made_again(server, client):
    made = validated(client)
    file = Path(server.settings.documents) / made["last_main_doc"]
    file.unlink()
    assert pdf(client, made["id"]).content.endswith(b"state 1 de_DE")
    assert not file.exists()
    client.ask("DELETE", f"/documents?modulepart=propal&original_file={pdf_path(made['ref'])}")
    assert pdf(client, made["id"]).content.endswith(b"state 1 de_DE")
    assert names(client, made["ref"]) == []


def test_an_uploaded_file_is_never_the_pdf(client):
    draft = proposal(client)
    upload(client, f"(PROV{draft})", "offer.pdf", "%PDF-1.4 of theirs")
    assert b"theirs" not in pdf(client, draft).content


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_whoever_may_read_the_document_gets_it(server, client, service):
    made = validated(client, service=service, model_pdf=None)
    draft = proposal(client, service=service, model_pdf=None)
    reader = server.user(f"{service}.read", "thirdparties.all")
    for identifier in (made["id"], draft):
        answer = pdf(reader, identifier, service)
        assert (answer.status_code, answer.content[:5]) == (200, b"%PDF-")
    for rights in (("documents.read", "documents.write", f"{service}.write"), ()):
        answer = pdf(server.user(*rights, "thirdparties.all"), made["id"], service)
        assert answer.status_code == 401
        assert f"{service}.read" in answer.text
    assert pdf(server.client(None), made["id"], service).status_code == 401


def test_the_pdf_of_a_shipment(server, client):
    order = validated(client, service="orders")
    warehouse = client.ask("POST", "/warehouses", {"label": f"Yard {order['id']}"})
    shipment = client.ask("POST", f"/orders/{order['id']}/shipment/{warehouse}")
    reader = server.user("shipments.read", "thirdparties.all")
    assert pdf(reader, shipment, "shipments").content[:5] == b"%PDF-"
    client.ask("POST", f"/shipments/{shipment}/validate")
    answer = pdf(reader, shipment, "shipments")
    assert answer.headers["content-type"] == "application/pdf"
    ref = client.get(f"/shipments/{shipment}")["ref"]
    assert answer.headers["content-disposition"] == f'attachment; filename="{ref}.pdf"'
    client.ask("PATCH", f"/shipments/{shipment}", {"tracking_number": "1Z 999"})
    path = {"modulepart": "shipping", "original_file": f"{ref}/{ref}.pdf"}
    assert "1Z 999" in text_of(client.simulate_get("/documents/raw", params=path).content)


def test_a_template_that_fails_is_reported_without_paths(server, client):
    draft = proposal(client, model_pdf="failing")
    said = server.user("proposals.read", "thirdparties.all").refused("GET", f"/proposals/{draft}/pdf", status=405)
    assert said.endswith("the template failing failed")
    assert pdf(client, proposal(client, model_pdf="broken")).status_code == 405


def test_the_document_describes_the_pdf(client):
    for service in ("proposals", "orders", "invoices", "shipments"):
        document = client.get(f"/explorer/openapi/{service}.json")
        operation = document["paths"][f"/{service}/{{id}}/pdf"]["get"]
        content = operation["responses"]["200"]["content"]
        assert content == {"application/pdf": {"schema": {"type": "string", "format": "binary"}}}
        assert operation["x-permission"] == f"{service}.read"
