"""Checks of settings: each raises ValueError with what was expected and what was found."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo

Check = Callable[[Any], object]

#: characters of COMPTOIR_ADMIN_KEY
SHORTEST_KEY, LONGEST_KEY = 20, 512
#: the value of COMPTOIR_ORIGINS that means every origin
ANY_ORIGIN = "*"

_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]*):(?P<port>[0-9]{1,5})")
_HEADER = re.compile(r"[A-Za-z0-9-]*")
_HOST = re.compile(r"[a-z0-9.-]*[a-z0-9](:[1-9][0-9]{0,4})?")
_ORIGIN = re.compile(r"https?://(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:[1-9][0-9]{0,4})?")


def anything(value: Any) -> None:
    """Accept any value of the setting's type."""


def between(least: float, most: float) -> Check:
    """Return a check that a number is in a range."""

    def check(value: float) -> None:
        if not least <= value <= most:
            raise ValueError(f"expected a number from {least} to {most}, got {value}")

    return check


def redis_url(value: str) -> None:
    """Check that the value is empty or the URL of a Redis server, and that its library is installed.

    Messages contain no password.
    """
    try:
        parts = urlsplit(value)
        check_port(parts)
        fits = parts.scheme in ("redis", "rediss") and parts.hostname and (parts.path.strip("/") or "0").isdecimal()
    except ValueError:
        fits = False
    if value and not fits:
        raise ValueError("expected a URL such as redis://host:6379/0, with a number as its path, got another form")
    if value and importlib.util.find_spec("redis") is None:
        raise ValueError(f"the Redis library is missing; install it: {sys.executable} -m pip install redis")


def one_of(values: Sequence[str]) -> Check:
    """Return a check that the value is one of a few words."""

    def check(value: str) -> None:
        if value not in values:
            raise ValueError(f"expected {', '.join(values[:-1])} or {values[-1]}, got {value!r}")

    return check


def zone(value: str) -> None:
    """Check that the value is a time zone."""
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"expected a time zone such as Europe/Paris, got {value!r}") from None


def key(value: str) -> None:
    """Check that the value is empty or a key that is hard to guess and fits into a header.

    Messages don't contain the value, because it is a secret.
    """
    if " " in value:
        raise ValueError("expected a key without spaces, got a key that contains spaces")
    if value and not (SHORTEST_KEY <= len(value) <= LONGEST_KEY and value.isascii() and value.isprintable()):
        raise ValueError(
            f"expected {SHORTEST_KEY} to {LONGEST_KEY} ASCII characters, got {len(value)}; "
            "create one with `openssl rand -hex 20`, or leave the setting empty and the server generates one"
        )


def addresses(value: str) -> None:
    """Check addresses to listen on: addresses with ports, or sockets, separated by commas."""
    for each in map(str.strip, value.split(",")):
        if not each.startswith("unix:"):
            address(each, "127.0.0.1:8000 or unix:/run/x.sock")


def address(value: str, example: str = "127.0.0.1:9180") -> None:
    """Check an address with a port."""
    found = _ADDRESS.fullmatch(value)
    if not found or int(found["port"]) > 65535:
        raise ValueError(f"expected an address with a port such as {example}, got {value!r}")


def optional(check: Check) -> Check:
    """Return a check that accepts an empty value."""
    return lambda value: check(value) if value else None


def client_header(value: str) -> None:
    """Check that the value is empty or the name of a header that lists addresses; `Forwarded` has another syntax."""
    if not _HEADER.fullmatch(value) or value.lower() == "forwarded":
        raise ValueError(f"expected a header such as X-Forwarded-For (Forwarded is not supported), got {value!r}")


def origins(value: str) -> None:
    """Check that the value is `*`, or has origins as browsers send them, separated by spaces; it may be empty."""
    for each in value.split() if value.strip() != ANY_ORIGIN else ():
        try:
            parts = urlsplit(each)
            check_port(parts)
            host = parts.hostname or ""
            host = f"[{ip_address(host)}]" if ":" in host else host
            standard = parts.port in (None, {"http": 80, "https": 443}.get(parts.scheme))
            # As a browser sends it: in lower case, without default port, path and account
            sent = f"{parts.scheme}://{host}{'' if standard else f':{parts.port}'}"
        except ValueError:
            sent = ""
        if not _ORIGIN.fullmatch(sent):
            raise ValueError(f"expected `*` only, or ASCII origins such as https://shop.example, got {each!r}")
        if each != sent:
            raise ValueError(f"expected {sent}, because a browser sends no other form of it, got {each!r}")


def hosts(value: str) -> None:
    """Check that the value has hosts, separated by spaces; it may be empty."""
    for each in value.split():
        if not _HOST.fullmatch(each):
            raise ValueError(f"expected ASCII hosts in lower case such as pay.example.com, got {each!r}")


def check_port(parts: SplitResult) -> None:
    """Check that the port of a URL is a number from 1 to 65535, unless it has none."""
    try:
        fits = parts.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise ValueError("the port is not a number from 1 to 65535")


def store_url(value: str) -> None:
    """Check that the value is a folder, or a URL that fsspec can open."""
    if not value:
        raise ValueError("expected a folder such as data/documents, or a URL such as s3://bucket/folder, got nothing")
    protocol, separator, _ = value.partition("://")
    if not separator:
        return
    # Loaded only if it is needed
    from fsspec.registry import get_filesystem_class, known_implementations

    if protocol not in known_implementations:
        raise ValueError(
            f"expected a folder, or a URL that fsspec can open, such as s3://bucket/folder; got {protocol}://"
        )
    try:
        get_filesystem_class(protocol)
    except ImportError as error:
        raise ValueError(f"the library for {protocol}:// is missing: {error}") from None


# Checks of this machine -----------------------------------------------------------------------------------------------


def can_be_written(folder: Path) -> None:
    """Check that a folder is writable, or can be created."""
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    if not there.is_dir():
        raise ValueError(f"expected a folder, but {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"expected a writable folder, but user {os.getuid()} can't write to {there}")


def store_folder(location: str) -> None:
    """Check the folder of a file store; accept a store at any other kind of URL."""
    place = location.removeprefix("file://").removeprefix("local://")
    if "://" not in place:
        can_be_written(Path(place).expanduser())


def module_folders(value: str) -> None:
    """Check that folders, separated by colons, exist and can be read."""
    for each in filter(None, value.split(":")):
        folder = Path(each).expanduser()
        if not os.path.isdir(folder):
            raise ValueError(f"expected existing folders separated by `:`, but {each} does not exist")
        if not os.access(folder, os.R_OK | os.X_OK):
            raise ValueError(f"expected readable folders separated by `:`, but {each} can't be read")


def package(name: str) -> None:
    """Check that the value is empty or the name of a Python package that is installed."""
    try:
        found = not name or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        found = False
    if not found:
        raise ValueError(f"expected the name of an installed Python package, got {name!r}")


def log_file(path: str) -> None:
    """Check that the value is empty or a file in an existing folder."""
    file = Path(path).expanduser()
    if path and (file.is_dir() or not file.absolute().parent.is_dir()):
        raise ValueError(f"expected a file in an existing folder, got {path!r}")
