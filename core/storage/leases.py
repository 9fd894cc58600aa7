"""Leases: locks that are rows, so that they hold over all hosts, whichever of a cluster's nodes each of them asks.

A lock that a connection holds (MariaDB's GET_LOCK) is known to its node alone, and what is committed on two nodes at
once is refused to one of them: so a lease is taken by an UPDATE that is committed at once. Its thread renews it while
it is needed, on a connection of its own. Whoever dies keeps it for `LEASE` seconds at most.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import peewee

from .database import close, database, ensure_connected, marked, query, transaction
from .model import Model, meta_of
from .troubles import CONFLICT, UNKNOWN_OUTCOME, trouble_of

_log = logging.getLogger("comptoir.tables")

#: seconds for which a lease holds that nobody renews. The clocks of a cluster's nodes must differ by less than half
LEASE = 20
#: seconds between two renewals
RENEWAL = 4.0
#: seconds between two looks whether a lease that somebody else holds has become free
LOOK = 0.05


class Lease(Model):
    """A lease; it is free once `ends` has passed."""

    name = peewee.CharField(max_length=64, primary_key=True)
    holder = peewee.CharField(max_length=64, default="")
    ends = peewee.BigIntegerField(default=0, help_text="Unix seconds, by the database's clock")

    class Meta:
        table_name = "comptoir_lease"
        audited = False


def make_lease(name: str) -> None:
    """Make the row of a lease, with its table, where there is none."""
    if meta_of(Lease).table_name not in database.get_tables():
        # Of two at once PostgreSQL refuses one, although it was asked not to
        with suppress(peewee.IntegrityError, peewee.ProgrammingError), transaction():
            Lease.create_table(safe=True)
    if not query("SELECT 1 FROM comptoir_lease WHERE name = ?", (name,)):
        with suppress(peewee.IntegrityError), transaction():
            Lease.insert(name=name).execute()


class _Mine(threading.local):
    #: the leases that this thread holds
    names: tuple[str, ...] = ()


_mine = _Mine()


class LeaseLost(peewee.OperationalError):
    """A lease could not be renewed, and may be another's by now."""


@contextmanager
def leased(name: str) -> Iterator[None]:
    """Hold a lease of MariaDB's meanwhile; waits for it as long as others renew it.

    :raises LeaseLost: before the next statement of this thread, or at the end: the lease could not be renewed
    """
    if name in _mine.names:
        yield
        return
    keeper = _Keeper(name)
    own = database.obj.own
    watch = own.watch

    def insist_first(sql: str) -> None:
        keeper.insist()
        if watch is not None:
            watch(sql)

    try:
        keeper.take()
        own.watch, _mine.names = insist_first, (*_mine.names, name)
        yield
        keeper.insist()
    finally:
        own.watch, _mine.names = watch, tuple(each for each in _mine.names if each != name)
        keeper.give_back()


class _Keeper:
    """Takes a lease, renews it and gives it back, in a thread that has a connection of its own."""

    def __init__(self, name: str) -> None:
        self._name, self._holder = name, secrets.token_hex(16)
        self._taken, self._over = threading.Event(), threading.Event()
        self._failure: BaseException | None = None
        #: when it ends unless it is renewed, by a clock that nobody sets
        self._ends = 0.0
        self._thread = threading.Thread(target=self._keep, name=f"lease {name}", daemon=True)

    def take(self) -> None:
        """Wait for the lease."""
        self._thread.start()
        self._taken.wait()
        if self._failure is not None:
            raise self._failure

    def insist(self) -> None:
        """Go on only while it holds."""
        if time.monotonic() > self._ends:
            raise LeaseLost(1205, f"the lease {self._name} could not be renewed; another server may hold it now")

    def give_back(self) -> None:
        """Let others have it."""
        self._over.set()
        self._thread.join()

    def _keep(self) -> None:
        try:
            self._wait_for_it()
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            self._failure = error
        finally:
            self._taken.set()
        while self._failure is None and not self._over.wait(RENEWAL):
            # Where the database is away, the next renewal may find it again
            with suppress(peewee.PeeweeException):
                ensure_connected()
                mine = self._name, self._holder
                # Within one second there is nothing to be changed
                if not self._write(_RENEW, LEASE, *mine) and not query(_IS_MINE, mine):
                    self._ends = 0.0
                    break
        with suppress(peewee.PeeweeException):
            ensure_connected()
            self._write(_GIVE_BACK, self._name, self._holder)
        close()

    def _wait_for_it(self) -> None:
        ensure_connected()
        make_lease(self._name)
        told = False
        while not self._write(_TAKE, self._holder, LEASE, self._name, self._holder):
            if not told:
                _log.info("another server holds the lease %s; waiting for it", self._name)
            told = True
            if self._over.wait(LOOK):
                raise LeaseLost(1205, "the wait for the lease was cancelled")

    def _write(self, sql: str, *values: Any) -> bool:
        """Run a statement, which commits by itself; answers whether it has changed the lease."""
        began = time.monotonic()
        try:
            changed = bool(database.execute_sql(marked(sql), values).rowcount)
        except peewee.OperationalError as error:
            if trouble_of(error) not in (CONFLICT, UNKNOWN_OUTCOME):
                raise
            # Another node was faster, or nobody knows: another look tells
            return False
        if changed:
            self._ends = began + LEASE
        return changed


_ENDS = "ends = UNIX_TIMESTAMP() + ?"
_TAKE = f"UPDATE comptoir_lease SET holder = ?, {_ENDS} WHERE name = ? AND (ends < UNIX_TIMESTAMP() OR holder = ?)"
_RENEW = f"UPDATE comptoir_lease SET {_ENDS} WHERE name = ? AND holder = ?"
_GIVE_BACK = "UPDATE comptoir_lease SET ends = 0 WHERE name = ? AND holder = ?"
_IS_MINE = "SELECT 1 FROM comptoir_lease WHERE name = ? AND holder = ?"
