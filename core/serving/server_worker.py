"""Our worker: error bodies, log lines and metrics as the application has them."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from ..common.errors import STANDARD_TEXTS, error_body
from ..common.metrics import metrics
from ..common.process_state import ending
from ..common.settings import settings
from ..storage.serializer import to_json
from ..web.answers import JSON
from ..web.app import COMMON_HEADERS, DEFAULT_HEADERS
from ..web.request_states import STATE, new_id
from .worker import Worker
from .worker.connection import Connection

_log = logging.getLogger("comptoir.serve")


class ServerWorker(Worker):
    """The worker of `comptoir serve`."""

    #: number of its files of metrics; the worker that replaces it gets the same
    number: int

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.client_timeout = float(settings().client_timeout)

    def notify(self) -> None:
        """Tell the master that this worker lives, and the metrics how many of its threads work."""
        super().notify()
        if not self.alive:
            ending.set()
        metrics().busy_threads.set(sum(each.connection is not None for each in self._threads))

    def report_ended_thread(self) -> None:
        """Log and count a thread that has ended."""
        super().report_ended_thread()
        metrics().ended_threads.inc()

    def report_stuck(self, environ: dict[str, Any]) -> str:
        """Log the operation of a request that exceeds the timeout, without its path, which may contain values."""
        state = environ.get(STATE)
        self.log.error(
            "%s %s took more than %d s; the worker is replaced",
            *(environ.get("REQUEST_METHOD", "a request"), (state and state.operation) or "(no operation)"),
            self.cfg.timeout,
            extra={"facts": {"request_id": state.request_id if state else ""}},
        )
        return "the response took longer than COMPTOIR_TIMEOUT; the change may have been made, so read the record first"

    def reject(self, connection: Connection, status: int, message: str) -> None:
        """Respond to a request that doesn't reach the application, with the body of any other error."""
        reason = STANDARD_TEXTS.get(status) or HTTPStatus(status).phrase
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
        metrics().count_improper_request(status)
        connection.sendall("\r\n".join([*head, "", ""]).encode("latin-1") + body)
