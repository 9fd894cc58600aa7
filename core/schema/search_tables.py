"""What searches are quick by: made from `Meta.searched` when modules load, kept by the database itself.

SQLite has two tables of FTS5 for each model, one of words and one of trigrams, and triggers that fill them. PostgreSQL
has two indexes. MariaDB has a table of words with a FULLTEXT index, and triggers; it knows no trigrams. A row of
`comptoir_table` says what a table was made with; where that is not what its model says, all of it is made anew.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from functools import cache
from typing import Any

import peewee

from ..storage.database import backend, database, dialect_name, query, quote
from ..storage.error_kinds import reason_of
from ..storage.model import Model, meta_of
from ..storage.search import (
    BLIND,
    FUNCTION,
    LIGATURES,
    LONGEST_WORD,
    PREFIX,
    gram_text,
    looked_into,
    search_digest,
    searched_fields,
    words_expression,
)  # fmt: skip
from ..storage.search_names import TRIGRAMS, WORDS, kept_name, search_name
from .columns import number, run
from .known_tables import KnownTable, known_digests, note, owner_of, table_of

_log = logging.getLogger("comptoir.tables")

#: rows that are filled in at once
_SLICE = 100_000
#: rows from which on it is told how far it has come
_MANY = 500_000

_FUNCTION = """
CREATE OR REPLACE FUNCTION {name}(said text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE COST 5000 AS $$
DECLARE spaced text := lower(said{collation});
BEGIN
  IF octet_length(spaced) <> length(spaced) THEN
    {ligatures}
    spaced := regexp_replace(normalize(spaced, NFD), '([a-z])[\\u0300-\\u036f]+', '\\1', 'g');
    spaced := regexp_replace(normalize(spaced, NFC), '[\\u0300-\\u036f]+', '', 'g');
  END IF;
  spaced := regexp_replace(spaced, '([[:alnum:]]{{{longest}}})[[:alnum:]]+|[^[:alnum:]]+', '\\1 ', 'g');
  RETURN array_to_tsvector(string_to_array(trim(spaced), ' '));
END $$
"""


def to_be_searched(models: Iterable[type[Model]], known: Mapping[str, str]) -> list[type[Model]]:
    """The models whose searches are not made as they say.

    :param known: digests of what is made, by name
    """
    if dialect_name() == "sqlite" and not _has_tokenizers():
        return []
    return [model for model in _chosen(models).values() if not _is_made(model, known)]


@cache
def _has_tokenizers() -> bool:
    """Whether the library of SQLite has what it takes: it may be older, or built without."""
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE grams USING fts5(words, tokenize='trigram')")
    except sqlite3.OperationalError as error:
        _log.error("can't search by `q`: SQLite %s does not support trigrams (%s)", sqlite3.sqlite_version, error)
        return False
    return True


def _chosen(models: Iterable[type[Model]]) -> dict[str, type[Model]]:
    """One model for each table: the one that says what is searched, where there are several."""
    chosen: dict[str, type[Model]] = {}
    for model in models:
        if table_of(model) not in chosen or meta_of(model).searched:
            chosen[table_of(model)] = model
    return chosen


def _is_made(model: type[Model], known: Mapping[str, str]) -> bool:
    made = known.get(kept_name(table_of(model)), "")
    if not meta_of(model).searched:
        return not made or KnownTable.get(KnownTable.name == kept_name(table_of(model))).owner != owner_of(model)
    if made == search_digest(model):
        return True
    # Made while the extension was missing, and it still is
    return made == search_digest(model, trigrams=False) and not _may_have_trigrams()


def make_searches(models: Iterable[type[Model]], left: Collection[str]) -> bool:
    """Make what is missing, under the lock of the schema; return whether one had another form before.

    :param left: modules whose tables are not what they should be yet
    """
    changed = False
    known = known_digests()
    for model in to_be_searched(models, known):
        table = table_of(model)
        if owner_of(model) in left or not database.table_exists(table):
            continue
        if let_go(table, known):
            changed = True
        if meta_of(model).searched:
            # Where each statement commits by itself, a part may be there of one that was broken off
            _remove(table)
            _make(model)
    return changed


def let_go(table: str, known: Mapping[str, str] | None = None) -> bool:
    """Take away what a table is searched by, before its columns change or it goes; answers whether there was any."""
    if kept_name(table) not in (known_digests() if known is None else known):
        return False
    _remove(table)
    KnownTable.delete().where(KnownTable.name == kept_name(table)).execute()
    return True


def _remove(table: str) -> None:
    kind = dialect_name()
    for name in _triggers(table):
        run(f"DROP TRIGGER {quote(name)}")
    for start in (WORDS, TRIGRAMS):
        what = "INDEX" if kind == "postgresql" else "TABLE"
        run(f"DROP {what} IF EXISTS {quote(search_name(start, table))}")


def _triggers(table: str) -> list[str]:
    """The triggers that there are: MariaDB may refuse to drop one even where it is not there."""
    wanted = [search_name(WORDS, table, f"_{event}") for event in ("insert", "update", "delete")]
    sql = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name IN (?, ?, ?)",
        "mysql": "SELECT trigger_name FROM information_schema.triggers "
        "WHERE trigger_schema = DATABASE() AND trigger_name IN (?, ?, ?)",
    }.get(dialect_name())
    return [name for (name,) in query(sql, tuple(wanted))] if sql else []


class _Unfit(Exception):
    """A database that can't be told to keep words."""


def _make(model: type[Model]) -> None:
    table = table_of(model)
    rows = number(f"SELECT COUNT(*) FROM {quote(table)}")
    if rows >= _MANY:
        _log.info("%s: building the search index for %s rows", table, f"{rows:,}")
    try:
        trigrams = _MAKERS[dialect_name()](model)
    except (peewee.OperationalError, _Unfit) as error:
        # MariaDB: without the privilege TRIGGER, or with a binary log, only an administrator may
        if dialect_name() != "mysql":
            raise
        _remove(table)
        _log.warning("%s: without search tables, searches read the whole table", table)
        _tell_why(id(database.obj), reason_of(error))
        return
    note(kept_name(table), search_digest(model, trigrams=trigrams), owner_of(model))


@cache
def _tell_why(opened: int, reason: str) -> None:
    """Log once per database, not per table."""
    _log.error(
        "can't create search tables: %s. Until you fix this and restart the server, searches read whole tables", reason
    )


def _make_sqlite(model: type[Model]) -> bool:
    table, key, fields = table_of(model), _key(model), searched_fields(model)
    words, grams = (quote(search_name(start, table)) for start in (WORDS, TRIGRAMS))
    columns = ", ".join(f"c{place}" for place in range(len(fields)))
    # Neither keeps a text a second time: each is only asked for the numbers of rows
    tokens = "unicode61 remove_diacritics 2 categories ''L* Nd''"
    run(f"CREATE VIRTUAL TABLE {words} USING fts5(words, content='', tokenize='{tokens}', prefix='1 2 3', detail=none)")
    run(f"CREATE VIRTUAL TABLE {grams} USING fts5({columns}, content='', tokenize='trigram')")

    def add(alias: str, source: str = "") -> list[str]:
        texts = ", ".join(gram_text(field, alias) for field in fields)
        how = f"SELECT {{}} {source}" if source else "VALUES ({})"
        return [
            f"INSERT INTO {words}(rowid, words) " + how.format(f"{alias}{key}, {words_expression(fields, alias)}"),
            f"INSERT INTO {grams}(rowid, {columns}) " + how.format(f"{alias}{key}, {texts}"),
        ]

    texts = ", ".join(gram_text(field, "OLD.") for field in fields)
    words_name, grams_name = search_name(WORDS, table), search_name(TRIGRAMS, table)
    gone = [
        f"INSERT INTO {words}({quote(words_name)}, rowid, words) "
        f"VALUES ('delete', OLD.{key}, {words_expression(fields, 'OLD.')})",
        f"INSERT INTO {grams}({quote(grams_name)}, rowid, {columns}) VALUES ('delete', OLD.{key}, {texts})",
    ]
    named = ", ".join(quote(field.column_name) for field in fields)
    other = " OR ".join(f"OLD.{quote(each.column_name)} IS NOT NEW.{quote(each.column_name)}" for each in fields)
    for event, when, actions in (
        ("INSERT", "", add("NEW.")),
        (f"UPDATE OF {named}", f"WHEN {other} ", [*gone, *add("NEW.")]),
        ("DELETE", "", gone),
    ):
        name = quote(search_name(WORDS, table, "_" + event.partition(" ")[0].lower()))
        run(f"CREATE TRIGGER {name} AFTER {event} ON {quote(table)} {when}BEGIN {'; '.join(actions)}; END")
    for statement in add("t.", f"FROM {quote(table)} AS t WHERE t.{key} > ? AND t.{key} <= ?"):
        _in_slices(table, key, statement)
    return True


def _make_postgresql(model: type[Model]) -> bool:
    table, fields = quote(table_of(model)), searched_fields(model)
    icu = number("SELECT COUNT(*) FROM pg_collation WHERE collname = 'und-x-icu'")
    ligatures = " ".join(f"spaced := replace(spaced, '{each}', '{other}');" for each, other in LIGATURES.items())
    # Letters are what Unicode calls so, whatever the database was made for
    collation = ' COLLATE "und-x-icu"' if icu else ""
    run(_FUNCTION.format(name=FUNCTION, collation=collation, ligatures=ligatures, longest=LONGEST_WORD))
    words = quote(search_name(WORDS, table_of(model)))
    run(f"CREATE INDEX {words} ON {table} USING gin ({words_expression(fields, '')})")
    if not _may_have_trigrams(make=True):
        _tell_of_missing(id(database.obj))
        return False
    # Of what `like` looks at, or the index would be of no use to it
    columns = ", ".join(f"({backend().like_operand(looked_into(field, ''))}) gin_trgm_ops" for field in fields)
    run(f"CREATE INDEX {quote(search_name(TRIGRAMS, table_of(model)))} ON {table} USING gin ({columns})")
    return True


@cache
def _tell_of_missing(opened: int) -> None:
    """Log once per database, not per table."""
    _log.warning("can't create the extension pg_trgm, so `like` in the middle of words reads whole tables")


def _may_have_trigrams(*, make: bool = False) -> bool:
    """Whether the database has, or may make, what finds the middle of words."""
    if dialect_name() != "postgresql":
        return True
    if number("SELECT COUNT(*) FROM pg_extension WHERE extname = 'pg_trgm'"):
        return True
    if not make:
        return False
    # A failure must not undo the rest of the transaction
    run("SAVEPOINT comptoir_trigrams")
    try:
        database.obj.connection().execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except Exception:  # noqa: BLE001 - a driver's error, which peewee has not seen
        run("ROLLBACK TO SAVEPOINT comptoir_trigrams")
        return False
    run("RELEASE SAVEPOINT comptoir_trigrams")
    return True


def _make_mysql(model: type[Model]) -> bool:
    table, key, fields = table_of(model), _key(model), searched_fields(model)
    words = quote(search_name(WORDS, table))
    least, most = run("SELECT @@innodb_ft_min_token_size, @@innodb_ft_max_token_size").fetchone()
    if least > len(PREFIX) + 1 or most < len(PREFIX) + LONGEST_WORD:
        raise _Unfit(f"set innodb_ft_min_token_size to 3 (now {least}) and innodb_ft_max_token_size to 84 (now {most})")
    run(
        f"CREATE TABLE {words} (id BIGINT PRIMARY KEY, words MEDIUMTEXT NOT NULL, FULLTEXT KEY words (words)) "
        f"ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={BLIND}"
    )
    new = words_expression(fields, "NEW.")
    same = " AND ".join(f"NEW.{quote(each.column_name)} <=> OLD.{quote(each.column_name)}" for each in fields)
    for event, action in (
        ("INSERT", f"INSERT INTO {words} VALUES (NEW.{key}, {new}) ON DUPLICATE KEY UPDATE words = VALUES(words)"),
        ("UPDATE", f"IF NOT ({same}) THEN INSERT INTO {words} VALUES (NEW.{key}, {new}) "
                   "ON DUPLICATE KEY UPDATE words = VALUES(words); END IF"),
        ("DELETE", f"DELETE FROM {words} WHERE id = OLD.{key}"),
    ):  # fmt: skip
        name = quote(search_name(WORDS, table, "_" + event.lower()))
        run(f"CREATE TRIGGER {name} AFTER {event} ON {quote(table)} FOR EACH ROW BEGIN {action}; END")
    # Others write meanwhile, and their rows are there already
    _in_slices(
        table, key,
        f"INSERT IGNORE INTO {words} SELECT t.{key}, {words_expression(fields, 't.')} "
        f"FROM {quote(table)} AS t WHERE t.{key} > %s AND t.{key} <= %s",
    )  # fmt: skip
    return True


def _in_slices(table: str, key: str, statement: str) -> None:
    """Fill in the rows that there are, some at a time."""
    lowest, highest = run(f"SELECT MIN({key}), MAX({key}) FROM {quote(table)}").fetchone()
    if lowest is None:
        return
    for begin in range(lowest - 1, highest, _SLICE):
        run(statement, (begin, begin + _SLICE))
        if highest - lowest >= _MANY:
            _log.info(
                "%s: search index built up to ID %s of %s", table, f"{min(begin + _SLICE, highest):,}", f"{highest:,}"
            )


def _key(model: type[Model]) -> str:
    return quote(str(meta_of(model).primary_key.column_name))


_MAKERS: dict[str, Any] = {"sqlite": _make_sqlite, "postgresql": _make_postgresql, "mysql": _make_mysql}
