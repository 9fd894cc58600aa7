"""The company's logo: a PNG or JPEG, kept in the store, printed on every document."""

import base64
import io

import pytest
from PIL import Image
from pypdf import PdfReader


def picture(kind="PNG"):
    made = io.BytesIO()
    Image.new("RGB", (120, 40), (200, 30, 60)).save(made, kind)
    return made.getvalue()


def text(content):
    return base64.b64encode(content).decode()


@pytest.fixture
def proposal(admin):
    socid = admin.ask("POST", "/thirdparties", {"name": "Buyer", "client": 1})
    return int(
        admin.ask("POST", "/proposals", {"socid": socid, "date": "2026-11-21", "lines": [{"qty": 1, "subprice": 5}]})
    )


def images(admin, proposal):
    body = {"modulepart": "proposal", "original_file": f"(PROV{proposal})/(PROV{proposal}).pdf"}
    content = base64.b64decode(admin.ask("PUT", "/documents/builddoc", body)["content"])
    return len(PdfReader(io.BytesIO(content)).pages[0].images)


def test_a_logo_is_kept_and_printed(admin, proposal):
    assert images(admin, proposal) == 0
    assert admin.ask("PUT", "/documents/logo", {"filename": "our.png", "filecontent": text(picture())}) == "our.png"
    assert images(admin, proposal) == 1
    assert admin.get("/setup/conf/MAIN_INFO_SOCIETE_LOGO") == "our.png"
    # One that has gone, or never was there, stops nothing
    admin.ask("PUT", "/setup/conf/MAIN_INFO_SOCIETE_LOGO", {"value": "../../etc/passwd"}, status=400)
    admin.ask("PUT", "/setup/conf/MAIN_INFO_SOCIETE_LOGO", {"value": "gone.png"})
    assert images(admin, proposal) == 0
    admin.ask("DELETE", "/setup/conf/MAIN_INFO_SOCIETE_LOGO")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.svg", b"<svg onload='alert(1)'/>"),
        ("a.png", b"<svg/>"),
        ("a.png", b"\x89PNG\r\n\x1a\n and nothing"),
        ("a.gif", b"GIF89a" + b"\x00" * 20),
        ("a.py", b"import os"),
        ("../a.png", b""),
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"\x00" * 1_000_001),
    ],
)
def test_what_is_no_picture_is_refused(admin, name, content):
    admin.refused("PUT", "/documents/logo", {"filename": name, "filecontent": text(content)}, status=400)
    admin.get("/setup/conf/MAIN_INFO_SOCIETE_LOGO", status=404)
