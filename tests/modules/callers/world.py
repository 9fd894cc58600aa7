"""Two customers with the same records, and the callers who see one of them, both or none.

In every table the ID shows whose a record is. So a test can write 5001 or 9001 wherever any ID is expected: the record that
has the first one is hidden, and nothing has the second one.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from core.contract.catalogue import catalogue
from core.for_natives import Job
from core.storage.database import close, database, ensure_connected

#: the first IDs of the customer that a limited caller sees, of the other one, of what only internal users see (and of the
#: company below 1000), of the callers, of what a test creates, and of nothing
OWN, HIDDEN, INTERNAL, CALLERS, CREATED, MISSING = 1001, 5001, 6001, 7001, 8001, 9001
#: the words in each text of the two customers, and words that no record has
OWN_WORDS, HIDDEN_WORDS, MISSING_WORDS = "own-words", "secret-words", "absent-words"
DAY, LATER = 1795219200, 1801353600
#: permissions with which an internal user sees every customer, or what every customer has
_OPENING = ("thirdparties.all", "audit.read")


def number_from(first: int) -> None:
    """Let the next record of each table have this ID."""
    tables = [each for each in database.get_tables() if not each.startswith("sqlite_")]
    for table in tables:
        known = database.execute_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        if known is None:
            database.execute_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, first - 1))
        elif known[0] < first:
            database.execute_sql("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (first - 1, table))


def id_of(answer: Any) -> int:
    """Return the ID that a creation has returned."""
    return int(answer["id"] if isinstance(answer, dict) else answer)


class Shared:
    """The records that belong to no customer."""

    def __init__(self, admin: Any) -> None:
        admin.ask("PUT", "/setup/conf/PRODUIT_CUSTOMER_PRICES", {"value": "1"})
        admin.ask("PUT", "/setup/conf/PRELEVEMENT_ICS", {"value": "FR72ZZZ123456"})
        admin.ask(
            "PUT", "/setup/company", {"name": "Comptoir Ltd", "address": "1 Main St", "zip": "31000", "town": "Paris"}
        )
        for name in ("Main", "Annexe"):
            admin.ask("POST", "/warehouses", {"label": name, "statut": 1})
        for name in ("GIRO", "SAVINGS"):
            body = {"ref": name, "label": name, "type": 1, "currency_code": "EUR", "country_id": 1, "date_solde": DAY}
            admin.ask("POST", "/bankaccounts", body)
        for ref in ("LAMP", "BULB"):
            admin.ask(
                "POST",
                "/products",
                {"ref": ref, "label": ref, "price": "10", "tva_tx": "20", "status": 1, "status_buy": 1},
            )
            admin.ask("POST", "/stockmovements", {"product_id": 1, "warehouse_id": 1, "qty": 100})
        for kind in ("product", "supplier", "customer", "contact"):
            admin.ask("POST", "/categories", {"label": f"All {kind}s", "type": kind})


class Customer:
    """A customer with a record of each kind; `words` are in each text of it.

    :param first: the first ID of its records
    """

    def __init__(self, admin: Any, words: str, first: int) -> None:
        number_from(first)
        self.words, self.first = words, first
        self._admin = admin
        self._made = 0
        self.socid = socid = self._make(
            "/thirdparties",
            {
                "name": f"{words} Ltd",
                "client": 1,
                "fournisseur": 1,
                "code_client": f"C-{words}",
                "email": f"{words}@example.org",
                "barcode": f"B-{words}",
                "ref_ext": f"E-{words}",
                "country_id": 1,
                "address": "1 rue Haute",
                "zip": "31000",
                "town": "Paris",
            },
        )
        self.twin = self._make("/thirdparties", {"name": f"{words} twin", "client": 1})
        self.contact = self._make("/contacts", {"lastname": words, "socid": socid, "email": f"c.{words}@example.org"})
        account = {
            "label": words,
            "bank": words,
            "iban": "FR7630006000011234567890189",
            "bic": "AGRIFRPP",
            "rum": f"R-{words}",
            "date_rum": DAY,
            "frstrecur": "FRST",
            "proprio": words,
        }
        self._make(f"/thirdparties/{socid}/bankaccounts", account)
        self._ask("POST", f"/thirdparties/{socid}/categories/3")
        self._ask("POST", f"/thirdparties/{socid}/supplier_categories/2")
        self._ask("POST", f"/contacts/{self.contact}/categories/4")
        self._make(
            "/products/1/purchase_prices",
            {
                "qty": 1,
                "buyprice": 4,
                "price_base_type": "HT",
                "fourn_id": socid,
                "availability": 1,
                "ref_fourn": words,
                "tva_tx": 20,
            },
        )
        self._make(
            "/products/1/selling_multiprices/per_customer", {"fk_soc": socid, "price": "7.77", "ref_customer": words}
        )
        self._sales()
        self._bills()
        for part, record in (
            ("thirdparty", str(socid)),
            ("contact", str(self.contact)),
            ("proposal", self.refs["proposals"]),
            ("order", self.refs["orders"]),
            ("invoice", self.refs["invoices"]),
            ("shipment", self.refs["shipments"]),
        ):
            self._ask(
                "POST",
                "/documents/upload",
                {"modulepart": part, "ref": record, "filename": f"{words}.txt", "filecontent": words},
            )

    def _sales(self) -> None:
        proposals, orders, shipments = (self.document(each) for each in ("proposals", "orders", "shipments"))
        proposals(), proposals()
        orders(), orders(), orders()
        self._ask("POST", f"/proposals/{self.first}/validate", {})
        self._ask("POST", f"/orders/{self.first}/validate", {})
        self._ask("POST", f"/orders/{self.first + 1}/validate", {})
        lines = {"lines": [{"fk_origin_line": self.first, "qty": 1, "entrepot_id": 1}], "origin_id": self.first}
        shipments(**lines), shipments(**lines)
        self._ask("POST", f"/shipments/{self.first}/validate", {})
        for service in ("proposals", "orders"):
            self._ask("POST", f"/{service}/{self.first}/contact/{self.contact}/BILLING")
        self.refs = {
            each: self._ask("GET", f"/{each}/{self.first}")["ref"] for each in ("proposals", "orders", "shipments")
        }

    def _bills(self) -> None:
        invoices = self.document("invoices")
        invoices(), invoices(), invoices()
        for step in (0, 1):
            self._ask("POST", f"/invoices/{self.first + step}/validate", {})
        paid = {"datepaye": DAY, "paymentid": 2, "closepaidinvoices": "no", "accountid": 1}
        self._ask("POST", f"/invoices/{self.first + 1}/payments", paid)
        invoices(type=2, fk_facture_source=self.first)
        self._ask("POST", f"/invoices/{self.first + 3}/validate", {})
        self._ask("POST", f"/invoices/{self.first + 3}/markAsCreditAvailable", {})
        template = {
            "title": f"T-{self.words}",
            "socid": self.socid,
            "frequency": 1,
            "unit_frequency": "m",
            "date_when": LATER,
            "lines": [self.line()],
        }
        self._make("/invoices/templates", template)
        self._make("/invoices/templates", template | {"title": f"T2-{self.words}"})
        self._ask("POST", f"/invoices/{self.first}/contact/{self.contact}/BILLING")
        self.refs["invoices"] = self._ask("GET", f"/invoices/{self.first}")["ref"]

    def line(self) -> dict[str, Any]:
        """Return the body of a line."""
        return {"desc": self.words, "qty": 5, "subprice": 10, "tva_tx": 20, "fk_product": 1}

    def document(self, service: str) -> Any:
        """Return a function that creates a draft."""

        def create(**fields: Any) -> int:
            self._made += 1
            given = {
                "socid": self.socid,
                "date": DAY,
                "note_public": self.words,
                "ref_ext": f"E{self._made}-{self.words}",
                "lines": [self.line()],
            }
            return self._make(f"/{service}", given | fields)

        return create

    def _make(self, path: str, body: Any) -> int:
        return id_of(self._ask("POST", path, body))

    def _ask(self, verb: str, path: str, body: Any = None) -> Any:
        return self._admin.ask(verb, path, body)


class World:
    """A server with both customers, and a client of each caller."""

    def __init__(self, served: Any) -> None:
        self.admin = admin = served.client()
        Shared(admin)
        self.own = Customer(admin, OWN_WORDS, OWN)
        self.hidden = Customer(admin, HIDDEN_WORDS, HIDDEN)
        number_from(INTERNAL)
        account = {
            "ref": "HIDDEN",
            "label": "HIDDEN",
            "type": 1,
            "currency_code": "EUR",
            "country_id": 1,
            "date_solde": DAY,
        }
        made = id_of(admin.ask("POST", "/bankaccounts", account))
        admin.ask("POST", f"/bankaccounts/{made}/lines", {"date": DAY, "type": "VIR", "label": "text", "amount": 1})
        admin.ask("POST", "/stockmovements", {"product_id": 1, "warehouse_id": 1, "qty": 1})
        admin.ask("POST", "/users", {"login": HIDDEN_WORDS, "email": f"u.{HIDDEN_WORDS}@example.org"})
        Job.create(module="documents", name="print_document", arguments="{}", user=1, due=DAY, created=DAY)
        number_from(CALLERS)
        rights = catalogue().rights
        self.callers = {
            "admin": admin,
            "external": served.user(*rights, socid=OWN),
            "representative": served.user(*(each for each in rights if each not in _OPENING), represents=[OWN]),
            "invoices": served.user("invoices.read", "thirdparties.all"),
            "none": served.user(),
        }
        number_from(CREATED)


class Undo:
    """Restores the database after a request that has changed it."""

    def __init__(self, served: Any) -> None:
        close()
        self._live = sqlite3.connect(served.settings.database.removeprefix("sqlite:///"), isolation_level=None)
        self._live.execute("PRAGMA synchronous = OFF")
        self._saved = sqlite3.connect(":memory:")
        self._live.backup(self._saved)
        self._version = self._read_version()
        ensure_connected()

    def _read_version(self) -> int:
        return int(self._live.execute("PRAGMA data_version").fetchone()[0])

    def __call__(self) -> None:
        """Restore the database if it has changed."""
        if self._read_version() != self._version:
            close()
            self._saved.backup(self._live)
            self._version = self._read_version()
            ensure_connected()

    def close(self) -> None:
        """Close its connections."""
        self._live.close()
        self._saved.close()
