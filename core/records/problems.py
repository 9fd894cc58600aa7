"""Everything that is wrong with a body, gathered into one error that lists each field."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import peewee

from ..common.errors import ApiError, BadRequest, Conflict, NotFound, Refused
from ..common.request_state import current_state
from ..storage.database import backend, quote, rows_of
from ..storage.error_kinds import NULL, REFERENCE, UNIQUE
from ..storage.fields import MapField, RecordField
from ..storage.model import Model, meta_of, required_fields
from ..storage.statements import has_other
from .extra_fields import emptied_extras, used_extras
from .row_rules import Condition, row_rule
from .select_plans import SelectPlan
from .validation import own_thirdparty

#: an empty text in a message
_EMPTY = '""'
#: the status of an error that combines several: the first of these among them
STATUSES: tuple[type[ApiError], ...] = (BadRequest, NotFound, Refused, Conflict)


class Problems:
    """Gathers what is wrong with a body, or with several, into one error that lists each field with its place."""

    def __init__(self) -> None:
        self.errors: list[ApiError] = []

    def add(self, place: str, name: str, reason: str) -> None:
        """Add a wrong field.

        :param place: the part of the body with the field, such as ``lines[2]``; empty: the body
        :param name: the field; empty: the part itself
        """
        self.errors.append(BadRequest(errors=[(placed(place, name), reason)]))

    def extend(self, wrong: Iterable[tuple[str, str]], place: str = "") -> None:
        """Add wrong fields, each with its reason."""
        for name, reason in wrong:
            self.add(place, name, reason)

    @contextmanager
    def at(self, place: str = "") -> Iterator[None]:
        """Gather an error instead of raising it. Without a place, one that lists no fields rejects the whole request.

        :param place: the part of the body with the wrong fields; empty: the body
        """
        try:
            yield
        except STATUSES as error:
            if not (error.errors or place):
                raise
            error.errors = [(placed(place, name), reason) for name, reason in error.errors or [("", error.message)]]
            self.errors.append(error)

    def check(self, *, of: int = 0) -> None:
        """Raise what is gathered as one error, if there is any: 400 if one is, else 404, 405 or 409.

        :param of: the number of bodies, which makes it 400 with the number of those that are rejected
        """
        if self.errors and of:
            wrong = [each for error in self.errors for each in error.errors]
            name, reason = wrong[0]
            raise BadRequest(f"{len(self.errors)} of {of} entries rejected; {name}: {reason}", errors=wrong)
        if self.errors:
            raise combined(self.errors)


def placed(place: str, name: str) -> str:
    """Return the place of a field; either part may be empty."""
    return f"{place}.{name}" if place and name else place or name


class RowCheck:
    """Finds everything that prevents a row from being written.

    A reference and a value that must be unique cost a statement each. Values that must be unique together are checked
    by the database, and looked up only if the row is rejected anyway.

    :param plan: how the records are read
    :param values: what is to be written, by field name, in Python's types; of a change only what differs
    :param before: the row as it is; None: a new one
    :param extras: values of extra fields
    :param known: fields whose records are known to exist and to be visible to the caller
    """

    __slots__ = ("_before", "_extras", "_fields", "_known", "_plan", "_values")

    def __init__(
        self,
        plan: SelectPlan,
        values: Mapping[str, Any],
        before: Model | None = None,
        extras: Mapping[str, Any] | None = None,
        known: Collection[str] = (),
    ) -> None:
        self._plan, self._fields = plan, plan.fields
        self._values, self._before, self._extras, self._known = values, before, extras, known

    def check(self, error: ApiError | None = None) -> None:
        """Raise everything that is wrong as one error.

        :param error: the error of `prepare`, with the fields that it rejects; the others are added
        :raises BadRequest: a field has no value, or `prepare` has rejected one
        :raises NotFound: a referenced record doesn't exist or is invisible to the caller
        :raises Refused: another record has a value that must be unique
        """
        if error is not None:
            raise self.added_to(error)
        missing = [name for name in self._asked() if self._is_empty(name)]
        found = [*self._references(), *self._used()]
        if missing:
            # What `prepare` fills may be missing because of another problem
            certain = [name for name in missing if name not in meta_of(self._plan.model).excused]
            found = [*_required(certain), *found] or _required(missing)
        if found:
            raise combined([*found, *self._used_together()])

    def added_to(self, error: ApiError) -> ApiError:
        """Return an error that lists fields, with everything else that is wrong."""
        listed = {name for name, _ in error.errors}
        found = _required([name for name in self._asked_without(listed) if self._is_empty(name)])
        found += [*_required(self.emptied()), *self._references(), *self._used(), *self._used_together()]
        errors = [*error.errors, *(each for other in found for each in other.errors if each[0] not in listed)]
        first = combined([error, *found])
        first.errors = errors
        return first

    def emptied(self) -> list[str]:
        """Return the required extra fields that a change would clear."""
        if self._before is None or not self._extras:
            return []
        return emptied_extras(self._plan.model, self._identifier(), self._extras)

    def _asked(self) -> list[str]:
        """Return the fields that must have a value."""
        asked = self._plan.asked
        return asked if self._before is None else [name for name in asked if name in self._values]

    def _asked_without(self, listed: Collection[str]) -> list[str]:
        """Return the fields that must have a value, without those that an error lists already.

        Those that `prepare` fills (`required = ("-name",)`) are left out: it hasn't run, or has failed.
        """
        model, aliases = self._plan.model, meta_of(self._plan.model).aliases
        passed = {*(aliases.get(name, name) for name in listed), *meta_of(model).excused}
        if self._before is not None:
            return [name for name in self._asked() if name not in passed]
        passed |= {*self._plan.kind.managed, *own_thirdparty(model)}
        return [name for name in required_fields(model) if name not in passed]

    def _is_empty(self, name: str) -> bool:
        value = self._values.get(name)
        # An empty map is stored as NULL, where it may be
        return value is None or (value == {} and isinstance(self._fields[name], MapField) and self._fields[name].null)

    def _references(self) -> list[ApiError]:
        references = self._plan.references
        return [
            no_such_record(references[name], value)
            for name, value in self._values.items()
            if name in references and self._is_missing(name, value)
        ]

    def _is_missing(self, name: str, value: Any) -> bool:
        """Return whether a field refers to a record that doesn't exist or is invisible to the caller."""
        field = self._plan.references.get(name)
        return field is not None and value is not None and name not in self._known and not _exists(field, value)

    def _used(self) -> list[ApiError]:
        unique = self._plan.unique
        return [
            error for name, value in self._values.items() if name in unique for error in self._of_others({name: value})
        ]

    def _used_together(self) -> list[ApiError]:
        found: list[ApiError] = []
        for names in _unique_sets(meta_of(self._plan.model)):
            if self._before is None:
                found += self._of_others({name: self._values.get(name, self._fields[name].default) for name in names})
            elif self._values.keys() & set(names):
                found += self._of_others({name: self._values.get(name, getattr(self._before, name)) for name in names})
        used = used_extras(self._plan.model, self._identifier(), self._extras)
        return [*found, BadRequest(errors=used)] if used else found

    def _of_others(self, values: Mapping[str, Any]) -> list[ApiError]:
        """Return the error of values that another row has, if there is one."""
        # NULL isn't unique, and the value of a function or an expression is unknown
        if any(value is None or callable(value) or isinstance(value, peewee.Node) for value in values.values()):
            return []
        # Otherwise a caller would learn that an invisible record exists
        if any(self._is_missing(name, value) for name, value in values.items()):
            return []
        return (
            [already_used(self._plan.kind.noun, values)]
            if has_other(self._plan.model, values, self._identifier())
            else []
        )

    def _identifier(self) -> Any:
        return None if self._before is None else getattr(self._before, meta_of(self._plan.model).primary_key.name)


