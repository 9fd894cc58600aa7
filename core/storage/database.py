"""The database: one URL, one `Model` base, one `transaction()`.

Authors derive their tables from `Model` and write inside `transaction()`; nothing else opens, begins or commits.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar
from urllib.parse import urlsplit

import peewee
from playhouse import db_url

from ..common.database_hosts import host_places, split_hosts
from ..common.in_force import InForce
from ..common.request_state import current_state
from ..common.setting_checks import KINDS
from ..common.settings import settings
from .connections import Lasting
from .inherited_options import AddedOptions
from .kinds import CONNECT, Mysql, Postgresql, Sqlite
from .letters import fold, sqlite_like
from .placeholders import driver_sql
from .sqlfilters import Dialect

T = TypeVar("T")

database = peewee.DatabaseProxy()

#: seconds of idleness after which a connection is tried before use (the server may have dropped it)
REST = 30.0

_PRAGMAS = {
    "journal_mode": "wal",
    # FULL: an answered write survives a power cut
    "synchronous": "full",
    "foreign_keys": 1,
    "cache_size": -16000,
    "temp_store": "memory",
}

_KINDS: dict[str, type[Lasting]] = {"sqlite": Sqlite, "postgresql": Postgresql, "mysql": Mysql}
#: what each kind is opened with, unless the URL says otherwise
_OPTIONS: dict[str, dict[str, Any]] = {
    "sqlite": {"pragmas": _PRAGMAS, "lock_type": "IMMEDIATE"},
    "postgresql": {
        # Whatever else is installed
        "prefer_psycopg3": True,
        # A server that is gone without a word is noticed
        "connect_timeout": CONNECT,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,
    },
    "mysql": {"charset": "utf8mb4", "sql_mode": "STRICT_TRANS_TABLES", "connect_timeout": CONNECT},
}


def _looked_at(sql: str) -> str:
    return str(database.obj.looked_at(sql))


def _compared(sql: str) -> str:
    return str(database.obj.compared(sql))


DIALECTS = {
    "sqlite": Dialect("?", "LIKE", " ESCAPE '\\'", "TEXT", means=sqlite_like),
    "postgresql": Dialect("%s", "ILIKE", "", "TEXT", looked_at=_looked_at, compared=_compared),
    "mysql": Dialect("%s", "LIKE", "", "CHAR", looked_at=_looked_at, bound=fold),
}


#: a key of `DIALECTS`; empty before a database is in force
_kind = InForce("")


class DatabaseUrlError(ValueError):
    """A database URL that cannot be used."""


class Model(peewee.Model):
    """A table.

    Besides peewee's own options its ``Meta`` may say what follows (all optional, each a field name or a list of them).
    What a base says of ``required``, ``managed``, ``aliases``, ``create_only``, ``stamps``, ``secret``, ``unaudited``
    and ``context`` holds for a model derived from it, too, which names only what it adds; ``"-name"`` takes a name away
    again (``None`` an alias). Of every other option a child's own word replaces that of its base.

    ``thirdparty``
        the field that leads to the third party a row belongs to; the row rules then apply to every read
    ``extrafields``
        the element type under which user-defined fields are kept, such as ``loyalty_card``
    ``aliases``
        second names of fields in the interface: ``{"ref": "id"}``
    ``required``
        what a creation must name, and neither a creation nor a change may leave empty (``""``). A column that is NOT
        NULL and has no default is required by itself, though a text in it may be empty; ``"-name"`` excuses the body
        from naming it, because `Records.prepare` fills it. What is ``managed`` is asked of nobody
    ``managed``
        what the server alone writes
    ``create_only``
        what a creation may set and a change may not
    ``stamps``
        what says who changed a row last, and when: a change of nothing else leaves it
    ``secret``
        what is never answered, filtered or sorted by
    ``answers``
        a ``TypedDict`` of what an answer holds besides the fields, because ``Records.complete`` adds it
    ``accepts``
        a ``TypedDict`` of what a body may hold besides the fields
    ``stored_file``
        the fields that say, joined by ``/``, where in ``COMPTOIR_DOCUMENTS`` the file of a row lies: a backup holds no
        row without its file
    ``stored_size``
        the field that holds the bytes of that file
    ``example``
        a body to start from, for the explorer
    ``audited``
        False: the audit trail does not know of the table; for what the server counts or notes for itself
    ``unaudited``
        fields whose changes the audit trail leaves out
    ``part_of``
        fields that name the record in whose history the changes of a row are shown; the first that has a value counts
    ``belongs_to``
        where no single field says in whose history a row is shown: a function of the fields that ``context`` names, as
        the database keeps them, which answers the model (or its ``extrafields``) and the identifier, or None; it reads,
        and does not write
    ``reveals``
        a function of the same fields, which answers those of ``secret`` that the audit trail may show all the same
    ``context``
        the fields that these two ask for
    ``searched``
        the text fields that people look into, what matters most first: `q` finds words in them, and `like` the middle
        of a word, without reading the whole table
    ``sorted``
        texts that long lists are sorted by: each has an index in that order
    """

    class Meta:
        database = database
        legacy_table_names = False
        model_metadata_class = AddedOptions
        thirdparty = ""
        extrafields = ""
        aliases: dict[str, str] = {}
        required: tuple[str, ...] = ()
        managed: tuple[str, ...] = ("id",)
        create_only: tuple[str, ...] = ()
        stamps: tuple[str, ...] = ()
        secret: tuple[str, ...] = ()
        answers: type[Any] | None = None
        accepts: type[Any] | None = None
        stored_file: tuple[str, ...] = ()
        stored_size: str = ""
        example: dict[str, Any] = {}
        audited: bool = True
        unaudited: tuple[str, ...] = ()
        part_of: tuple[str, ...] = ()
        belongs_to: Callable[[Mapping[str, Any]], tuple[type[Any] | str, Any] | None] | None = None
        reveals: Callable[[Mapping[str, Any]], Collection[str]] | None = None
        context: tuple[str, ...] = ()
        searched: tuple[str, ...] = ()
        sorted: tuple[str, ...] = ()

    #: whether the class is only a pattern that other models derive from
    is_pattern = True
    #: how many models have been made: whoever keeps something of all of them looks whether there are others
    _made = 0

    def __init_subclass__(cls, *, pattern: bool = False, **more: Any) -> None:
        """Derive a model.

        :param pattern: it has no table of its own; models that derive from it have its fields
        """
        super().__init_subclass__(**more)
        cls.is_pattern = pattern
        Model._made += 1

    @classmethod
    def create_table(cls, safe: bool = True, **options: Any) -> None:
        """Make the table.

        :param safe: it may be there already
        """
        meta, opened = meta_of(cls), database.obj
        own, constraints = meta.table_settings, meta.constraints
        meta.table_settings = [*(own or ()), *opened.table_settings()]
        try:
            schema = cls._schema  # type: ignore[attr-defined]
            if dialect_name() == "mysql":
                meta.constraints = [*(constraints or ()), *_own_indexes(cls)]
            schema.create_table(safe, **options)
            if dialect_name() != "mysql":
                for text in _index_texts(cls, safe=safe):
                    database.execute_sql(text)
        finally:
            meta.table_settings, meta.constraints = own, constraints


def _own_indexes(model: Any) -> list[peewee.SQL]:
    """The indexes of a model as parts of its `CREATE TABLE`.

    Where each statement commits by itself, an index that is made later costs as much as a table.
    """
    named = f" ON {quote(meta_of(model).table_name)}"
    texts = _index_texts(model, safe=False)
    return [peewee.SQL(text.removeprefix("CREATE ").replace(named, "", 1)) for text in texts]


def _index_texts(model: Any, *, safe: bool) -> list[str]:
    """The statements that make the indexes of a model."""
    meta = meta_of(model)
    texts = []
    for each in meta.fields_to_index():
        text: str = model._schema._create_index(each, safe=safe).query()[0]
        head, bracket, columns = text.rpartition("(")
        for name in re.findall(r'"([^"]+)"', columns) if dialect_name() == "postgresql" else ():
            field = meta.combined.get(name)
            columns = columns.replace(quote(name), indexed(name, nullable=field is not None and bool(field.null)))
        texts.append(head + bracket + columns)
    return texts


def indexed(column: str, *, nullable: bool) -> str:
    """A column as an index lists it.

    NULL comes first in lists, on every database. PostgreSQL puts it last where nobody says otherwise, and would then
    sort the table instead of reading the index.
    """
    return quote(column) + (" NULLS FIRST" if nullable and dialect_name() == "postgresql" else "")


def meta_of(model: Any) -> Any:
    """A model's options: peewee's own and those of `Model.Meta`."""
    return model._meta


def open_database(url: str) -> peewee.Database:
    """Put the database behind a URL in force; connections are opened when they are needed."""
    scheme = urlsplit(url).scheme
    kind = KINDS.get(scheme, "")
    if not kind:
        raise DatabaseUrlError(f"expected a URL that starts with {', '.join(DIALECTS)}, got {scheme or url!r}")
    if kind == "sqlite":
        path = urlsplit(url).path[1:]
        Path(path).expanduser().parent.mkdir(parents=True, exist_ok=True)
    close()
    named, places = _named(url, kind)
    opened: Any = _KINDS[kind](autoconnect=False, limit=settings().statement_timeout, hosts=places, **named)
    if settings().database_read:
        _follow(opened, kind, settings().database_read)
    opened._execute_cursor = _timed(opened._execute_cursor, statements=1)
    opened._read_together = _timed(opened._read_together)
    # On SQLite the first waits for whoever writes, and the second for the disk
    opened.begin, opened.commit = _timed(opened.begin), _timed(opened.commit)
    database.initialize(opened)
    _kind.value = kind
    return opened  # type: ignore[no-any-return]


def _named(url: str, kind: str) -> tuple[dict[str, Any], list[tuple[str, int]]]:
    """What a URL says a database is opened with, and its hosts where there are several."""
    first, hosts = split_hosts(url)
    named = db_url.parse(kind + first[first.index(":") :], unquote_password=True, unquote_user=True)
    try:
        return {**_OPTIONS[kind], **named}, host_places(kind, hosts)
    except ValueError as error:
        raise DatabaseUrlError(str(error)) from None


def _follow(opened: Any, kind: str, url: str) -> None:
    """Let a database have a standby."""
    if kind == "sqlite" or KINDS.get(urlsplit(url).scheme, "") != kind:
        raise DatabaseUrlError("COMPTOIR_DATABASE_READ: expected a standby of COMPTOIR_DATABASE")
    named, places = _named(url, kind)
    if places:
        raise DatabaseUrlError("COMPTOIR_DATABASE_READ: expected one host")
    name = named.pop("database")
    named.pop("prefer_psycopg3", None)
    opened.standby = named | {"dbname" if kind == "postgresql" else "database": name}


def _timed(work: Callable[..., T], statements: int = 0) -> Callable[..., T]:
    """What waits for the database, noting its seconds in the request's state, and how many statements it runs."""

    def measured(*arguments: Any, **more: Any) -> T:
        state = current_state()
        if state is None:
            return work(*arguments, **more)
        state.statements += statements
        began = perf_counter()
        try:
            return work(*arguments, **more)
        finally:
            state.database_time += perf_counter() - began

    return measured


