"""From a body to the values of a row: its known fields, each converted, and everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import peewee

from ..access.callers import current_caller, is_internal
from ..common.errors import BadRequest, NotFound, Refused, reason_of, unknown_fields
from ..common.request_state import asks_strict, current_state, warn_ignored
from ..common.unset import UNSET
from ..storage.fields import RecordField
from ..storage.model import Model, meta_of, relations_of
from ..storage.values import Convert, body_value
from .extra_fields import PREFIX, accept_values, complete_new
from .select_plans import SelectPlan


class Values(dict[str, Any]):
    """The values that are about to be written to a row: by field name, in Python's types.

    :ivar context: what a body contains, or a module wants `prepare` to know, and has no column
    """

    def __init__(self, values: Mapping[str, Any] = MappingProxyType({}), /, **more: Any) -> None:
        super().__init__(values, **more)
        self.context: dict[str, Any] = dict(values.context) if isinstance(values, Values) else {}

    def __or__(self, more: Mapping[str, Any]) -> Values:  # type: ignore[override]
        """Return these values with others, and the same context."""
        made = Values(self)
        made.update(more)
        return made


class InvalidBody(BadRequest):
    """Fields of a body are wrong; `RowCheck` adds whatever else is wrong to the error.

    :ivar values: the values of the other fields
    :ivar extras: those of extra fields
    """

    values: Values = Values()
    extras: Mapping[str, Any] | None = None


#: returns what else is wrong with a body: field and reason of each
Unfit = Callable[[Values, Mapping[str, Any]], list[tuple[str, str]]]


def default_of(field: peewee.Field) -> Any:
    """Return the default of a column."""
    default = field.default
    return default() if callable(default) else default


def own_thirdparty(model: type[Model]) -> dict[str, int]:
    """Return the field of an external caller's third party, and its ID; empty for other callers and models."""
    caller, meta = current_caller(), meta_of(model)
    name = meta.thirdparty
    if caller is None or caller.socid is None or name not in meta.fields or meta.fields[name].primary_key:
        return {}
    return {name: caller.socid}


def set_own_thirdparty(model: type[Model], noun: str, values: dict[str, Any], *, creating: bool) -> None:
    """Make a new record of an external user belong to the user's third party.

    :raises Refused: a change would remove the third party
    :raises NotFound: it would set another one
    """
    for name, own in own_thirdparty(model).items():
        if creating and values.get(name) is None:
            values[name] = own
        elif name in values and values[name] is None:
            raise Refused(f"you can't remove the third party of this {noun.lower()}", reason="missing_permission")
        elif values.get(name, own) != own and not isinstance(meta_of(model).fields[name], RecordField):
            # `Problems` looks up the record of a RecordField
            raise NotFound(f"Third party {values[name]} not found", errors=[(name, "no such record")])


class BodyFields:
    """How the bodies of one kind of record are read, made once for each plan.

    :param creating: the bodies of new records
    """

    def __init__(self, plan: SelectPlan, *, creating: bool) -> None:
        kind, meta, table = plan.kind, meta_of(plan.model), plan.key_table
        #: fields that a body can't set
        self.closed = {*meta.managed, *kind.managed, *meta.secret, *(() if creating else meta.create_only)}
        if not is_internal():
            self.closed |= {*meta.internal}
        #: keys that aren't fields, or whose values are never stored
        self.others = {*kind.extra_keys, *(["array_options"] if meta.extrafields else ())}
        if table is not None:
            self.others |= {key for key in table.keys if meta.aliases.get(key, key) not in meta.fields}
        #: key → name of its field, and how its value is read
        self.readers: dict[str, tuple[str, Convert]] = {}
        for key, name in [*((name, name) for name in meta.fields), *meta.aliases.items()]:
            field = meta.fields.get(name)
            if field is None or name in self.closed or key in self.others or meta.aliases.get(key, key) != name:
                continue
            read = body_value(field, plan.codecs[name].accept, kind.cleaners.get(name))
            if table is not None and key in table.keys:
                read = _after(partial(table.stored, key, field=field), read)
            self.readers[key] = name, read
        #: further keys of a record, which a client may send back with its fields
        self.shown = {*plan.names, *kind.parts, *(meta.answers.__annotations__ if meta.answers is not None else ())}
        #: keys that `expand` adds to a record, each with another record
        self.relations = frozenset(relations_of(plan.model))
        own = [name for name in meta.sorted_field_names if name not in self.closed]
        extras = ["array_options"] if meta.extrafields else []
        #: the keys that a body may set, for messages
        self.known: tuple[str, ...] = (*own, *kind.extra_keys, *extras)

    @property
    def keys(self) -> set[str]:
        """The keys that a body may set."""
        return {*self.readers, *self.others}


