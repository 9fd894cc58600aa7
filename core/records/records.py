"""Records: a model as the interface shows it. Creating, changing and deleting, each written once.

Writing goes through peewee, inside one transaction; reading is `reader.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from ..access.callers import current_caller
from ..common.errors import NotFound, PreconditionFailed, Refused
from ..common.request_state import ToldRecord, current_state
from ..storage.database import Model, dialect, meta_of, quote, transaction
from ..storage.fields import RecordField
from ..storage.serializer import etag_of, names_etag, to_json
from ..storage.statements import differing, insert_row, update_row
from .body_values import BodyReader, Values
from .events import awaited, emit
from .extra_fields import delete_owned_values, delete_values, store_values
from .reader import M, Reader
from .validation import (
    check_references,
    check_unique,
    check_unused,
    delete_dependents,
    named_refusals,
)


class Records(Reader[M]):
    """A model as the interface shows it.

    Use it as it is, or derive from it and override `prepare`, `stored`, `complete` and `removing`.

    :param model: the model
    :param service: the service whose events tell of changes (``after_<service>_created`` …); empty: none
    :param noun: what one record is called in a message
    """

    service = ""
    #: rows that go with a record when it is deleted, as (model, field): they do not keep it from being deleted
    owned: Collection[tuple[type[Model], str]] = ()
    #: field → what makes the text that is kept of the text that was sent (None: nothing); it may raise ValueError
    cleaners: Mapping[str, Callable[[str], str | None]] = {}
    #: fields that the server alone writes, besides those that the model's Meta names
    managed: Collection[str] = ()
    #: keys of a body that are no fields of the model: `accept` or `stored` takes them
    besides: Collection[str] = ()

    def __init__(self, model: type[M] | None = None, *, service: str = "", noun: str = "") -> None:
        super().__init__(model, noun=noun)
        self.service = service or self.service

    def prepare(self, values: Values, before: M | None) -> None:
        """Check and complete the values that are about to be written.

        :param values: what is written, by field name, in Python's types; change it in place. What `accept` has put into
            its `besides` is no column
        :param before: the row as it stands; None when it is created
        """

    def stored(self, identifier: int, body: Mapping[str, Any], before: M | None) -> None:
        """Write what belongs to a row that has just been written, before others are told of it.

        :param body: what the caller sent
        :param before: the row as it stood; None when it was created
        """

    def removing(self, row: M) -> None:
        """Do what must happen before a row is deleted, or refuse by raising."""

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a record from a body; answers its identifier.

        :param body: fields by their names in the interface; unknown and server-managed ones are ignored with a warning
        :param managed: further fields, which the module itself sets, in Python's types
        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: a record the body names does not exist, or is not the caller's to see
        """
        values, extras = self.accept(body)
        values |= managed
        with transaction():
            identifier = self.insert(values, extras, body)
            self.tell("created", identifier)
        return identifier

    def insert(
        self,
        values: dict[str, Any],
        extras: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None = None,
        *,
        known: Collection[str] = (),
    ) -> int:
        """Write a new row of accepted values, inside a transaction; answers its identifier and tells nobody.

        :param extras: values of extra fields, by name
        :param body: what `stored` is handed
        :param known: fields whose records are known to exist and to be the caller's to see
        :raises NotFound: a record the values name does not exist, or is not the caller's to see
        """
        values = values if isinstance(values, Values) else Values(values)
        with named_refusals(self.noun):
            self._own(values, creating=True)
            self.prepare(values, None)
            check_references(self.model, {name: each for name, each in values.items() if name not in known})
            check_unique(self.model, self.noun, values, None)
            identifier = int(insert_row(self.model, values))
            if extras and meta_of(self.model).extrafields:
                store_values(self.model, identifier, extras, merge=False)
            self.stored(identifier, body or {}, None)
        return identifier

    def change(
        self,
        identifier: Any,
        body: Mapping[str, Any],
        *,
        merge_extras: bool = False,
        replace: bool = False,
        besides: Mapping[str, Any] = MappingProxyType({}),
        **managed: Any,
    ) -> bool:
        """Change the fields a body names; the others stay. Answers whether anything is another than before.

        Where nothing is, nothing is written: neither who changed the record nor when (`Meta.stamps`).

        :param merge_extras: keep the extra fields that are not named, as PATCH does; otherwise they are cleared
        :param replace: set what the body does not name back to its default, extra fields too; what the model requires
            or manages stays
        :param besides: what `prepare` is to know and is no column
        :param managed: further fields, which the module itself sets, in Python's types
        :raises BadRequest: a field does not fit
        :raises NotFound: there is no such record, or a record the body names does not exist
        :raises PreconditionFailed: `If-Match` names another state of the record
        """
        values, extras = self.accept(body, creating=False, replace=replace)
        with transaction(), named_refusals(self.noun):
            before = self.load_for_change(identifier)
            values |= managed
            values.besides |= besides
            self._own(values, creating=False)
            self.prepare(values, before)
            changed = differing(self.model, values, before)
            check_references(self.model, changed)
            check_unique(self.model, self.noun, changed, identifier)
            extended = extras is not None and store_values(self.model, identifier, extras, merge=merge_extras)
            if not extended and changed.keys() <= {*meta_of(self.model).stamps}:
                changed = {}
            if changed:
                update_row(self.model, identifier, changed)
            self.stored(identifier, body, before)
            self.tell("changed", identifier)
        return bool(changed)

    def write(self, identifier: Any, **values: Any) -> None:
        """Set fields of a row inside a transaction, in Python's types: without a check, and without telling anybody."""
        update_row(self.model, identifier, values)

    def load_for_change(self, identifier: Any) -> M:
        """The row of a record that is about to be changed, locked until the transaction ends.

        :raises NotFound: there is no such record, or the caller may not see it
        :raises PreconditionFailed: `If-Match` names another state of the record than it is in: somebody was faster
        """
        row = self.load(identifier, lock=True)
        state = current_state()
        if state is not None and state.if_match:
            if not names_etag(state.if_match, etag_of(to_json(self.read(identifier)))):
                raise PreconditionFailed(f"{self.noun} {identifier} has been changed meanwhile; read it again")
            # The request's own first change makes another state of it
            state.if_match = ""
        return row

    def claim(self, identifier: Any) -> M:
        """The former spelling of `load_for_change`."""
        return self.load_for_change(identifier)

    def delete(self, identifier: Any) -> None:
        """Delete a record with what belongs to it.

        :raises NotFound: there is no such record
        :raises Refused: the record is used elsewhere, or the module refuses
        :raises PreconditionFailed: `If-Match` names another state of the record
        """
        with transaction(), named_refusals(self.noun):
            row = self.load_for_change(identifier)
            self.removing(row)
            check_unused(self.model, self.noun, identifier, self.owned)
            record = self._awaited_record("deleted", identifier)
            for model, name in self.owned:
                delete_owned_values(model, name, identifier)
                model.delete().where(getattr(model, name) == identifier).execute()
            delete_dependents(self.model, identifier)
            if meta_of(self.model).extrafields:
                delete_values(self.model, identifier)
            meta = meta_of(self.model)
            self.model.delete().where(meta.primary_key == identifier).execute()
            if record is not None:
                emit(self.service, "deleted", record)

    def _own(self, values: dict[str, Any], *, creating: bool) -> None:
        """An external user's records belong to the user's third party, and stay there."""
        caller, meta = current_caller(), meta_of(self.model)
        name = meta.thirdparty
        if caller is None or caller.socid is None or name not in meta.fields or meta.fields[name].primary_key:
            return
        if creating and values.get(name) is None:
            values[name] = caller.socid
        elif name in values and values[name] is None:
            raise Refused(f"{self.noun} belongs to your third party, and stays there")
        elif values.get(name, caller.socid) != caller.socid and not isinstance(meta.fields[name], RecordField):
            # What a RecordField names is looked for anyway
            raise NotFound(f"Third party {values[name]} not found", errors=[(name, "no such record")])

    def tell(self, event: str, identifier: int) -> None:
        """Tell the modules that wait for it what happened to a record."""
        record = self._awaited_record(event, identifier)
        if record is None:
            return
        state = current_state()
        if state is not None:
            state.told = ToldRecord(self, identifier, record, state.writes)
        emit(self.service, event, record)

    def answer(self, identifier: int) -> dict[str, Any]:
        """The record that answers a change: as modules were told of it, or read anew if something was written since."""
        state = current_state()
        told = state.told if state is not None else None
        if state is None or told is None or told.records is not self or told.identifier != identifier:
            return self.read(identifier)
        if told.writes != state.writes:
            return self.read(identifier)
        state.read = told.record, partial(self.answer, identifier)
        return told.record

    def _awaited_record(self, event: str, identifier: int) -> dict[str, Any] | None:
        """The record, if any module waits for an event of it."""
        if not self.service or not awaited(self.service, event):
            return None
        # Whoever calls: handlers hear of a row that its writer cannot see, too, or those who may refuse would not hear
        return self._first(self.select_plan(), f"t.{quote(self.key)} = {dialect().placeholder}", (identifier,))

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body against the model without writing anything.

        :param creating: what the model requires must be there
        :param replace: what the body does not name has its default
        :returns: the values by field name in Python's types, and those of the extra fields (None: the body has none)
        :raises BadRequest: a field is missing or does not fit; all of them are named
        """
        return BodyReader(self, creating=creating, replace=replace).read(body)
