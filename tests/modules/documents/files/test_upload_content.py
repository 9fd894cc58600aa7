"""Uploads that are not taken: names and contents that a server, a browser or a desktop would run, and too many bytes."""

import base64
import io
from pathlib import Path

import pytest

from tests.modules.documents.calls import download, proposal, serve_modules

DOC = "/documents"


@pytest.fixture(scope="module")
def server(kind, tmp_path_factory):
    yield from serve_modules(kind, tmp_path_factory.mktemp(f"refused_{kind}"), max_body=200_000)


def send(client, ref, name, content=b"x", **more):
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
def test_a_name_that_could_be_run_or_hides_is_400(server, client, name):
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
def test_a_name_is_cleaned(client, name, kept):
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
def test_content_that_is_not_what_its_name_says_is_400(client, name):
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
def test_content_that_is_what_its_name_says_is_taken(client, name):
    ref = f"(PROV{proposal(client)})"
    assert send(client, ref, name, TRUE[name]).status_code == 200
    assert download(client, f"{ref}/{name}") == TRUE[name]


def test_an_oversize_upload_is_413(client):
    ref = f"(PROV{proposal(client)})"
    assert send(client, ref, "big.txt", b"x" * 200_000).status_code == 413
    assert send(client, ref, "big.txt", b"x" * 100_000).status_code == 200


def test_a_body_without_end_is_413(client):
    class Endless(io.RawIOBase):
        taken = 0

        def read(self, size=-1):
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
