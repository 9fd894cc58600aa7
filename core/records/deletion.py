"""Deletion of a record: rows that refer to it prevent the deletion, are deleted with it, or have their field cleared.

This is done here and not by the database (`ON DELETE CASCADE`): the audit trail and the tables of extra fields need it,
and the error lists what refers to the record. The database has a constraint as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from peewee import chunked

from ..common.errors import Refused
from ..storage.database import backend, database, quote, rows_of
from ..storage.fields import RecordField
from ..storage.model import Model, all_models, meta_of, words_of
from .extra_fields import delete_owned_values, delete_values_of
from .row_rules import named_uses

#: IDs in one statement
_IDS_OF_A_STATEMENT = 500


class ForeignKeyRef(NamedTuple):
    """A field that refers to records, and what becomes of its row if one of them is deleted.

    :param rule: ``refuse``, ``cascade`` or ``clear``
    """

    model: type[Model]
    field: Any
    rule: str

    @property
    def table(self) -> str:
        """The table of the field."""
        return _table(self.model)

    @property
    def place(self) -> tuple[str, str]:
        """Table and column."""
        return self.table, str(self.field.column_name)


class Deletion:
    """Deletes the rows that depend on one record, unless one of them prevents it.

    :param model: the model of the record
    :param noun: the name of the record in messages
    :param owned: (model, field) of rows that are deleted with it, whatever the rule of the field
    """

    def __init__(
        self, model: type[Model], noun: str, identifier: Any, owned: Collection[tuple[type[Model], str]]
    ) -> None:
        self._root = _table(model)
        self._noun = noun
        self._identifier = identifier
        self._owned = [ForeignKeyRef(each, meta_of(each).fields[name], "cascade") for each, name in owned]
        self._refs = _foreign_keys()
        #: table → IDs of the rows to delete
        self._gone: dict[str, dict[Any, None]] = {self._root: {identifier: None}}
        self._models: dict[str, type[Model]] = {self._root: model}
        #: by rule: fields, and the IDs they refer to that are deleted. Nothing refers to rows of the rule ``ends``
        self._found: dict[str, list[tuple[ForeignKeyRef, list[Any]]]] = {"ends": [], "clear": [], "refuse": []}

    def run(self) -> None:
        """Delete and change the rows that depend on the record; the record itself stays for now.

        :raises Refused: a row prevents the deletion of the record, or of a row that would be deleted with it
        """
        self._walk()
        for ref, owners in self._found["ends"]:
            for some in chunked(owners, _IDS_OF_A_STATEMENT):
                delete_owned_values(ref.model, ref.field.name, some)
                ref.model.delete().where(ref.field.in_(some)).execute()
        self._require_unused()
        for ref, owners in self._found["clear"]:
            for some in chunked(owners, _IDS_OF_A_STATEMENT):
                ref.model.update({ref.field: None}).where(ref.field.in_(some)).execute()
        for table in self._children_first():
            self._delete(table)

    def _walk(self) -> None:
        waiting = [(self._root, [self._identifier])]
        for table, identifiers in waiting:
            owned = self._owned if len(waiting) == 1 else []
            places = {each.place for each in owned}
            for each in [*owned, *(other for other in self._refs[table] if other.place not in places)]:
                if each.rule != "cascade":
                    self._found[each.rule].append((each, identifiers))
                elif not self._refs[each.table]:
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
        for ref, identifiers in self._found["refuse"]:
            goes = self._gone.get(ref.table, ())
            count = sum(
                sum(one not in goes for one in _below(ref, some))
                if goes
                else ref.model.select().where(ref.field.in_(some)).count()
                for some in chunked(identifiers, _IDS_OF_A_STATEMENT)
            )
            if count:
                users[ref.table] = ref.model, users.get(ref.table, (None, 0))[1] + count
        if users:
            told = named_uses((model, _counted(model, count)) for model, count in users.values())
            raise Refused(
                f"{self._noun} {self._identifier} can't be deleted, because it is used by {', '.join(told)}",
                reason="in_use",
            )

    def _children_first(self) -> list[str]:
        ordered: dict[str, None] = {}

        def visit(table: str, above: frozenset[str]) -> None:
            for each in self._refs[table]:
                if each.table in self._gone and each.table not in above and each.table not in ordered:
                    visit(each.table, above | {table})
            ordered.setdefault(table)

        for table in [*self._gone]:
            visit(table, frozenset([table]))
        return [*ordered]

    def _delete(self, table: str) -> None:
        model = self._models[table]
        own = [each for each in self._refs[table] if each.table == table]
        going = {one: None for one in self._gone[table] if (table, one) != (self._root, self._identifier)}
        for layer in _layers(own, going) if own and backend().checks_references_by_row else [[*going]]:
            for some in chunked(layer, _IDS_OF_A_STATEMENT):
                delete_values_of(model, some)
                model.delete().where(meta_of(model).primary_key.in_(some)).execute()


def _table(model: type[Model]) -> str:
    return str(meta_of(model).table_name)


def _foreign_keys() -> dict[str, list[ForeignKeyRef]]:
    """Return every field that refers to records, by their table; of several models of a table that with most fields."""
    present = set(database.get_tables())
    found: dict[tuple[str, str], ForeignKeyRef] = {}
    for model in sorted(all_models(Model), key=lambda each: len(meta_of(each).fields)):
        if _table(model) in present:
            for field in meta_of(model).fields.values():
                if isinstance(field, RecordField):
                    ref = ForeignKeyRef(model, field, field.on_delete)
                    found[ref.place] = ref
    by_target: dict[str, list[ForeignKeyRef]] = defaultdict(list)
    for each in found.values():
        by_target[_table(each.field.target())].append(each)
    return by_target


def _below(ref: ForeignKeyRef, identifiers: Sequence[Any]) -> list[Any]:
    """Return the IDs of the rows that refer to some records, and lock them."""
    meta, mark = meta_of(ref.model), backend().placeholder
    found: list[tuple[Any, ...]] = []
    for some in chunked(identifiers, _IDS_OF_A_STATEMENT):
        marks = ", ".join([mark] * len(some))
        sql = f"SELECT {quote(meta.primary_key.column_name)} FROM {quote(meta.table_name)} "
        sql += f"WHERE {quote(ref.field.column_name)} IN ({marks})"
        found += rows_of(backend().lock_rows(sql), tuple(some))
    return [identifier for (identifier,) in found]


def _layers(own: Sequence[ForeignKeyRef], going: dict[Any, None]) -> Iterator[list[Any]]:
    """Yield the rows of a table in groups, so that each row precedes those that it refers to."""
    meta = meta_of(own[0].model)
    names: dict[Any, set[Any]] = {}
    columns = ", ".join(quote(name) for name in (meta.primary_key.column_name, *(each.place[1] for each in own)))
    for some in chunked([*going], _IDS_OF_A_STATEMENT):
        marks = ", ".join([backend().placeholder] * len(some))
        key = quote(meta.primary_key.column_name)
        rows = rows_of(f"SELECT {columns} FROM {quote(meta.table_name)} WHERE {key} IN ({marks})", tuple(some))
        names |= {row[0]: {one for one in row[1:] if one in going and one != row[0]} for row in rows}
    while names:
        named = set().union(*names.values())
        # The database rejects the deletion of rows that refer to each other in a circle
        layer = [one for one in names if one not in named] or [*names]
        yield layer
        names = {one: others for one, others in names.items() if one not in {*layer}}


def _counted(model: type[Model], count: int) -> str:
    """Return a number of rows as text: ``2 rides``."""
    words = words_of(model)
    if count == 1:
        return f"1 {words}"
    many = f"{words[:-1]}ies" if words.endswith("y") and words[-2:-1] not in "aeiou" else f"{words}s"
    return f"{count} {many}"