def _exists(field: RecordField, value: Any) -> bool:
    """Return whether a referenced record exists and the caller may see it."""
    target: Any = field.target()
    state = current_state()
    seen = state.seen if state is not None else None
    if seen is not None and (target, value) in seen:
        return True
    key = quote(meta_of(target).primary_key.column_name)
    condition: Condition = (f"t.{key} = {backend().placeholder}", (value,))
    rule = row_rule(target)
    if rule:
        condition = f"{condition[0]} AND ({rule[0]})", (*condition[1], *rule[1])
    sql = f"SELECT 1 FROM {quote(meta_of(target).table_name)} AS t WHERE {condition[0]}"
    is_there = bool(rows_of(sql, condition[1]))
    if is_there and seen is not None:
        seen.add((target, value))
    return is_there


def _unique_sets(meta: Any) -> Iterator[tuple[str, ...]]:
    for index in meta.indexes:
        if isinstance(index, (tuple, list)) and len(index) == 2 and index[1]:
            names = [index[0]] if isinstance(index[0], str) else index[0]
            if all(name in meta.combined for name in names):
                yield tuple(meta.combined[name].name for name in names)


# Errors ---------------------------------------------------------------------------------------------------------------


def _required(names: Collection[str]) -> list[ApiError]:
    """Make the error of fields without a value, if there are any."""
    return [BadRequest(errors=[BadRequest.missing(name) for name in names])] if names else []


