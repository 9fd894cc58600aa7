"""What gunicorn writes: one line for each request, without key and query, and errors in the shape of all others."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

_KEYS = re.compile(r"(?i)((?:DOLAPIKEY|api_key|password)(?:=|:\s*))[^&\s'\"]+")


class _Mask(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        masked = _KEYS.sub(r"\1…", text)
        if masked != text:
            record.msg, record.args = masked, ()
        return True


class Log(Logger):  # type: ignore[misc]
    """One line for each request, without query string and headers: keys and filters travel there."""

    error_fmt = "%(asctime)s %(levelname)s %(message)s"
    access_fmt = "%(asctime)s %(message)s"
    datefmt = None

    def setup(self, cfg: Any) -> None:
        """Set the loggers up."""
        super().setup(cfg)
        if not any(isinstance(each, _Mask) for each in self.error_log.filters):
            self.error_log.addFilter(_Mask())

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """Write the line of one request."""
        if self.access_log_enabled:
            self.access_log.info(
                "%s %s %s %s %s %.1f ms",
                environ.get("REMOTE_ADDR") or "-",
                environ.get("REQUEST_METHOD"),
                (environ.get("RAW_URI") or environ.get("PATH_INFO") or "").partition("?")[0],
                str(resp.status).partition(" ")[0],
                resp.sent,
                request_time / timedelta(milliseconds=1),
            )
