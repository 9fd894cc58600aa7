"""Indexes of texts that lists are sorted by (`Meta.sorted`).

SQLite has an index with the collation NOCASE, PostgreSQL one of `lower(column)`, and MariaDB none. They are found by
their names, not by their columns as those of `indexes.py`.
"""

from __future__ import annotations

import hashlib
import logging

from ..storage.database import database, query, quote
from ..storage.model import Model, meta_of
from .columns import run
from .indexes import drop_named

_log = logging.getLogger("comptoir.tables")

#: end of the names of these indexes
SUFFIX = "__sorted"
#: characters of a name in PostgreSQL
MAX_NAME_CHARS = 63


def keep_text_indexes(model: type[Model], *, all_of_them: bool = True) -> None:
    """Create the indexes that a model specifies, and drop those that it no longer does.

    :param all_of_them: False: the table is another module's, whose indexes stay
    """
    meta = meta_of(model)
    table, key = str(meta.table_name), quote(meta.primary_key.column_name)
    wanted = {}
    for field in (meta.fields[name] for name in meta.sorted):
        if text := database.obj.sort_index(quote(field.column_name), null=bool(field.null)):
            wanted[index_name(table, field.column_name)] = field.column_name, text
    present = {each.name for each in database.get_indexes(table) if each.name.endswith(SUFFIX)}
    if all_of_them:
        for name in present - wanted.keys():
            _log.info("%s: dropping index %s", table, name)
            drop_named(table, name)
    missing = wanted.keys() - present
    # The log doesn't mention the indexes of a new table
    level = logging.INFO if missing and query(f"SELECT 1 FROM {quote(table)} LIMIT 1") else logging.DEBUG
    for name in sorted(missing):
        column, text = wanted[name]
        _log.log(level, "%s.%s: creating an index for sorted lists", table, column)
        run(f"CREATE INDEX {quote(name)} ON {quote(table)} ({text}, {key})")


def index_name(table: str, column: str) -> str:
    """Return the name of a column's index."""
    name = f"{table}_{column}{SUFFIX}"
    if len(name) <= MAX_NAME_CHARS:
        return name
    return f"{name[:40]}_{hashlib.sha256(name.encode()).hexdigest()[:12]}{SUFFIX}"
