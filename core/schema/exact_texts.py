"""Texts of tables that an older release made on MariaDB: compared letter by letter from now on, as those of new ones.

Before, letters that differ in case or accents were the same there, and so were texts that differ in the spaces at their
end. More texts are told apart than before, so that no value can be in the way and no index refuses one.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from itertools import groupby
from typing import Any

import peewee

from ..storage.database import database, dialect_name, query, quote
from .columns import run
from .letter_columns import let_letters_go

_log = logging.getLogger("comptoir.tables")

#: how tables of the core are called
_CORE = "comptoir_"


def tell_letters_apart(existing: Collection[str], tables: Iterable[str]) -> None:
    """Let MariaDB compare texts letter by letter.

    Columns without an index are changed at once; a table with an indexed one is written anew, a million rows in some
    seconds. A table for which the database refuses it is told, and served as it was.

    :param existing: the tables that there are
    :param tables: those that may be changed; those of the core are so besides
    """
    if dialect_name() != "mysql":
        return
    wanted = {*tables} & {*existing} | {each for each in existing if each.startswith(_CORE)}
    rows = query(
        "SELECT c.table_name, c.character_set_name, c.collation_name, t.table_rows FROM information_schema.columns c "
        "JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name "
        "WHERE c.table_schema = DATABASE() AND INSTR(c.extra, 'GENERATED') = 0 "
        "AND t.table_type = 'BASE TABLE' AND c.collation_name IS NOT NULL "
        "ORDER BY c.table_name"
    )
    exact: dict[str, str] = {}
    for table, columns in groupby(rows, key=lambda row: str(row[0])):
        if table in wanted:
            _convert(table, list(columns), exact)


def _convert(table: str, columns: list[Any], exact: dict[str, str]) -> None:
    sets = {str(characters) for _, characters, _, _ in columns}
    # Its characters stay those it has, for the index of a longer column might not fit
    characters = sets.pop() if len(sets) == 1 else "utf8mb4"
    collation = exact.setdefault(characters, "") or _exact(characters)
    exact[characters] = collation
    if all(found == collation for _, _, found, _ in columns):
        return
    rows = int(columns[0][3] or 0)
    level = logging.INFO if rows else logging.DEBUG
    _log.log(level, "%s: making its text columns case- and accent-sensitive (about %d rows)", table, rows)
    try:
        let_letters_go(table)
        run(f"ALTER TABLE {quote(table)} CONVERT TO CHARACTER SET {characters} COLLATE {collation}")
    except peewee.DatabaseError as error:
        _log.error("%s: its text columns ignore case and accents, because the change failed: %s", table, error)


def _exact(characters: str) -> str:
    """The collation of a set of characters that tells most apart."""
    if characters == "utf8mb4":
        return str(database.obj.exact())
    sql = "SELECT collation_name FROM information_schema.collations WHERE collation_name IN (?, ?)"
    names = {str(name) for (name,) in query(sql, (f"{characters}_nopad_bin", f"{characters}_bin"))}
    return max(names, key=len, default=f"{characters}_bin")
