"""What happens to the rows that name a record that is deleted: they keep it, go with it, or let go of it.

The walk is done here and not by the database (`ON DELETE CASCADE`), which would tell neither the audit trail nor the
tables of extra fields, and could not say what it is that keeps a record. Its own constraint stands behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import peewee

from ..common.errors import ApiError, Refused
from ..storage.all_models import all_models
from ..storage.database import backend, database, quote, rows_of
from ..storage.error_kinds import REFERENCE
from ..storage.fields import RecordField
from ..storage.model import Model, meta_of
from .extra_fields import delete_owned_values, delete_values_of

#: identifiers that one statement names
_AT_ONCE = 500


class Naming(NamedTuple):
    """A field that names records, and what becomes of its row when one of them is deleted.

    :param rule: ``refuse``, ``cascade`` or ``clear``
    """

    model: type[Model]
    field: Any
    rule: str

    @property
    def table(self) -> str:
        """The table of the rows that name."""
        return _table(self.model)

    @property
    def place(self) -> tuple[str, str]:
        """Table and column."""
        return self.table, str(self.field.column_name)


class Deletion:
    """The rows below one record: what keeps it is asked before any row is deleted that others name.

    :param model: the model of the record
    :param noun: what the record is called in a message
    :param owned: (model, field) of rows that go with it, whatever their field says
    """

    def __init__(
        self, model: type[Model], noun: str, identifier: Any, owned: Collection[tuple[type[Model], str]]
    ) -> None:
        self._root = _table(model)
        self._noun = noun
        self._identifier = identifier
        self._owned = [Naming(each, meta_of(each).fields[name], "cascade") for each, name in owned]
        self._naming = _naming()
        #: table → identifiers of what goes
        self._gone: dict[str, dict[Any, None]] = {self._root: {identifier: None}}
        self._models: dict[str, type[Model]] = {self._root: model}
        #: by rule: fields, and those of the records they name that go. What ``ends`` is named by nobody
        self._found: dict[str, list[tuple[Naming, list[Any]]]] = {"ends": [], "clear": [], "refuse": []}

    def run(self) -> None:
        """Delete what goes with the record and clear the fields that let go of it; the record itself stays for now.

        :raises Refused: a row keeps the record, or one that would go with it
        """
        self._walk()
        for naming, owners in self._found["ends"]:
            for some in _portions(owners):
                delete_owned_values(naming.model, naming.field.name, some)
                naming.model.delete().where(naming.field.in_(some)).execute()
        self._require_unused()
        for naming, owners in self._found["clear"]:
            for some in _portions(owners):
                naming.model.update({naming.field: None}).where(naming.field.in_(some)).execute()
        for table in self._children_first():
            self._delete(table)

    def _walk(self) -> None:
        waiting = [(self._root, [self._identifier])]
        for table, identifiers in waiting:
            owned = self._owned if len(waiting) == 1 else []
            places = {each.place for each in owned}
            for each in [*owned, *(other for other in self._naming[table] if other.place not in places)]:
                if each.rule != "cascade":
                    self._found[each.rule].append((each, identifiers))
                elif not self._naming[each.table]:
                    self._found["ends"].append((each, identifiers))
                else:
                    known = self._gone.get(each.table, {})
                    found = [one for one in _below(each, identifiers) if one not in known]
                    if found:
                        self._models.setdefault(each.table, each.model)
                        self._gone[each.table] = known | dict.fromkeys(found)
                        waiting.append((each.table, found))

    def _require_unused(self) -> None:
        users: dict[str, tuple[type[Model], int]] = {}
        for naming, identifiers in self._found["refuse"]:
            goes = self._gone.get(naming.table, ())
            count = sum(
                sum(one not in goes for one in _below(naming, some))
                if goes
                else naming.model.select().where(naming.field.in_(some)).count()
                for some in _portions(identifiers)
            )
            if count:
                users[naming.table] = naming.model, users.get(naming.table, (None, 0))[1] + count
        if users:
            told = [_counted(*user) for user in users.values()]
            raise Refused(f"{self._noun} {self._identifier} can't be deleted, because it is used by {', '.join(told)}")

    def _children_first(self) -> list[str]:
        ordered: dict[str, None] = {}

        def visit(table: str, above: frozenset[str]) -> None:
            for each in self._naming[table]:
                if each.table in self._gone and each.table not in above and each.table not in ordered:
                    visit(each.table, above | {table})
            ordered.setdefault(table)

        for table in [*self._gone]:
            visit(table, frozenset([table]))
        return [*ordered]

    def _delete(self, table: str) -> None:
        model = self._models[table]
        own = [each for each in self._naming[table] if each.table == table]
        going = {one: None for one in self._gone[table] if (table, one) != (self._root, self._identifier)}
        for layer in _layers(own, going) if own and backend().checks_references_by_row else [[*going]]:
            for some in _portions(layer):
                delete_values_of(model, some)
                model.delete().where(meta_of(model).primary_key.in_(some)).execute()


class named_use:
    """Turns the database's refusal to delete a record into ours: a table that no model is left of may keep it."""

    def __init__(self, model: type[Model], noun: str, identifier: Any) -> None:
        self._table = _table(model)
        self._named = f"{noun} {identifier}"

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Name the refusal."""
        if isinstance(error, ApiError) or not isinstance(error, peewee.IntegrityError):
            return
        violation = backend().integrity_problem(error, self._table)
        if violation.rule == REFERENCE:
            raise Refused(f"{self._named} can't be deleted, because records of another module use it") from error


def _table(model: type[Model]) -> str:
    return str(meta_of(model).table_name)


def _naming() -> dict[str, list[Naming]]:
    """Every field that names records, by the table that it leads to; of models of one table the widest speaks."""
    present = set(database.get_tables())
    found: dict[tuple[str, str], Naming] = {}
    for model in sorted(all_models(Model), key=lambda each: len(meta_of(each).fields)):
        if _table(model) in present:
            for field in meta_of(model).fields.values():
                if isinstance(field, RecordField):
                    naming = Naming(model, field, field.on_delete)
                    found[naming.place] = naming
    by_target: dict[str, list[Naming]] = defaultdict(list)
    for each in found.values():
        by_target[_table(each.field.target())].append(each)
    return by_target


def _below(naming: Naming, identifiers: Sequence[Any]) -> list[Any]:
    """The rows that name some records, locked: nobody puts others below them meanwhile."""
    meta, mark = meta_of(naming.model), backend().placeholder
    found: list[tuple[Any, ...]] = []
    for some in _portions(identifiers):
        marks = ", ".join([mark] * len(some))
        sql = f"SELECT {quote(meta.primary_key.column_name)} FROM {quote(meta.table_name)} "
        sql += f"WHERE {quote(naming.field.column_name)} IN ({marks})"
        found += rows_of(backend().lock_rows(sql), tuple(some))
    return [identifier for (identifier,) in found]


def _layers(own: Sequence[Naming], going: dict[Any, None]) -> Iterator[list[Any]]:
    """Rows of one table so that each comes in front of those of the table that it names."""
    meta = meta_of(own[0].model)
    names: dict[Any, set[Any]] = {}
    columns = ", ".join(quote(name) for name in (meta.primary_key.column_name, *(each.place[1] for each in own)))
    for some in _portions([*going]):
        marks = ", ".join([backend().placeholder] * len(some))
        key = quote(meta.primary_key.column_name)
        rows = rows_of(f"SELECT {columns} FROM {quote(meta.table_name)} WHERE {key} IN ({marks})", tuple(some))
        names |= {row[0]: {one for one in row[1:] if one in going and one != row[0]} for row in rows}
    while names:
        named = set().union(*names.values())
        # Of rows that name each other in a circle the database says that they are used
        layer = [one for one in names if one not in named] or [*names]
        yield layer
        names = {one: others for one, others in names.items() if one not in {*layer}}


def _portions(identifiers: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for first in range(0, len(identifiers), _AT_ONCE):
        yield identifiers[first : first + _AT_ONCE]


def _counted(model: type[Model], count: int) -> str:
    """Rows of a model in words: ``2 rides``."""
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in model.__name__).strip()
    if count == 1:
        return f"1 {words}"
    many = f"{words[:-1]}ies" if words.endswith("y") and words[-2:-1] not in "aeiou" else f"{words}s"
    return f"{count} {many}"
