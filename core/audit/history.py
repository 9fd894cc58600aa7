"""The history of a record: its changes and those of its parts, for callers who may read the record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypedDict

import peewee

from ..access.callers import current_caller
from ..storage.model import Model, meta_of, words_of
from .change import Change
from .forms import EXTRA, MASK, Form, as_answered, form_of, model_of
from .notes import DELETED, MIGRATED

#: the right to read the whole trail
READ = "audit.read"
#: the event of a dropped table: older entries belong to other records with the same IDs
DROPPED = "dropped"
#: fields that people recognise a record by; the first one with a text is used
NAMES = ("ref", "label", "name", "title", "lastname", "login", "code", "desc", "description", "filename")
#: characters of such a text
MAX_NAME_CHARS = 60


class HistoryEntry(TypedDict, total=False):
    """One change of a record, or of a row that belongs to it."""

    id: Annotated[int, "ID of the entry in the audit trail"]
    moment: Annotated[int, "when, in Unix milliseconds"]
    user_id: Annotated[int | None, "the user's ID; null: a command of the server, or a call without a key"]
    kind: Annotated[str, "created, changed, deleted, migrated (a module changed its table), or the name of an event"]
    operation: Annotated[str, "the operation, such as POST /invoices/{id}/lines"]
    element: Annotated[str, "the table of the changed row: the record's own, or that of a part"]
    record: Annotated[str, "the ID of that row"]
    label: Annotated[str, "that row in words, such as invoice line Desk"]
    before: Annotated[dict[str, Any] | None, "the old values of changed fields; absent fields had defaults"]
    after: Annotated[dict[str, Any] | None, "the new values of changed fields; absent fields have defaults"]
    login: Annotated[str, "the user's login at that time; this key and the next ones need the permission audit.read"]
    key_id: Annotated[int | None, "the API key that was used"]
    address: Annotated[str, "the address the request came from"]
    request_id: Annotated[str, "the request ID (X-Request-Id)"]


def may_read_trail() -> bool:
    """Return whether the caller may read the whole trail: an internal user with the right."""
    caller = current_caller()
    return caller is None or (caller.socid is None and caller.holds(READ))


def history(
    model: type[Model],
    identifier: Any,
    shown: Mapping[str, Any] | None,
    size: int | None,
    page: int,
    parts: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return a page of the changes of a record and its parts, newest first, and one more if there are more.

    A caller who may read the trail gets all of it, including drops of the table and fields that a migration dropped.
    For others the history begins after the last deletion of a record with this ID or of the table, because older
    entries may belong to another record.

    :param shown: the record as the caller reads it, which limits the fields; None: all noted fields
    :param parts: the tables of parts that the caller may read, each with a record in the form of `shown`
    """
    table, everything = str(meta_of(model).table_name), may_read_trail()
    limits = {table: shown, **(parts or {})}
    renames = Renames()
    renames.learn(limits)
    migrated = (Change.kind == MIGRATED) & (Change.id > _oldest(renames, table, identifier))
    of_table = (Change.subject == "") & ((Change.kind == DROPPED) | migrated if everything else migrated)
    own = Change.subject == str(identifier)
    found = Change.select().where(renames.condition("subject_element", [table]), own | of_table)
    if not everything:
        found = found.where(renames.condition("element", limits), Change.id > _last_end(renames, table, identifier))
    found = found.order_by(Change.id.desc())
    if size is not None:
        found = found.limit(size + 1).offset(min(size * max(page, 0), 2**62))
    rows = list(found)
    renames.learn(row.element for row in rows)
    entries = [_entry(row, renames, limits.get(renames.current_table(row)), everything) for row in rows]
    _add_labels(entries, limits)
    return entries


class Renames:
    """The former names of tables and columns, which migrations changed."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        #: former name of a table → its present name, and the entry before which it had the former one
        self._tables: dict[str, tuple[str, int]] = {}
        #: present name of a table → the entry of each migration, and its new names of columns by the old ones
        self._columns: dict[str, dict[int, dict[str, str]]] = defaultdict(dict)

    def learn(self, tables: Iterable[str]) -> None:
        """Read the former names of tables.

        :param tables: their present names
        """
        present = {name: name for name in tables if name not in self._known}
        self._known |= present.keys()
        while present:
            wanted = Change.subject_element.in_([*present]), Change.subject == "", Change.kind == MIGRATED
            older = {}
            for row in Change.select().where(*wanted):
                details, now = row.after or {}, present[row.element]
                if row.id <= self._tables.get(row.element, (now, row.id))[1]:
                    self._columns[now][row.id] = details.get("columns", {})
                    if (name := details.get("table")) and name not in self._tables:
                        self._tables[name], older[name] = (now, row.id), now
            present = older

    def condition(self, column: str, tables: Iterable[str], entry: Any = Change) -> Any:
        """Return the condition that a column of the trail has the present or a former name of one of the tables."""
        wanted, field = [*tables], getattr(entry, column)
        found = field.in_(wanted)
        for name, (now, until) in self._tables.items():
            if now in wanted:
                found |= (field == name) & (entry.id < until)
        return found

    def current_table(self, row: Change) -> str:
        """Return the present name of an entry's table."""
        now, until = self._tables.get(row.element, (row.element, 0))
        return str(now if row.id < until else row.element)

    def current_field(self, row: Change, noted: str) -> str:
        """Return the present name of a field that an entry has noted.

        If a column was renamed, and another one got its name, a lost field is shown under the name that it had.
        """
        table, name = self.current_table(row), noted
        fields = _fields(table)
        for number, columns in sorted(self._columns.get(table, {}).items()):
            name = columns.get(name, name) if row.id < number else name
        name = fields.get(name, name)
        known = fields.values()
        return noted if noted in known and name not in known else name


