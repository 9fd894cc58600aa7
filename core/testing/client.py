"""Calls with one key, and what is expected of their answers."""

from __future__ import annotations

from typing import Any

import falcon.testing

ADMIN_KEY = "administrator-key-0123456789"


class Client(falcon.testing.TestClient):
    """Calls the server with one key; `ask` answers plain data and insists on a status."""

    #: the user the key belongs to, for clients of `Served.user`
    user_id: int | None = None

    def ask(self, verb: str, path: str, body: Any = None, *, status: int = 200, **options: Any) -> Any:
        """The data that the server answers, once its status is the expected one.

        :param body: what is sent as JSON
        :param options: what `falcon.testing.TestClient.simulate_request` takes: `params`, `headers` …
        """
        if body is not None:
            options["json"] = body
        answer = self.simulate_request(verb, path, **options)
        assert answer.status_code == status, f"{verb} {path} -> {answer.status_code} {answer.text[:600]}"
        return answer.json if answer.content else None

    def get(self, path: str, *, status: int = 200, **params: Any) -> Any:  # type: ignore[override]
        """The same for GET; query parameters are keywords."""
        return self.ask("GET", path, status=status, params=params or None)

    def refused(self, verb: str, path: str, body: Any = None, *, status: int, **options: Any) -> str:
        """The message of an answer that refuses with a status."""
        return str(self.ask(verb, path, body, status=status, **options)["error"]["message"])
