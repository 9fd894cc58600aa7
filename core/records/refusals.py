"""What is answered where a row cannot be written: one error for all that is wrong, and each named by its field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import peewee

from ..common.errors import ApiError, BadRequest, NotFound, Refused
from ..storage.database import backend
from ..storage.error_kinds import NULL, REFERENCE, UNIQUE
from ..storage.fields import RecordField
from ..storage.model import Model, meta_of

#: how an empty text is told
_EMPTY = '""'
#: what several errors at once are answered as, the first of these that is among them
_WORST_FIRST: tuple[type[ApiError], ...] = (BadRequest, NotFound, Refused)


def together(found: Sequence[ApiError]) -> ApiError:
    """One error for several: 400 if a field is malformed or missing, else 404 for a record, else 405 for a used value.

    It says what the first of that kind says, and names every field.
    """
    if len(found) == 1:
        return found[0]
    kinds = {each.status: each for each in _WORST_FIRST}
    ordered = sorted(found, key=lambda error: list(kinds).index(error.status))
    errors = [named for each in ordered for named in each.errors]
    return kinds[ordered[0].status](ordered[0].message, dolibarr=ordered[0].dolibarr, errors=errors)


def add_to(error: BadRequest, found: Iterable[ApiError]) -> None:
    """Let an error that names fields name those of others, too, unless it does already."""
    told = {name for name, _ in error.errors}
    if told:
        others = [named for each in found for named in each.errors if named[0] not in told]
        error.errors = [*error.errors, *others]


def no_such_record(field: RecordField, value: Any) -> NotFound:
    """A record that a field names does not exist, or is not the caller's to see."""
    return NotFound(f"{field.noun} {value} not found", errors=[(field.name, "no such record")])


def already_used(noun: str, values: Mapping[str, Any]) -> Refused:
    """Another row has a value, or several together, that may exist once."""
    told = " and ".join(f"{name} {str(value)[:80] or _EMPTY}" for name, value in values.items())
    if len(values) == 1:
        reason, words = "another record has this value", "is already used"
    else:
        reason, words = "another record has these values", "are already used together"
    return Refused(f"{noun} rejected: {told} {words}", errors=[(name, reason) for name in values])


class named_refusals:
    """Turns what a database refuses into an error of ours: never its own text.

    What was looked at before the statement is only refused by the database where somebody was faster.

    :param values: what is being written, by field name
    """

    def __init__(self, model: type[Model], noun: str, values: Mapping[str, Any]) -> None:
        self._model = model
        self._noun = noun
        self._values = values
        #: the row as it stands, where one is changed
        self.before: Model | None = None

    def __enter__(self) -> named_refusals:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Name the refusal."""
        if isinstance(error, peewee.IntegrityError):
            refusal = self._refusal(error)
            if refusal is not None:
                raise refusal from error
        if isinstance(error, peewee.DataError):
            raise BadRequest(f"{self._noun} rejected: a value doesn't fit its column") from error

    def _refusal(self, error: peewee.IntegrityError) -> ApiError | None:
        """What the caller is told; None: it is the author's mistake, not the caller's."""
        meta = meta_of(self._model)
        rule, table, columns = backend().integrity_problem(error, str(meta.table_name))
        if rule == NULL:
            return None
        fields = [meta.columns[column] for column in columns if column in meta.columns]
        if table == meta.table_name and fields:
            if rule == UNIQUE:
                return already_used(self._noun, {field.name: self._value(field) for field in fields})
            if rule == REFERENCE and isinstance(fields[0], RecordField):
                return no_such_record(fields[0], self._value(fields[0]))
        return Refused(f"{self._noun} rejected: a value is already used, or a referenced record no longer exists")

    def _value(self, field: peewee.Field) -> Any:
        """What would have been in a field: of what was written, of the row as it stands, or the default."""
        if field.name in self._values:
            return self._values[field.name]
        if self.before is not None:
            return getattr(self.before, field.name)
        # What a function or an expression has given is not known here
        told = field.default
        return "(its default)" if callable(told) or isinstance(told, peewee.Node) else told
