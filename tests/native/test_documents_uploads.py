"""Uploading and deleting files; what is not taken: rules.md 11, security-tests.md S50, S54, S55."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from core.database import close
from tests.filing import build, download, filing, names, place, proposal, thirdparty, upload, validated
from tests.served import Client, Served

DOC = "/documents"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture(scope="module")
def server(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from filing(kind, tmp_path_factory.mktemp(f"uploads_{kind}"), max_body=200_000)


@pytest.fixture
def client(server: Served) -> Client:
    return server.client()


# Uploading -----------------------------------------------------------------------------------------------------------


def test_an_upload_answers_the_name_and_refuses_one_that_is_there(client: Client) -> None:
    ref = validated(client)["ref"]
    assert upload(client, ref) == "note.txt"
    body = {"filename": "note.txt", "modulepart": "proposal", "ref": ref, "fileencoding": "base64"}
    body |= {"filecontent": "aGVsbG8g\nd29ybGQ="}
    message = client.refused("POST", "/documents/upload", body, status=405)
    assert message == "Method Not Allowed: File with name 'note.txt' already exists."
    assert client.ask("POST", "/documents/upload", body | {"overwriteifexists": 1}) == "note.txt"
    assert download(client, f"{ref}/note.txt") == b"hello world"


def test_an_upload_names_its_record_by_folder_too(client: Client) -> None:
    ref, third = validated(client)["ref"], thirdparty(client)
    body = {"filename": "b?*<x>.txt", "filecontent": "x"}
    assert client.ask("POST", "/documents/upload", body | {"modulepart": "propal", "subdir": ref}) == "b___x_.txt"
    assert download(client, f"{ref}/b___x_.txt") == b"x"
    client.ask("POST", "/documents/upload", body | {"modulepart": "thirdparty", "subdir": str(third)})
    assert client.get("/documents", modulepart="thirdparty", id=third)[0]["fullname"] == f"societe/{third}/b___x_.txt"


def test_what_an_upload_needs(client: Client) -> None:
    ref = f"(PROV{proposal(client)})"
    good = {"filename": "a.txt", "modulepart": "proposal", "ref": ref, "filecontent": "x"}

    def refused(status: int, **more: Any) -> str:
        body = {name: value for name, value in (good | more).items() if value is not None}
        return client.refused("POST", "/documents/upload", body, status=status)

    assert refused(400, filename=None) == "Bad Request: `filename` is required."
    assert refused(400, modulepart=None) == "Bad Request: `modulepart` is required."
    assert refused(404, ref="NOSUCH") == "Not Found: Object with ref 'NOSUCH' was not found."
    assert refused(400, ref=None) == "Bad Request: `ref` or `subdir` is required."
    refused(404, ref=None, subdir="NOSUCH")
    refused(400, modulepart="nosuch")
    refused(400, fileencoding="rot13")
    refused(400, fileencoding="base64", filecontent="not base64!")
    refused(400, filecontent=["x"])
    refused(401, createdirifnotexists=0)
    upload(client, ref)
    client.ask("POST", "/documents/upload", good | {"createdirifnotexists": 0})


def test_a_multipart_body_carries_a_file(client: Client) -> None:
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


def test_many_uploads_of_one_name_keep_one(client: Client, server: Served) -> None:
    ref = f"(PROV{proposal(client)})"

    def send(number: int) -> int:
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


def test_many_builds_at_once_leave_one_whole_file(client: Client, server: Served) -> None:
    ref = f"(PROV{proposal(client)})"

    def make(number: int) -> None:
        build(server.client(), ref, langcode=["fr_FR", "en_US"][number % 2])
        close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(make, range(16)))
    assert download(client, place(ref)).decode() in {f"%PDF-1.4 {ref} state 0 {each}" for each in ("fr_FR", "en_US")}
    assert list((Path(server.settings.documents) / ".parts").iterdir()) == []


def test_a_draft_that_is_validated_while_it_is_built_leaves_nothing_behind(client: Client, server: Served) -> None:
    identifier = proposal(client)
    draft = f"(PROV{identifier})"

    def act(number: int) -> int:
        own = server.client()
        if number == 5:
            answer = own.simulate_post(f"/proposals/{identifier}/validate", json={})
        else:
            body = {"modulepart": "propal", "original_file": place(draft)}
            answer = own.simulate_put("/documents/builddoc", json=body)
        close()
        return answer.status_code

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(act, range(12)))
    assert answers[5] == 200 and set(answers) <= {200, 404, 405}
    ref = client.get(f"/proposals/{identifier}")["ref"]
    assert names(client, ref) == [f"{ref}.pdf"]
    assert download(client, place(ref)).decode() == f"%PDF-1.4 {ref} state 1 de_DE"
    folder = Path(server.settings.documents)
    assert not (folder / "propale" / draft).exists()
    assert list((folder / ".parts").iterdir()) == []


# Deleting ------------------------------------------------------------------------------------------------------------


def test_a_file_is_deleted_once(server: Served, client: Client) -> None:
    ref = f"(PROV{proposal(client)})"
    upload(client, ref)
    params = {"modulepart": "propal", "original_file": f"{ref}/note.txt"}
    success = {"success": {"code": 200, "message": "Document deleted"}}
    assert client.ask("DELETE", "/documents", params=params) == success
    assert client.refused("DELETE", "/documents", params=params, status=404) == "Not Found: File not found"
    assert not (Path(server.settings.documents) / "propale" / ref).exists()
    message = client.refused("DELETE", "/documents", params={"modulepart": "propal"}, status=400)
    assert message == "Bad Request: `original_file` is required."


def test_base64_holds_any_bytes(client: Client) -> None:
    ref = f"(PROV{proposal(client)})"
    content = b"%PDF-1.4 " + bytes(range(256))
    upload(client, ref, "offer.pdf", base64.b64encode(content).decode(), fileencoding="base64")
    assert download(client, f"{ref}/offer.pdf") == content
    assert names(client, ref) == ["offer.pdf"]


# What is not taken -----------------------------------------------------------------------------------------------------


def send(client: Client, ref: str, name: str, content: bytes = b"x", **more: Any) -> Any:
    body = {
        "filename": name,
        "modulepart": "proposal",
        "ref": ref,
        "filecontent": base64.b64encode(content).decode(),
        "fileencoding": "base64",
        **more,
    }
    return client.simulate_post(f"{DOC}/upload", json=body)


@pytest.mark.parametrize(
    "name",
    ["x.py", "x.PY", "x.pyc", "x.php", "x.PhTmL", "x.php.txt", "x.txt.php", "x.html", "x.htm", "x.svg", "x.js", "x.sh",
     "x.exe", "x.bat", ".htaccess", ".hidden", "x.py.", "x.py ", "x.py. .", "x.py\x00.txt", "x\n.txt", "a\r\nb.txt",
     "", " ", ".", "..", "...", "../../evil.txt", "..\\x.txt", "..%2fx.txt", "x\u202etxt.exe", "x\u202efdp.txt", "x\uff0epy", "x\u2024py", "x.p\u200by", "é" * 120 + ".txt",
     "x.phar", "x.jsp", "x.aspx", "x.lnk", "x.desktop.sh"],
)  # fmt: skip
def test_a_name_that_could_be_run_or_hides_is_400(server: Served, client: Client, name: str) -> None:
    ref = f"(PROV{proposal(client)})"
    answer = send(client, ref, name)
    if len(name) > 100:
        # accents go first, and then it is short enough
        assert answer.status_code == 200
        assert send(client, ref, name + name).status_code == 400
    else:
        assert answer.status_code == 400, answer.text
        assert not (Path(server.settings.documents) / "propale" / ref).exists()


@pytest.mark.parametrize(
    ("name", "kept"),
    [("a/../../evil.txt", "a___evil.txt"), ("a/b.txt", "a_b.txt"), ("x\\..\\y.txt", "x__y.txt"),
     ("C:\\x.txt", "C__x.txt"), ("con.txt", "_con.txt"), ("a--b.txt", "a_b.txt"),
     ("Müller (1).txt", "Muller (1).txt"), ("契約.txt", "契約.txt"), ("x.txt...", "x.txt"), ("a%2fx.txt", "a%2fx.txt")],
)  # fmt: skip
def test_a_name_is_cleaned(client: Client, name: str, kept: str) -> None:
    ref = f"(PROV{proposal(client)})"
    answer = send(client, ref, name)
    assert (answer.status_code, answer.json) == (200, kept)
    assert download(client, f"{ref}/{kept}") == b"x"


LIES = {
    "x.pdf": b"<html><script>alert(1)</script>",
    "y.pdf": b"just text",
    "x.png": b"GIF89a",
    "x.jpg": b"\x89PNG\r\n\x1a\n",
    "x.gif": b"MZ\x90\x00" + bytes(60),
    "x.webp": b"RIFFxxxxWAVE",
    "x.zip": b"Rar!",
    "x.docx": b"\xd0\xcf\x11\xe0",
    "x.txt": b"\x7fELF\x02",
    "y.txt": b"MZ\x90\x00\x03" + bytes(60),
    "z.txt": b"binary\x00text",
    "x.csv": b"#!/bin/sh\n",
    "x.dat": b"  <?php echo 1;",
    "y.dat": b"\xef\xbb\xbf<!DOCTYPE html>",
    "z.dat": b"<svg xmlns=",
}


@pytest.mark.parametrize("name", LIES)
def test_content_that_is_not_what_its_name_says_is_400(client: Client, name: str) -> None:
    ref = f"(PROV{proposal(client)})"
    answer = send(client, ref, name, LIES[name])
    assert answer.status_code == 400
    assert "filecontent" in answer.text


TRUE = {
    "x.pdf": b"%PDF-1.7",
    "x.png": b"\x89PNG\r\n\x1a\n",
    "x.JPG": b"\xff\xd8\xff\xe0",
    "x.gif": b"GIF89a",
    "x.webp": b"RIFFxxxxWEBP",
    "x.xlsx": b"PK\x03\x04",
    "x.odt": b"PK\x03\x04",
    "x.txt": b"MZ is a country code",
    "empty.txt": b"",
}


@pytest.mark.parametrize("name", TRUE)
def test_content_that_is_what_its_name_says_is_taken(client: Client, name: str) -> None:
    ref = f"(PROV{proposal(client)})"
    assert send(client, ref, name, TRUE[name]).status_code == 200
    assert download(client, f"{ref}/{name}") == TRUE[name]


def test_an_oversize_upload_is_413(client: Client) -> None:
    ref = f"(PROV{proposal(client)})"
    assert send(client, ref, "big.txt", b"x" * 200_000).status_code == 413
    assert send(client, ref, "big.txt", b"x" * 100_000).status_code == 200


def test_a_body_without_end_is_413(client: Client) -> None:
    class Endless(io.RawIOBase):
        taken = 0

        def read(self, size: int = -1) -> bytes:
            assert 0 < size < 10_000_000
            self.taken += size
            return b"x" * size

    body = Endless()
    answer = client.simulate_post(
        f"{DOC}/upload",
        headers={"Transfer-Encoding": "chunked", "Content-Type": "application/json"},
        extras={"wsgi.input": body},
    )
    assert answer.status_code == 413
    assert body.taken < 1_000_000


def test_the_document_of_a_record_is_never_uploaded(client: Client) -> None:
    ref = validated(client)["ref"]
    before = download(client, place(ref))
    for name in (f"{ref}.pdf", f"{ref}.PDF", f"{ref}.pdf.", f" {ref}.pdf"):
        for overwrite in (0, 1):
            assert send(client, ref, name, b"%PDF-1.4 forged", overwriteifexists=overwrite).status_code == 405
    assert download(client, place(ref)) == before
    assert build(client, ref)["filename"] == f"{ref}.pdf"
