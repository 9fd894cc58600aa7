"""The text of PDFs as the server prints them."""

import base64

from tests.modules.documents.pdf_text import text_of

PARTS = {"invoices": "invoice", "orders": "order", "proposals": "proposal", "shipments": "shipping"}


def printed(admin, identifier, language="en_US", service="invoices"):
    """The text of a PDF that is printed again."""
    ref = admin.get(f"/{service}/{identifier}")["ref"]
    body = {"modulepart": PARTS[service], "original_file": f"{ref}/{ref}.pdf", "langcode": language}
    return text_of(base64.b64decode(admin.ask("PUT", "/documents/builddoc", body)["content"]))


def kept(admin, identifier):
    """The text of an invoice's stored PDF."""
    ref = admin.get(f"/invoices/{identifier}")["ref"]
    path = {"modulepart": "facture", "original_file": f"{ref}/{ref}.pdf"}
    return text_of(base64.b64decode(admin.get("/documents/download", **path)["content"]))
