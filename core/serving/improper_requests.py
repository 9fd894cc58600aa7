"""What is answered to a request that is no proper HTTP, which never reaches the application."""

from __future__ import annotations

import socket

from gunicorn import util  # type: ignore[import-untyped]

from ..storage.serializer import to_json
from ..web.answers import JSON
from ..web.app import COMMON_HEADERS, DEFAULT_HEADERS


def answer_improper_request(connection: socket.socket, status: int, reason: str, message: str) -> None:
    """Answer what is not proper HTTP like every other failure."""
    body = to_json({"error": {"code": status, "message": f"{reason}: {message}" if message else reason}})
    head = [
        f"HTTP/1.1 {status} {reason}",
        "Connection: close",
        f"Content-Type: {JSON}",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in (DEFAULT_HEADERS | COMMON_HEADERS).items()),
    ]
    util.write_nonblock(connection, "\r\n".join([*head, "", ""]).encode("latin-1") + body)
