"""How a line of the log looks: as text, or as one JSON object.

Nothing that is logged shows a key or a password, and nothing breaks out of its line.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

from ..common.masks import masked
from ..common.request_state import current_state

_PLAIN = re.compile(r"[\w.@:/{}*+-]+", re.ASCII)


def facts_of(record: logging.LogRecord) -> dict[str, Any]:
    """What a record tells besides its message: its own facts, or the request that it was written in."""
    facts: dict[str, Any] | None = getattr(record, "facts", None)
    if facts is not None:
        return facts
    state = current_state()
    return {"request_id": state.request_id} if state is not None and state.request_id else {}


class TextLines(logging.Formatter):
    """A line of text; a traceback follows on lines of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        message = masked(record.getMessage()).replace("\r", "\\r").replace("\n", "\\n")
        told = [f"{name}={_shown(value)}" for name, value in facts_of(record).items() if value not in ("", None)]
        line = " ".join([self.formatTime(record), record.levelname, message, *told])
        # What another formatter has kept of the traceback is not masked
        return f"{line}\n{masked(self.formatException(record.exc_info))}" if record.exc_info else line


def _shown(value: Any) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


class JsonLines(logging.Formatter):
    """One object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": masked(record.getMessage()),
            **facts_of(record),
        }
        if record.exc_info:
            line["trace"] = masked(self.formatException(record.exc_info))
        return json.dumps(line)


FORMATS: dict[str, type[logging.Formatter]] = {"text": TextLines, "json": JsonLines}
