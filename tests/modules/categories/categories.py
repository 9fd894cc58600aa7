"""What the tests of categories say to the server."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from core.testing import Client

_numbers = itertools.count(1)


class Host(NamedTuple):
    """Where a kind of category is served below the records that may be in it."""

    kind: str
    type: int
    service: str
    path: str

    def make(self, client: Client, /, **fields: Any) -> int:
        """A new record that may be in such a category."""
        # Not `user1`: the fixture `server` calls its own users so
        name = f"{self.kind}-{next(_numbers)}"
        body = {
            "thirdparties": {"name": name},
            "contacts": {"lastname": name},
            "products": {"ref": name, "label": name},
            "users": {"login": name},
        }[self.service]
        return int(client.ask("POST", f"/{self.service}", body | fields))

    def below(self, record: int, category: int | None = None) -> str:
        """The path of a record's categories, or of one of them."""
        return f"/{self.service}/{record}/{self.path}" + (f"/{category}" if category is not None else "")


CUSTOMER = Host("customer", 2, "thirdparties", "categories")
SUPPLIER = Host("supplier", 1, "thirdparties", "supplier_categories")
CONTACT = Host("contact", 4, "contacts", "categories")
PRODUCT = Host("product", 0, "products", "categories")
USER = Host("user", 7, "users", "categories")
HOSTS = (CUSTOMER, SUPPLIER, CONTACT, PRODUCT, USER)


def make(client, kind="customer", /, label="", **fields):
    """A new category."""
    body = {"label": label or f"Category {next(_numbers)}", "type": kind, **fields}
    return int(client.ask("POST", "/categories", body))


def ids(records):
    return [int(record["id"]) for record in records]
