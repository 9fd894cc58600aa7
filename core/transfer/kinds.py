"""The three kinds of database as ends of a copy."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import peewee

from ..storage.database import database, dialect_name
from ..storage.error_kinds import reason_of
from ..storage.opening import open_database
from ..storage.sqlite import Sqlite
from .ends import End, TransferError


class _Sqlite(End):
    kind = "sqlite"
    reading = ("BEGIN", "SELECT COUNT(*) FROM sqlite_master")
    writing = ("PRAGMA foreign_keys = off", "PRAGMA synchronous = off")

    def finish_writing(self) -> None:
        wrong = self.run("PRAGMA foreign_key_check")
        if wrong:
            raise TransferError(f"a row in {wrong[0][0]} references a missing row in {wrong[0][2]}")
        for statement in ("PRAGMA synchronous = full", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA foreign_keys = on"):
            self.run(statement)

    def sizes(self) -> dict[tuple[str, str], tuple[int, int]]:
        found = {}
        for table in self.tables():
            for row in self.run(f"PRAGMA table_info({self.quote(table)})"):
                length = str(row[2]).partition("(")[2].rstrip(")")
                if length.isdigit():
                    found[table, row[1]] = int(length), 0
        return found

    def last_number(self, table: str, key: str) -> int | None:
        if not self.run("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'"):
            # No table of this file counts
            return None
        found = self.run("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        return int(found[0][0]) if found else None

    def set_last_number(self, table: str, key: str, number: int) -> None:
        self.run("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        self.run("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number))

    def drop(self, tables: Sequence[str]) -> None:
        self.run("PRAGMA foreign_keys = off")
        super().drop(tables)


class _Postgresql(End):
    kind = "postgresql"
    session = tuple(
        f"SET {limit} = 0" for limit in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    )
    reading = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",)
    writing = ("SET synchronous_commit = off",)
    _schema = "current_schema()"

    def __init__(self, database: peewee.Database) -> None:
        super().__init__(database)
        self._references: list[tuple[str, str, str]] = []

    def prepare_writing(self) -> None:
        # Only a superuser can switch the checks off, but who owns a table can take them away and bring them back
        super().prepare_writing()
        self._references = [
            (str(name), str(table), str(definition))
            for name, table, definition in self.run(
                "SELECT quote_ident(conname), conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint "
                "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
            )
        ]
        for name, table, _ in self._references:
            self.run(f"ALTER TABLE {table} DROP CONSTRAINT {name}")

    def finish_writing(self) -> None:
        for name, table, definition in self._references:
            try:
                self.run(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
            except peewee.IntegrityError as error:
                raise TransferError(f"a row in {table} references a missing row: {reason_of(error)}") from error
        self.run("SET synchronous_commit = on")

    def _streaming(self) -> Any:
        # A cursor with a name stays on the server and is read part by part
        return self.database.connection().cursor(name="comptoir_copy")

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Any]) -> None:
        names = ", ".join(self.quote(name) for name in columns)
        with (
            self.database.connection().cursor() as cursor,
            cursor.copy(f"COPY {self.quote(table)} ({names}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def _sequence(self, table: str, key: str) -> str | None:
        name = self.run("SELECT pg_get_serial_sequence(%s, %s)", (self.quote(table), key))[0][0]
        return None if name is None else str(name)

    def last_number(self, table: str, key: str) -> int | None:
        sequence = self._sequence(table, key)
        if sequence is None:
            return None
        number, called = self.run(f"SELECT last_value, is_called FROM {sequence}")[0]
        return int(number) if called else 0

    def set_last_number(self, table: str, key: str, number: int) -> None:
        sequence = self._sequence(table, key)
        if sequence is not None and number > 0:
            self.run("SELECT setval(%s::regclass, %s)", (sequence, number))

    def drop(self, tables: Sequence[str]) -> None:
        for name in tables:
            self.run(f"DROP TABLE IF EXISTS {self.quote(name)} CASCADE")


class _Mysql(End):
    kind = "mysql"
    reading = (
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    )
    # A row with the identifier 0 keeps it
    writing = (
        "SET SESSION foreign_key_checks = 0, unique_checks = 0",
        "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO'",
    )
    _schema = "DATABASE()"

    def quote(self, name: str) -> str:
        return f"`{name}`"

    def finish_writing(self) -> None:
        for table in self.tables():
            for key in self.database.get_foreign_keys(table):
                child, parent = f"c.{self.quote(key.column)}", f"p.{self.quote(key.dest_column)}"
                wrong = self.run(
                    f"SELECT 1 FROM {self.quote(table)} c LEFT JOIN {self.quote(key.dest_table)} p "
                    f"ON {child} = {parent} WHERE {child} IS NOT NULL AND {parent} IS NULL LIMIT 1"
                )
                if wrong:
                    raise TransferError(f"a row in {table} references a missing row in {key.dest_table}")
        self.run("SET SESSION foreign_key_checks = 1, unique_checks = 1")

    def _streaming(self) -> Any:
        connection = self.database.connection()
        driver = sys.modules[type(connection).__module__.partition(".")[0]]
        return connection.cursor(driver.cursors.SSCursor)

    def last_number(self, table: str, key: str) -> int | None:
        found = self.run(
            "SELECT auto_increment FROM information_schema.tables "
            "WHERE table_schema = DATABASE() AND table_name = %s", (table,)
        )  # fmt: skip
        return None if not found or found[0][0] is None else int(found[0][0]) - 1

    def set_last_number(self, table: str, key: str, number: int) -> None:
        if number > 0 and self.last_number(table, key) is not None:
            self.run(f"ALTER TABLE {self.quote(table)} AUTO_INCREMENT = {number + 1:d}")

    def drop(self, tables: Sequence[str]) -> None:
        self.run("SET SESSION foreign_key_checks = 0")
        super().drop(tables)
        self.run("SET SESSION foreign_key_checks = 1")


_ENDS: dict[str, type[End]] = {each.kind: each for each in (_Sqlite, _Postgresql, _Mysql)}


def open_end(url: str, *, beside: End | None = None) -> End:
    """Put a database in force, and take it as one end.

    :param beside: the other end, whose connection stays open
    """
    if beside is not None and database.obj is beside.database:
        # The connection of the database in force would be closed
        database.initialize(None)
    opened = open_database(url)
    return _ENDS[dialect_name()](opened)


def file_end(file: Path) -> End:
    """A SQLite file as one end, without being put in force."""
    return _Sqlite(Sqlite(str(file), autoconnect=False))


def close_end(end: End) -> None:
    """Close an end's connection."""
    with suppress(peewee.PeeweeException):
        end.database.close()
