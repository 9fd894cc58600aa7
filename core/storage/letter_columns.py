"""Columns in which MariaDB works out the small letters of others, for an index in the order of lists (`Meta.sorted`).

They are generated and invisible: no `SELECT *` answers them, and nobody writes them. They are no
columns of a model, so that nothing that compares tables with models hears of them (`Mysql.get_columns`).
"""

from __future__ import annotations

import hashlib

from .database import database, dialect_name
from .letters import LETTERS_END
from .mysql import Mysql

#: letters of a name
_LONGEST = 64


def letters_name(column: str) -> str:
    """What the column of another's small letters is called, and its index."""
    name = f"{column}{LETTERS_END}"
    if len(name) <= _LONGEST:
        return name
    return f"{name[:40]}_{hashlib.sha256(name.encode()).hexdigest()[:12]}{LETTERS_END}"


def letter_columns(table: str) -> set[str]:
    """The names of those that a table has; none on other databases, which have indexes of expressions."""
    if dialect_name() != "mysql":
        return set()
    opened: Mysql = database.obj
    return opened.letter_columns(table)
