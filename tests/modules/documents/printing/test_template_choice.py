"""Templates of documents that lie in outside module folders."""

from pathlib import Path

from core.contract.catalogue import catalogue
from tests.modules.documents.calls import PLAIN, download, names, pdf_path, thirdparty

CONTRACTS = Path(__file__).parents[4] / "tests/samples" / "modules"


def test_an_outsider_s_kind_gets_documents_by_adding_one_file(kind, serve, write, folder):
    template = PLAIN.replace("...proposals.proposals import proposals", "..contracts import contracts").replace(
        "documents = proposals", "documents = contracts"
    )
    for file in (CONTRACTS / "contracts").rglob("*.py"):
        write(str(file.relative_to(CONTRACTS)), file.read_text())
    write("contracts/doctemplates/pdf_sheet.py", template)
    served = serve(kind, modules=str(folder))
    assert [each for each in catalogue().failures if each.module == "contracts"] == []
    client = served.client()
    body = {"socid": thirdparty(client), "date": "2026-11-21", "lines": [{"desc": "x", "qty": 1}]}
    identifier = client.ask("POST", "/contracts", body)
    record = client.ask("POST", f"/contracts/{identifier}/validate", {})
    assert record["last_main_doc"] == f"contract/{pdf_path(record['ref'])}"
    assert names(client, record["ref"], "contract") == [f"{record['ref']}.pdf"]
    assert download(client, pdf_path(record["ref"]), "contracts").startswith(b"%PDF-1.4 ")
