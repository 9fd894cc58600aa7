"""cli-dolibarr, a command line written for the reference, does a day's work in the profile `dolibarr16`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.testing import ADMIN_KEY
from tests.modules.clients.local_server import local_server

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

DAY = 1795219200


class CommandLine:
    """The program, as somebody calls it in a shell."""

    def __init__(self, address, home):
        self._home = home
        self._environment = {
            **os.environ, "HOME": str(home), "DOLIBARR_URL": address, "DOLIBARR_API_KEY": ADMIN_KEY, "LANG": "C.UTF-8",
        }  # fmt: skip

    def run(self, *words, code=0):
        program = Path(sys.executable).parent / "cli-dolibarr"
        done = subprocess.run(
            [program, "--json", *map(str, words)], env=self._environment, cwd=self._home, capture_output=True,
            text=True, timeout=30, check=False,
        )  # fmt: skip
        assert done.returncode == code, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout or done.stderr

    def ask(self, *words, **data):
        """What a command prints, read as JSON.

        :param data: what it sends as ``--data``
        """
        return json.loads(self.run(*words, *(["--data", json.dumps(data)] if data else [])))


@pytest.fixture
def shell(tmp_path):
    (tmp_path / "home").mkdir()
    with local_server(tmp_path) as address:
        yield CommandLine(address, tmp_path / "home")


def number(answer):
    return int(answer["id"] if isinstance(answer, dict) else answer)


def test_a_days_work(shell, tmp_path):
    customer = number(shell.ask("thirdparties", "create", name="Acme", client=1, code_client="-1", fournisseur=1))
    assert [each["name"] for each in shell.ask("thirdparties", "list")] == ["Acme"]
    assert shell.ask("thirdparties", "get", customer)["name"] == "Acme"
    lamp = number(shell.ask("products", "create", ref="LAMP", label="Lamp", price=10, tva_tx=20, status=1))
    contact = number(shell.ask("contacts", "create", lastname="Doe", socid=customer))
    lines = [{"fk_product": lamp, "qty": 3, "desc": "Lamp", "subprice": 10, "tva_tx": 20, "product_type": 0}]

    proposal = number(shell.ask("proposals", "create", socid=customer, date=DAY, lines=lines))
    assert shell.ask("proposals", "get", proposal)["total_ht"] == "30.00000000"
    shell.run("proposals", "validate", proposal)
    shell.run("proposals", "close", proposal, "--status", 2)
    order = number(shell.ask("orders", "createfromproposal", proposal))
    shell.run("orders", "validate", order)
    assert shell.ask("orders", "get", order)["statut"] == "1"

    warehouse = number(shell.ask("warehouses", "create", label="Main", statut=1))
    shell.ask("stockmovements", "create", product_id=lamp, warehouse_id=warehouse, qty=5)
    assert [each["qty"] for each in shell.ask("stockmovements", "list")] == ["5"]
    line = shell.ask("orders", "get", order)["lines"][0]["id"]
    shipment = number(
        shell.ask(
            "shipments", "create", socid=customer, origin="commande", origin_type="commande", origin_id=order,
            lines=[{"fk_origin_line": line, "origin_line_id": line, "qty": 3, "entrepot_id": warehouse}],
        )
    )  # fmt: skip
    shell.run("shipments", "validate", shipment)
    assert shell.ask("orders", "get", order)["statut"] == "2"
    stock = shell.ask("products", "stock", lamp)["stock_warehouses"]
    assert float(stock[str(warehouse)]["real"]) == 2
    assert [each["id"] for each in shell.ask("orders", "shipment", order)] == [str(shipment)]

    invoice = number(shell.ask("invoices", "createfromorder", order))
    shell.run("invoices", "validate", invoice)
    reference = shell.ask("invoices", "get", invoice)["ref"]
    assert not reference.startswith("(PROV")
    assert float(shell.ask("thirdparties", "outstandinginvoices", customer)["opened"]) == 36
    shell.run("documents", "download", "--module_part", "facture", "--file", f"{reference}/{reference}.pdf",
              "--output", tmp_path / "invoice.pdf")  # fmt: skip
    assert (tmp_path / "invoice.pdf").read_bytes().startswith(b"%PDF")
    (tmp_path / "terms.txt").write_text("thirty days")
    shell.run("documents", "upload", "--file", tmp_path / "terms.txt", "--module_part", "facture", "--ref", reference)

    good = number(shell.ask("categories", "create", label="Good", type="customer"))
    shell.run("categories", "link", good, "--type", "customer", "--object-id", customer)
    assert [each["name"] for each in shell.ask("categories", "objects", good, "--type", "customer")] == ["Acme"]
    account = number(
        shell.ask("bankaccounts", "create", ref="GIRO", label="Giro", type=1, country_id=1, currency_code="EUR",
                  date_solde=DAY)
    )  # fmt: skip
    assert [each["ref"] for each in shell.ask("bankaccounts", "list")] == ["GIRO"]
    assert float(shell.ask("bankaccounts", "balance", account)["balance"]) == 0

    shell.ask("contacts", "createUser", contact, login="doe", password="correct horse battery")
    assert "doe" in [each["login"] for each in shell.ask("users", "list")]
    twin = number(shell.ask("thirdparties", "create", name="Acme again", client=1, code_client="-1"))
    shell.run("thirdparties", "merge", "update", customer, twin, "--data", "{}")
    assert [int(each["id"]) for each in shell.ask("thirdparties", "list")] == [customer]
    assert shell.ask("setup", "dictionary", "units")


def test_what_is_refused_is_told(shell):
    assert "Not Found: Thirdparty not found" in shell.run("thirdparties", "get", 4711, code=1)
    # an empty list is 404 in the interface that it was written for
    assert "Thirdparties not found" in shell.run("thirdparties", "list", "--filter", "(t.nom:=:'Acme')", code=1)
    assert "name field missing" in shell.run("thirdparties", "create", "--data", '{"town": "Lyon"}', code=1)
