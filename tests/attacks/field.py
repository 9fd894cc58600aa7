"""What is attacked: a server with two workers over a database of its own, people with few rights, secrets, others' records."""

import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from core.testing import drop_database, fresh_database
from tests.serving.running import Running

from .companies import Companies
from .people import KEY, MARK, People
from .published import Published
from .watch import Watch
from .weak import NONE
from .wire import Wire, ask_apart

Item = TypeVar("Item")

ORIGIN = "https://office.example.org"
#: a secret in the environment of the server, as keys of a store of files are
ENVIRONMENT = "planted-environment-8f31"
#: how often one asks to be sure that each worker has been asked
EVERY_WORKER = 16
#: threads that attack at once
THREADS = 8


class Field:
    """A server, and what the attacks know of it.

    :param kind: that of the database
    """

    def __init__(self, folder, kind):
        #: the server's own folder, and one that it has nothing to do with
        self.folder, self.outside = folder / "server", folder / "outside"
        self.folder.mkdir()
        self.outside.mkdir()
        self.kind = kind
        #: a hole that is cut, to see whether an attack finds it
        self.weakness = NONE
        self.database = fresh_database(kind, self.folder)
        self.server = Running(
            self.folder,
            workers=2,
            database=self.database,
            admin_key=KEY,
            origins=ORIGIN,
            access_log=1,
            variables={"PLANTED_SECRET": ENVIRONMENT},
        )
        self.wire = Wire(self.server.port)
        self._pool = ThreadPoolExecutor(THREADS)
        self.documents = self.folder / "data" / "documents"

    def begin(self):
        """Wait for the server, and fill it."""
        self.server.started()
        self.watch = Watch([ENVIRONMENT.encode()], MARK.encode(), str(self.folder))
        self.people = People(self)
        self.watch.secrets += self.people.secrets
        self.look_again()
        self.people.fill(self)

    def look_again(self):
        """Read the description anew."""
        self.published = Published(self.made("/explorer/openapi.json", None, verb="GET"))

    # Requests

    def ask(self, who, verb, path, body=None, headers=None, source=""):
        """One request of somebody; who is unknown is a key, nobody has none."""
        return self._ask(self.weakness, who, verb, path, body, headers, source)

    def _ask(self, weakness, who, verb, path, body=None, headers=None, source=""):
        key = self.people.keys.get(who, who) if hasattr(self, "people") else KEY if who == "admin" else who
        sent = {"DOLAPIKEY": key} if key else {}
        sent |= headers or {}
        weakness.before(sent)
        answer = weakness.after(self.wire.ask(verb, path, body, sent, source))
        whole = (
            unquote(path).encode()
            + (body if isinstance(body, bytes) else json.dumps(body).encode())
            + str(headers).encode()
        )
        who = who if len(who) < 20 else "a key"
        self.watch.look(
            f"{who or 'nobody'} {verb} {path[:100]}",
            whole,
            answer,
            blind=who in People.BLIND,
            administers=who == "admin",
        )
        return answer

    def apart(self, key, verb, path, body=None, headers=None, source=""):
        """One request with a key over a connection of its own."""
        sent = {"DOLAPIKEY": key} if key else {}
        sent |= headers or {}
        self.weakness.before(sent)
        return self.weakness.after(ask_apart(self.server.port, verb, path, body, sent, source))

    def raw(self, content, *, wait=3.0, source=""):
        """What is answered to bytes that may be no proper request."""
        return self.weakness.after_raw(self.wire.raw(content, wait=wait, source=source))

    def each(self, items, attack):
        """Attack with each of these, several at once."""
        waiting = [self._pool.submit(attack, each) for each in items]
        try:
            for done in waiting:
                done.result()
        finally:
            # After a failure nothing more is tried
            for each in waiting:
                each.cancel()
            wait(waiting)

    def made(self, path, body, who="admin", verb="POST"):
        """What is answered to a request that an attack needs; it must succeed."""
        answer = self._ask(NONE, who, verb, path, body)
        assert answer.status == 200, f"{verb} {path} {body} -> {answer.status} {answer.body[:600]!r}"
        return answer.json

    # What is there

    @cached_property
    def companies(self):
        """What belongs to the records of the two third parties; made when it is first asked for."""
        return Companies(self)

    def path(self, operation, whose):
        """The path of an operation with values of somebody's records (`other`, `own`), or such as do not exist."""
        return operation.at(self.people.values(operation, whose))

    def snapshot(self):
        """All that belongs to others, as an administrator reads it."""
        told = {}
        for service, identifier in self.people.others.items():
            answer = self._ask(NONE, "admin", "GET", f"/{service}/{identifier}")
            told[service] = answer.json if answer.status == 200 else answer.status
        return told

    def dropped(self, service):
        """The path of a service whose file has just been dropped in, once every worker has seen the file."""
        self.server.everywhere(f"/{service}", lambda answer: answer.status != 404)
        return f"/{service}"

    @property
    def log(self):
        """Everything that the server has logged."""
        return self.server.output

    def end(self):
        """End the server, drop its database."""
        self._pool.shutdown(cancel_futures=True)
        self.wire.close()
        with suppress(AssertionError):
            self.server.stop()
        drop_database(self.database)


@contextmanager
def field(kind):
    """A field meanwhile."""
    with tempfile.TemporaryDirectory(prefix="comptoir-attack-") as made:
        # Modules are not loaded from where others may write
        os.chmod(made, 0o755)
        ground = Field(Path(made), kind)
        try:
            ground.begin()
            yield ground
        finally:
            ground.end()
