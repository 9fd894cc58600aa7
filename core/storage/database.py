"""The database in force: its dialect, this thread's connection, one `transaction()`, and `query()`.

Nothing else connects, begins or commits; `opening.py` puts a database in force.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import peewee

from ..common.request_state import current_state
from .backend import Backend

database = peewee.DatabaseProxy()

#: seconds of idleness after which a connection is tried before use (the server may have dropped it)
REST = 30.0


def backend() -> Backend:
    """Return the current database."""
    return database.obj  # type: ignore[no-any-return]


def dialect_name() -> str:
    """``sqlite``, ``postgresql`` or ``mysql``."""
    return database.obj.name if database.obj is not None else ""


class _Rest(threading.local):
    since = 0.0


_rest = _Rest()


def ensure_connected() -> None:
    """Open this thread's connection, or open it anew if it was dropped while idle."""
    opened = database.obj
    now = time.monotonic()
    if opened is None or opened.is_closed():
        database.connect()
    elif now - _rest.since > REST and dialect_name() != "sqlite":
        # Opens it anew where it was lost, so that a request that begins with a write is not the one to notice
        opened.execute_sql("SELECT 1")
    _rest.since = now


def end_of_request() -> None:
    """Undo whatever a request left open, so that the next request on this thread starts clean."""
    opened: Any = database.obj
    if opened is None or opened.is_closed():
        return
    open_transaction = opened.in_transaction()
    while opened.in_transaction():
        opened.pop_transaction()
    if dialect_name() == "sqlite" and not open_transaction:
        # Also one that was begun behind peewee's back
        open_transaction = opened.connection().in_transaction
    if open_transaction:
        opened._clear_commit_callbacks()
        opened.rollback()


def close() -> None:
    """Close this thread's connection; errors of a connection that is already gone do not matter."""
    opened = database.obj
    if opened is not None:
        end_of_request()
        opened.drop()


@contextmanager
def no_timeouts() -> Iterator[None]:
    """Statements may take as long as they like meanwhile: changes of tables, demonstration data, copies.

    The connection is opened anew for it, and afterwards; inside of a transaction nothing changes.
    """
    opened: Any = database.obj
    if opened.in_transaction() or opened.own.unlimited:
        yield
        return
    close()
    opened.own.unlimited = True
    try:
        ensure_connected()
        yield
    finally:
        opened.own.unlimited = False
        close()
    ensure_connected()


@contextmanager
def lock_timeout(seconds: float) -> Iterator[None]:
    """Statements wait no longer than this for the lock of SQLite meanwhile; elsewhere only rows are locked."""
    own = database.obj.own
    own.lock_seconds = seconds
    try:
        yield
    finally:
        own.lock_seconds = 0.0


@contextmanager
def transaction() -> Iterator[None]:
    """Everything inside is written, or nothing.

    Also a decorator. On SQLite it begins IMMEDIATE, so that reading and then writing cannot fail; inside another
    transaction it is a savepoint.
    """
    ensure_connected()
    opened: Any = database.obj
    waiting = len(opened._state.commit_callbacks)
    try:
        with database.atomic():
            yield
    except BaseException:
        # What a savepoint undoes is not told of when the transaction around it is committed
        del opened._state.commit_callbacks[waiting:]
        # What was read of the changes that are undone is no longer true
        state = current_state()
        if state is not None:
            state.cache.clear()
            state.told = None
        raise


def after_commit(action: Callable[[], object]) -> None:
    """Run an action once the transaction has been committed, or at once when there is none."""
    if database.in_transaction():
        database.after_commit(action)
    else:
        action()


def quote(name: str) -> str:
    """A table's or a column's name as SQL spells it."""
    mark = "`" if dialect_name() == "mysql" else '"'
    return f"{mark}{name}{mark}"


def driver_sql(sql: str) -> str:
    """Return portable SQL, with ``?`` for each value, as the current driver takes it; texts and comments stay."""
    return backend().driver_sql(sql)


def query(sql: str, params: tuple[Any, ...] | list[Any] = ()) -> list[tuple[Any, ...]]:
    """Run any statement that a module has written; answer the rows of a ``SELECT`` or ``RETURNING``, else ``[]``.

    It is the module's own: **row rules do not apply**, so whoever calls sees and changes every row that the statement
    names. `Records.page`, `every`, `sum`, `count` and `group` mind them. The audit trail hears of what is changed.

    Values come and go as the database keeps them. Of an `ExactField` that is a whole number on SQLite, in units of the
    column's last decimal (12.50 of scale 2 is 1250), and a `Decimal` elsewhere. What is bound is made by
    ``Card.price.db_value(Decimal("12.5"))``, a `Decimal` of what was read by ``Card.price.python_value(row[0])``; or
    ask `Records.sum`. Instants and days are texts on SQLite.

    :param sql: portable SQL, with ``?`` for each value. A ``?`` in a quoted text, a quoted name or a comment stays what
        it is, and so does a ``%``; elsewhere no ``?`` but those of values may stand (PostgreSQL has an operator of that
        name: say ``jsonb_exists``)
    """
    ensure_connected()
    if "returning" in sql.lower() and not database.in_transaction():
        # SQLite commits nothing while rows of it are still to be fetched
        with transaction():
            return query(sql, params)
    # A driver may answer a tuple of them
    return list(rows_of(driver_sql(sql), params))


def rows_of(sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows of a statement, spelled as the database spells it. SQLite finds most of them while they are fetched."""
    cursor = database.execute_sql(sql, params)
    # Whoever asks psycopg for the description has it made: a tenth of the time of a read
    if not sql.startswith("SELECT") and cursor.description is None:
        # It answers none, and psycopg refuses to be asked for them
        return []
    began = perf_counter()
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    state = current_state()
    if state is not None:
        state.database_time += perf_counter() - began
    return rows


def rows_of_each(statements: Sequence[tuple[str, Sequence[Any]]]) -> list[list[tuple[Any, ...]]]:
    """The rows of several statements that only read: in one round trip if the database has a pipeline."""
    if len(statements) < 2 or not database.obj.pipelines:
        return [rows_of(sql, params) for sql, params in statements]
    began = perf_counter()
    found: list[list[tuple[Any, ...]]] = database.obj.read_together(statements)
    state = current_state()
    if state is not None:
        state.database_time += perf_counter() - began
    return found
