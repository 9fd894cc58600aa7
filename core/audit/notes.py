"""The changes of one transaction: noted as they happen, and merged into one per row before they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from .forms import MASK, Form

CREATED, CHANGED, DELETED = "created", "changed", "deleted"
#: a write whose changes can't be compared: its text is noted
STATEMENT = "statement"
#: a migration that changed a table: its file, its steps, and what it renamed
MIGRATED = "migrated"

#: a row of the trail without the columns common to a transaction
Row = tuple[str, str, str, str, str, str | None, str | None]


@dataclass(slots=True)
class Note:
    """The change of a row, with the column values as sent to the database.

    :param context: the known columns that decide in which history the change is shown
    """

    form: Form
    key: Any
    kind: str
    before: dict[str, Any]
    after: dict[str, Any]
    context: dict[str, Any]


@dataclass(slots=True)
class Event:
    """An entry without a changed row."""

    kind: str
    element: str
    record: str
    details: dict[str, Any]


@dataclass(slots=True)
class Trail:
    """The notes of a thread's transaction."""

    notes: list[Note | Event] = field(default_factory=list)
    #: (table, ID) → current columns of a row that this transaction has locked or written
    images: dict[tuple[str, Any], dict[str, Any]] = field(default_factory=dict)

    def undo(self, first: int) -> None:
        """Remove the notes from one on."""
        del self.notes[first:]
        self.images.clear()

    def forget_table(self, table: str) -> None:
        """Forget the rows of a table."""
        for key in [key for key in self.images if key[0] == table]:
            del self.images[key]


def merged(notes: Iterable[Note | Event]) -> list[Note | Event]:
    """Return one note per row, and the events, in order of their start; changes the notes in place."""
    found: dict[Any, Note | Event] = {}
    for each in notes:
        if isinstance(each, Event):
            found[id(each)] = each
            continue
        # A key may be bound as a number or as text
        place = each.form.table, str(each.key)
        earlier = found.get(place)
        if not isinstance(earlier, Note):
            found[place] = each
        elif each.kind == DELETED and earlier.kind == CREATED:
            del found[place]
        else:
            _merge(earlier, each)
    return list(found.values())


def _merge(earlier: Note, later: Note) -> None:
    if later.context:
        earlier.context = {**later.context, **earlier.context}
    if later.kind == CREATED:
        # A row that replaces a deleted one: columns that it doesn't set have their defaults
        form = earlier.form
        again = {column: form.blank.get(column) for column in earlier.before if column not in form.keys}
        earlier.kind, earlier.after = CHANGED, {**again, **later.after}
        return
    earlier.before = {**later.before, **earlier.before}
    if later.kind == DELETED:
        earlier.kind, earlier.after = DELETED, {}
    else:
        earlier.after.update(later.after)


def rows_of(notes: Iterable[Note | Event]) -> list[Row]:
    """Return the rows of the trail for merged notes; unchanged rows are left out."""
    rows: list[Row] = []
    for each in notes:
        if isinstance(each, Event):
            rows.append((each.kind, each.element, each.record, each.element, each.record, None, _json(each.details)))
            continue
        before, after = compared(each)
        if each.kind == CHANGED and not before and not after:
            continue
        table, subject = each.form.subject(each.key, each.context)
        key = str(each.key)[:64]
        rows.append((
            each.kind, each.form.table, key, table, key if subject is each.key else str(subject)[:64],
            _json(before) if each.kind != CREATED else None, _json(after) if each.kind != DELETED else None,
        ))  # fmt: skip
    return rows


def compared(note: Note) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the changed values before and after, with the names and in the form of the API."""
    form = note.form
    hidden = form.hidden(note.context, note.after)
    if note.kind == CREATED:
        return {}, _whole(form, note.after, hidden)
    if note.kind == DELETED:
        return _whole(form, note.before, hidden), {}
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for column, value in note.after.items():
        if column in form.left_out:
            continue
        name, convert = form.shown(column)
        old, new = note.before.get(column), value
        if convert is not None:
            old, new = convert(old), convert(new)
        if new != old:
            secret = column in hidden
            before[name] = MASK if secret and old is not None else old
            after[name] = MASK if secret and new is not None else new
    return before, after


def _whole(form: Form, row: Mapping[str, Any], hidden: Any) -> dict[str, Any]:
    """Return the columns of a row that are neither null nor their default."""
    shown: dict[str, Any] = {}
    known = form.noted
    for column, value in row.items():
        if value is None:
            continue
        if column in known:
            name, convert, default = known[column]
            if value == default:
                continue
        elif column in form.columns:
            continue
        else:
            name, convert = form.shown(column)
        shown[name] = MASK if column in hidden else value if convert is None else convert(value)
    return shown


def _json(values: dict[str, Any]) -> str:
    return orjson.dumps(values, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME).decode()


def _plain(value: Any) -> Any:
    """Return a value without a JSON type as text."""
    return value.hex() if isinstance(value, (bytes, memoryview)) else str(value)
