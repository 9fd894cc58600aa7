"""What a setting may be: one function a kind of value, which raises ValueError saying what was expected."""

from __future__ import annotations

import importlib.util
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo

from .client_addresses import read_networks
from .database_hosts import host_places, split_hosts

Check = Callable[[Any], None]

#: characters of a key that one chooses oneself
SHORTEST_KEY, LONGEST_KEY = 20, 512

#: kind of database → the modules of which one is its driver, and the package that brings one
_DRIVERS = {"postgresql": (("psycopg",), "'psycopg[binary]'"), "mysql": (("pymysql", "MySQLdb"), "pymysql")}
#: how a database's URL begins → the kind of database
KINDS = {
    "sqlite": "sqlite",
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
}

_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]*):(?P<port>[0-9]{1,5})")
_HEADER = re.compile(r"[A-Za-z0-9-]*")
_ORIGIN = re.compile(r"https?://(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")


def anything(value: Any) -> None:
    """Any value of the setting's type."""


def between(least: int, most: int) -> Check:
    """A number within limits."""

    def check(value: int) -> None:
        if not least <= value <= most:
            raise ValueError(f"expected a number from {least} to {most}, got {value}")

    return check


def redis_url(value: str) -> None:
    """The URL of a Redis, with its library there; or nothing. Its password is not repeated."""
    if not value:
        return
    try:
        parts = urlsplit(value)
        _port(parts)
    except ValueError as error:
        raise ValueError(f"expected a URL such as redis://host:6379/0: {error}") from None
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise ValueError(f"expected a URL such as redis://host:6379/0, got one of {parts.scheme or 'no scheme'}")
    if parts.path.strip("/") and not parts.path[1:].isdecimal():
        raise ValueError("expected the number of a database behind the host: redis://host:6379/0")
    if importlib.util.find_spec("redis") is None:
        raise ValueError(f"its library is missing; install it with: {sys.executable} -m pip install redis")


def one_of(values: Sequence[str]) -> Check:
    """One of some words."""

    def check(value: str) -> None:
        if value not in values:
            raise ValueError(f"expected {', '.join(values[:-1])} or {values[-1]}, got {value!r}")

    return check


def zone(value: str) -> None:
    """A time zone."""
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"expected a zone such as Europe/Paris, got {value!r}") from None


def day(value: str) -> None:
    """A day, or nothing."""
    try:
        date.fromisoformat(value or "2000-01-01")
    except ValueError:
        raise ValueError(f"expected a day such as 2026-01-31, got {value!r}") from None


def key(value: str) -> None:
    """A key that is hard to guess and fits into a header, or nothing. The value is not repeated: it is a secret."""
    if value and not (SHORTEST_KEY <= len(value) <= LONGEST_KEY and value.isascii() and value.isprintable()):
        raise ValueError(
            f"expected {SHORTEST_KEY} to {LONGEST_KEY} ASCII characters, got {len(value)}; "
            "`openssl rand -hex 20` makes one, and without this setting the server does"
        )
    if " " in value:
        raise ValueError("expected a key without spaces")


def addresses(value: str) -> None:
    """Where to listen: addresses with ports, or sockets, separated by commas."""
    for each in value.split(","):
        found = _ADDRESS.fullmatch(each.strip())
        if each.strip().startswith("unix:") or (found and int(found["port"]) <= 65535):
            continue
        raise ValueError(f"expected an address with a port such as 127.0.0.1:8000 or unix:/run/x.sock, got {each!r}")


def address_or_none(value: str) -> None:
    """Where to listen: one address with a port, or nothing."""
    found = _ADDRESS.fullmatch(value)
    if value and not (found and int(found["port"]) <= 65535):
        raise ValueError(f"expected an address with a port such as 127.0.0.1:9100, got {value!r}")


def networks(value: str) -> None:
    """Addresses or networks, separated by commas; nothing is none."""
    read_networks(value)


def client_header(value: str) -> None:
    """The name of a header that lists addresses, or nothing. `Forwarded` lists something else."""
    if not _HEADER.fullmatch(value) or value.lower() == "forwarded":
        raise ValueError(f"expected a header that lists addresses, such as X-Forwarded-For, got {value!r}")


def seconds(value: float) -> None:
    """A time."""
    if not 0 <= value < math.inf:
        raise ValueError(f"expected a number of seconds from 0, got {value}")


def origins(value: str) -> None:
    """Origins, separated by spaces; nothing is none."""
    for each in value.split():
        if not _ORIGIN.fullmatch(each):
            raise ValueError(f"expected origins such as https://shop.example, without a path, got {each!r}")


