"""What a body must be to become a record: its fields checked, all that is wrong named, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ..access.callers import unhidden
from ..common.errors import ApiError, BadRequest, NotFound, Refused
from ..common.request_state import NotifiedRecord, current_state
from ..storage.database import backend, ensure_connected, quote
from ..storage.fields import RecordField
from ..storage.model import meta_of
from ..storage.model_options import required_fields
from .aggregates import Aggregates
from .body_values import BodyReader, Values, WrongBody
from .events import awaited, emit
from .extra_fields import used_extras
from .many import PLACE, Gathered, listed
from .reader import M
from .refusals import add_to
from .validation import absent, missing_fields, own_thirdparty, unknown_records, used_sets, used_values


class Acceptance(Aggregates[M]):
    """Records as bodies are held against them; the hooks in which a module says more."""

    service = ""
    #: field → what makes the text that is kept of the text that was sent (None: nothing); it may raise ValueError
    cleaners: Mapping[str, Callable[[str], str | None]] = {}
    #: fields that the server alone writes, besides those that the model's Meta and the base class name
    managed: Collection[str] = ()
    #: keys of a body that are no fields of the model: `accept` or `stored` takes them
    extra_keys: Collection[str] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        """Derive a class; what it says is managed adds up with what its bases say."""
        super().__init_subclass__(**more)
        if "managed" in cls.__dict__:
            inherited = [name for base in cls.__bases__ for name in getattr(base, "managed", ())]
            cls.managed = tuple(dict.fromkeys([*inherited, *cls.managed]))

    def __init__(self, model: type[M] | None = None, *, service: str = "", noun: str = "") -> None:
        super().__init__(model, noun=noun)
        self.service = service or self.service

    def prepare(self, values: Values, before: M | None) -> None:
        """Check and complete the values that are about to be written.

        :param values: what is written, by field name, in Python's types; change it in place. What `accept` has put into
            its `context` has no column
        :param before: the row as it stands; None when it is created
        """

    def stored(self, identifier: int, body: Mapping[str, Any], before: M | None) -> None:
        """Write what belongs to a row that has just been written, before others are told of it.

        :param body: what the caller sent
        :param before: the row as it stood; None when it was created
        """

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body against the model without writing anything.

        :param creating: what the model requires must be there
        :param replace: what the body does not name has its default
        :returns: the values by field name in Python's types, and those of the extra fields (None: the body has none)
        :raises BadRequest: a field that `Meta.required` names is missing, or one does not fit; all of them are named,
            with the records that a creation names in vain and the values that are already used. Columns that need a
            value are asked for when the row is written: a module may still give it
        """
        try:
            return BodyReader(self, creating=creating, replace=replace).read(body)
        except WrongBody as error:
            if creating:
                ensure_connected()
                add_to(error, self._problems(error.values, None, extras=error.extras, is_wrong=True))
            raise

    def accept_new(
        self, body: Mapping[str, Any], managed: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[Values, dict[str, Any] | None]:
        """What `accept` answers of the body of a creation; what is wrong names what the body leaves out besides."""
        try:
            values, extras = self.accept(body)
        except WrongBody as error:
            found = {**error.values, **managed}
            add_to(error, absent(missing_fields(self.model, self._required(error), found)))
            raise
        values.update(managed)
        return values, extras

    def accept_many(
        self, bodies: Iterable[Mapping[str, Any]], *, place: str = PLACE, first: int = 0
    ) -> list[tuple[Values, dict[str, Any] | None]]:
        """Check many bodies and write nothing; answers what `accept` does of each.

        :param place: how a body is named in what is wrong with it, with ``{}`` for its number: ``rows[0].qty``
        :param first: the number of the first one
        :raises BadRequest: something is wrong with at least one; all of it is named, of all of them
        """
        bodies = self._listed(bodies)
        gathered = Gathered(place, first)
        accepted = []
        for number, body in enumerate(bodies):
            with gathered.at(number, body):
                accepted.append(self.accept(body))
        gathered.check(len(bodies))
        return accepted

    def _listed(self, bodies: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        meta = meta_of(self.model)
        offered = [name for name in self.select_plan().fields if name not in {*meta.managed, *self.managed}]
        known = {*meta.fields, *meta.aliases, *self.extra_keys, "array_options"}
        return listed(bodies, known, [*offered, *self.extra_keys])

    def _problems(
        self,
        values: Mapping[str, Any],
        before: M | None,
        asked: Iterable[str] = (),
        extras: Mapping[str, Any] | None = None,
        known: Collection[str] = (),
        *,
        is_wrong: bool = False,
    ) -> list[ApiError]:
        """Return everything that prevents a row from being written.

        :param asked: fields that must have a value
        :param known: fields whose records are known to exist
        :param is_wrong: the row is rejected anyway. The database itself checks what is looked up only then
        """
        found = absent(missing_fields(self.model, asked, values))
        found += [*unknown_records(self.model, values, known), *used_values(self.model, self.noun, values, before)]
        if found or is_wrong:
            key = None if before is None else getattr(before, meta_of(self.model).primary_key.name)
            found += used_sets(self.model, self.noun, values, before)
            found += absent(used_extras(self.model, key, extras))
        return found

    def _required(self, error: BadRequest) -> list[str]:
        """Return the required fields of a rejected body, without those in the error and those that `prepare` fills."""
        aliases = meta_of(self.model).aliases
        told = {*self.managed, *(aliases.get(name, name) for name, _ in error.errors)}
        # What `prepare` fills is excused (`required = ("-name",)`): it does not run on a body that is wrong already
        passed = told | {*own_thirdparty(self.model)} | meta_of(self.model).excused
        return [name for name in required_fields(self.model) if name not in passed]

    def _own(self, values: dict[str, Any], *, creating: bool) -> None:
        """An external user's records belong to the user's third party, and stay there."""
        for name, own in own_thirdparty(self.model).items():
            if creating and values.get(name) is None:
                values[name] = own
            elif name in values and values[name] is None:
                raise Refused(f"you can't remove the third party of this {self.noun.lower()}")
            elif values.get(name, own) != own and not isinstance(meta_of(self.model).fields[name], RecordField):
                # What a RecordField names is looked for anyway
                raise NotFound(f"Third party {values[name]} not found", errors=[(name, "no such record")])

    def is_awaited(self, event: str) -> bool:
        """Whether any module waits for an event of these records."""
        return bool(self.service) and awaited(self.service, event)

    def notify(self, event: str, identifier: int) -> None:
        """Emit an event of a record to the modules that wait for it."""
        record = self._awaited_record(event, identifier)
        if record is None:
            return
        state = current_state()
        if state is not None:
            state.notified = NotifiedRecord(self, identifier, record, state.writes, state.has_unhidden)
        emit(self.service, event, record)

    def _awaited_record(self, event: str, identifier: int) -> dict[str, Any] | None:
        """The record, if any module waits for an event of it."""
        if not self.is_awaited(event):
            return None
        # Whoever calls: handlers hear of a row that its writer cannot see, too, or those who may refuse would not hear
        where = f"t.{quote(self.key)} = {backend().placeholder}"
        with unhidden():
            return self._first(self.select_plan(), where, (identifier,), identifier)
