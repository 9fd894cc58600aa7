"""What a series of operations sends, kept to be printed if it breaks a law."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, ClassVar, NamedTuple

#: what varies in a path
_VARIABLE = re.compile(r"(?<=/)(?:\d+|[A-Z_]{4,})")


class BrokenLawError(AssertionError):
    """A law that doesn't hold, with the series of operations that breaks it."""


class Answer(NamedTuple):
    """The response to a call.

    :param warning: the header `Warning`
    """

    status: int
    data: Any
    warning: str

    @property
    def is_done(self) -> bool:
        """Return whether the operation succeeded."""
        return self.status == 200

    @property
    def made(self) -> int:
        """Return the ID of what was created: the response itself, or its `id`."""
        return int(self.data["id"] if isinstance(self.data, dict) else self.data)

    @property
    def reason(self) -> str:
        """Return the message of a refusal."""
        return str(self.data["error"]["message"]) if isinstance(self.data, dict) and "error" in self.data else ""


class Journal:
    """Calls a server, and keeps one line for each writing call.

    :param client: a client of `core.testing`
    """

    #: operation, as verb and path with `{}`, → how often it succeeded, in all series
    done: ClassVar[Counter[str]] = Counter()

    def __init__(self, client):
        self.client = client
        self.lines = []

    def call(self, verb, path, body=None, **params):
        """Return the response to a call; fail if the server fails."""
        options = {"json": body} if body is not None else {}
        if params:
            options["params"] = params
        got = self.client.simulate_request(verb, path, **options)
        data = got.json if got.content else None
        answer = Answer(got.status_code, data, got.headers.get("warning", ""))
        if verb != "GET":
            self._write(verb, path, body, answer)
            if answer.is_done:
                self.done[f"{verb} {_VARIABLE.sub('{}', path)}"] += 1
                if path == "/invoices":
                    self.done[f"invoices of type {body.get('type', 0)}"] += 1
        if answer.status >= 500 or (verb == "GET" and answer.status not in (200, 404)):
            self.broken("never a 500", f"{verb} {path} -> {answer.status} {got.text[:400]}")
        return answer

    def get(self, path, **params):
        """Return the data of a record or a list."""
        return self.call("GET", path, **params).data

    def note(self, text):
        """Add a remark to the series."""
        self.lines.append(f"# {text}")

    def broken(self, law, message):
        """Fail, with the series so far."""
        raise BrokenLawError("\n".join([f"{law}: {message}", "", *self.lines]))

    def _write(self, verb, path, body, answer):
        sent = "" if body is None else " " + json.dumps(body, ensure_ascii=False)
        got = (answer.made if _is_id(answer.data) else "") if answer.is_done else answer.reason
        warning = f" ({answer.warning})" if answer.warning else ""
        self.lines.append(f"{verb} {path}{sent} -> {answer.status} {got}{warning}".rstrip())


def _is_id(data):
    return isinstance(data, int) or (isinstance(data, dict) and "id" in data)
