"""Printing PDFs, when somebody asks and when a document moves on, on each kind of database."""

import base64
from pathlib import Path

import pytest

from tests.modules.documents.calls import (
    build,
    download,
    names,
    pdf_path,
    proposal,
    thirdparty,
    upload,
    validated,
)

# Asking for a PDF --------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["proposal", "propal"])
def test_the_body_names_module_part_file_template_and_language(client, part):
    ref = f"(PROV{proposal(client)})"
    body = {"module_part": part, "original_file": pdf_path(ref), "doctemplate": "plain", "langcode": "fr_FR"}
    answer = client.ask("PUT", "/documents/builddoc", body)
    assert (answer["template"], answer["langcode"]) == ("plain", "fr_FR")
    assert download(client, pdf_path(ref), part).decode() == f"%PDF-1.4 {ref} state 0 fr_FR"


def test_a_document_is_built_for_a_draft_at_its_place_and_is_not_listed(client):
    identifier = proposal(client)
    ref = f"(PROV{identifier})"
    build(client, ref)
    assert download(client, pdf_path(ref)).decode() == f"%PDF-1.4 {ref} state 0 de_DE"
    assert names(client, ref) == []
    assert client.get("/documents", modulepart="proposal", id=identifier) == []


def test_validation_creates_the_document_also_through_the_api(client):
    record = validated(client)
    ref = record["ref"]
    assert download(client, pdf_path(ref)).decode() == f"%PDF-1.4 {ref} state 1 de_DE"
    assert record["last_main_doc"] == f"propale/{pdf_path(ref)}"


def test_building_for_a_validated_proposal_uses_the_final_reference(client):
    record = validated(client)
    assert build(client, record["ref"], langcode="en_US")["filename"] == f"{record['ref']}.pdf"
    message = client.refused(
        "PUT", "/documents/builddoc",
        {"modulepart": "propal", "original_file": pdf_path(f"(PROV{record['id']})")}, status=404,
    )  # fmt: skip
    assert message == "Not Found: Proposal not found"


# Answers -------------------------------------------------------------------------------------------------------------


def test_the_answer_has_the_shape_of_the_reference(client):
    ref = f"(PROV{proposal(client)})"
    answer = build(client, ref, doctemplate="plain", langcode="en_US")
    content = f"%PDF-1.4 {ref} state 0 en_US".encode()
    assert answer == {
        "filename": f"{ref}.pdf",
        "content-type": "application/pdf",
        "filesize": len(content),
        "content": base64.b64encode(content).decode(),
        "langcode": "en_US",
        "template": "plain",
        "encoding": "base64",
    }


@pytest.mark.parametrize(
    ("part", "service"), [("order", "orders"), ("commande", "orders"), ("invoice", "invoices"), ("facture", "invoices")]
)
def test_orders_and_invoices_are_built_by_both_names(client, part, service):
    ref = validated(client, service=service)["ref"]
    answer = client.ask("PUT", "/documents/builddoc", {"modulepart": part, "original_file": pdf_path(ref)})
    assert answer["template"] == {"orders": "einstein", "invoices": "crabe"}[service]
    assert base64.b64decode(answer["content"]).startswith(b"%PDF-")


def test_the_default_is_the_record_s_template_then_the_setting_s(client):
    identifier = proposal(client, model_pdf=None)
    client.ask("PUT", "/setup/conf/PROPALE_ADDON_PDF", {"value": "plain"})
    try:
        assert build(client, f"(PROV{identifier})")["template"] == "plain"
        assert build(client, f"(PROV{proposal(client, model_pdf='azur')})")["template"] == "azur"
    finally:
        client.ask("DELETE", "/setup/conf/PROPALE_ADDON_PDF")


@pytest.mark.parametrize(
    "path",
    ["{0}/{0}.odt", "{0}/{0}", "whatever/{0}.pdf", "{0}.pdf", "{0}/{0}.PDF", "/{0}/{0}.pdf", "{0}/x/{0}.pdf",
     "../{0}/../{0}.pdf", "..\\{0}/..\\{0}.pdf", "{0}//{0}.pdf", "/.pdf", "a\u202eb/a\u202eb.pdf"],
)  # fmt: skip
def test_another_place_than_that_of_the_record_is_400(client, path):
    ref = f"(PROV{proposal(client)})"
    body = {"modulepart": "proposal", "original_file": path.format(ref)}
    message = client.refused("PUT", "/documents/builddoc", body, status=400)
    assert message.startswith("Bad Request: `original_file`: expected <REF>/<REF>.pdf")


@pytest.mark.parametrize("ref", ["NOSUCH", "(PROV999999)", "..%2f..%2fx", "PROV1", "%2e%2e", "\uff0e\uff0e\uff0fx"])
def test_an_unknown_record_is_404(client, ref):
    status = 400 if ".." in ref else 404
    client.refused(
        "PUT", "/documents/builddoc", {"modulepart": "propal", "original_file": pdf_path(ref)}, status=status
    )


def test_what_is_missing_or_unknown_is_400_and_named(client):
    ask = lambda body: client.refused("PUT", "/documents/builddoc", body, status=400)  # noqa: E731
    assert ask({"original_file": "a/a.pdf"}) == "Bad Request: `modulepart` is required"
    assert (
        ask({"modulepart": "propal"})
        == 'Bad Request: `original_file`: expected <REF>/<REF>.pdf with the reference of the record, got ""'
    )
    message = ask({"modulepart": "nosuch", "original_file": "a/a.pdf"})
    assert "nosuch" in message and "proposal" in message and "thirdparty" in message


