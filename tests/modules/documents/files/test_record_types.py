"""Types of records that have files: every service that names its records, native or not."""

import pytest

from tests.modules.documents.calls import download, names, pdf_path

THINGS = '''
from peewee import AutoField, CharField

from core import Model, Records


class Thing(Model):
    """A thing that keeps its reference as it is sent."""

    id = AutoField()
    ref = CharField(max_length=300, unique=True)

    class Meta:
        table_name = "things_thing"


things = Records(Thing, service="things", noun="Thing")
'''
API = '''
from typing import Annotated

from ..models import Thing, things


class Things:
    """Things."""

    records = things

    def get(self, id: int) -> Annotated[dict, Thing]:
        """Read one.

        :permission: things.read
        """
        return things.read(id)

    def post(self, request_data: dict) -> int:
        """Make one.

        :permission: things.write
        """
        return things.create(request_data)

    def delete(self, id: int) -> int:
        """Delete one.

        :permission: things.delete
        """
        things.delete(id)
        return 1
'''
#: a template of records without a third party
TAG = """
from ...documents.content.language import choose_language
from ...documents.content.printed_document import PrintedDocument
from ...documents.template import Template
from ..models import things


class Tag(Template):
    documents = things

    def __init__(self, record, language):
        self.record, self.words = record, choose_language(language, "de_DE")

    def document(self):
        return PrintedDocument(self.words.language, "Tag", self.record["ref"])

    def render(self, document):
        return f"%PDF-1.4 {document.ref} {document.language}".encode()
"""

#: folder in the store → what `modulepart` may call the type of record
NAMES = {
    "societe": ("societe", "thirdparty", "thirdparties"),
    "socpeople": ("socpeople", "contact", "contacts"),
    "product": ("product", "produit", "products"),
    "users": ("user", "users"),
}


@pytest.mark.parametrize("folder", NAMES)
def test_every_service_with_records_has_files(client, folder):
    service = NAMES[folder][-1]
    body = {
        "societe": {"name": "Files Ltd"},
        "socpeople": {"lastname": "Files"},
        "product": {"ref": "Fïle n°1", "label": "x"},
        "users": {"login": "filer"},
    }[folder]
    identifier = client.ask("POST", f"/{service}", body)
    record = client.get(f"/{service}/{identifier}")
    called = record["ref"] if folder == "product" else str(identifier)
    place = called.replace("ï", "i").replace("°", "_")
    for number, part in enumerate(NAMES[folder]):
        sent = {"filename": f"{number}.txt", "modulepart": part, "ref": called, "filecontent": "x"}
        assert client.ask("POST", "/documents/upload", sent) == f"{number}.txt"
        rows = client.get("/documents", module_part=part, id=identifier)
        assert [row["path"] for row in rows] == [f"{folder}/{place}"] * (number + 1)
        assert download(client, f"{place}/{number}.txt", part) == b"x"
    client.ask("DELETE", f"/{service}/{identifier}")
    client.get("/documents/download", modulepart=part, original_file=f"{place}/0.txt", status=404)


def test_any_service_with_records_has_files_in_a_folder_of_its_own(start):
    client = start({"things/models.py": THINGS, "things/class/api_things.py": API})
    for ref in ("A:B", "A_B", "CON", "x/y", "é", "../..", "ж" * 120):
        client.ask("POST", "/things", {"ref": ref})

    def send(ref, name, content="x", status=200):
        body = {"filename": name, "modulepart": "thing", "ref": ref, "filecontent": content}
        return client.ask("POST", "/documents/upload", body, status=status)

    send("A:B", "first.txt", "of A:B")
    send("A_B", "second.txt", "of A_B")
    client.get("/documents/download", modulepart="thing", original_file="A_B/first.txt", status=404)
    assert names(client, "A:B", "things") == ["first.txt"]
    assert names(client, "A_B", "thing") == ["second.txt"]
    assert download(client, "A:B/first.txt", "things") == b"of A:B"
    client.ask("DELETE", "/things/1")
    client.get("/documents/download", modulepart="thing", original_file="A:B/first.txt", status=404)
    assert download(client, "A_B/second.txt", "things") == b"of A_B"
    for ref, folder in (("CON", "_CON"), ("x/y", "x_y"), ("é", "e")):
        send(ref, "a.txt")
        assert client.get("/documents", modulepart="thing", ref=ref)[0]["path"] == f"things/{folder}"
    send("../..", "a.txt")
    assert client.get("/documents", modulepart="thing", ref="../..")[0]["path"] == "things/_"
    send("ж" * 120, "a.txt", status=405)


def test_a_reference_that_no_folder_can_have_is_built_by_either_name(start):
    client = start(
        {"things/models.py": THINGS, "things/class/api_things.py": API, "things/doctemplates/pdf_tag.py": TAG}
    )
    for ref in ("A:B/C", "A_B_C", "D:E"):
        client.ask("POST", "/things", {"ref": ref})

    def ask(ref, status=200):
        body = {"modulepart": "thing", "original_file": pdf_path(ref)}
        return client.ask("PUT", "/documents/builddoc", body, status=status)

    ask("D_E", status=404)
    assert ask("A:B/C")["filename"] == "A_B_C.pdf"
    assert download(client, pdf_path("A:B/C"), "thing") == b"%PDF-1.4 A:B/C de_DE"
    # The other one gets a folder of its own
    assert ask("A_B_C")["filename"] == "A_B_C-2.pdf"
    assert download(client, pdf_path("A_B_C"), "thing") == b"%PDF-1.4 A_B_C de_DE"
    client.ask("DELETE", "/things/2")
    assert ask("A_B_C")["filename"] == "A_B_C.pdf"
    assert download(client, "A_B_C/A_B_C.pdf", "thing") == b"%PDF-1.4 A:B/C de_DE"


def test_a_service_that_names_no_records_has_no_files(start):
    client = start(
        {"things/models.py": THINGS, "things/class/api_things.py": API.replace("    records = things\n", "")}
    )
    client.ask("POST", "/things", {"ref": "A"})
    body = {"filename": "a.txt", "modulepart": "things", "ref": "A", "filecontent": "x"}
    message = client.refused("POST", "/documents/upload", body, status=400)
    assert message == (
        "Bad Request: `modulepart`: expected one of "
        "attribute, attributevalue, bankaccount, category, contact, establishment, invoice, invoicetemplate, order, "
        "product, proposal, shipment, stockmovement, thirdparty, user, variant, warehouse, webhook, webhookdelivery; "
        'got "things"'
    )
    client.ask("DELETE", "/things/1")


def test_files_of_records_below_another_service_need_its_permissions(server, admin):
    attribute = admin.ask("POST", "/products/attributes", {"ref": "FILED", "label": "Filed"})
    body = {"filename": "a.txt", "modulepart": "attribute", "ref": "FILED", "filecontent": "x"}
    server.user("attributes.write", "documents.write").refused("POST", "/documents/upload", body, status=401)
    server.user("products.read", "products.write", "documents.write").ask("POST", "/documents/upload", body)
    admin.ask("DELETE", f"/products/attributes/{attribute}")
