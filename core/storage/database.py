"""The current database: this thread's connection, `transaction()`, `query()` and `execute()`.

Nothing else connects, begins or commits; `opening.py` opens a database.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter
from typing import Any

import peewee

from ..common.request_state import current_state
from ..common.runtime import active
from .backend import Backend
from .retrying_database import add_time

database = peewee.DatabaseProxy()

#: seconds after which an idle connection is tried before use, because the server may have closed it
MAX_IDLE_SECONDS = 30.0


def backend() -> Backend:
    """Return the current database."""
    return database.obj  # type: ignore[no-any-return]


def use_database(opened: Backend | None) -> None:
    """Make a database the active one, to which models are bound; None: no database is active."""
    active.runtime.database = opened
    database.initialize(opened)


def ensure_connected() -> None:
    """Open this thread's connection, or open it again if it was lost while idle."""
    opened, now = database.obj, time.monotonic()
    if opened is None or opened.is_closed():
        database.connect()
    elif now - opened.own.last_use > MAX_IDLE_SECONDS:
        # Here a lost connection is replaced; the first statement of a request may be a write, which isn't repeated
        opened.read("SELECT 1")
    database.obj.own.last_use = now


def end_of_request() -> None:
    """Undo a transaction that a request or job left open, so that the next one on this thread starts clean."""
    opened: Any = database.obj
    if opened is not None and not opened.is_closed():
        opened.undo_open_transaction()


def close() -> None:
    """Close this thread's connection; errors of a lost one are ignored."""
    opened = database.obj
    if opened is not None:
        if not opened.is_closed():
            opened.undo_open_transaction()
        opened.drop()


@contextmanager
def no_timeouts() -> Iterator[None]:
    """Let statements take any time, for changes of tables, demonstration data and copies.

    The thread gets a new connection, and another one at the end; inside a transaction nothing changes.
    """
    opened = backend()
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


def lock_timeout(seconds: float) -> AbstractContextManager[None]:
    """Limit how long statements wait for the lock of a database that has only one writer."""
    ensure_connected()
    return backend().lock_timeout(seconds)


@contextmanager
def schema_lock() -> Iterator[None]:
    """Let one server at a time change tables: all of it or nothing, if the database undoes such changes."""
    ensure_connected()
    opened = backend()
    whole = transaction() if opened.transactional_ddl else nullcontext()
    with opened.unchecked_references(), whole, opened.schema_lock():
        yield


@contextmanager
def transaction() -> Iterator[None]:
    """Write everything inside, or nothing.

    Also a decorator; inside another transaction it is a savepoint. On SQLite it takes the lock of the only writer, so
    that reading and then writing can't fail.
    """
    ensure_connected()
    try:
        with database.obj.atomic():
            yield
    except BaseException:
        # Cached values may be those of the undone changes
        state = current_state()
        if state is not None:
            state.cache.clear()
            state.notified = None
        raise


def untracked_writes() -> AbstractContextManager[None]:
    """Don't count writes meanwhile; for internal tables, whose changes aren't changes of a record."""
    return backend().untracked_writes()


def after_commit(action: Callable[[], object]) -> None:
    """Run an action after the commit of the transaction; outside a transaction, run it now."""
    if database.in_transaction():
        database.obj.own.transaction.actions.append(action)
    else:
        action()


def quote(name: str) -> str:
    """Return a table's or a column's name as SQL has it."""
    # `comptoir check` loads modules, and their row rules, without a database
    return (database.obj or Backend).quoted(name)


def driver_sql(sql: str) -> str:
    """Return portable SQL, with ``?`` for each value, as the current driver takes it; texts and comments stay."""
    return backend().driver_sql(sql)


def query(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of a statement of yours that only reads, such as ``SELECT`` or ``WITH … SELECT``.

    **Row rules don't apply**: you see every row that the statement finds. `Records.page`, `every`, `sum`, `count` and
    `group` honour them.

    Values are those of the database. An `ExactField` is a whole number on SQLite, the value times 10^8 (12.50 is
    1250000000), and a `Decimal` elsewhere. ``Card.price.db_value(Decimal("12.5"))`` makes a value to bind,
    ``Card.price.python_value(row[0])`` reads one. Don't multiply or divide such columns in SQL, and add them up with
    `exact_sum`. Instants and days are text on SQLite.

    :param sql: portable SQL, with ``?`` for each value. A ``?`` in a quoted text, a quoted name or a comment stays, and
        so does a ``%``. Elsewhere each ``?`` is a value (PostgreSQL has an operator ``?``: write ``jsonb_exists``)
    :raises ValueError: the statement writes; use `execute`
    """
    ensure_connected()
    opened = backend()
    if opened.recorder is not None and opened.recorder.is_write(sql):
        raise ValueError(f"query() only reads; use execute() for {' '.join(sql.split())[:80]!r}")
    # A driver may return a tuple of them
    return list(rows_of(opened.driver_sql(sql), params))


def exact_sum(sql: str) -> str:
    """Return the SQL of the sum of an `ExactField`'s column; read it with `ExactField.sum_value`.

    ``SUM`` fails on SQLite beyond 92 billion. Compare such sums only as equal or not equal.

    :param sql: the SQL of the column
    """
    return backend().exact_sum(sql)


def execute(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run a statement of yours that writes; return the rows of its ``RETURNING``, else ``[]``.

    **Row rules don't apply**. The audit trail notes the changes.

    :param sql: as in `query`
    """
    ensure_connected()
    # SQLite can't commit while rows are still to be fetched
    with nullcontext() if database.in_transaction() else transaction():
        cursor = database.execute_sql(driver_sql(sql), params)
        return list(cursor.fetchall()) if cursor.description is not None else []


def rows_of(sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement that only reads, in the SQL of the database."""
    cursor = database.obj.read(sql, params)
    # SQLite finds most of the rows here
    began = perf_counter()
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    add_time(began)
    return rows
