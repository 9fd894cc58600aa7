"""A server in this process, asked without a socket; an answer that blames the server breaks a rule."""

from __future__ import annotations

import io
import logging
import sqlite3
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

import falcon
from falcon.testing import create_environ

from core.records.extra_fields import CHOICES, TYPES
from core.storage.database import database, ensure_connected
from core.testing import ADMIN_KEY, Served, make_settings
from core.web.bodies import READERS, read_body
from tests.fuzz.findings import Broken

#: statuses from 500 on that say what they mean
_MEANT = (501, 503)


@dataclass
class Answer:
    """What a request was answered."""

    status: int
    headers: dict[str, str]
    body: bytes


class _Failures(logging.Handler):
    """Keeps the error behind an answer of 500."""

    error: BaseException | None = None

    def emit(self, record):
        if record.exc_info:
            self.error = record.exc_info[1]


class Site:
    """The native modules over a database with a record of each kind.

    :param few: requests after which the database is what it was at the beginning
    """

    def __init__(self, folder, few=200, **options):
        self._few = few
        self.served = Served(make_settings(folder, **options))
        self._asked = 0
        self._environ = create_environ("/", headers={"DOLAPIKEY": ADMIN_KEY})
        self._failures = _Failures()
        logging.getLogger("comptoir").addHandler(self._failures)
        logging.getLogger("comptoir").propagate = False
        self._fill()
        self.remember()

    def remember(self):
        """Let the database be restored to what it is now."""
        self._before = sqlite3.connect(":memory:")
        self._live.backup(self._before)

    @property
    def _live(self):
        ensure_connected()
        return database.obj.connection()

    def _fill(self):
        admin = self.served.client()
        for kind in TYPES:
            options = {"param": {"options": {"a": "A", "b": "B"}}} if kind in CHOICES else {}
            definition = {"label": kind, "type": kind, **options}
            admin.ask("POST", f"/setup/extrafields/societe/{kind}", definition)
        socid = admin.ask("POST", "/thirdparties", {"name": "Ltd", "client": 1, "fournisseur": 1})
        admin.ask("POST", "/contacts", {"lastname": "Doe", "socid": socid})
        admin.ask("POST", "/products", {"ref": "p1", "label": "Product"})
        for service in ("proposals", "orders", "invoices"):
            admin.ask(
                "POST", f"/{service}", {"socid": socid, "date": "2026-11-22", "lines": [{"subprice": 10, "qty": 1}]}
            )

    def _restore(self):
        """The database as it was, but for the counter of what is kept in memory, which only rises."""
        live = self._live
        live.rollback()
        row = live.execute("SELECT number FROM comptoir_generation").fetchone()
        if row is not None:
            self._before.execute("DELETE FROM comptoir_generation")
            self._before.execute("INSERT INTO comptoir_generation (rowid, number) VALUES (1, ?)", (row[0] + 1,))
            self._before.commit()
        self._before.backup(live)

    def ask(self, verb, path, query=b"", body=b"", **variables):
        """Send a request.

        :param path: as a client writes it
        :param variables: further variables of the environment; None: leave out
        :raises Broken: the answer blames the server
        """
        environ = self._environ | {
            "REQUEST_METHOD": verb,
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "RAW_URI": path.decode("latin-1"),
            "QUERY_STRING": query.decode("latin-1"),
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
            **variables,
        }
        return self.answer({name: value for name, value in environ.items() if value is not None})

    def answer(self, environ):
        """Have an environment answered."""
        self._asked += 1
        if self._asked % self._few == 0:
            self._restore()
        said = []
        self._failures.error = None
        content = b"".join(closed(self.served.app(environ, lambda *head: said.append(head))))
        status, headers = said[-1]
        answer = Answer(int(status[:3]), {name.lower(): value for name, value in headers}, content)
        if answer.status >= 500 and answer.status not in _MEANT:
            detail = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']!r:.80} -> {status}"
            raise Broken("no request makes the server fail", detail) from self._failures.error
        for name, value in headers:
            if any(character in "\r\n\0" or character > "\xff" for character in name + value):
                raise Broken("headers can be sent", (name, value))
        return answer

    def close(self):
        """Stop the server."""
        self.served.close()


def body_of(media_type, content):
    """What the server makes of a body.

    :raises ApiError: it cannot be read
    """
    environ = create_environ("/", method="POST")
    environ |= {"CONTENT_TYPE": media_type, "CONTENT_LENGTH": str(len(content)), "wsgi.input": io.BytesIO(content)}
    return read_body(falcon.Request(environ), len(content), READERS)


def closed(body):
    """A body to its end, closed as a server does."""
    try:
        yield from body
    finally:
        getattr(body, "close", lambda: None)()
