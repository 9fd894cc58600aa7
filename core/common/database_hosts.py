"""Database URLs with several hosts, such as ``mysql://user@a,b:3307,[::1]/name``."""

from __future__ import annotations

#: default port of each kind of database
PORTS = {"postgresql": 5432, "mysql": 3306}


def split_hosts(url: str) -> tuple[str, list[str]]:
    """Return the URL with only its first host, and all hosts with their ports as written."""
    scheme, mark, rest = url.partition("://")
    end = next((place for place, sign in enumerate(rest) if sign in "/?#"), len(rest))
    user, at, hosts = rest[:end].rpartition("@")
    each = hosts.split(",")
    return f"{scheme}{mark}{user}{at}{each[0]}{rest[end:]}", each


def host_places(kind: str, hosts: list[str]) -> list[tuple[str, int]]:
    """Return host and port of each host; empty for a single host.

    :param hosts: hosts with or without a port
    :raises ValueError: a host is empty or a port isn't a number
    """
    if len(hosts) == 1 or kind not in PORTS:
        return []
    return [_place(each, PORTS[kind]) for each in hosts]


def _place(text: str, usual: int) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(usual)
    host = host.strip("[]")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"expected hosts such as a:{usual},b:{usual}, got {text!r}")
    return host, int(port)
