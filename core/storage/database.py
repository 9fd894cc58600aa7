"""The current database: opening it, this thread's connection, `transaction()`, `query()`, `execute()` and retries.

Nothing else connects, begins or commits. The scheme of a URL selects the backend.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from time import perf_counter
from typing import Any, TypeVar

import peewee

from ..common.request_state import current_state
from ..common.settings import add_checks, settings
from .backend import Backend
from .error_kinds import UNREACHABLE, DatabaseErrorKind, reason_of
from .retrying_database import add_time

T = TypeVar("T")

#: the current database, to which models are bound
database = peewee.DatabaseProxy()

#: seconds after which an idle connection is tried before use, because the server may have closed it
MAX_IDLE_SECONDS = 30.0
#: maximum number of attempts, and seconds after which no further one begins
MAX_ATTEMPTS, MAX_SECONDS = 10, 3.0
#: seconds of the first pause at most; each further one may be twice as long, up to the second number
PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.01, 0.5

_log = logging.getLogger("comptoir.database")


# Opening --------------------------------------------------------------------------------------------------------------


def backend() -> Backend:
    """Return the current database."""
    return database.obj  # type: ignore[no-any-return]


class DatabaseUrlError(ValueError):
    """The database URL can't be used."""


@cache
def backends() -> dict[str, type[Backend]]:
    """Return the kinds of database by the schemes of their URLs. Each is defined by a file in this folder."""
    for each in iter_modules([str(Path(__file__).parent)]):
        import_module(f".{each.name}", __package__)
    return {scheme: kind for kind in Backend.__subclasses__() for scheme in kind.schemes}


def backend_of(url: str) -> type[Backend]:
    """Return the kind of database that a URL refers to.

    :raises DatabaseUrlError: no kind has its scheme
    """
    scheme = url.partition(":")[0]
    found = backends().get(scheme.lower())
    if found is None:
        *others, last = sorted({f"{kind.schemes[0]}://" for kind in backends().values()})
        raise DatabaseUrlError(f"expected a URL that starts with {', '.join(others)} or {last}, got {scheme!r}")
    return found


add_checks("database", lambda url: backend_of(url).check_url(url), lambda url: backend_of(url).check_file(url))


def open_database(url: str) -> Backend:
    """Make the database of a URL the current one; connections are opened when they are needed.

    :raises DatabaseUrlError: the URL is invalid, or the driver is missing
    """
    try:
        opened: Any = backend_of(url).from_url(url, settings().statement_timeout)
    except ValueError as error:
        raise DatabaseUrlError(str(error)) from None
    close()
    database.initialize(opened)
    return opened  # type: ignore[no-any-return]


def is_missing(url: str) -> bool:
    """Return whether opening the database would create it: its file does not exist, or is empty."""
    file = backend_of(url).file_of(url)
    return file is not None and not (file.is_file() and file.stat().st_size)


# Connections and transactions -----------------------------------------------------------------------------------------


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


def before_commit(call: Callable[[list[Any]], object], item: Any) -> None:
    """Call a function once before the commit of the transaction, with the items of all calls, in their order.

    Outside a transaction, it is called now.
    """
    if database.in_transaction():
        database.obj.own.transaction.closing.append((call, item))
    else:
        with transaction():
            call([item])


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
    `ExactField.sum_sql`. Instants and days are text on SQLite.

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


# Errors and retries ---------------------------------------------------------------------------------------------------


def classify_error(error: BaseException) -> DatabaseErrorKind | None:
    """Return the kind of an error of the database, or of its driver; None: unknown."""
    return database.obj.classify(error) if database.obj is not None else None


def is_unreachable(error: BaseException) -> bool:
    """Return whether an error says that the database is unreachable, which is logged elsewhere."""
    return classify_error(error) is UNREACHABLE


def is_temporary(error: BaseException) -> bool:
    """Return whether another attempt may succeed."""
    kind = classify_error(error)
    return kind is not None and bool(kind.retry_after)


def retry_undone(
    call: Callable[[], T], name: str, began: float | None = None, forget: Callable[[], object] = lambda: None
) -> T:
    """Call a function, and call it again as long as the database undoes all that it does.

    :param name: what the log calls it
    :param began: when it began, from `time.perf_counter`; None: now
    :param forget: called before each retry
    :raises peewee.PeeweeException: it can't be retried, or was retried too often
    """
    began = perf_counter() if began is None else began
    own = backend().own
    attempt = 0
    while True:
        attempt, own.irreversible = attempt + 1, False
        try:
            return call()
        except peewee.PeeweeException as error:
            is_late = attempt >= MAX_ATTEMPTS or perf_counter() - began > MAX_SECONDS
            if own.irreversible or is_late or not backend().is_undone(error):
                raise
            _log.info("%s is retried after attempt %d: %s", name, attempt, reason_of(error))
        forget()
        # A random pause keeps conflicting requests from meeting again
        time.sleep(random.uniform(0, min(MAX_PAUSE_SECONDS, PAUSE_SECONDS * 2 ** (attempt - 1))))


def prevent_retry() -> None:
    """Prevent a retry of the request or job, because a rollback doesn't undo one of its effects, such as a new file."""
    backend().own.irreversible = True
