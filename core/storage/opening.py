"""A database is put in force: what its URL says, and what each kind is opened with."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import peewee
from playhouse import db_url

from ..common.setting_checks import database_url, kind_of, read_conninfo
from ..common.settings import settings
from .backend import Backend
from .database import close, database
from .mysql import Mysql
from .postgresql import Postgresql
from .sqlite import Sqlite

#: seconds in which a connection must be made
CONNECT = 3

_PRAGMAS = {
    "journal_mode": "wal",
    # FULL: an answered write survives a power cut
    "synchronous": "full",
    "foreign_keys": 1,
    "cache_size": -16000,
    "temp_store": "memory",
}

_KINDS: dict[str, type[Backend]] = {"sqlite": Sqlite, "postgresql": Postgresql, "mysql": Mysql}
#: what each kind is opened with, unless the URL says otherwise
_OPTIONS: dict[str, dict[str, Any]] = {
    "sqlite": {"pragmas": _PRAGMAS, "lock_type": "IMMEDIATE"},
    "postgresql": {
        # Whatever else is installed
        "prefer_psycopg3": True,
        # A server that is gone without a word is noticed
        "connect_timeout": CONNECT,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,
    },
    "mysql": {"charset": "utf8mb4", "sql_mode": "STRICT_TRANS_TABLES", "connect_timeout": CONNECT},
}


class DatabaseUrlError(ValueError):
    """A database URL that cannot be used."""


def open_database(url: str) -> peewee.Database:
    """Put the database behind a URL in force; connections are opened when they are needed.

    :raises DatabaseUrlError: the URL is invalid, or the driver is missing
    """
    kind = kind_of(url)
    if kind == "sqlite":
        _sqlite_path(url).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    else:
        try:
            database_url(url)
        except ValueError as error:
            raise DatabaseUrlError(str(error)) from None
    close()
    opened: Any = _KINDS[kind](autoconnect=False, limit=settings().statement_timeout, **_named(url, kind))
    database.initialize(opened)
    return opened  # type: ignore[no-any-return]


def is_missing(url: str) -> bool:
    """Return whether opening the database would create it: a SQLite file that does not exist, or is empty."""
    if kind_of(url) != "sqlite":
        return False
    file = _sqlite_path(url)
    return not file.is_file() or not file.stat().st_size


def _sqlite_path(url: str) -> Path:
    return Path(urlsplit(url).path[1:]).expanduser()


def _named(url: str, kind: str) -> dict[str, Any]:
    """Return the options with which the database of a URL is opened."""
    if kind != "postgresql":
        named = db_url.parse(kind + url[url.index(":") :], unquote_password=True, unquote_user=True)
        return {**_OPTIONS[kind], **named}
    # A URL may list several hosts, among which libpq chooses
    options = {**_OPTIONS[kind], **read_conninfo(url)}
    return {"database": options.pop("dbname"), **options}
