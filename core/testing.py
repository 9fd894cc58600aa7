"""A server in this process, over a database of its own: what the tests call."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import falcon.testing
import peewee

from .access.accounts import Account, Grant
from .access.keys import make_key
from .common.settings import Settings
from .storage.database import close, database, ensure_connected
from .wsgi import build

ADMIN_KEY = "administrator-key-0123456789"

KINDS = ("sqlite", "postgresql", "mysql")
SERVERS = {
    "postgresql": os.environ.get("COMPTOIR_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres"),
    "mysql": os.environ.get("COMPTOIR_TEST_MYSQL", "mysql://root@127.0.0.1:3306/test"),
}

_numbers = itertools.count(1)


class Client(falcon.testing.TestClient):
    """Calls the server with one key; `ask` answers plain data and insists on a status."""

    def ask(self, verb: str, path: str, body: Any = None, *, status: int = 200, **options: Any) -> Any:
        """The answer's data, after checking its status."""
        if body is not None:
            options["json"] = body
        answer = self.simulate_request(verb, path, **options)
        assert answer.status_code == status, f"{verb} {path} -> {answer.status_code} {answer.text[:600]}"
        return answer.json if answer.content else None

    def get(self, path: str, *, status: int = 200, **params: Any) -> Any:  # type: ignore[override]
        """GET; query parameters as keywords."""
        return self.ask("GET", path, status=status, params=params or None)

    def refused(self, verb: str, path: str, body: Any = None, *, status: int, **options: Any) -> str:
        """The message of an answer that refuses with a status."""
        return str(self.ask(verb, path, body, status=status, **options)["error"]["message"])


class Served:
    """A server in force, and the means to make users for it."""

    def __init__(self, configuration: Settings) -> None:
        self.settings = configuration
        self.server = build(configuration)
        ensure_connected()
        self.administrator = Account.create(login="administrator", admin=1, lastname="Admin")
        make_key(self.administrator.id, "tests", key=ADMIN_KEY)

    @property
    def app(self) -> Any:
        """The falcon application."""
        return self.server.app

    def client(self, key: str | None = ADMIN_KEY) -> Client:
        """A client with a key (None: without one)."""
        return Client(self.app, headers={"DOLAPIKEY": key} if key else {})

    def user(
        self,
        *rights: str,
        socid: int | None = None,
        admin: bool = False,
        represents: Iterable[int] = (),
        only: list[str] | None = None,
        login: str = "",
    ) -> Client:
        """A client of a new user with these rights.

        :param socid: an external user of this third party
        :param represents: third parties the user represents
        :param only: restrict the key to these rights
        """
        ensure_connected()
        login = login or f"user{next(_numbers)}"
        user = Account.create(login=login, admin=int(admin), socid=socid, lastname=login)
        for right in rights:
            Grant.create(user=user.id, name=right)
        for each in represents:
            self.client().ask("POST", f"/thirdparties/{each}/representatives/{user.id}")
        client = self.client(make_key(user.id, "tests", rights=only))
        client.user_id = user.id  # type: ignore[attr-defined]
        return client

    def close(self) -> None:
        """Close the connection."""
        close()


class statements:
    """Collects the statements that run meanwhile: ``with statements() as seen: …; assert len(seen) == 3``."""

    def __enter__(self) -> list[str]:
        self.seen: list[str] = []
        ensure_connected()
        database.obj.query_hooks.append(self._note)
        return self.seen

    def __exit__(self, *error: object) -> None:
        database.obj.query_hooks.remove(self._note)

    def _note(self, event: Any) -> None:
        self.seen.append(str(event.sql))


def cost(call: Callable[[], object]) -> int:
    """How many statements a call costs, once what is kept in memory is there."""
    call()
    with statements() as seen:
        call()
    return len(seen)


def make_settings(folder: Path, kind: str = "sqlite", **options: Any) -> Settings:
    """Settings over a fresh database of a kind."""
    return Settings(
        **{
            "database": fresh_database(kind, folder),
            "documents": str(folder / "documents"),
            "admin_key": ADMIN_KEY,
            "workers": 2,
            **options,
        }
    )


def fresh_database(kind: str, folder: Path) -> str:
    """The URL of an empty database."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/test{next(_numbers)}.db"
    url = SERVERS[kind]
    name = f"comptoir_test_{os.getpid()}_{next(_numbers)}"
    _administer(kind, f"CREATE DATABASE {name}")
    return url.rpartition("/")[0] + "/" + name


def drop_database(url: str) -> None:
    """Remove a database of `fresh_database`."""
    kind = urlsplit(url).scheme
    if kind in SERVERS:
        name = url.rpartition("/")[2]
        _administer(kind, f"DROP DATABASE {name}" + (" WITH (FORCE)" if kind == "postgresql" else ""))


def why_not(kind: str) -> str:
    """Why a kind of database cannot be tested on this machine; empty when it can."""
    if kind == "sqlite":
        return ""
    try:
        _administer(kind, "SELECT 1")
    except (peewee.PeeweeException, ImportError, OSError) as error:
        return f"no {kind} at {SERVERS[kind]}: {type(error).__name__}"
    return ""


def _administer(kind: str, statement: str) -> None:
    from playhouse.db_url import connect

    server = connect(SERVERS[kind], unquote_password=True, unquote_user=True)
    server.connect()
    try:
        server.execute_sql(statement)
    finally:
        server.close()


__all__ = ["ADMIN_KEY", "KINDS", "Client", "Served", "database", "drop_database", "make_settings", "why_not"]
