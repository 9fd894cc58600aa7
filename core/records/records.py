"""Records: a model as the interface shows it. Creating, changing and deleting, each written once.

Writing goes through peewee, inside one transaction; reading is `reader.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from ..common.errors import ApiError, BadRequest
from ..common.request_state import current_state
from ..storage.database import transaction
from ..storage.model import Model, meta_of
from ..storage.statements import (
    differing,
    update_row,
)
from .body_values import WrongBody
from .creation import Creation
from .deletion import Deletion, named_use
from .events import emit
from .extra_fields import delete_values_of, store_values
from .reader import M
from .refusals import add_to, named_refusals, together


class Records(Creation[M]):
    """A model as the interface shows it.

    Use it as it is, or derive from it and override `prepare`, `stored`, `complete` and `removing`.

    :param model: the model
    :param service: the service whose events tell of changes (``after_<service>_created`` …); empty: none
    :param noun: what one record is called in a message
    """

    #: rows that go with a record when it is deleted, as (model, field): they do not keep it from being deleted
    owned: Collection[tuple[type[Model], str]] = ()

    def removing(self, row: M) -> None:
        """Do what must happen before a row is deleted, or refuse by raising."""

    def change(
        self,
        identifier: Any,
        body: Mapping[str, Any],
        *,
        merge_extras: bool = False,
        replace: bool = False,
        context: Mapping[str, Any] = MappingProxyType({}),
        **managed: Any,
    ) -> bool:
        """Change the fields a body names; the others stay. Answers whether anything is another than before.

        Where nothing is, nothing is written: neither who changed the record nor when (`Meta.stamps`).

        :param merge_extras: keep the extra fields that are not named, as PATCH does; otherwise they are cleared
        :param replace: set what the body does not name back to its default, extra fields too; what the model requires
            or manages stays
        :param context: what `prepare` is to know and has no column
        :param managed: further fields, which the module itself sets, in Python's types
        :raises BadRequest: a field does not fit, or would be emptied whose column holds no NULL
        :raises NotFound: there is no such record, or a record the body names does not exist
        :raises Refused: a value is already used
        :raises PreconditionFailed: `If-Match` names another state of the record
        """
        try:
            values, extras = self.accept(body, creating=False, replace=replace)
        except WrongBody as error:
            found = self.rows({meta_of(self.model).primary_key.name: identifier})
            if found:
                changed = differing(self.model, error.values | managed, found[0])
                add_to(error, self._change_problems(changed, found[0], error.extras, is_wrong=True))
            raise
        values |= managed
        with transaction(), named_refusals(self.model, self.noun, values) as refusals:
            before = refusals.before = self.load(identifier, lock=True, if_match=True)
            values.context |= context
            self._own(values, creating=False)
            try:
                self.prepare(values, before)
            except BadRequest as error:
                changed = differing(self.model, values, before)
                add_to(error, self._change_problems(changed, before, extras, is_wrong=True))
                raise
            changed = differing(self.model, values, before)
            if problems := self._change_problems(changed, before, extras):
                raise together(problems)
            extended = extras is not None and store_values(self.model, identifier, extras, merge=merge_extras)
            if not extended and changed.keys() <= {*meta_of(self.model).stamps}:
                changed = {}
            if changed:
                update_row(self.model, identifier, changed)
            self.stored(identifier, body, before)
            self.notify("changed", identifier)
        return bool(changed)

    def write_unchecked(self, identifier: Any, **values: Any) -> None:
        """Set fields of a row inside a transaction, in Python's types, without a check or an event."""
        update_row(self.model, identifier, values)

    def delete(self, identifier: Any) -> None:
        """Delete a record with what belongs to it.

        First `removing` is asked, then the modules that wait for ``before_<service>_deleted``: either may clear its own
        rows or refuse in its own words. Then each field that names the record says what becomes of its row
        (`RecordField`, ``on_delete``), and so on below the rows that go. What goes with it has no events.

        :raises NotFound: there is no such record
        :raises Refused: the record, or one that would go with it, is used elsewhere, or a module refuses
        :raises PreconditionFailed: `If-Match` names another state of the record
        """
        named = named_refusals(self.model, self.noun, {})
        with transaction(), named, named_use(self.model, self.noun, identifier):
            row = self.load(identifier, lock=True, if_match=True)
            self.removing(row)
            record = self._awaited_record("deleted", identifier)
            if record is not None:
                emit(self.service, "deleted", record)
            Deletion(self.model, self.noun, identifier, self.owned).run()
            delete_values_of(self.model, [identifier])
            self.model.delete().where(meta_of(self.model).primary_key == identifier).execute()

    def _change_problems(
        self, changed: dict[str, Any], before: M, extras: Mapping[str, Any] | None, *, is_wrong: bool = False
    ) -> list[ApiError]:
        asked = [name for name in self.select_plan().asked if name in changed and name not in self.managed]
        return self._problems(changed, before, asked, extras, is_wrong=is_wrong)

    def answer(self, identifier: int, **extra: Any) -> dict[str, Any]:
        """The record that answers a change: as modules received it, or read again if something was written since.

        :param extra: further keys of this answer, such as the previous state
        """
        state = current_state()
        notified = state.notified if state is not None else None
        known = notified is not None and notified.records is self and notified.identifier == identifier
        if state is None or notified is None or not known or notified.is_unhidden:
            record = self.read(identifier)
        else:
            record = notified.record if notified.writes == state.writes else self.read(identifier)
        record = record | extra if extra else record
        if state is not None:
            state.read = record, partial(self.answer, identifier, **extra)
        return record
