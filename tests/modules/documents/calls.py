"""Calls of /documents in one line each, and a server with templates of few bytes."""

import base64
import itertools

from core.testing import Served, drop_database, make_settings

DAY = "2026-11-21"

#: a template of proposals that says what it was asked for
PLAIN = '''
from ...documents.template import Template
from ...proposals.proposals import proposals


class Plain(Template):
    """A template of few bytes."""

    documents = proposals

    def __init__(self, record, language):
        super().__init__(record, language or "de_DE")

    def render(self, document):
        return f"%PDF-1.4 {document.ref} state {self.record['statut']} {self.words.language}".encode()
'''
BROKEN = "import nothing_of_this_name\n"
FAILING = PLAIN.replace("        return f", "        raise RuntimeError('/a/path/of/the/server')\n        return f")

MODULES = {
    "pdfs/doctemplates/pdf_plain.py": PLAIN,
    "pdfs/doctemplates/pdf_broken.py": BROKEN,
    "pdfs/doctemplates/pdf_failing.py": FAILING,
}


_numbers = itertools.count(1)


def serve_modules(kind, folder, files=MODULES, **options):
    """A server with these files as modules, over a database of a kind."""
    for name, text in files.items():
        file = folder / "modules" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    served = Served(make_settings(folder, kind, **{"modules": str(folder / "modules"), **options}))
    try:
        yield served
    finally:
        served.close()
        drop_database(served.settings.database)


def thirdparty(client):
    """A new third party."""
    return int(client.ask("POST", "/thirdparties", {"name": f"Customer {next(_numbers)}"}))


def proposal(client, socid=None, service="proposals", **more):
    """A new draft with one line; made with the template of few bytes where nothing else is said."""
    line = {"desc": "Care", "qty": 2, "subprice": "10", "tva_tx": 20}
    more.setdefault("model_pdf", "plain" if service == "proposals" else None)
    body = {"socid": socid or thirdparty(client), "date": DAY, "lines": [line], **more}
    return int(client.ask("POST", f"/{service}", body))


def validated(client, socid=None, service="proposals", **more):
    """A new validated document."""
    identifier = proposal(client, socid, service, **more)
    client.ask("POST", f"/{service}/{identifier}/validate", {})
    return client.get(f"/{service}/{identifier}")


def pdf_path(ref):
    """Where the PDF of a reference lies."""
    return f"{ref}/{ref}.pdf"


def build(client, ref, **more):
    """Print a proposal."""
    return client.ask("PUT", "/documents/builddoc", {"modulepart": "proposal", "original_file": pdf_path(ref), **more})


def upload(client, ref, name="note.txt", content="hello", **more):
    """Upload a file for a proposal."""
    body = {"filename": name, "modulepart": "proposal", "ref": ref, "filecontent": content}
    return client.ask("POST", "/documents/upload", body | more)


def names(client, ref, modulepart="proposal"):
    """The names in a list."""
    return [row["name"] for row in client.get("/documents", modulepart=modulepart, ref=ref)]


def download(client, path, modulepart="propal"):
    """The bytes of a file."""
    return base64.b64decode(client.get("/documents/download", modulepart=modulepart, original_file=path)["content"])


def kept_pdf(client):
    """A validated proposal whose PDF and upload have moved to its reference; answers identifier and reference."""
    identifier = proposal(client)
    draft = f"(PROV{identifier})"
    build(client, draft)
    upload(client, draft)
    client.ask("POST", f"/proposals/{identifier}/validate", {})
    ref = str(client.get(f"/proposals/{identifier}")["ref"])
    assert names(client, ref) == [f"{ref}.pdf", "note.txt"]
    assert download(client, pdf_path(ref)).startswith(b"%PDF")
    return identifier, ref