def not_found(noun: str, value: Any, by: str) -> NotFound:
    """Make the error of a look-up that finds nothing.

    :param by: the field with the value; empty: the ID
    """
    named = f"with {by} " if by else ""
    return NotFound(f"{noun} {named}{value!s:.80} not found", dolibarr=f"{noun} not found")


def several(noun: str, by: str, number: int) -> Conflict:
    """Make the error of a look-up by a value that several records have."""
    reason = f"expected one {noun.lower()} with this value, got {number}; use the ID instead"
    return Conflict(f"`{by}`: {reason}", errors=[(by, reason)])


def no_such_record(field: RecordField, value: Any) -> NotFound:
    """Make the error of a reference to a record that doesn't exist or is invisible to the caller."""
    return NotFound(f"{field.noun} {value} not found", errors=[(field.name, "no such record")])


def already_used(noun: str, values: Mapping[str, Any]) -> Refused:
    """Make the error of a value, or of several together, that another record has."""
    told = " and ".join(f"{name} {str(value)[:80] or _EMPTY}" for name, value in values.items())
    if len(values) == 1:
        reason, words = "another record has this value", "is already used"
    else:
        reason, words = "another record has these values", "are already used together"
    return Refused(f"{noun} rejected: {told} {words}", errors=[(name, reason) for name in values], reason="value_taken")


def combined(found: list[ApiError]) -> ApiError:
    """Make one error of several: 400 if one is, else 404, else 405, with the message of the first of that status."""
    if len(found) == 1:
        return found[0]
    statuses = [each.status for each in STATUSES]
    first, *others = sorted(found, key=lambda error: statuses.index(error.status))
    first.errors = [*first.errors, *(each for error in others for each in error.errors)]
    return first


class translate_integrity_errors:
    """Context manager that turns a database's rejection of a row into the error that a check would have raised.

    After the checks, the database rejects a row only if another request was faster, and a deletion only because of a
    table whose module is gone.

    :param values: what is being written, by field name
    :param deleted: the ID of a record that is being deleted
    :param rows: the values of each row, if several are written together
    """

    def __init__(
        self,
        model: type[Model],
        noun: str,
        values: Mapping[str, Any],
        *,
        deleted: Any = None,
        rows: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._model, self._noun, self._values, self._deleted = model, noun, values, deleted
        self._rows = rows or (values,)
        #: the row as it is, if one is changed
        self.before: Model | None = None

    def __enter__(self) -> translate_integrity_errors:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Translate the error."""
        if isinstance(error, peewee.IntegrityError):
            translated = self._translate(error)
            if translated is not None:
                raise translated from error
        if isinstance(error, peewee.DataError):
            raise BadRequest(f"{self._noun} rejected: a value doesn't fit its column") from error

    def _translate(self, error: peewee.IntegrityError) -> ApiError | None:
        """Return the caller's error; None: it is the author's mistake."""
        meta = meta_of(self._model)
        rule, table, columns = backend().integrity_problem(error, str(meta.table_name))
        if rule == NULL:
            return None
        if rule == REFERENCE and self._deleted is not None:
            return Refused(
                f"{self._noun} {self._deleted} can't be deleted, because records of another module use it",
                reason="in_use",
            )
        fields = [meta.columns[column] for column in columns if column in meta.columns]
        if table == meta.table_name and fields:
            if rule == UNIQUE:
                return already_used(self._noun, {field.name: self._value(field) for field in fields})
            if rule == REFERENCE and isinstance(fields[0], RecordField):
                return no_such_record(fields[0], self._value(fields[0]))
        if rule == REFERENCE and not columns and (missing := self._missing_reference()):
            return missing
        return Refused(
            f"{self._noun} rejected: a value is already used, or a referenced record no longer exists",
            reason="value_taken",
        )

    def _missing_reference(self) -> NotFound | None:
        """Return the error of the record that is gone, for a database that doesn't report which one it is."""
        for name, field in meta_of(self._model).fields.items():
            if isinstance(field, RecordField):
                for value in {row[name] for row in self._rows if row.get(name) is not None}:
                    if not _exists(field, value):
                        return no_such_record(field, value)
        return None

    def _value(self, field: peewee.Field) -> Any:
        """Return the rejected value of a field: what was to be written, the present value, or the default."""
        if field.name in self._values:
            return self._values[field.name]
        if self.before is not None:
            return getattr(self.before, field.name)
        default = field.default
        # The result of a function or an expression is unknown
        return "(its default)" if callable(default) or isinstance(default, peewee.Node) else default
