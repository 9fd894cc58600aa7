"""Errors of requests that don't reach the application, and their response."""

from __future__ import annotations

import logging
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]

from ..common.errors import error_body
from ..common.runtime import active
from ..storage.serializer import to_json
from ..web.answers import JSON
from ..web.app import COMMON_HEADERS, DEFAULT_HEADERS
from ..web.request_states import new_id


class Refusal(Exception):
    """An error outside the application, with the status and message of its response."""

    status = 500
    message = ""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message or self.message


class NotHttp(Refusal):
    """A head that isn't valid HTTP, although gunicorn accepts it."""

    status = 400


class TooSlow(Refusal):
    """A request that didn't arrive in time."""

    status = 408
    message = "the request didn't arrive in time; send it again"


class TooLong(Refusal):
    """A body without Content-Length that exceeds the limit."""

    status = 413


class TooMuch(Refusal):
    """All uploads together exceed the limit."""

    status = 503
    message = "too many bytes are being uploaded at once; try again later"


class Stuck(Refusal):
    """The response took longer than the timeout."""

    status = 503
    message = "the response took longer than COMPTOIR_TIMEOUT; the change may have been made, so read the record first"


_log = logging.getLogger("comptoir.serve")


def answer_improper_request(connection: Any, status: int, reason: str, message: str) -> None:
    """Respond to a request that isn't valid HTTP with the body of any other error."""
    request_id = new_id()
    body = to_json(error_body(status, message, request_id=request_id, standard=reason))
    _log.info("request %s failed with %d: %s", request_id, status, reason)
    head = [
        f"HTTP/1.1 {status} {reason}",
        "Connection: close",
        f"Content-Type: {JSON}",
        f"Content-Length: {len(body)}",
        f"X-Request-Id: {request_id}",
        *(f"{name}: {value}" for name, value in (DEFAULT_HEADERS | COMMON_HEADERS).items()),
    ]
    active.runtime.metrics.count_improper_request(status)
    util.write_nonblock(connection, "\r\n".join([*head, "", ""]).encode("latin-1") + body)
