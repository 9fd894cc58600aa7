"""A client with one key that checks the responses."""

from __future__ import annotations

import mimetypes
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import falcon.testing

ADMIN_KEY = "administrator-key-0123456789"

#: the boundary of multipart bodies; no test's file contains it
_BOUNDARY = "6f1d-between-two-parts-of-a-body-29c4"


class _Unfit(threading.local):
    """The mismatch between the result of this thread's call and the annotation."""

    message = ""


_unfit = _Unfit()


def note_unfit_result(message: str) -> None:
    """Make the call of this thread fail, because the method's result doesn't fit its annotation."""
    _unfit.message = message


class Client(falcon.testing.TestClient):
    """Calls the server with one key; `ask` checks the status and returns plain data."""

    #: the user of the key, for clients of `Served.user`
    user_id: int | None = None

    def simulate_request(self, *args: Any, **kwargs: Any) -> Any:
        """Return the response to a request; fail if the method's result doesn't fit its annotation."""
        _unfit.message = ""
        answer = super().simulate_request(*args, **kwargs)
        assert not _unfit.message, _unfit.message
        return answer

    def ask(self, verb: str, path: str, body: Any = None, *, status: int = 200, **options: Any) -> Any:
        """Return the data of a response; fail if its status isn't the expected one.

        :param body: sent as JSON
        :param options: options of `falcon.testing.TestClient.simulate_request`: `params`, `headers` …
        """
        if body is not None:
            options["json"] = body
        return self._data(verb, path, status, options)

    def _data(self, verb: str, path: str, status: int, options: dict[str, Any]) -> Any:
        answer = self.simulate_request(verb, path, **options)
        assert answer.status_code == status, f"{verb} {path} -> {answer.status_code} {answer.text[:600]}"
        return answer.json if answer.content else None

    def get(self, path: str, *, status: int = 200, **params: Any) -> Any:  # type: ignore[override]
        """Do the same for GET; keywords are query parameters."""
        return self.ask("GET", path, status=status, params=params or None)

    def upload(self, path: str, files: Mapping[str, tuple[str, bytes]], *, status: int = 200, **fields: object) -> Any:
        """Upload files in a multipart body; return the data of the response if its status is the expected one.

        :param files: parameter → the file's name and its content: ``{"file": ("hours.csv", b"day,hours")}``
        :param fields: further parameters of the body, sent as text
        """
        parts = [(f'name="{name}"', str(value).encode()) for name, value in fields.items()]
        for name, (file, content) in files.items():
            kind = mimetypes.guess_type(file)[0] or "application/octet-stream"
            parts.append((f'name="{name}"; filename="{file}"\r\nContent-Type: {kind}', content))
        written = [
            f"--{_BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + content + b"\r\n"
            for head, content in parts
        ]
        options = {
            "body": b"".join([*written, f"--{_BOUNDARY}--\r\n".encode()]),
            "headers": {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"},
        }
        return self._data("POST", path, status, options)

    def refused(self, verb: str, path: str, body: Any = None, *, status: int, **options: Any) -> str:
        """Return the message of an error with the expected status."""
        return str(self.ask(verb, path, body, status=status, **options)["error"]["message"])


def constant(admin: Client, name: str, value: str) -> ExitStack:
    """Set a constant at once; in a `with` statement, the end of the block restores it."""
    path = f"/setup/conf/{name}"
    before = admin.simulate_get(path)
    admin.ask("PUT", path, {"value": value})
    undo = ExitStack()
    if before.status_code == 200:
        undo.callback(admin.ask, "PUT", path, {"value": before.json})
    else:
        undo.callback(admin.ask, "DELETE", path)
    return undo


def extra_field(admin: Client, element: str, name: str, **definition: Any) -> ExitStack:
    """Define an extra field at once, by default a text; in a `with` statement, the end of the block removes it.

    :param element: the element type of the records, such as ``societe``
    :param definition: further keys of the body: `type`, `label`, `required` …
    """
    path = f"/setup/extrafields/{element}/{name}"
    admin.ask("POST", path, {"label": name, "type": "varchar"} | definition)
    undo = ExitStack()
    undo.callback(admin.ask, "DELETE", path)
    return undo
