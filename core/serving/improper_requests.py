"""What is answered to a request that is no proper HTTP, which never reaches the application."""

from __future__ import annotations

import logging
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]

from ..common.metrics import metrics
from ..storage.serializer import to_json
from ..web.answers import JSON
from ..web.app import COMMON_HEADERS, DEFAULT_HEADERS
from ..web.request_states import new_id

_log = logging.getLogger("comptoir.serve")


def answer_improper_request(connection: Any, status: int, reason: str, message: str) -> None:
    """Answer what is not proper HTTP like every other failure."""
    request_id = new_id()
    text = f"{reason}: {message}" if message else reason
    body = to_json({"error": {"code": status, "message": text, "request_id": request_id}})
    _log.info("request %s failed with %d: %s", request_id, status, reason)
    head = [
        f"HTTP/1.1 {status} {reason}",
        "Connection: close",
        f"Content-Type: {JSON}",
        f"Content-Length: {len(body)}",
        f"X-Request-Id: {request_id}",
        *(f"{name}: {value}" for name, value in (DEFAULT_HEADERS | COMMON_HEADERS).items()),
    ]
    metrics().count_improper_request(status)
    util.write_nonblock(connection, "\r\n".join([*head, "", ""]).encode("latin-1") + body)