def _oldest(renames: Renames, table: str, identifier: Any) -> Any:
    """Return a subquery: the ID of the oldest entry of a record; 0 without one."""
    entry: Any = Change.alias()
    oldest = entry.select(peewee.fn.COALESCE(peewee.fn.MIN(entry.id), 0))
    return oldest.where(renames.condition("subject_element", [table], entry), entry.subject == str(identifier))


def _last_end(renames: Renames, table: str, identifier: Any) -> Any:
    """Return a subquery: the ID of the newest deletion of a record, or drop of its table; 0 if it has neither."""
    end: Any = Change.alias()
    deleted = (end.subject == str(identifier)) & (end.record == str(identifier)) & (end.kind == DELETED)
    dropped = (end.subject == "") & (end.kind == DROPPED)
    newest = end.select(peewee.fn.COALESCE(peewee.fn.MAX(end.id), 0))
    of_table = renames.condition("subject_element", [table], end), renames.condition("element", [table], end)
    return newest.where(*of_table, deleted | dropped)


def _entry(row: Change, renames: Renames, shown: Mapping[str, Any] | None, everything: bool) -> dict[str, Any]:
    table = renames.current_table(row)
    fields = _fields(table)

    def values(noted: dict[str, Any] | None) -> dict[str, Any] | None:
        if not noted:
            return noted
        if row.kind == MIGRATED:
            return noted if everything else {"migration": noted["migration"]}
        named = ((renames.current_field(row, name), value) for name, value in noted.items() if value != MASK)
        kept = {name: value for name, value in named if shown is None or _is_shown(name, shown, fields, everything)}
        return as_answered(table, kept)

    entry = {
        "id": row.id, "moment": row.moment, "user_id": row.user_id, "kind": row.kind, "operation": row.operation,
        "element": table, "record": row.record, "label": "", "before": values(row.before), "after": values(row.after),
    }  # fmt: skip
    if everything:
        entry |= {
            "login": row.login, "key_id": row.key_id, "address": row.address, "request_id": row.request_id,
        }  # fmt: skip
    return entry


def _fields(table: str) -> Mapping[str, str]:
    """Return the names of the fields of a table, by column; nothing for a table without a model."""
    form = form_of(table)
    return form.fields if isinstance(form, Form) else {}


def _is_shown(name: str, shown: Mapping[str, Any], fields: Mapping[str, str], everything: bool) -> bool:
    if name.startswith(EXTRA):
        extras = shown.get("array_options")
        return isinstance(extras, dict) and name.removeprefix("array_options.") in extras
    # Only a field that the record has today may be one that the service hides
    return name in shown or (everything and name not in fields.values())


def _add_labels(entries: Iterable[dict[str, Any]], limits: Mapping[str, Mapping[str, Any] | None]) -> None:
    """Add the words for each entry's row: what it is, and the name that it has today or had last."""
    by_table: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in entries:
        by_table[entry["element"]].append(entry)
    for table, some in by_table.items():
        model, shown = model_of(table), limits.get(table)
        if model is None:
            continue
        names = [name for name in NAMES if name in meta_of(model).fields and (shown is None or name in shown)]
        rows = _named_rows(model, names, {entry["record"] for entry in some}) if names else {}
        for entry in some:
            known = [rows.get(entry["record"]), entry["after"], entry["before"]]
            texts = (str(each[name]) for each in known if each for name in names if each.get(name))
            entry["label"] = f"{words_of(model)} {next(texts, entry['record'])[:MAX_NAME_CHARS]}".strip()


def _named_rows(model: type[Model], names: Iterable[str], records: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the names of rows by their IDs as text."""
    meta, form = meta_of(model), form_of(str(meta_of(model).table_name))
    if not isinstance(form, Form) or not form.key:
        return {}
    fields = [meta.primary_key, *(meta.fields[name] for name in names)]
    found: Any = model.select(*fields).where(meta.primary_key.in_([each for each in records if each])).tuples()
    return {str(row[0]): dict(zip(names, row[1:], strict=True)) for row in found}


def exists(model: type[Model], identifier: Any) -> bool:
    """Return whether the row exists, regardless of row rules."""
    return bool(model.select().where(meta_of(model).primary_key == identifier).exists())
