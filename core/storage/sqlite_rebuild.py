"""Change a column on SQLite: create a new table, copy the rows and replace the old table.

See https://www.sqlite.org/lang_altertable.html. Its indexes and triggers come back, and other tables go on referring to
it, because references aren't checked meanwhile (`Sqlite.unchecked_references`).
"""

from __future__ import annotations

import re
from typing import Any

_NAME = re.compile(r'"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|(\w+)')
#: a quoted text or name, or what separates columns
_MARK = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|[(),]""")
_REFERENCE = re.compile(r"""\s+REFERENCES\s+("[^"]*"|\S+)\s*\([^)]*\)""", re.I)
_CONSTRAINT = re.compile(r"(CONSTRAINT|PRIMARY|UNIQUE|CHECK|FOREIGN)\b", re.I)


def rebuild(database: Any, table: str, column: str, definition: str, expression: str) -> None:
    """Rebuild a table with one column replaced or added.

    :param definition: the column, as in `CREATE TABLE`
    :param expression: the SQL of its value in existing rows, from the old columns
    """
    run, quote = database.run, database.quoted
    found = run("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    parts, tail = _parts(found[0])
    names = ["" if _CONSTRAINT.match(part) else _name(part) for part in parts]
    columns = [name for name in names if name]
    if column in columns:
        parts[names.index(column)] = definition
    else:
        # After the columns, before the constraints of the table
        parts.insert(len(columns), definition)
        columns.append(column)
    kept = run(
        "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL "
        "ORDER BY type",
        (table,),
    ).fetchall()
    new = f"{table}__new"
    run(f"DROP TABLE IF EXISTS {quote(new)}")
    run(f"CREATE TABLE {quote(new)} ({', '.join(parts)}){tail}")
    listed = ", ".join(quote(name) for name in columns)
    taken = ", ".join(expression if name == column else quote(name) for name in columns)
    run(f"INSERT INTO {quote(new)} ({listed}) SELECT {taken} FROM {quote(table)}")
    if "AUTOINCREMENT" in found[0].upper():
        # An empty table has made no entry for the new one
        run("DELETE FROM sqlite_sequence WHERE name = ?", (new,))
        run("INSERT INTO sqlite_sequence SELECT ?, seq FROM sqlite_sequence WHERE name = ?", (new, table))
    run(f"DROP TABLE {quote(table)}")
    # Don't check views and triggers that use the table while it is missing
    run("PRAGMA legacy_alter_table = ON")
    try:
        run(f"ALTER TABLE {quote(new)} RENAME TO {quote(table)}")
    finally:
        run("PRAGMA legacy_alter_table = OFF")
    for (sql,) in kept:
        run(sql)


def definition_of(database: Any, table: str, column: str) -> str:
    """Return a column as its table was created, without its reference."""
    sql = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    parts, _ = _parts(database.run(sql, (table,)).fetchone()[0])
    found = next(part for part in parts if not _CONSTRAINT.match(part) and _name(part) == column)
    return _REFERENCE.sub("", found)


def _parts(sql: str) -> tuple[list[str], str]:
    """Return the columns and constraints that a `CREATE TABLE` lists, and what follows them."""
    parts, begin, depth = [], 0, 0
    for mark in _MARK.finditer(sql):
        if mark[0] == "(":
            depth += 1
            begin = mark.end() if depth == 1 else begin
        elif mark[0] in ",)" and depth == 1:
            parts.append(sql[begin : mark.start()].strip())
            begin = mark.end()
        depth -= mark[0] == ")"
        if mark[0] == ")" and not depth:
            return parts, sql[begin:]
    raise ValueError(f"can't read the columns of the table: {sql[:80]}")


def _name(part: str) -> str:
    match = _NAME.match(part)
    return next((each for each in match.groups() if each), "").replace('""', '"') if match else ""
