"""Indexes in the order of lists: small letters, by their code points (`Meta.sorted`).

Not those of `indexes.py`, which know nothing of letters: found by their names, made and let go by the model alone.
PostgreSQL has an index of an expression. SQLite has one in a collation of ours: a program that does not know it reads
the table, and copies the file, but cannot write that column before it has dropped the index, which the next start makes
again. An expression with a function of ours would keep it from reading. MariaDB has one over a column that is worked
out (`letter_columns.py`).
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from typing import Any

from ..storage.database import database, dialect_name, query, quote
from ..storage.letters import LETTERS, LETTERS_END
from ..storage.model import Model, meta_of
from .columns import run
from .indexes import drop_named
from .letter_columns import keep_letters, lacking_letters

_log = logging.getLogger("comptoir.tables")

#: letters of a name in PostgreSQL
_LONGEST = 63


def keep_text_indexes(model: type[Model], *, all_of_them: bool = True) -> None:
    """Make the indexes that a model wants, and let those go that it does not want any more.

    :param all_of_them: False: the table is another module's, whose indexes stay
    """
    if dialect_name() == "mysql":
        keep_letters(model, all_of_them=all_of_them)
        return
    meta = meta_of(model)
    table, key = str(meta.table_name), quote(meta.primary_key.column_name)
    wanted = {index_name(table, field.column_name): field for field in (meta.fields[name] for name in meta.sorted)}
    there = {each.name for each in database.get_indexes(table) if each.name.endswith(LETTERS_END)}
    if all_of_them:
        for name in there - wanted.keys():
            _log.info("%s: dropping index %s", table, name)
            drop_named(table, name)
    missing = wanted.keys() - there
    # That a new table has its indexes is nothing to tell
    level = logging.INFO if missing and query(f"SELECT 1 FROM {quote(table)} LIMIT 1") else logging.DEBUG
    for name in sorted(missing):
        field = wanted[name]
        _log.log(level, "%s.%s: creating an index for sorted lists", table, field.column_name)
        run(f"CREATE INDEX {quote(name)} ON {quote(table)} ({_ordered(field)}, {key})")


def lacking_indexes(models: Iterable[type[Model]]) -> list[type[Model]]:
    """The models that lack one: another program has dropped it, to write into SQLite's file; MariaDB had none once."""
    wanting = [model for model in models if meta_of(model).sorted]
    if dialect_name() == "mysql":
        return lacking_letters(wanting)
    if dialect_name() != "sqlite" or not wanting:
        return []
    there = {name for (name,) in query("SELECT name FROM sqlite_master WHERE type = 'index'")}
    return [model for model in wanting if _names(model) - there]


def _names(model: type[Model]) -> set[str]:
    meta = meta_of(model)
    return {index_name(str(meta.table_name), meta.fields[name].column_name) for name in meta.sorted}


def index_name(table: str, column: str) -> str:
    """What the index of a column is called."""
    name = f"{table}_{column}{LETTERS_END}"
    if len(name) <= _LONGEST:
        return name
    return f"{name[:40]}_{hashlib.sha256(name.encode()).hexdigest()[:12]}{LETTERS_END}"


def _ordered(field: Any) -> str:
    column = quote(field.column_name)
    if dialect_name() == "sqlite":
        return f"{column} COLLATE {LETTERS}"
    # As lists ask for it: they speak of NULL only where it may be
    return f"({database.obj.sort_key(column)}){' NULLS FIRST' if field.null else ''}"
