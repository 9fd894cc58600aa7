"""What a database refuses, read from its error: which rule, which table, which columns. Never a word of its text."""

from __future__ import annotations

import re
import sqlite3
from typing import Any, NamedTuple

import peewee

from .database import database, dialect_name

UNIQUE, REFERENCE, NULL = "unique", "reference", "null"

#: SQLSTATEs of PostgreSQL, numbers of MariaDB, names of SQLite
_RULES = {
    "23505": UNIQUE, "1062": UNIQUE, "1586": UNIQUE,
    "SQLITE_CONSTRAINT_UNIQUE": UNIQUE, "SQLITE_CONSTRAINT_PRIMARYKEY": UNIQUE,
    "23503": REFERENCE, "1216": REFERENCE, "1217": REFERENCE, "1451": REFERENCE, "1452": REFERENCE,
    "SQLITE_CONSTRAINT_FOREIGNKEY": REFERENCE,
    "23502": NULL, "1048": NULL, "1364": NULL, "SQLITE_CONSTRAINT_NOTNULL": NULL,
}  # fmt: skip
#: of the detail that PostgreSQL gives, in whatever language: the columns in front of their values
_KEY = re.compile(r"\(((?:[^()\"]|\"[^\"]*\")*)\)=\(")
#: of MariaDB's messages: the index at the end; the referring table and its column
_INDEX = re.compile(r"'(?:[^'.]*\.)?([^'.]+)'\s*$")
_REFERRING = re.compile(r"`\.`([^`]+)`, CONSTRAINT `[^`]*` FOREIGN KEY \(([^)]*)\)")


class IntegrityProblem(NamedTuple):
    """A rule that a row would have broken.

    :param rule: `UNIQUE`, `REFERENCE`, `NULL`, or empty: another one
    :param table: the table of the row that breaks it; empty: nobody says
    :param columns: the columns it is about; empty: nobody says
    """

    rule: str
    table: str = ""
    columns: tuple[str, ...] = ()


def integrity_error_of(error: peewee.IntegrityError, table: str) -> IntegrityProblem:
    """What an error of a database means.

    :param table: the table that was written
    """
    original: Any = getattr(error, "orig", None) or error.__cause__ or error
    if isinstance(original, sqlite3.Error):
        rule = _RULES.get(getattr(original, "sqlite_errorname", ""), "")
        named = str(original).partition(": ")[2] if rule == UNIQUE else ""
        places = [place.rpartition(".") for place in named.split(", ") if "." in place]
        return IntegrityProblem(rule, places[0][0] if places else "", tuple(column for *_, column in places))
    if hasattr(original, "diag"):
        found = _KEY.search(original.diag.message_detail or "")
        columns = tuple(name.strip().strip('"') for name in found[1].split(",")) if found else ()
        return IntegrityProblem(_RULES.get(original.sqlstate or "", ""), original.diag.table_name or "", columns)
    return _of_mariadb(original, table)


def _of_mariadb(original: Any, table: str) -> IntegrityProblem:
    number, text = (*original.args, "", "")[:2]
    rule, message = _RULES.get(str(number), ""), str(text)
    if rule == REFERENCE and (referring := _REFERRING.search(message)):
        return IntegrityProblem(rule, referring[1], tuple(name.strip(" `") for name in referring[2].split(",")))
    if rule == UNIQUE and dialect_name() == "mysql" and (index := _INDEX.search(message)):
        rows = database.execute_sql(
            "SELECT column_name FROM information_schema.statistics WHERE table_schema = DATABASE() "
            "AND table_name = %s AND index_name = %s ORDER BY seq_in_index",
            (table, index[1]),
        ).fetchall()
        return IntegrityProblem(rule, table if rows else "", tuple(name for (name,) in rows))
    return IntegrityProblem(rule)
