"""What tests of modules are made with, those of the native modules and those of authors alike.

    with serving(tmp_path, modules="my/modules") as served:
        client = served.user("loyaltycards.read")
        assert client.get("/loyaltycards") == []

A server runs in this process, over a database of its own, one at a time. Nothing here needs pytest.
"""

from .client import ADMIN_KEY, Client
from .databases import (
    DATABASE_KINDS,
    DATABASE_SERVERS,
    copy_database,
    drop_database,
    fresh_database,
    why_unavailable,
)
from .served import Served, make_settings, serving
from .setup import constant, extra_field
from .statements import cost, statements

__all__ = [
    "ADMIN_KEY",
    "DATABASE_KINDS",
    "DATABASE_SERVERS",
    "Client",
    "Served",
    "constant",
    "copy_database",
    "cost",
    "drop_database",
    "extra_field",
    "fresh_database",
    "make_settings",
    "serving",
    "statements",
    "why_unavailable",
]
