"""Where files lie: a folder or a URL, never a folder of modules; and a store that does not answer."""

import importlib
import os

import pytest

from tests.modules.documents.calls import (
    download,
    kept_pdf,
    names,
    pdf_path,
    proposal,
    upload,
)


@pytest.mark.parametrize("scheme", ["memory://{0}/documents", "file://{0}", "local://{0}"])
def test_a_url_is_a_store_too(start, tmp_path, scheme):
    client = start(documents=scheme.format(tmp_path / "elsewhere"))
    identifier, ref = kept_pdf(client)
    asked = {"modulepart": "propal", "original_file": f"{ref}/note.txt"}
    answer = client.simulate_get("/documents/raw", params=asked, headers={"Range": "bytes=1-2"})
    assert (answer.status_code, answer.content) == (206, b"el")
    assert client.simulate_get("/documents/raw", params=asked).headers["etag"]
    upload(client, ref, content="anew", overwriteifexists=1)
    assert download(client, f"{ref}/note.txt") == b"anew"
    client.ask("DELETE", "/documents", params=asked)
    assert names(client, ref) == [f"{ref}.pdf"]
    client.ask("DELETE", f"/proposals/{identifier}")
    client.get("/documents/download", modulepart="propal", original_file=pdf_path(ref), status=404)


@pytest.mark.parametrize("where", ["modules", "modules/pdfs", "modules/new", "modules/..", "linked"])
def test_no_file_lands_in_a_folder_of_modules(start, tmp_path, where):
    (tmp_path / "modules").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "modules")
    client = start(documents=str(tmp_path / where))
    ref = f"(PROV{proposal(client)})"
    body = {"filename": "x.txt", "modulepart": "propal", "ref": ref, "filecontent": "x"}
    message = client.refused("POST", "/documents/upload", body, status=405)
    assert "COMPTOIR_DOCUMENTS" in message and str(tmp_path) not in message
    answer = client.simulate_put("/documents/builddoc", json={"modulepart": "propal", "original_file": pdf_path(ref)})
    assert answer.status_code == 405
    assert not list(tmp_path.rglob("propale"))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("nosuch://x", "did not respond; try again"),
        ("a file", "did not respond; try again"),
        ("/proc/nowhere", "does not exist or is not mounted"),
    ],
)
def test_a_store_that_does_not_answer_is_503_without_a_word_of_its_place(start, tmp_path, url, reason):
    if url == "a file":
        (tmp_path / "file").write_text("in the way")
        url = str(tmp_path / "file")
    client = start(documents=url)
    ref = f"(PROV{proposal(client)})"
    body = {"filename": "x.txt", "modulepart": "propal", "ref": ref, "filecontent": "x"}
    message = client.refused("POST", "/documents/upload", body, status=503)
    assert message == f"Service Unavailable: the document store {reason}"
    assert names(client, ref) == []
    # a validation stands all the same
    identifier = proposal(client)
    answer = client.simulate_post(f"/proposals/{identifier}/validate", json={})
    assert (answer.status_code, answer.json["statut"]) == (200, 1)
    assert f"the document store {reason}" in answer.headers["warning"]


def test_each_process_opens_the_store_for_itself(start, tmp_path, monkeypatch):
    """The master may have used it before it made its workers."""
    start(documents=f"memory://{tmp_path}/documents")
    store = importlib.import_module("modules.documents.store.configured_store").store
    before = store()
    assert store() is before
    monkeypatch.setattr(os, "getpid", lambda: 1)
    assert store() is not before
