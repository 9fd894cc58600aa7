"""An administrator at work on each kind of document, and what the tests look at."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.storage.database import database, ensure_connected, quote

#: 2026-11-21, midnight UTC
DAY = 1795219200
MODULES = Path(__file__).parents[4] / "modules"


@dataclass(frozen=True)
class Kind:
    """A kind of document.

    :param path: where it is served
    :param element: what it is called in links, in roles and as a kind of extra fields
    :param parent: the field of a line that leads to it
    :param role: a role that the kind offers besides BILLING and SHIPPING
    :param needs_lines: whether it is validated only with lines
    """

    path: str
    element: str
    parent: str
    role: str
    needs_lines: bool = False


KINDS = [
    Kind("proposals", "propal", "fk_propal", "CUSTOMER"),
    Kind("orders", "commande", "fk_commande", "CUSTOMER"),
    Kind("invoices", "facture", "fk_facture", "SERVICE", needs_lines=True),
]
SERVED = [kind for kind in KINDS if (MODULES / kind.path / "class" / f"api_{kind.path}.py").exists()]
#: marks a test of what one and the same code does for every kind
ONE_KIND = pytest.mark.parametrize("desk", SERVED[1:2], indirect=True, ids=lambda kind: kind.path)


class Desk:
    """An administrator at work on one kind of document."""

    def __init__(self, admin, kind, customer):
        self.admin = admin
        self.kind = kind
        self.customer = customer

    def path(self, identifier="", *rest):
        return "/".join(["", self.kind.path, *(str(part) for part in (identifier, *rest) if part != "")])

    def body(self, *lines, **fields):
        return {"socid": self.customer, "date": DAY, "lines": [with_price(each) for each in lines], **fields}

    def make(self, *lines, **fields):
        identifier = self.admin.ask("POST", self.path(), self.body(*lines, **fields))
        assert isinstance(identifier, int)
        return identifier

    def read(self, identifier):
        return self.admin.get(self.path(identifier))

    def made(self, *lines, **fields):
        return self.read(self.make(*lines, **fields))

    def act(self, identifier, action, *, status=200):
        return self.admin.ask("POST", self.path(identifier, action), status=status)

    def etag(self, identifier):
        return str(self.admin.simulate_get(self.path(identifier)).headers["etag"])


def with_price(line):
    """Return a line with a price of 0 if it says nothing: such a line is rejected."""
    says = not isinstance(line, dict) or line.keys() & {"desc", "label", "fk_product", "subprice"}
    return line if says else {**line, "subprice": 0}


def contents():
    """Every row of every table, but for dictionaries, which fill themselves, and for keys, which note their use."""
    ensure_connected()
    tables = [name for name in database.get_tables() if "_c_" not in name and "key" not in name]
    return {name: sorted(map(repr, database.execute_sql(f"SELECT * FROM {quote(name)}").fetchall())) for name in tables}


@contextmanager
def nothing_written():
    before = contents()
    yield
    assert contents() == before


def totals(record):
    """Without tax, VAT, with tax, with the decimals that are not 0."""
    shown = (record[name] for name in ("total_ht", "total_tva", "total_ttc"))
    return tuple(f"{text[:-6]}{text[-6:].rstrip('0')}" for text in shown)


def ranks(record):
    return [(line["desc"], line["rang"]) for line in record["lines"]]
