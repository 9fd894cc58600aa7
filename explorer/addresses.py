"""Where the server is, as its caller wrote it: what the published documents tell other programs to call."""

from __future__ import annotations

import re

import falcon

from core.common.client_addresses import proxies_of
from core.common.settings import settings

_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?", re.ASCII)
#: the part of the path that a proxy has taken off; only that of our own proxies is believed
_PREFIX = re.compile(r"(/[\w.~-]+)*", re.ASCII)


def root_of(request: falcon.Request) -> str:
    """The path below which everything is served, as the caller wrote it; empty: the host's own root."""
    path = request.root_path + request.path.lower()
    path = path[: path.rindex("/explorer/")]
    prefix = (request.get_header("X-Forwarded-Prefix") or "").rstrip("/")
    trusted = (request.env.get("REMOTE_ADDR") or "") in proxies_of(settings().proxies)
    return prefix + path if trusted and _PREFIX.fullmatch(prefix) else path


def host_of(request: falcon.Request) -> str:
    """The host with its port, as the caller wrote it; empty where that is no host."""
    host = request.get_header("Host") or request.netloc
    return host if _HOST.fullmatch(host) else ""