def test_an_unknown_template_is_404_and_names_those_there_are(client):
    body = {"modulepart": "propal", "original_file": pdf_path(f"(PROV{proposal(client)})"), "doctemplate": "nosuch"}
    message = client.refused("PUT", "/documents/builddoc", body, status=404)
    assert "nosuch" in message and "azur" in message and "plain" in message and "einstein" not in message
    # one of another kind is none either
    assert "einstein" in client.refused("PUT", "/documents/builddoc", body | {"doctemplate": "einstein"}, status=404)


def test_a_kind_without_templates_has_no_documents(client):
    body = {"modulepart": "thirdparty", "original_file": pdf_path(str(thirdparty(client)))}
    message = client.refused("PUT", "/documents/builddoc", body, status=400)
    assert message == "Bad Request: `modulepart`: thirdparty records have no PDF"


def test_a_template_that_cannot_be_loaded_says_why_to_administrators_alone(server, client):
    identifier = proposal(client)
    body = {"modulepart": "propal", "original_file": pdf_path(f"(PROV{identifier})"), "doctemplate": "broken"}
    assert "nothing_of_this_name" in client.refused("PUT", "/documents/builddoc", body, status=405)
    message = client.refused("PUT", "/documents/builddoc", body | {"doctemplate": "failing"}, status=405)
    assert message == "Method Not Allowed: the template failing failed: RuntimeError"
    other = server.user("proposals.write", "thirdparties.all")
    message = other.refused("PUT", "/documents/builddoc", body, status=405)
    assert message == "Method Not Allowed: the template broken can't be loaded"
    message = other.refused("PUT", "/documents/builddoc", body | {"doctemplate": "failing"}, status=405)
    assert message == "Method Not Allowed: the template failing failed"
    # nothing has been kept of it
    client.get("/documents/download", modulepart="propal", original_file=body["original_file"], status=404)


# Events --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("template", ["failing", "broken"])
def test_a_failing_template_leaves_the_validation_and_is_named(server, client, template):
    identifier = proposal(client, model_pdf=template)
    answer = client.simulate_post(f"/proposals/{identifier}/validate", json={})
    assert (answer.status_code, answer.json["statut"]) == (200, 1)
    assert f"the template {template}" in answer.headers["warning"]
    assert names(client, answer.json["ref"]) == []


def test_the_draft_s_files_follow_its_reference(client):
    identifier = proposal(client)
    draft = f"(PROV{identifier})"
    build(client, draft, langcode="fr_FR")
    upload(client, draft, "plan.txt", "a plan")
    upload(client, draft, f"{draft} more.txt", "more")
    assert names(client, draft) == ["plan.txt", f"{draft} more.txt"]
    client.ask("POST", f"/proposals/{identifier}/validate", {})
    ref = client.get(f"/proposals/{identifier}")["ref"]
    assert names(client, ref) == [f"{ref}.pdf", "plan.txt", f"{ref} more.txt"]
    assert download(client, f"{ref}/plan.txt") == b"a plan"
    assert download(client, pdf_path(ref)).decode() == f"%PDF-1.4 {ref} state 1 de_DE"
    for name in ("plan.txt", f"{draft}.pdf"):
        client.get("/documents/download", modulepart="propal", original_file=f"{draft}/{name}", status=404)


def test_a_document_that_moves_on_is_built_again_unless_a_constant_says_no(client):
    record = validated(client)
    build(client, record["ref"], langcode="fr_FR")
    client.ask("POST", f"/proposals/{record['id']}/close", {"status": 2})
    assert download(client, pdf_path(record["ref"])).decode() == f"%PDF-1.4 {record['ref']} state 2 fr_FR"
    client.ask("PUT", "/setup/conf/MAIN_DISABLE_PDF_AUTOUPDATE", {"value": "1"})
    try:
        client.ask("POST", f"/proposals/{record['id']}/setinvoiced", {})
    finally:
        client.ask("DELETE", "/setup/conf/MAIN_DISABLE_PDF_AUTOUPDATE")
    assert download(client, pdf_path(record["ref"])).decode() == f"%PDF-1.4 {record['ref']} state 2 fr_FR"


def test_a_deleted_record_takes_its_files_along(server, client):
    record = validated(client)
    upload(client, record["ref"])
    folder = Path(server.settings.documents) / "propale" / record["ref"]
    assert {file.name for file in folder.iterdir()} == {f"{record['ref']}.pdf", "note.txt"}
    client.ask("DELETE", f"/proposals/{record['id']}")
    assert not folder.exists()
    path = f"{record['ref']}/note.txt"
    message = client.get("/documents/download", modulepart="propal", original_file=path, status=404)
    assert message["error"]["message"] == "Not Found: File not found"


def test_a_refused_deletion_keeps_the_files(client):
    first, last = validated(client, service="invoices"), validated(client, service="invoices")
    # only the last of its series may go
    client.refused("DELETE", f"/invoices/{first['id']}", status=405)
    assert names(client, first["ref"], "invoice") == [f"{first['ref']}.pdf", f"{first['ref']}-issued.pdf"]
    client.ask("DELETE", f"/invoices/{last['id']}")
    client.get("/documents", modulepart="invoice", ref=last["ref"], status=404)
