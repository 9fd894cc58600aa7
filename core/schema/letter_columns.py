"""MariaDB's way to an index in the order of lists: a generated column of small letters, and an index over it.

It is stored: where a node of Galera was killed, a virtual one with an index kept `mariadbd --wsrep-recover` from
its end.

It lies between a column and its changes: MariaDB drops no column that another is worked out from, and refuses a text
that is too long for that one. So it goes before its column changes (`let_letters_go`), and comes again with the models.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import peewee

from ..storage.database import database, dialect_name, query, quote
from ..storage.letter_columns import letter_columns, letters_name
from ..storage.letters import LETTERS_END
from ..storage.model import Model, meta_of
from ..storage.table_generation import raise_generation
from .columns import run
from .known_tables import owner_of, table_of

_log = logging.getLogger("comptoir.tables")

#: letters of a text that an index has room for
LONGEST = 768


@dataclass
class _Texts:
    """The texts of a table: the length of each, and of each column of small letters."""

    columns: dict[str, int] = field(default_factory=dict)
    letters: dict[str, int] = field(default_factory=dict)


def _texts_of(tables: Iterable[str]) -> dict[str, _Texts]:
    names = [*tables]
    found = {name: _Texts() for name in names}
    if not names:
        return found
    rows: list[tuple[Any, ...]] = query(
        "SELECT table_name, column_name, character_maximum_length, extra FROM information_schema.columns "
        "WHERE table_schema = DATABASE() AND character_maximum_length IS NOT NULL "
        f"AND table_name IN ({', '.join('?' * len(names))})",
        tuple(names),
    )
    for table, column, length, extra in rows:
        texts = found[str(table)]
        made = str(column).endswith(LETTERS_END) and "GENERATED" in str(extra)
        (texts.letters if made else texts.columns)[str(column)] = int(length)
    return found


def _wanted(model: type[Model], texts: _Texts) -> dict[str, tuple[str, int]]:
    """What a model wants and MariaDB has room for: name → the column, and its length. Others are sorted without."""
    meta = meta_of(model)
    columns = [str(meta.fields[name].column_name) for name in meta.sorted]
    return {letters_name(column): (column, texts.columns[column])
            for column in columns if texts.columns.get(column, LONGEST + 1) <= LONGEST}  # fmt: skip


def _missing(wanted: Mapping[str, tuple[str, int]], texts: _Texts) -> list[str]:
    """Those that are not there, or are too short or too long for their column of now."""
    return sorted(name for name, (_, length) in wanted.items() if texts.letters.get(name) != length)


def lacking_letters(models: Iterable[type[Model]]) -> list[type[Model]]:
    """The models whose tables lack one: of an older release, or changed by others."""
    models = list(models)
    texts = _texts_of(map(table_of, models))
    return [each for each in models if _missing(_wanted(each, texts[table_of(each)]), texts[table_of(each)])]


def keep_letters(model: type[Model], *, all_of_them: bool) -> None:
    """Make those that a model wants, and let those go that it does not want any more.

    A table for which the database refuses it is told, and sorted without.

    :param all_of_them: False: the table is another module's, whose columns stay
    """
    table = table_of(model)
    texts = _texts_of([table])[table]
    wanted = _wanted(model, texts)
    missing = _missing(wanted, texts)
    gone = {*missing} & {*texts.letters} | ({*texts.letters} - {*wanted} if all_of_them else set())
    if gone:
        # Whoever has the models of before sorts by them
        raise_generation([owner_of(model)])
        _drop(table, gone)
    if not missing:
        return
    # That a new table has its indexes is nothing to tell
    level = logging.INFO if query(f"SELECT 1 FROM {quote(table)} LIMIT 1") else logging.DEBUG
    opened = database.obj
    parts = []
    for name in missing:
        column, length = wanted[name]
        _log.log(level, "%s.%s: creating an index for sorted lists", table, column)
        parts.append(
            f"ADD COLUMN {quote(name)} VARCHAR({length}) CHARACTER SET utf8mb4 COLLATE {opened.exact()} "
            f"GENERATED ALWAYS AS ({opened.sort_key(quote(column))}) STORED INVISIBLE, "
            f"ADD INDEX {quote(name)} ({quote(name)})"
        )
    try:
        run(f"ALTER TABLE {quote(table)} {', '.join(parts)}")
    except peewee.DatabaseError as error:
        _log.error("%s: can't create an index for sorted lists, so sorting is slower: %s", table, error)


def let_letters_go(table: str, column: str = "") -> None:
    """Let small letters go before their column changes.

    :param column: empty: those of each
    """
    if dialect_name() != "mysql":
        return
    there = letter_columns(table)
    _drop(table, there & {letters_name(column)} if column else there)


def _drop(table: str, names: Iterable[str]) -> None:
    parts = [f"DROP COLUMN {quote(name)}" for name in sorted(names)]
    if parts:
        _log.debug("%s: dropping the index for sorted lists", table)
        run(f"ALTER TABLE {quote(table)} {', '.join(parts)}")