def body_fields(plan: SelectPlan, *, creating: bool) -> BodyFields:
    """Return how bodies are read.

    :param creating: those of new records
    """
    if creating not in plan.bodies:
        plan.bodies[creating] = BodyFields(plan, creating=creating)
    fields: BodyFields = plan.bodies[creating]
    return fields


def _after(first: Convert, then: Convert) -> Convert:
    return lambda value: then(first(value))


class BodyReader:
    """Reads one body.

    :param creating: fields that the model requires must be in the body
    :param replace: fields that the body lacks get their default
    :param unfit: `Records.unfit`
    """

    def __init__(self, plan: SelectPlan, *, creating: bool, replace: bool, unfit: Unfit) -> None:
        self._plan, self._meta = plan, meta_of(plan.model)
        self._creating, self._replace, self._unfit = creating, replace, unfit
        self._fields = body_fields(plan, creating=creating)
        state = current_state()
        self._strict = state is not None and state.strict
        self._wrong: list[tuple[str, str]] = []
        self._ignored: list[str] = []
        self._unknown: set[str] = set()

    def read(self, body: Mapping[str, Any]) -> tuple[Values, dict[str, Any] | None]:
        """Return the values by field name in Python's types, and those of the extra fields (None: the body has none).

        :raises InvalidBody: fields that `Meta.required` lists are missing, or fields don't fit; it lists all of them
        """
        values = self._values(body)
        extras = self._extras(body)
        if self._replace:
            extras = extras or {}
            needed = self._plan.asked
            stays = {*self._fields.closed, *self._meta.create_only, *self._meta.required, *needed, *values}
            stays |= own_thirdparty(self._plan.model).keys()
            values |= {name: default_of(field) for name, field in self._meta.fields.items() if name not in stays}
        self._require(values)
        if self._creating and extras is not None:
            listed = {name for name, _ in self._wrong}
            self._wrong += [each for each in complete_new(self._plan.extras, extras) if each[0] not in listed]
        self._wrong += self._unfit(values, body)
        if self._ignored:
            warn_ignored(self._ignored, self._unknown, self._fields.known)
        if self._wrong:
            named = BadRequest(errors=self._wrong)
            error = InvalidBody(named.message, dolibarr=named.dolibarr, errors=self._wrong)
            error.values, error.extras = values, extras
            raise error
        return values, extras

    def _values(self, body: Mapping[str, Any]) -> Values:
        values = Values()
        readers = self._fields.readers
        for key, value in body.items():
            known = readers.get(key)
            if known is None:
                self._pass_over(key, value)
                continue
            name, read = known
            if name != key and name in body:
                # An alias, which a client that changed the field sends back unchanged
                if value != body[name]:
                    self._ignored.append(key)
                continue
            try:
                accepted = read(value)
            except ValueError as error:
                self._wrong.append((key, reason_of(error, value)))
                continue
            if accepted is UNSET:
                if self._creating:
                    continue
                accepted = default_of(self._meta.fields[name])
            values[name] = accepted
        if self._strict and self._unknown:
            self._wrong += unknown_fields(sorted(self._unknown), self._fields.known)
        return values

    def _pass_over(self, key: str, value: Any) -> None:
        """Note a key that sets no field."""
        if key in self._fields.others:
            return
        is_field = self._meta.aliases.get(key, key) in self._meta.fields
        # `product` with an ID is a misspelt `fk_product`
        is_embedded = key in self._fields.relations and (value is None or isinstance(value, dict))
        if not is_field and not is_embedded and key not in self._fields.shown:
            self._unknown.add(str(key))
            if self._strict:
                return
        self._ignored.append(str(key))

    def _extras(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        element = self._meta.extrafields
        if not element or not (self._creating or "array_options" in body):
            return None
        values, unknown, unfit = accept_values(self._plan.extras, body.get("array_options"))
        self._wrong += unfit
        if asks_strict():
            known = [f"array_options.{PREFIX}{name}" for name in self._plan.extras]
            self._wrong += unknown_fields(unknown, known)
        else:
            self._ignored += unknown
        return values

    def _require(self, values: Values) -> None:
        unfit = {self._meta.aliases.get(name, name) for name, _ in self._wrong}
        own = own_thirdparty(self._plan.model) if self._creating else {}
        for name in self._meta.required:
            if name in own and values.get(name) is None and name not in unfit:
                values[name] = own[name]
            asked = self._creating or name in values
            if asked and values.get(name) in (None, "") and name not in unfit:
                meant = next((each for each in self._unknown if each.lower() == name), "")
                self._wrong.append(BadRequest.missing(name, meant and f"; `{meant}` is unknown, because case matters"))
