"""The changes of one transaction: noted as they happen, merged to one for each row before they are written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from .forms import MASK, Form

CREATED, CHANGED, DELETED = "created", "changed", "deleted"
#: of a statement that writes and cannot be compared: its text is what is noted
STATEMENT = "statement"

Raw = Mapping[str, Any]
#: a row of the trail, but for what is common to a transaction
Row = tuple[str, str, str, str, str, str | None, str | None]


@dataclass(slots=True)
class Note:
    """What happened to a row, in the values of its columns as they travel to the database.

    :param context: the columns that say in whose history it is shown, as far as they are known
    """

    form: Form
    key: Any
    kind: str
    before: dict[str, Any]
    after: dict[str, Any]
    context: dict[str, Any]


@dataclass(slots=True)
class Event:
    """What is no change of a row."""

    kind: str
    element: str
    record: str
    details: dict[str, Any]


@dataclass(slots=True)
class Trail:
    """What has been noted of the transaction of a thread."""

    notes: list[Note | Event] = field(default_factory=list)
    #: (table, identifier) → columns of a row that this transaction has locked or written, as they are now
    images: dict[tuple[str, Any], dict[str, Any]] = field(default_factory=dict)
    #: savepoint → how much had been noted
    marks: dict[str, int] = field(default_factory=dict)

    def mark(self, name: str) -> None:
        """Remember how far a savepoint is."""
        self.marks[name] = len(self.notes)

    def undo(self, name: str) -> None:
        """Forget what has been noted since a savepoint."""
        del self.notes[self.marks.get(name, 0) :]
        self.images.clear()

    def forget_table(self, table: str) -> None:
        """Forget what is known of the rows of a table."""
        for key in [key for key in self.images if key[0] == table]:
            del self.images[key]


def merged(notes: Iterable[Note | Event]) -> list[Note | Event]:
    """One note for each row, and the events, in the order in which each began; the notes themselves are changed."""
    found: dict[Any, Note | Event] = {}
    for each in notes:
        if isinstance(each, Event):
            found[id(each)] = each
            continue
        # Whether a key is bound as a number or as text
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
        # A row in the place of one that was deleted: what it does not set has its default again
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
    """The rows of the trail that merged notes make; none of what is as it was."""
    rows: list[Row] = []
    for each in notes:
        if isinstance(each, Event):
            rows.append((each.kind, each.element, each.record, each.element, each.record, None, _json(each.details)))
            continue
        before, after = _compared(each)
        if each.kind == CHANGED and not before and not after:
            continue
        table, subject = each.form.subject(each.key, each.context)
        key = str(each.key)[:64]
        rows.append((
            each.kind, each.form.table, key, table, key if subject is each.key else str(subject)[:64],
            _json(before) if each.kind != CREATED else None, _json(after) if each.kind != DELETED else None,
        ))  # fmt: skip
    return rows


def _compared(note: Note) -> tuple[dict[str, Any], dict[str, Any]]:
    """What has changed, by the names and in the form of the interface: before and after."""
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


def _whole(form: Form, row: Raw, hidden: Any) -> dict[str, Any]:
    """A row: what is not null and has not its default."""
    shown = {}
    defaults, left_out, columns = form.defaults, form.left_out, form.columns
    for column, value in row.items():
        if value is None or column in left_out or column in form.keys:
            continue
        if column in defaults and defaults[column] == value:
            continue
        name, convert = columns.get(column) or form.shown(column)
        shown[name] = MASK if column in hidden else value if convert is None else convert(value)
    return shown


def _json(values: dict[str, Any]) -> str:
    return orjson.dumps(values, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME).decode()


def _plain(value: Any) -> Any:
    """What JSON has no type for, and no field says how it travels."""
    return value.hex() if isinstance(value, (bytes, memoryview)) else str(value)
