"""The recorder of the audit trail: it reads every statement, notes its changes and writes them before the commit.

Every write passes here: those of `Records`, of peewee and of a module's SQL. Rows are read before they change, unless
this transaction has locked or written them. An insert needs no extra statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..storage.column import Column
from ..storage.database import backend, quote, transaction
from ..storage.model import Model, meta_of
from . import change
from .forms import AnyForm, Form, Unknown, ValuesForm, form_of
from .notes import CHANGED, CREATED, DELETED, STATEMENT, Event, Note, Trail, compared, merged, rows_of
from .write_statements import WriteStatement, read_statement

_read = lru_cache(maxsize=2048)(read_statement)

#: IDs per query
_AT_ONCE = 500
#: rows that one statement of a migration changes, and that are noted one by one
MAX_NOTED_ROWS = 100_000
#: notes of a migration that are kept until they are written
_KEPT = 5_000


class Recorder:
    """Writes the audit trail of a database; its notes of a transaction belong to the thread."""

    def run(self, database: Any, sql: str, params: Any) -> Any:
        """Run a statement and note its changes, in the same transaction."""
        statement = _read(sql)
        form = form_of(statement.table) if statement is not None else None
        if statement is None or form is None:
            return database.run(sql, params)
        if database.in_transaction():
            return self.note(database, sql, params, statement, form)
        with database.atomic():
            return self.note(database, sql, params, statement, form)

    def is_write(self, sql: str) -> bool:
        """Return whether a statement changes rows."""
        return _read(sql) is not None

    def settle(self, database: Any) -> list[tuple[str, list[Any]]]:
        """Return the statements that note the changes of a transaction, for the caller to run before its COMMIT."""
        own = database.own.transaction
        trail, own.trail = own.trail, None
        if not trail.notes:
            return []
        notes = merged(trail.notes)
        _complete_contexts(database, notes)
        rows = rows_of(notes)
        return list(change.inserts(rows)) if rows else []

    def note(self, database: Any, sql: str, params: Any, statement: WriteStatement, form: AnyForm) -> Any:
        """Run a statement and note its changes, in the open transaction."""
        if isinstance(form, ValuesForm):
            return _note_values(database, sql, params, statement, form)
        if not isinstance(form, Form) or not form.keys or not _can_be_compared(statement, form):
            return _note_text(database, sql, params, statement, form)
        if statement.verb == "insert":
            return _note_insert(database, sql, params, statement, form)
        if statement.verb == "update":
            return _note_update(database, sql, params, statement, form)
        return _note_delete(database, sql, params, statement, form)


def trail_of(database: Any) -> Trail:
    """Return the notes of this thread's transaction."""
    own = database.own.transaction
    if own.trail is None:
        own.trail = Trail()
    trail: Trail = own.trail
    return trail


def changed_values(database: Any) -> dict[tuple[str, str], tuple[dict[str, Any], dict[str, Any]]]:
    """Return what this thread's transaction has changed so far: table and ID of a row → its old and new values.

    They have the names of the API; secrets are masked. New and deleted rows aren't among them.
    """
    trail = database.own.transaction.trail
    if trail is None:
        return {}
    trail.notes[:] = merged(trail.notes)
    changed = (each for each in trail.notes if isinstance(each, Note) and each.kind == CHANGED)
    return {(each.form.table, str(each.key)): compared(each) for each in changed}


