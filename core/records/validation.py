"""What must hold before a row is written or deleted: other records, other values, what a database would refuse."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import peewee

from ..common.errors import ApiError, BadRequest, NotFound, Refused
from ..storage.all_models import all_models
from ..storage.database import Model, database, dialect, meta_of, quote
from ..storage.fields import RecordField
from ..storage.statements import has_other
from .extra_fields import delete_owned_values
from .row_rules import Condition, row_rule


def check_exists(field: RecordField, value: Any) -> None:
    """Go on only if the record a field names exists and the caller may see it.

    :raises NotFound: it does not
    """
    target: Any = field.target()
    key = quote(meta_of(target).primary_key.column_name)
    condition: Condition = (f"t.{key} = {dialect().placeholder}", (value,))
    rule = row_rule(target)
    if rule:
        condition = f"{condition[0]} AND ({rule[0]})", (*condition[1], *rule[1])
    sql = f"SELECT 1 FROM {quote(meta_of(target).table_name)} AS t WHERE {condition[0]}"
    if database.execute_sql(sql, condition[1]).fetchone() is None:
        raise NotFound(f"{field.noun} {value} not found", errors=[(field.name, "no such record")])


def _names_null(error: BaseException) -> bool:
    """Whether a column got nothing that must hold something: the author's mistake, not the caller's."""
    return any(words in str(error).lower() for words in ("not null", "null value", "cannot be null"))


class named_refusals:
    """Turns what a database refuses into an error of ours: never its own text."""

    def __init__(self, noun: str) -> None:
        self.noun = noun

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Name the refusal."""
        if isinstance(error, ApiError):
            return
        if isinstance(error, peewee.IntegrityError) and not _names_null(error):
            raise Refused(f"{self.noun} refused: a value is already used, or a record it names is gone") from error
        if isinstance(error, peewee.DataError):
            raise BadRequest(f"{self.noun} refused: a value does not fit its column") from error


def check_references(model: type[Model], values: Mapping[str, Any]) -> None:
    """Go on only if every record that the values name exists and the caller may see it."""
    meta = meta_of(model)
    for name, value in values.items():
        field = meta.fields.get(name)
        if isinstance(field, RecordField) and value is not None:
            check_exists(field, value)


def check_unique(model: type[Model], noun: str, values: Mapping[str, Any], identifier: Any) -> None:
    """Go on only if no other row has a value that may exist once.

    :raises Refused: another one has
    """
    meta = meta_of(model)
    for name, value in values.items():
        field = meta.fields.get(name)
        if field is None or not field.unique or value is None:
            continue
        if has_other(model, name, value, identifier):
            raise Refused(
                f"{noun} refused: {name} {value!s:.80} is already used",
                errors=[(name, "This value is already used")],
            )


def check_unused(model: type[Model], noun: str, identifier: Any, owned: Collection[tuple[type[Model], str]]) -> None:
    """Go on only if no record names this one.

    :param owned: (model, field) of rows that go with it
    :raises Refused: one does
    """
    kept = {(meta_of(each).table_name, name) for each, name in owned}
    for each, field in _naming(model):
        table = meta_of(each).table_name
        if field.dependent or (table, field.name) in kept:
            continue
        if each.select().where(field == identifier).exists():
            raise Refused(f"{noun} {identifier} is used by {table.removeprefix('llx_')}")


def delete_dependents(model: type[Model], identifier: Any) -> None:
    """Delete the rows that go with a record."""
    for each, field in _naming(model):
        if field.dependent:
            delete_owned_values(each, field.name, identifier)
            each.delete().where(field == identifier).execute()


def _naming(model: type[Model]) -> Iterator[tuple[type[Model], RecordField]]:
    """Every model with a field that names a model's records."""
    table = meta_of(model).table_name
    for each in all_models(Model):
        for field in meta_of(each).fields.values():
            if (
                isinstance(field, RecordField)
                and meta_of(field.target()).table_name == table
                and database.table_exists(meta_of(each).table_name)
            ):
                yield each, field