def dialect_name() -> str:
    """``sqlite``, ``postgresql`` or ``mysql``."""
    return _kind.value


def dialect() -> Dialect:
    """How the database in force spells what differs."""
    return DIALECTS[_kind.value]


class _Rest(threading.local):
    since = 0.0


_rest = _Rest()


def ensure_connected() -> None:
    """Open this thread's connection, or open it anew if it was dropped while idle."""
    opened = database.obj
    now = time.monotonic()
    if opened is None or opened.is_closed():
        database.connect()
    elif now - _rest.since > REST and _kind.value != "sqlite":
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
        opened.drop_other()


@contextmanager
def patience() -> Iterator[None]:
    """Statements may take as long as they like meanwhile: changes of tables, demonstration data, copies.

    The connection is opened anew for it, and afterwards; inside of a transaction nothing changes.
    """
    opened: Any = database.obj
    if opened.in_transaction() or opened.own.patient:
        yield
        return
    close()
    opened.own.patient = True
    try:
        ensure_connected()
        yield
    finally:
        opened.own.patient = False
        close()
    ensure_connected()


@contextmanager
def hurried(seconds: float) -> Iterator[None]:
    """Statements wait no longer than this for the lock of SQLite meanwhile; elsewhere only rows are locked."""
    own = database.obj.own
    own.hurry = seconds
    try:
        yield
    finally:
        own.hurry = 0.0


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


def marked(sql: str) -> str:
    """Portable SQL, with ``?`` for each value, as the driver in force marks them; texts and comments stay."""
    return sql if _kind.value == "sqlite" else driver_sql(sql, _kind.value)


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
    return list(rows_of(marked(sql), params))


def rows_of(sql: str, params: tuple[Any, ...] | list[Any]) -> list[tuple[Any, ...]]:
    """The rows of a statement, spelled as the database spells it. SQLite finds most of them while they are fetched."""
    known = database.obj.own.ahead
    if known and (sql, tuple(params)) in known:
        found: list[tuple[Any, ...]] = known.pop((sql, tuple(params)))
        return found
    cursor = database.execute_sql(sql, params)
    if cursor.description is None:
        # It answers none, and psycopg refuses to be asked for them
        return []
    began = perf_counter()
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    state = current_state()
    if state is not None:
        state.database_time += perf_counter() - began
    return rows
