"""What is attacked: a server with two workers over a database of its own, people with few rights, secrets, others' records."""

import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from core.testing import drop_database, fresh_database
from tests.files import write_files
from tests.serving.running import Running

from .hooks import HOOKS, SECRET
from .inside import Inside
from .people import KEY, MARK, People
from .published import Published
from .watch import Watch
from .weak import NONE
from .wire import Wire

Item = TypeVar("Item")

#: a secret in the environment of the server, as keys of a store of files are
ENVIRONMENT = "planted-environment-8f31"
#: threads that attack at once
THREADS = 8


class Outside(Running):
    """The server with two workers in processes of their own."""

    #: how often one asks to be sure that each worker has been asked
    asks = 16

    def __init__(self, folder, kind, **options):
        self.database = fresh_database(kind, folder)
        variables = {"PLANTED_SECRET": ENVIRONMENT}
        super().__init__(folder, workers=2, database=self.database, variables=variables, **options)
        self.wire = Wire(self.port)

    def end(self):
        """End it, and drop its database."""
        with suppress(AssertionError):
            self.stop()
        drop_database(self.database)


class Field:
    """A server, and what the attacks know of it.

    :param kind: that of the database
    :param place: `Outside`, or `Inside` of this process
    """

    def __init__(self, folder, kind, place=Outside):
        #: the server's own folder, and one that it has nothing to do with
        self.folder, self.outside = folder / "server", folder / "outside"
        self.folder.mkdir()
        self.outside.mkdir()
        self.kind = kind
        #: a hole that is cut, to see whether an attack finds it
        self.weakness = NONE
        write_files(self.folder, {"modules/hooks/class/api_hooks.py": HOOKS})
        settings = {"documents": str(self.folder / "data" / "documents"), "admin_key": KEY, "fetch_http": 1}
        self.server = place(self.folder, kind, access_log=1, **settings)
        self.database = self.server.database
        self.wire = self.server.wire
        self.is_inside = place is Inside
        self._pool = ThreadPoolExecutor(THREADS)
        self.documents = self.folder / "data" / "documents"

    def begin(self):
        """Wait for the server, and fill it."""
        self.server.started()
        self.watch = Watch([ENVIRONMENT.encode(), SECRET.encode()], MARK.encode(), str(self.folder))
        self.people = People(self)
        self.watch.secrets += self.people.secrets
        self.published = Published(self.made("/explorer/openapi.json", None, verb="GET"))
        self.people.fill(self)

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
        wire = self.wire.another()
        try:
            return self.weakness.after(wire.ask(verb, path, body, sent, source))
        finally:
            wire.close()

    def on_every_worker(self, path, key=""):
        """The answers of all workers to one question."""
        return [self.apart(key, "GET", path) for _ in range(self.server.asks)]

    def raw(self, content, *, wait=3.0, source=""):
        """What is answered to bytes that may be no proper request."""
        return self.weakness.after_raw(self.wire.raw(content, wait=wait, source=source))

    def each(self, items, attack):
        """Attack with each of these, several at once where the server has threads for it."""
        if self.is_inside:
            for each in items:
                attack(each)
            return
        waiting = [self._pool.submit(attack, each) for each in items]
        try:
            for done in waiting:
                done.result()
        finally:
            # After a failure nothing more is tried
            for each in waiting:
                each.cancel()
            wait(waiting)

    def pairs(self, some, others, share):
        """All pairs of two lists; in this process one pair of `share`, so that each item of both is in some of them."""
        share = share if self.is_inside else 1
        return [
            (one, other)
            for number, one in enumerate(some)
            for place, other in enumerate(others)
            if (number + place) % share == 0
        ]

    def made(self, path, body, who="admin", verb="POST"):
        """What is answered to a request that an attack needs; it must succeed."""
        answer = self._ask(NONE, who, verb, path, body)
        assert answer.status == 200, f"{verb} {path} {body} -> {answer.status} {answer.body[:600]!r}"
        return answer.json

    # What is there

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

    @property
    def log(self):
        """Everything that the server has logged."""
        return self.server.output

    def end(self):
        """End the server."""
        self._pool.shutdown(cancel_futures=True)
        self.wire.close()
        self.server.end()


@contextmanager
def field(kind, place=Outside):
    """A field meanwhile."""
    with tempfile.TemporaryDirectory(prefix="comptoir-attack-") as made:
        # Modules are not loaded from where others may write
        os.chmod(made, 0o755)
        ground = Field(Path(made), kind, place)
        try:
            ground.begin()
            yield ground
        finally:
            ground.end()
