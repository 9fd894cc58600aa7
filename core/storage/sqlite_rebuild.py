"""SQLite's way to change a column: the table is made anew beside itself, filled, and takes the old one's place.

See https://www.sqlite.org/lang_altertable.html. Its indexes and triggers come back, and other tables go on referring to
it, because references aren't checked meanwhile (`Sqlite.unchecked_references`).
"""

from __future__ import annotations

import re
from typing import Any

_NAME = re.compile(r'"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|(\w+)')
_CONSTRAINT = re.compile(r"(CONSTRAINT|PRIMARY|UNIQUE|CHECK|FOREIGN)\b", re.I)


def rebuild(database: Any, table: str, column: str, definition: str, expression: str) -> None:
    """Make a table anew with another column in the place of one, or with one more.

    :param definition: the column as `CREATE TABLE` takes it
    :param expression: what it holds, of the columns there were
    """
    run, quote = database.run, database.quoted
    found = run("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    body, tail = _body(found[0])
    parts, columns = [], []
    for part in _split(body):
        name = "" if _CONSTRAINT.match(part) else _name(part)
        parts.append(definition if name == column else part)
        columns.append(name)
    columns = [name for name in columns if name]
    if column not in columns:
        # Behind the columns, before what is said of them together
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
    names = ", ".join(quote(name) for name in columns)
    taken = ", ".join(expression if name == column else quote(name) for name in columns)
    run(f"INSERT INTO {quote(new)} ({names}) SELECT {taken} FROM {quote(table)}")
    if "AUTOINCREMENT" in body.upper():
        # An empty table has made no entry for the new one
        run("DELETE FROM sqlite_sequence WHERE name = ?", (new,))
        run("INSERT INTO sqlite_sequence SELECT ?, seq FROM sqlite_sequence WHERE name = ?", (new, table))
    run(f"DROP TABLE {quote(table)}")
    # Views and triggers elsewhere that name the table are not looked at while it is away
    run("PRAGMA legacy_alter_table = ON")
    try:
        run(f"ALTER TABLE {quote(new)} RENAME TO {quote(table)}")
    finally:
        run("PRAGMA legacy_alter_table = OFF")
    for (sql,) in kept:
        run(sql)


def _body(sql: str) -> tuple[str, str]:
    """What stands between the outer parentheses of a `CREATE TABLE`, and what follows."""
    places = [place for place, _ in _outside(sql, wanted="()")]
    depth, begin = 0, -1
    for place in places:
        if sql[place] == "(":
            begin, depth = (place if depth == 0 else begin), depth + 1
        else:
            depth -= 1
            if depth == 0:
                return sql[begin + 1 : place], sql[place + 1 :]
    raise ValueError(f"can't read the columns of the table: {sql[:80]}")


def _split(body: str) -> list[str]:
    """The columns and constraints of a `CREATE TABLE`."""
    parts, begin = [], 0
    for place, depth in _outside(body, wanted=","):
        if depth == 0:
            parts.append(body[begin:place].strip())
            begin = place + 1
    return [*parts, body[begin:].strip()]


def _outside(sql: str, wanted: str) -> list[tuple[int, int]]:
    """Where characters stand outside of quotes, and how deep in parentheses."""
    found, quoted, depth = [], "", 0
    for place, character in enumerate(sql):
        if quoted:
            quoted = "" if character == quoted else quoted
            continue
        if character in "\"'`[":
            quoted = "]" if character == "[" else character
        elif character in wanted:
            found.append((place, depth))
        depth += {"(": 1, ")": -1}.get(character, 0) if not quoted else 0
    return found


def _name(part: str) -> str:
    match = _NAME.match(part)
    return next((each for each in match.groups() if each), "").replace('""', '"') if match else ""
