"""Databases to test on: empty ones, and copies of one that is filled already; the statements that a call runs."""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import peewee
from playhouse.db_url import connect

from ..storage.database import database, ensure_connected

DATABASE_KINDS = ("sqlite", "postgresql", "mysql")
#: the servers on which tests create databases
DATABASE_SERVERS = {
    "postgresql": os.environ.get("COMPTOIR_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres"),
    "mysql": os.environ.get("COMPTOIR_TEST_MYSQL", "mysql://root@127.0.0.1:3306/test"),
}

#: the name of this run of tests, part of the names of its databases; processes that it starts have it from here
RUN = os.environ.setdefault("COMPTOIR_TEST_RUN", uuid4().hex[:12])
_numbers = itertools.count(1)
#: copy on MariaDB → its source
_copied: dict[str, str] = {}
#: database on MariaDB → unused copies of it
_idle: defaultdict[str, list[str]] = defaultdict(list)


def fresh_database(kind: str, folder: Path) -> str:
    """Return the URL of a new database without tables.

    :param folder: the folder of the database, if it is a file
    """
    url = _new_url(kind, folder)
    if kind in DATABASE_SERVERS:
        with server_connection(kind) as run:
            run(f"CREATE DATABASE {_name(url)}")
    return url


def copy_database(source: str, folder: Path) -> str:
    """Return the URL of a copy of a database without connections.

    On MariaDB, where making and dropping 130 tables takes seconds, a dropped copy is reset and used again.

    :param folder: the folder of the copy, if it is a file
    """
    kind = urlsplit(source).scheme
    if _idle[source]:
        _reset_tables(_name(source), _name(_idle[source][-1]))
        return _idle[source].pop()
    url = _new_url(kind, folder)
    if kind == "sqlite":
        shutil.copyfile(source.partition("///")[2], url.partition("///")[2])
    elif kind == "postgresql":
        with server_connection(kind) as run:
            run(f"CREATE DATABASE {_name(url)} TEMPLATE {_name(source)}")
            # Nothing that a test writes must survive a power cut
            run(f"ALTER DATABASE {_name(url)} SET synchronous_commit TO off")
    else:
        with server_connection(kind) as run:
            run(f"CREATE DATABASE {_name(url)}")
        _reset_tables(_name(source), _name(url))
        _copied[url] = source
    return url


def drop_database(url: str) -> None:
    """Remove a database of this file; one that is a file goes with its folder."""
    kind = urlsplit(url).scheme
    for copy in _idle.pop(url, ()):
        del _copied[copy]
        drop_database(copy)
    if url in _copied:
        _idle[_copied[url]].append(url)
    elif kind in DATABASE_SERVERS:
        with server_connection(kind) as run:
            run(f"DROP DATABASE {_name(url)}" + (" WITH (FORCE)" if kind == "postgresql" else ""))


def why_unavailable(kind: str) -> str:
    """Return why this machine can't test a kind of database, or an empty text."""
    if kind == "sqlite":
        return ""
    try:
        with server_connection(kind) as run:
            run("SELECT 1")
    except (peewee.PeeweeException, ImportError, OSError) as error:
        return f"no {kind} at {DATABASE_SERVERS[kind]}: {type(error).__name__}"
    return ""


def _new_url(kind: str, folder: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{folder}/test{next(_numbers)}.db"
    return f"{DATABASE_SERVERS[kind].rpartition('/')[0]}/comptoir_test_{RUN}_{os.getpid()}_{next(_numbers)}"


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def _reset_tables(source: str, target: str) -> None:
    """Give a MariaDB database the tables, rows and triggers of another one; equal tables stay unchanged."""
    with server_connection("mysql") as run:
        run(f"USE {target}")
        # The tables have no particular order
        run("SET foreign_key_checks = 0, unique_checks = 0")
        wanted, present = _tables(run, source), _tables(run, target)
        filled = [_filled(run, source, wanted), _filled(run, target, present)]
        for table in present.keys() - wanted.keys():
            run(f"DROP TABLE {table}")
        for table, sql in wanted.items():
            is_equal = table in present and _without_counter(present[table]) == _without_counter(sql)
            if table in present and not is_equal:
                run(f"DROP TABLE {table}")
            if not is_equal:
                run(_without_counter(sql).replace("%", "%%"))
            elif present[table] != sql or filled[0].get(table) != filled[1].get(table):
                run(f"TRUNCATE TABLE {table}")
            else:
                continue
            if table in filled[0]:
                run(f"INSERT INTO {table} SELECT * FROM {source}.{table}")
        wanted, present = _triggers(run, source), _triggers(run, target)
        for name, sql in present.items():
            if wanted.get(name) != sql:
                run(f"DROP TRIGGER {name}")
        for name, sql in wanted.items():
            if present.get(name) != sql:
                run(sql.replace("%", "%%"))


Run = Callable[[str], list[tuple[Any, ...]]]


def _tables(run: Run, database: str) -> dict[str, str]:
    """Return the statement that creates each table of a database, with its counter of IDs."""
    found = run(f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{database}'")
    return {name: run(f"SHOW CREATE TABLE {database}.{name}")[0][1] for (name,) in found}


def _without_counter(sql: str) -> str:
    return re.sub(r" AUTO_INCREMENT=\d+", "", sql)


def _filled(run: Run, database: str, tables: dict[str, str]) -> dict[str, Any]:
    """Return a checksum of each table that has rows."""
    if not tables:
        return {}
    found = run(" UNION ALL ".join(f"SELECT '{name}', EXISTS(SELECT 1 FROM {database}.{name})" for name in tables))
    return {name: run(f"CHECKSUM TABLE {database}.{name}")[0][1] for name, has_rows in found if has_rows}


def _triggers(run: Run, database: str) -> dict[str, str]:
    """Return the statement that creates each trigger of a database."""
    found = run(f"SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = '{database}'")
    return {name: run(f"SHOW CREATE TRIGGER {database}.{name}")[0][2] for (name,) in found}


@contextmanager
def server_connection(kind: str) -> Iterator[Run]:
    """Connect to a database server; the result runs a statement and returns its rows."""
    server = connect(DATABASE_SERVERS[kind], unquote_password=True, unquote_user=True)
    server.connect()

    def run(statement: str) -> list[tuple[Any, ...]]:
        cursor = server.execute_sql(statement)
        return list(cursor.fetchall()) if cursor.description else []

    try:
        yield run
    finally:
        server.close()


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
    """Return the number of statements of a call whose caches are filled."""
    call()
    with statements() as seen:
        call()
    return len(seen)
