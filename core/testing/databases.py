"""Databases to test on: empty ones, and copies of one that is filled already."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import peewee
from playhouse.db_url import connect

DATABASE_KINDS = ("sqlite", "postgresql", "mysql")
#: where the tests make databases, for the kinds that need a server
DATABASE_SERVERS = {
    "postgresql": os.environ.get("COMPTOIR_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres"),
    "mysql": os.environ.get("COMPTOIR_TEST_MYSQL", "mysql://root@127.0.0.1:3306/test"),
}

_numbers = itertools.count(1)


def fresh_database(kind: str, folder: Path) -> str:
    """The URL of a new database without tables.

    :param folder: where it lies, if it is a file
    """
    url = _new_url(kind, folder)
    if kind in DATABASE_SERVERS:
        with _server(kind) as run:
            run(f"CREATE DATABASE {_name(url)}")
    return url


def copy_database(source: str, folder: Path) -> str:
    """The URL of a copy of a database to which nobody is connected.

    Making all tables anew takes a quarter of a second, on MariaDB three; a copy takes a tenth of that.

    :param folder: where the copy lies, if it is a file
    """
    kind = urlsplit(source).scheme
    url = _new_url(kind, folder)
    if kind == "sqlite":
        shutil.copyfile(source.partition("///")[2], url.partition("///")[2])
    elif kind == "postgresql":
        with _server(kind) as run:
            run(f"CREATE DATABASE {_name(url)} TEMPLATE {_name(source)}")
            # Nothing that a test writes must survive a power cut
            run(f"ALTER DATABASE {_name(url)} SET synchronous_commit TO off")
    else:
        _copy_tables(_name(source), _name(url))
    return url


def drop_database(url: str) -> None:
    """Remove a database of this file; one that is a file goes with its folder."""
    kind = urlsplit(url).scheme
    if kind in DATABASE_SERVERS:
        with _server(kind) as run:
            run(f"DROP DATABASE {_name(url)}" + (" WITH (FORCE)" if kind == "postgresql" else ""))


def why_unavailable(kind: str) -> str:
    """Why this machine cannot test a kind of database; empty when it can."""
    if kind == "sqlite":
        return ""
    try:
        with _server(kind) as run:
            run("SELECT 1")
    except (peewee.PeeweeException, ImportError, OSError) as error:
        return f"no {kind} at {DATABASE_SERVERS[kind]}: {type(error).__name__}"
    return ""


def _new_url(kind: str, folder: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{folder}/test{next(_numbers)}.db"
    return f"{DATABASE_SERVERS[kind].rpartition('/')[0]}/comptoir_test_{os.getpid()}_{next(_numbers)}"


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def _copy_tables(source: str, target: str) -> None:
    """MariaDB has no templates: tables are made from what the source says of each, their rows copied."""
    with _server("mysql") as run:
        named = run(f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{source}'")
        tables = [name for (name,) in named]
        made = [sql for table in tables for _, sql in run(f"SHOW CREATE TABLE {source}.{table}")]
        named = run(f"SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = '{source}'")
        triggers = [run(f"SHOW CREATE TRIGGER {source}.{name}")[0][2] for (name,) in named]
        run(f"CREATE DATABASE {target}")
        run(f"USE {target}")
        # The tables come in any order
        run("SET foreign_key_checks = 0, unique_checks = 0")
        for sql in made:
            run(sql.replace("%", "%%"))
        for table in tables:
            run(f"INSERT INTO {table} SELECT * FROM {source}.{table}")
        for sql in triggers:
            run(sql.replace("%", "%%"))


@contextmanager
def _server(kind: str) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """Runs statements on the server itself and answers their rows."""
    server = connect(DATABASE_SERVERS[kind], unquote_password=True, unquote_user=True)
    server.connect()

    def run(statement: str) -> list[tuple[Any, ...]]:
        cursor = server.execute_sql(statement)
        return list(cursor.fetchall()) if cursor.description else []

    try:
        yield run
    finally:
        server.close()
