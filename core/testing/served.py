"""A server in this process with its own database, and users for it."""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any

import peewee

from ..access.accounts import Account, Grant
from ..access.keys import make_key
from ..access.restrictions import Restriction
from ..common.clock import as_if, clock
from ..common.process import process_values, use_values
from ..common.settings import Settings, current_settings
from ..contract.results import unfit_result
from ..jobs.queue import due_of
from ..jobs.runner import run_due
from ..loading.loader import Loader
from ..loading.reload import LOOK_THREAD
from ..storage.database import backend, close, database, ensure_connected
from ..wsgi import Server, build
from .client import ADMIN_KEY, Client, note_unfit_result
from .databases import copy_database, drop_database, fresh_database

_numbers = itertools.count(1)


class Served:
    """A server, which is active until the next one is made, and the means to make users for it."""

    def __init__(self, configuration: Settings) -> None:
        self.settings = configuration
        self.server = _build(configuration)
        ensure_connected()
        if backend().name == "sqlite":
            # Tests don't need to survive a power cut
            database.obj.pragma("synchronous", "off", permanent=True)
            # A connection knows from its beginning whether to wait
            close()
            ensure_connected()
        #: exists already if the database is a copy of one that has been served
        self.administrator = Account.get_or_none(Account.login == "administrator") or self._administrator()

    @property
    def app(self) -> Any:
        """The falcon application."""
        return self.server.app

    def client(self, key: str | None = ADMIN_KEY) -> Client:
        """Return a client with a key, by default the administrator's (None: no key)."""
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
        """Return a client of a new user with these permissions; its `user_id` is the user's ID.

        :param socid: an external user of this third party
        :param represents: third parties the user represents
        :param only: restrict the key to these permissions
        """
        ensure_connected()
        login = login or f"user{next(_numbers)}"
        user = Account.create(login=login, admin=int(admin), socid=socid, lastname=login)
        for right in rights:
            Grant.create(user=user.id, name=right)
        for each in represents:
            self.client().ask("POST", f"/thirdparties/{each}/representatives/{user.id}")
        client = self.client(
            make_key(user.id, "tests", restriction=Restriction(None if only is None else frozenset(only)))
        )
        client.user_id = user.id
        return client

    def run_jobs(self, at: datetime | date | float | None = None, *, failing: bool = False) -> int:
        """Run due jobs and schedules in this thread, and the jobs that these enqueue; return the number of jobs.

        The functions with ``@repeat`` are called first, once. Schedules begin with the first call.

        :param at: the time to use as the current one, as `later` takes it
        :param failing: continue if a job or such a function fails, instead of raising its error
        """
        with as_if(None if at is None else due_of(at)):
            outcomes = run_due()
        errors = [each.error for each in outcomes if each.error is not None]
        if errors and not failing:
            raise errors[0]
        return len(outcomes)

    def _administrator(self) -> Account:
        made: Account = Account.create(login="administrator", admin=1, lastname="Admin")
        make_key(made.id, "tests", key=ADMIN_KEY)
        return made

    def close(self) -> None:
        """Close the connection."""
        close()


def make_settings(folder: Path, kind: str = "sqlite", **options: Any) -> Settings:
    """Return settings with a new database, which has the empty tables of the native modules.

    Call it before you make a server: the first call of a process activates a server of its own.

    :param folder: the folder of files and of a SQLite database
    :param options: further settings, such as `database`
    """
    if "database" not in options:
        options["database"] = copy_database(_tables_of(kind), folder)
    # A slow machine changes no result
    fixed = {"admin_key": ADMIN_KEY, "workers": 2, "batch_seconds": 600}
    return Settings(**{"documents": str(folder / "documents"), **fixed, **options})


@contextmanager
def serving(folder: Path, kind: str = "sqlite", **options: Any) -> Iterator[Served]:
    """Context manager with an active server. Afterwards its database is dropped, and the former server is active again.

    The parameters are those of `make_settings`.
    """
    with keeping_server():
        served = Served(make_settings(folder, kind, **options))
        try:
            yield served
        finally:
            # A load that a request has begun in the background would change the tables of the next server
            for thread in threading.enumerate():
                if thread.name == LOOK_THREAD:
                    thread.join(60)
            served.close()
            drop_database(served.settings.database)


@contextmanager
def keeping_server() -> Iterator[None]:
    """Context manager after which the former server is active again, if another one was made."""
    before, opened = process_values(), database.obj
    try:
        yield
    finally:
        if database.obj is not opened:
            close()
            use_values(before)
            database.initialize(opened)


# Made once in a process ----------------------------------------------------------------------------------------------

#: kind and whether there are native modules → a database to be copied, with the tables of all, and its folder
_with_tables: dict[tuple[str, bool], tuple[str, Path]] = {}
#: the loader of the last server; the next one takes over its native modules
_last_loader: list[Loader] = []
#: all databases: caches use the `id` of a database, which must not be reused
_databases: list[peewee.Database] = []


def _tables_of(kind: str) -> str:
    wanted = kind, any(Settings().module_folders[0].iterdir())
    if wanted not in _with_tables:
        folder = Path(tempfile.mkdtemp(prefix="comptoir-tests-"))
        made = fresh_database(kind, folder)
        _with_tables[wanted] = made, folder
        _build(Settings(database=made, documents=str(folder / "documents")))
    return _with_tables[wanted][0]


@atexit.register
def forget_tables() -> None:
    """Remove the databases made for copies, at the end of the process or earlier."""
    while _with_tables:
        made, folder = _with_tables.popitem()[1]
        drop_database(made)
        shutil.rmtree(folder, ignore_errors=True)


def _build(configuration: Settings) -> Server:
    use_values({current_settings: configuration, clock: clock.value, unfit_result: note_unfit_result})
    server = build(drafts=True, predecessor=_last_loader[0] if _last_loader else None)
    # A call after a file was written finds it even if the machine is busy
    server.reloader.patience = 60.0
    _last_loader[:] = [server.reloader.loader]
    _databases.append(database.obj)
    return server
