"""A database that has several hosts: a URL that names them all, such as ``mysql://user@a,b:3307,[::1]/name``."""

from __future__ import annotations

#: where a database listens whose URL names no port
PORTS = {"postgresql": 5432, "mysql": 3306}


def split_hosts(url: str) -> tuple[str, list[str]]:
    """A URL with its first host alone, and all hosts with their ports as they are written."""
    scheme, mark, rest = url.partition("://")
    end = next((place for place, sign in enumerate(rest) if sign in "/?#"), len(rest))
    user, at, hosts = rest[:end].rpartition("@")
    each = hosts.split(",")
    return f"{scheme}{mark}{user}{at}{each[0]}{rest[end:]}", each


def host_places(kind: str, hosts: list[str]) -> list[tuple[str, int]]:
    """Host and port of each of several hosts; nothing for a single one.

    :param hosts: with or without a port
    :raises ValueError: a host is empty, or a port is no number
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
