"""Logging in one format: our loggers, gunicorn's, those of modules, and Python's warnings.

The line of a request, if it is enabled, has its operation, but never its path, query or headers: they can contain keys,
filters and values.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from datetime import UTC, datetime, timedelta
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from ..common.errors import shortened
from ..common.masks import masked
from ..common.request_state import current_state
from ..common.settings import Settings
from ..web.request_states import STATE

_PLAIN = re.compile(r"[\w.@:/{}*+-]+", re.ASCII)


#: characters of the message of a line, and of its traceback; they may quote a value that a client has sent
MAX_TEXT_CHARS = 20_000


def facts_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the facts of a record: its own, or the ID of the current request."""
    facts: dict[str, Any] | None = getattr(record, "facts", None)
    if facts is not None:
        return facts
    state = current_state()
    return {"request_id": state.request_id} if state is not None and state.request_id else {}


class TextLines(logging.Formatter):
    """A line of text; a traceback follows on separate lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        message = _text(record.getMessage()).replace("\r", "\\r").replace("\n", "\\n")
        facts = [f"{name}={_shown(value)}" for name, value in facts_of(record).items() if value not in ("", None)]
        line = " ".join([self.formatTime(record), record.levelname, message, *facts])
        # `record.exc_text`, which another formatter may have set, isn't masked
        return f"{line}\n{_text(self.formatException(record.exc_info))}" if record.exc_info else line


def _text(text: str) -> str:
    """Return a text without secrets, and of limited length."""
    return shortened(masked(text), MAX_TEXT_CHARS)


def _shown(value: Any) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


class JsonLines(logging.Formatter):
    """A JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": _text(record.getMessage()),
            **facts_of(record),
        }
        if record.exc_info:
            line["trace"] = _text(self.formatException(record.exc_info))
        return json.dumps(line)


FORMATS: dict[str, type[logging.Formatter]] = {"text": TextLines, "json": JsonLines}


#: one line for each request
_requests = logging.getLogger("comptoir.requests")


class CannotLog(Exception):
    """The log file can't be written."""


#: the handlers that `set_up_logs` has added
_handlers: list[tuple[logging.Logger, logging.Handler]] = []


def set_up_logs(configuration: Settings) -> None:
    """Configure all loggers of this process; this replaces an earlier configuration.

    :raises CannotLog: the log file can't be written
    """
    everything = logging.getLogger()
    if configuration.log_file:
        made = [(everything, _file_handler(configuration.log_file))]
    else:
        made = [(everything, logging.StreamHandler(sys.stderr)), (_requests, logging.StreamHandler(sys.stdout))]
    for logger, handler in _handlers:
        logger.removeHandler(handler)
        handler.close()
    _handlers[:] = made
    for logger, handler in made:
        handler.setFormatter(FORMATS[configuration.log_format]())
        logger.addHandler(handler)
    everything.setLevel(logging.WARNING)
    _requests.setLevel(logging.INFO)
    _requests.propagate = len(made) == 1
    logging.captureWarnings(True)


class PrivateFileHandler(WatchedFileHandler):
    """Creates a log file that only its owner may read; an existing file keeps its mode."""

    def _open(self) -> Any:
        return open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=_open_private)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _file_handler(path: str) -> logging.Handler:
    file = Path(path).expanduser().resolve()
    try:
        # Before each line, it checks whether its file has been moved
        return PrivateFileHandler(file, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        advice = "set another file in COMPTOIR_LOG_FILE"
        raise CannotLog(f"can't write to the log file {file}: {error.strerror}; {advice}") from error


class Log(Logger):  # type: ignore[misc]
    """The logger of gunicorn."""

    def setup(self, cfg: Any) -> None:
        """Configure gunicorn's logger like all others."""
        self.cfg = cfg
        self._master = os.getpid()
        self._access_log_enabled = bool(cfg.accesslog)
        self.loglevel = self.LOG_LEVELS.get(cfg.loglevel.lower(), logging.INFO)
        self.error_log.setLevel(self.loglevel)
        self.error_log.propagate = True

    def reopen_files(self) -> None:
        """Open the log file again after it was moved.

        Only the master does this at once. In a worker, the signal may interrupt the writing of a line; the next line
        opens the file.
        """
        if os.getpid() == self._master:
            for _, handler in _handlers:
                if isinstance(handler, WatchedFileHandler):
                    handler.acquire()
                    try:
                        handler.reopenIfNeeded()
                    finally:
                        handler.release()

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """Write the line of a request."""
        if not self.access_log_enabled:
            return
        state = environ.get(STATE)
        if state is None:
            return
        caller = state.caller
        verb = environ.get("REQUEST_METHOD")
        status = int(str(resp.status).partition(" ")[0])
        facts = {
            "address": state.address() or None,
            "request_id": state.request_id,
            "user": (caller.login if caller else "") or None,
            "key": (caller.key_label if caller else "") or None,
            "verb": verb,
            "operation": state.operation or None,
            "status": status,
            "ms": round(request_time / timedelta(milliseconds=1), 1),
            "database_ms": round(state.database_time * 1000, 1),
            "bytes": resp.sent,
        }
        _requests.info("%s %s %d", verb, state.operation or "-", status, extra={"facts": facts})
