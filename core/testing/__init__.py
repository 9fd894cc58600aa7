"""Tools for tests of modules, native ones and your own.

    with serving(tmp_path, modules="my/modules") as served:
        client = served.user("loyaltycards.read")
        assert client.get("/loyaltycards") == []

The server runs in the test's process, with its own database. Only one runs at a time. pytest is not required.
"""

from .client import ADMIN_KEY, Client, constant, extra_field
from .databases import (
    DATABASE_KINDS,
    DATABASE_SERVERS,
    copy_database,
    cost,
    drop_database,
    fresh_database,
    statements,
    why_unavailable,
)
from .served import Served, make_settings, serving

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
