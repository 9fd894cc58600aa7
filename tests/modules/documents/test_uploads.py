"""Uploading and deleting files, several at once too."""

import base64
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from core.storage.database import close
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

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


# Uploading -----------------------------------------------------------------------------------------------------------


def test_an_upload_answers_the_name_and_refuses_one_that_is_there(client):
    ref = validated(client)["ref"]
    assert upload(client, ref) == "note.txt"
    body = {"filename": "note.txt", "modulepart": "proposal", "ref": ref, "fileencoding": "base64"}
    body |= {"filecontent": "aGVsbG8g\nd29ybGQ="}
    message = client.refused("POST", "/documents/upload", body, status=405)
    assert (
        message
        == "Method Not Allowed: a file named 'note.txt' already exists; set `overwriteifexists` to 1 to replace it"
    )
    assert client.ask("POST", "/documents/upload", body | {"overwriteifexists": 1}) == "note.txt"
    assert download(client, f"{ref}/note.txt") == b"hello world"


def test_an_upload_names_its_record_by_folder_too(client):
    ref, third = validated(client)["ref"], thirdparty(client)
    body = {"filename": "b?*<x>.txt", "filecontent": "x"}
    assert client.ask("POST", "/documents/upload", body | {"modulepart": "propal", "subdir": ref}) == "b___x_.txt"
    assert download(client, f"{ref}/b___x_.txt") == b"x"
    client.ask("POST", "/documents/upload", body | {"modulepart": "thirdparty", "subdir": str(third)})
    assert client.get("/documents", modulepart="thirdparty", id=third)[0]["fullname"] == f"societe/{third}/b___x_.txt"


def test_what_an_upload_needs(client):
    ref = f"(PROV{proposal(client)})"
    good = {"filename": "a.txt", "modulepart": "proposal", "ref": ref, "filecontent": "x"}

    def refused(status, **more):
        body = {name: value for name, value in (good | more).items() if value is not None}
        return client.refused("POST", "/documents/upload", body, status=status)

    assert refused(400, filename=None) == "Bad Request: `filename` is required"
    assert refused(400, modulepart=None) == "Bad Request: `modulepart` is required"
    assert refused(404, ref="NOSUCH") == "Not Found: Proposal NOSUCH not found"
    assert refused(400, ref=None) == "Bad Request: `ref` or `subdir` is required"
    refused(404, ref=None, subdir="NOSUCH")
    refused(400, modulepart="nosuch")
    refused(400, fileencoding="rot13")
    refused(400, fileencoding="base64", filecontent="not base64!")
    refused(400, filecontent=["x"])
    refused(401, createdirifnotexists=0)
    upload(client, ref)
    client.ask("POST", "/documents/upload", good | {"createdirifnotexists": 0})


def test_a_multipart_body_carries_a_file(client):
    ref = f"(PROV{proposal(client)})"
    parts = [
        b'--x\r\nContent-Disposition: form-data; name="modulepart"\r\n\r\nproposal\r\n',
        f'--x\r\nContent-Disposition: form-data; name="ref"\r\n\r\n{ref}\r\n'.encode(),
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="logo.png"\r\nContent-Type: image/png\r\n\r\n',
        PNG + b"\r\n--x--\r\n",
    ]
    answer = client.simulate_post(
        "/documents/upload", body=b"".join(parts), headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert (answer.status_code, answer.json) == (200, "logo.png")
    assert download(client, f"{ref}/logo.png") == PNG
    asked = {"modulepart": "propal", "original_file": f"{ref}/logo.png"}
    assert client.simulate_get("/documents/raw", params=asked).headers["content-type"] == "image/png"


def test_many_uploads_of_one_name_keep_one(client, server):
    ref = f"(PROV{proposal(client)})"

    def send(number):
        body = {"filename": "race.txt", "modulepart": "proposal", "ref": ref, "filecontent": f"{number}" * 100}
        answer = server.client().simulate_post("/documents/upload", json=body)
        close()
        return answer.status_code if answer.status_code != 200 else number

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert sorted(each == 405 for each in answers) == [False] + [True] * 7
    (winner,) = [each for each in answers if each != 405]
    assert download(client, f"{ref}/race.txt") == f"{winner}".encode() * 100
    assert names(client, ref) == ["race.txt"]


def test_many_builds_at_once_leave_one_whole_file(client, server):
    ref = f"(PROV{proposal(client)})"

    def make(number):
        build(server.client(), ref, langcode=["fr_FR", "en_US"][number % 2])
        close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(make, range(16)))
    assert download(client, pdf_path(ref)).decode() in {f"%PDF-1.4 {ref} state 0 {each}" for each in ("fr_FR", "en_US")}
    assert list((Path(server.settings.documents) / ".parts").iterdir()) == []


def test_a_draft_that_is_validated_while_it_is_built_leaves_nothing_behind(client, server):
    identifier = proposal(client)
    draft = f"(PROV{identifier})"

    def act(number):
        own = server.client()
        if number == 5:
            answer = own.simulate_post(f"/proposals/{identifier}/validate", json={})
        else:
            body = {"modulepart": "propal", "original_file": pdf_path(draft)}
            answer = own.simulate_put("/documents/builddoc", json=body)
        close()
        return answer.status_code

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(act, range(12)))
    assert answers[5] == 200 and set(answers) <= {200, 404, 405}
    ref = client.get(f"/proposals/{identifier}")["ref"]
    assert names(client, ref) == [f"{ref}.pdf"]
    assert download(client, pdf_path(ref)).decode() == f"%PDF-1.4 {ref} state 1 de_DE"
    folder = Path(server.settings.documents)
    assert not (folder / "propale" / draft).exists()
    assert list((folder / ".parts").iterdir()) == []


# Deleting ------------------------------------------------------------------------------------------------------------


def test_a_file_is_deleted_once(server, client):
    ref = f"(PROV{proposal(client)})"
    upload(client, ref)
    params = {"modulepart": "propal", "original_file": f"{ref}/note.txt"}
    success = {"success": {"code": 200, "message": "Document deleted"}}
    assert client.ask("DELETE", "/documents", params=params) == success
    assert client.refused("DELETE", "/documents", params=params, status=404) == "Not Found: File not found"
    assert not (Path(server.settings.documents) / "propale" / ref).exists()
    message = client.refused("DELETE", "/documents", params={"modulepart": "propal"}, status=400)
    assert message == "Bad Request: `original_file` is required"


def test_base64_holds_any_bytes(client):
    ref = f"(PROV{proposal(client)})"
    content = b"%PDF-1.4 " + bytes(range(256))
    upload(client, ref, "offer.pdf", base64.b64encode(content).decode(), fileencoding="base64")
    assert download(client, f"{ref}/offer.pdf") == content
    assert names(client, ref) == ["offer.pdf"]