def database_url(value: str) -> None:
    """A URL of a database whose driver is there. Its password is not repeated."""
    try:
        first, hosts = split_hosts(value)
        parts = urlsplit(first)
        _port(parts)
        host_places(KINDS.get(parts.scheme, ""), hosts)
    except ValueError as error:
        raise ValueError(f"expected a URL such as postgresql://user:password@host:5432/name: {error}") from None
    kind = KINDS.get(parts.scheme)
    if kind is None:
        raise ValueError(f"expected a URL that starts with sqlite, postgresql or mysql, got {parts.scheme or value!r}")
    if kind == "sqlite":
        if parts.netloc or not parts.path.strip("/") or ":memory:" in value:
            raise ValueError("expected the path of a file behind three slashes: sqlite:///data/comptoir.db")
        return
    if not parts.path.strip("/"):
        raise ValueError(f"expected the name of a database behind the host: {kind}://user:password@host/name")
    modules, package = _DRIVERS[kind]
    if not any(importlib.util.find_spec(module) for module in modules):
        raise ValueError(f"its driver is missing; install it with: {sys.executable} -m pip install {package}")


def standby_url(value: str) -> None:
    """A URL of a standby of PostgreSQL or MariaDB, or nothing."""
    if not value:
        return
    database_url(value)
    if KINDS.get(urlsplit(split_hosts(value)[0]).scheme) == "sqlite" or len(split_hosts(value)[1]) > 1:
        raise ValueError("expected one host, of a standby of PostgreSQL or MariaDB: SQLite has none")


def _port(parts: SplitResult) -> None:
    """:raises ValueError: the port is no number, or none that can be"""
    try:
        port = parts.port
    except ValueError:
        raise ValueError("the port is no number from 1 to 65535") from None
    if port == 0:
        raise ValueError("the port is no number from 1 to 65535")


def store_url(value: str) -> None:
    """A folder, or a URL that fsspec can open."""
    if not value:
        raise ValueError("expected a folder such as data/documents, or a URL such as s3://bucket/folder")
    protocol, separator, _ = value.partition("://")
    if not separator:
        return
    # Loaded only where it is needed
    from fsspec.registry import get_filesystem_class, known_implementations

    if protocol not in known_implementations:
        raise ValueError(f"expected a folder or a URL that fsspec knows, such as s3://bucket/folder; got {protocol}://")
    try:
        get_filesystem_class(protocol)
    except ImportError as error:
        raise ValueError(f"the library for {protocol}:// is missing: {error}") from None


# Of this machine, now ------------------------------------------------------------------------------------------------


def can_be_written(folder: Path) -> None:
    """A folder that files can be written to, or that can be made."""
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    if not there.is_dir():
        raise ValueError(f"expected a folder, and {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        who = f"user {os.getuid()}" if hasattr(os, "getuid") else "this user"
        raise ValueError(f"expected a folder that can be written, and {there} cannot, by {who}")


def sqlite_file(url: str) -> None:
    """Where a SQLite database lies, or is to be made; of another database nothing."""
    parts = urlsplit(url)
    if parts.scheme != "sqlite":
        return
    file = Path(parts.path[1:]).expanduser()
    if file.is_dir():
        raise ValueError(f"expected a file, and {file} is a folder")
    can_be_written(file.parent)
    if file.exists() and not os.access(file, os.R_OK | os.W_OK):
        raise ValueError(f"expected a file that can be written, and {file} cannot")
    with suppress(OSError), file.open("rb") as opened:
        if opened.read(16) not in (b"", b"SQLite format 3\x00"):
            raise ValueError(f"expected a SQLite database, and {file} is none")


def store_folder(location: str) -> None:
    """The folder of a store; of another store nothing."""
    place = location.removeprefix("file://").removeprefix("local://")
    if "://" not in place:
        can_be_written(Path(place).expanduser())


def module_folders(value: str) -> None:
    """Folders that are there, separated by colons."""
    for each in filter(None, value.split(":")):
        if not Path(each).expanduser().is_dir():
            raise ValueError(f"expected folders separated by `:`, and there is no folder {each}")


def log_file(path: str) -> None:
    """A file that can be written, in a folder that is there; or nothing."""
    file = Path(path).expanduser()
    if path and (file.is_dir() or not file.absolute().parent.is_dir()):
        raise ValueError(f"expected a file in a folder that is there, got {path!r}")