def know_rows(database: Any, table: str, key: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Store rows that the transaction has locked, so that they aren't read again before a change."""
    if database.recorder is None or not database.in_transaction():
        return
    images = trail_of(database).images
    for row in rows:
        image = dict(zip(columns, row, strict=True))
        images[table, image[key]] = image


def run_migrating(database: Any, sql: str, params: Any, columns: Mapping[str, Column]) -> None:
    """Run a statement of a migration and note its changes, in the open transaction.

    If it may change more than `MAX_NOTED_ROWS` rows, or the table's key isn't known, the trail notes its text.

    :param columns: those that the table has now; the model may be newer
    """
    statement, recorder = _read(sql), database.recorder
    form = form_of(statement.table) if statement is not None else None
    if recorder is None or statement is None or form is None:
        database.run(sql, params)
        return
    if isinstance(form, Form):
        form = form.migrating(columns)
        known = {*form.keys, *form.context} <= columns.keys()
        if not known or (statement.key != form.key and _changes_many(database, statement, params)):
            form = Unknown(statement.table)
    notes = trail_of(database).notes
    recorder.note(database, sql, params, statement, form)
    if len(notes) > 1 and isinstance(notes[-1], Event) and notes[-2] == notes[-1]:
        # A loop over all rows runs the same statement thousands of times
        notes.pop()
    trail_of(database).images.clear()
    if len(notes) >= _KEPT:
        for each in recorder.settle(database):
            database.run(*each)


def _changes_many(database: Any, statement: WriteStatement, params: Any) -> bool:
    """Return whether an UPDATE or DELETE would change more than `MAX_NOTED_ROWS` rows."""
    if statement.verb not in ("update", "delete"):
        return False
    where = f" WHERE {statement.condition}" if statement.condition else ""
    first = f"SELECT 1 FROM {statement.target}{where} LIMIT {MAX_NOTED_ROWS + 1}"
    values = tuple(params or ())[statement.before :]
    return int(database.run(f"SELECT COUNT(*) FROM ({first}) AS changed", values).fetchone()[0]) > MAX_NOTED_ROWS


def add_event(event: Event) -> None:
    """Note an event, inside a transaction."""
    if backend().recorder is not None:
        trail_of(backend()).notes.append(event)


def note_event(kind: str, model: type[Model] | None = None, record: Any = None, **details: Any) -> None:
    """Write an event to the audit trail, in the open transaction or in a new one.

    :param kind: the event, up to 32 characters, such as ``login_failed``
    :param model: the model of the event's record; None if the event has no record
    :param record: the ID of that record
    :param details: more facts, as plain data; never a password or a key, because entries can't be changed
    """
    table = meta_of(model).table_name if model is not None else ""
    with transaction():
        add_event(Event(kind[:32], table, "" if record is None else str(record)[:64], details))


def _can_be_compared(statement: WriteStatement, form: Form) -> bool:
    if statement.verb == "other" or statement.conflicts:
        return False
    if statement.verb == "update":
        return not set(statement.columns) & set(form.keys) and (bool(form.key) or None not in statement.places)
    if statement.verb == "insert":
        alone = statement.rows == 1 or set(form.keys) <= set(statement.columns)
        return bool(form.key) or (alone and set(form.keys) <= set(statement.columns))
    return True


def _note_text(database: Any, sql: str, params: Any, statement: WriteStatement, form: AnyForm) -> Any:
    """Run a statement whose changes its text doesn't reveal; note the statement without its values."""
    cursor = database.run(sql, params)
    table = form.table if isinstance(form, (Form, Unknown)) else statement.table
    trail = trail_of(database)
    trail.forget_table(table)
    if cursor.rowcount != 0:
        trail.notes.append(Event(STATEMENT, table[:64], "", {"statement": statement.text}))
    return cursor


# Inserts -------------------------------------------------------------------------------------------------------------


def _note_insert(database: Any, sql: str, params: Any, statement: WriteStatement, form: Form) -> Any:
    columns = statement.columns
    is_known = not form.key or form.key in columns or statement.returning
    # As for one row: of several MariaDB's driver would no longer tell the author the first ID
    returning = "" if is_known else database.returning(quote(form.key))
    cursor = database.run(sql.rstrip("; ") + returning if returning else sql, params)
    rows = _bound_rows(statement, params)
    keys = _new_keys(database, cursor, rows, statement, form)
    trail = trail_of(database)
    if not keys:
        trail.notes.append(Event(STATEMENT, form.table[:64], "", {"statement": statement.text}))
        return cursor
    if None in statement.places:
        # A value that the database has computed
        rows = [row for _, row in _select(database, form, columns, keys)] or rows
    default = form.defaults.get
    for key, row in zip(keys, rows, strict=False):
        after = {column: value for column, value in row.items() if value is not None and value != default(column)}
        trail.images[form.table, key] = image = {**form.blank, **row}
        if form.key:
            image[form.key] = key
        context = {column: image[column] for column in form.context} if form.context else {}
        trail.notes.append(Note(form, key, CREATED, {}, after, context))
    return cursor


def _bound_rows(statement: WriteStatement, params: Any) -> list[dict[str, Any]]:
    """Return the bound values of the rows of an insert."""
    columns, places = statement.columns, statement.places
    if statement.rows == 1 and len(params or ()) == len(columns) and None not in places:
        return [dict(zip(columns, params or (), strict=True))]
    width = len(columns)
    return [
        _bound(columns, places[first : first + width], params) for first in range(0, statement.rows * width, width or 1)
    ] or [{} for _ in range(statement.rows)]


def _bound(columns: Sequence[str], places: Sequence[int | None], params: Any) -> dict[str, Any]:
    """Return the bound values by column; a column with an expression is left out."""
    return {column: params[place] for column, place in zip(columns, places, strict=True) if place is not None}


def _new_keys(
    database: Any, cursor: Any, rows: list[dict[str, Any]], statement: WriteStatement, form: Form
) -> list[Any]:
    """Return the IDs of the rows just inserted; empty if the database doesn't return them."""
    if not form.key or (form.key in statement.columns and all(row.get(form.key) is not None for row in rows)):
        return [form.identify(row) for row in rows]
    found: list[Any] = database.inserted_ids(cursor, len(rows), form.key if statement.returning else "")
    return found


# Updates and deletions -----------------------------------------------------------------------------------------------


def _note_update(database: Any, sql: str, params: Any, statement: WriteStatement, form: Form) -> Any:
    trail = trail_of(database)
    bound = _bound(statement.columns, statement.places, params)
    worked_out = len(bound) < len(statement.columns)
    image = None
    if statement.key and statement.key == form.key:
        image = trail.images.get((form.table, params[statement.before]))
    if image is not None and not worked_out and image.keys() >= {*statement.columns, *form.context}:
        cursor = database.run(sql, params)
        before = [(params[statement.before], image)]
    else:
        wanted = dict.fromkeys([*form.keys, *statement.columns, *form.context])
        rows = _rows_before(database, params, statement, ", ".join(map(quote, wanted)))
        before = [(form.identify(row), row) for row in rows]
        cursor = database.run(sql, params)
    after = dict(_select(database, form, statement.columns, [key for key, _ in before])) if worked_out else {}
    for key, row in before:
        now = after.get(key, bound)
        old = {column: row.get(column) for column in statement.columns}
        context = {column: row[column] for column in form.context if column in row}
        trail.notes.append(Note(form, key, CHANGED, old, {column: now.get(column) for column in old}, context))
        trail.images.setdefault((form.table, key), {}).update(now)
    return cursor


def _note_delete(database: Any, sql: str, params: Any, statement: WriteStatement, form: Form) -> Any:
    trail = trail_of(database)
    found = _rows_before(database, params, statement)
    cursor = database.run(sql, params)
    for row in found:
        key = form.identify(row)
        context = {column: row.get(column) for column in form.context}
        trail.notes.append(Note(form, key, DELETED, row, {}, context))
        trail.images.pop((form.table, key), None)
    return cursor


def _rows_before(database: Any, params: Any, statement: WriteStatement, columns: str = "*") -> list[dict[str, Any]]:
    """Lock and return the rows that a statement will change or delete."""
    sql = f"SELECT {columns} FROM {statement.target}"
    if statement.condition:
        sql += f" WHERE {statement.condition}"
    return _dicts(database.run(database.lock_rows(sql), tuple(params or ())[statement.before :]))


def _select(database: Any, form: Form, columns: Sequence[str], keys: Sequence[Any]) -> list[tuple[Any, dict[str, Any]]]:
    """Return the current columns of rows, in the order of their IDs."""
    names = ", ".join(quote(name) for name in {form.key: None, **dict.fromkeys(columns)})
    found: dict[Any, dict[str, Any]] = {}
    for first in range(0, len(keys), _AT_ONCE):
        some = keys[first : first + _AT_ONCE]
        marks = ", ".join([backend().placeholder] * len(some))
        sql = f"SELECT {names} FROM {quote(form.table)} WHERE {quote(form.key)} IN ({marks})"
        found |= {row[form.key]: row for row in _dicts(database.run(sql, tuple(some)))}
    return [(key, found[key]) for key in keys if key in found]


def _dicts(cursor: Any) -> list[dict[str, Any]]:
    names = [each[0] for each in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


# Extra fields --------------------------------------------------------------------------------------------------------


def _note_values(database: Any, sql: str, params: Any, statement: WriteStatement, form: ValuesForm) -> Any:
    """Note a change of extra fields as a change of their record."""
    owner, before = form.owner, []
    if statement.verb in ("update", "delete"):
        before = _rows_before(database, params, statement)
    elif statement.verb == "other" or statement.conflicts or None in statement.places:
        return _note_text(database, sql, params, statement, owner)
    cursor = database.run(sql, params)
    trail, columns = trail_of(database), statement.columns
    for number in range(statement.rows):
        row = dict(zip(columns, params[number * len(columns) :], strict=False))
        trail.notes.append(Note(owner, row["fk_object"], CHANGED, {}, form.named(row), {}))
    for row in before:
        old = form.named(row)
        is_update = statement.verb == "update"
        new = form.named(_bound(columns, statement.places, params)) if is_update else dict.fromkeys(old)
        trail.notes.append(Note(owner, row["fk_object"], CHANGED, {name: old.get(name) for name in new}, new, {}))
    return cursor


def _complete_contexts(database: Any, notes: Iterable[Note | Event]) -> None:
    """Read the missing context columns, which decide in which history rows are shown."""
    for each in notes:
        if isinstance(each, Note) and any(column not in each.context for column in each.form.context):
            for _, row in _select(database, each.form, each.form.context, [each.key]) if each.form.key else ():
                each.context = {**{column: row[column] for column in each.form.context}, **each.context}
