"""Records: a model as the interface shows it. Creating, changing and deleting, each written once.

Writing goes through peewee, inside one transaction; reading is `reader.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from ..common.errors import ApiError, BadRequest, NotFound, PreconditionFailed, Refused
from ..common.request_state import ToldRecord, current_state
from ..storage.ahead import at_the_end
from ..storage.database import dialect, ensure_connected, quote, transaction
from ..storage.fields import RecordField
from ..storage.model import Model, meta_of
from ..storage.model_options import required_fields
from ..storage.serializer import etag_of, names_state, to_json
from ..storage.statements import (
    MOST_VALUES,
    SIZES,
    alike,
    differing,
    insert_row,
    insert_rows,
    update_row,
    whole_row,
)
from .aggregates import Aggregates
from .body_values import BodyReader, Values, WrongBody
from .deletion import Deletion, named_use
from .events import awaited, emit
from .extra_fields import delete_values_of, store_values, used_extras
from .many import PLACE, Gathered, listed
from .reader import M
from .refusals import add_to, named_refusals, together
from .validation import absent, missing_fields, own_thirdparty, unknown_records, used_sets, used_values


class Records(Aggregates[M]):
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
    #: fields that the server alone writes, besides those that the model's Meta and the base class name
    managed: Collection[str] = ()
    #: keys of a body that are no fields of the model: `accept` or `stored` takes them
    besides: Collection[str] = ()

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
        :raises BadRequest: a field is missing or does not fit; whatever else is wrong is named, too
        :raises NotFound: a record the body names does not exist, or is not the caller's to see
        :raises Refused: a value is already used
        """
        values, extras = self.accept_new(body, managed)
        return self._create(values, extras, body)

    def accept_new(
        self, body: Mapping[str, Any], managed: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[Values, dict[str, Any] | None]:
        """What `accept` answers of the body of a creation; what is wrong names what the body leaves out besides."""
        try:
            values, extras = self.accept(body)
        except WrongBody as error:
            add_to(error, self._unnamed(error, {**error.values, **managed}))
            raise
        values.update(managed)
        return values, extras

    @property
    def is_plain(self) -> bool:
        """Whether a creation is what this class makes of it: no class of a module's own has another way."""
        own = type(self)
        return all(
            getattr(own, name) is getattr(Records, name)
            for name in ("create", "insert", "make_ready", "insert_ready", "stored", "tell")
        )

    def is_awaited(self, event: str) -> bool:
        """Whether any module waits for an event of these records."""
        return bool(self.service) and awaited(self.service, event)

    def _create(self, values: Values, extras: Mapping[str, Any] | None, body: Mapping[str, Any]) -> int:
        with transaction():
            identifier = self.insert(values, extras, body)
            self.tell("created", identifier)
        return identifier

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

    def create_many(
        self, bodies: Iterable[Mapping[str, Any]], *, place: str = PLACE, first: int = 0, **managed: Any
    ) -> list[int]:
        """Create a record of each of many bodies, or none; answers their identifiers.

        All of them are checked before the transaction begins, so that others can write meanwhile. What `prepare` and
        the handlers of events refuse is told of all of them, too.

        :param place: how a body is named in what is wrong with it, with ``{}`` for its number: ``rows[0].qty``
        :param first: the number of the first one
        :param managed: further fields of each, which the module itself sets, in Python's types
        :raises BadRequest: something is wrong with at least one; all of it is named, of all of them
        """
        bodies = self._listed(bodies)
        gathered = Gathered(place, first)
        makers: list[tuple[int, Callable[[], int]]] = []
        for number, body in enumerate(bodies):
            with gathered.at(number, body):
                makers.append((number, self._maker(body, managed)))
        created = []
        with transaction():
            for number, make in makers:
                with gathered.at(number, bodies[number]):
                    created.append(make())
            gathered.check(len(bodies))
        return created

    def _maker(self, body: Mapping[str, Any], managed: Mapping[str, Any]) -> Callable[[], int]:
        """What creates a record of a body, which is checked now unless `create` is a class's own."""
        if type(self).create is not Records.create:
            return partial(self.create, body, **managed)
        return partial(self._create, *self.accept_new(body, managed), body)

    def _listed(self, bodies: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        meta = meta_of(self.model)
        offered = [name for name in self.select_plan().fields if name not in {*meta.managed, *self.managed}]
        known = {*meta.fields, *meta.aliases, *self.besides, "array_options"}
        return listed(bodies, known, [*offered, *self.besides])

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
        :raises BadRequest: a column that holds no NULL has no value
        :raises NotFound: a record the values name does not exist, or is not the caller's to see
        :raises Refused: a value is already used
        """
        values = values if isinstance(values, Values) else Values(values)
        with named_refusals(self.model, self.noun, values):
            self.make_ready(values, extras, known)
            return self.insert_ready(values, extras, body)

    def insert_all(
        self,
        rows: Sequence[tuple[Values, Mapping[str, Any] | None]],
        known: Callable[[Values], Collection[str]] = lambda _: (),
    ) -> list[int]:
        """Write new rows as `insert` does each, with as few statements as can be; answers their identifiers.

        :param rows: accepted values, and those of extra fields
        :param known: tells of the values of a row which of their fields name records that are known
        """
        whole: list[Any] = []
        own = type(self)
        plain = all(getattr(own, name) is getattr(Records, name) for name in ("insert", "insert_ready", "stored"))
        if not plain or any(extras for _, extras in rows):
            return [self.insert(values, extras, known=known(values)) for values, extras in rows]
        for values, _ in rows:
            with named_refusals(self.model, self.noun, values):
                self.make_ready(values, None, known(values))
            whole.append(whole_row(self.model, values))
        ids: list[int] = []
        while whole:
            size = next(each for each in SIZES if each <= len(whole))
            some, values = whole[:size], rows[len(ids)][0]
            ready = alike(self.model, some) if None not in some else None
            with named_refusals(self.model, self.noun, values):
                if ready is None or len(ready[0]) * size > MOST_VALUES:
                    some, written = some[:1], [int(insert_row(self.model, values))]
                else:
                    written = insert_rows(self.model, ready)
            ids += written
            del whole[: len(some)]
        return ids

    def make_ready(self, values: Values, extras: Mapping[str, Any] | None, known: Collection[str] = ()) -> None:
        """All that is done with accepted values before a new row is written of them."""
        self._own(values, creating=True)
        try:
            self.prepare(values, None)
        except BadRequest as error:
            sets = used_sets(self.model, self.noun, values, None)
            add_to(error, self._unnamed(error, values), self._unfit(values, None, known), sets)
            raise
        asked = [name for name in self.select_plan().asked if name not in self.managed]
        missing = missing_fields(self.model, asked, values)
        # What `prepare` fills may hang on what else is wrong
        certain = [each for each in missing if each[0] not in meta_of(self.model).excused]
        found = [*absent(certain), *self._unfit(values, None, known)]
        if found := found or absent(missing):
            others = absent(used_extras(self.model, None, extras))
            raise together([*found, *used_sets(self.model, self.noun, values, None), *others])

    def insert_ready(self, values: Values, extras: Mapping[str, Any] | None, body: Mapping[str, Any] | None) -> int:
        """Write a new row with what belongs to it; answers its identifier."""
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
                sets = used_sets(self.model, self.noun, error.values, found[0])
                others = absent(used_extras(self.model, identifier, error.extras))
                add_to(error, self._wrong_change(error.values | managed, found[0]), sets, others)
            raise
        values |= managed
        with transaction(), named_refusals(self.model, self.noun, values) as refusals:
            before = refusals.before = self.load_for_change(identifier)
            values.besides |= besides
            self._own(values, creating=False)
            try:
                self.prepare(values, before)
            except BadRequest as error:
                add_to(error, self._wrong_change(values, before), used_sets(self.model, self.noun, values, before))
                raise
            changed = differing(self.model, values, before)
            if wrong := self._wrong_change(changed, before):
                others = absent(used_extras(self.model, identifier, extras))
                raise together([*wrong, *used_sets(self.model, self.noun, changed, before), *others])
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

    def write_at_end(self, identifier: Any, **values: Any) -> None:
        """As `write`, as the last of a transaction: a distant database is sent it in one message with the COMMIT.

        It must be one that the database has no reason to refuse, such as a unique column would give: it would fail as
        a whole then, and name no field.
        """
        with at_the_end():
            update_row(self.model, identifier, values)

    def load_for_change(self, identifier: Any) -> M:
        """The row of a record that is about to be changed, locked until the transaction ends.

        :raises NotFound: there is no such record, or the caller may not see it
        :raises PreconditionFailed: `If-Match` names another state of the record than it is in: somebody was faster
        """
        row = self.load(identifier, lock=True)
        state = current_state()
        if state is not None and state.if_match:
            if not names_state(state.if_match, etag_of(to_json(self.read(identifier)))):
                raise PreconditionFailed(f"{self.noun} {identifier} has been changed meanwhile; read it again")
            # The request's own first change makes another state of it
            state.if_match = ""
        return row

    def claim(self, identifier: Any) -> M:
        """The former spelling of `load_for_change`."""
        return self.load_for_change(identifier)

    def delete(self, identifier: Any) -> None:
        """Delete a record with what belongs to it.

        First `removing` is asked, then the modules that wait for ``before_<service>_deleted``: either may clear its own
        rows or refuse in its own words. Then each field that names the record says what becomes of its row
        (`RecordField`, ``on_delete``), and so on below the rows that go. What goes with it is told of to nobody.

        :raises NotFound: there is no such record
        :raises Refused: the record, or one that would go with it, is used elsewhere, or a module refuses
        :raises PreconditionFailed: `If-Match` names another state of the record
        """
        named = named_refusals(self.model, self.noun, {})
        with transaction(), named, named_use(self.model, self.noun, identifier):
            row = self.load_for_change(identifier)
            self.removing(row)
            record = self._awaited_record("deleted", identifier)
            if record is not None:
                emit(self.service, "deleted", record)
            Deletion(self.model, self.noun, identifier, self.owned).run()
            delete_values_of(self.model, [identifier])
            self.model.delete().where(meta_of(self.model).primary_key == identifier).execute()

    def _unfit(self, values: Mapping[str, Any], before: M | None, known: Collection[str] = ()) -> Iterator[ApiError]:
        """The records that values name and that are not there, and the values that are already used."""
        yield from unknown_records(self.model, values, known)
        yield from used_values(self.model, self.noun, values, before)

    def _wrong_change(self, values: dict[str, Any], before: M) -> list[ApiError]:
        """All that keeps a row from being changed."""
        changed = differing(self.model, values, before)
        asked = [name for name in self.select_plan().asked if name in changed and name not in self.managed]
        return [*absent(missing_fields(self.model, asked, changed)), *self._unfit(changed, before)]

    def _unnamed(self, error: BadRequest, values: Mapping[str, Any]) -> list[ApiError]:
        """What a body that is refused leaves out besides, but for what is told already and what `prepare` fills."""
        aliases = meta_of(self.model).aliases
        told = {*self.managed, *(aliases.get(name, name) for name, _ in error.errors)}
        # What `prepare` fills is excused (`required = ("-name",)`): it does not run on a body that is wrong already
        passed = told | {*own_thirdparty(self.model)} | meta_of(self.model).excused
        names = [name for name in required_fields(self.model) if name not in passed]
        return absent(missing_fields(self.model, names, values))

    def _own(self, values: dict[str, Any], *, creating: bool) -> None:
        """An external user's records belong to the user's third party, and stay there."""
        for name, own in own_thirdparty(self.model).items():
            if creating and values.get(name) is None:
                values[name] = own
            elif name in values and values[name] is None:
                raise Refused(f"{self.noun} belongs to your third party, and stays there")
            elif values.get(name, own) != own and not isinstance(meta_of(self.model).fields[name], RecordField):
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

    def answer(self, identifier: int, **besides: Any) -> dict[str, Any]:
        """The record that answers a change: as modules were told of it, or read anew if something was written since.

        :param besides: what this answer alone tells, such as what was there before
        """
        state = current_state()
        told = state.told if state is not None else None
        if state is None or told is None or told.records is not self or told.identifier != identifier:
            record = self.read(identifier)
        else:
            record = told.record if told.writes == state.writes else self.read(identifier)
        record = record | besides if besides else record
        if state is not None:
            state.read = record, partial(self.answer, identifier, **besides)
        return record

    def _awaited_record(self, event: str, identifier: int) -> dict[str, Any] | None:
        """The record, if any module waits for an event of it."""
        if not self.is_awaited(event):
            return None
        # Whoever calls: handlers hear of a row that its writer cannot see, too, or those who may refuse would not hear
        where = f"t.{quote(self.key)} = {dialect().placeholder}"
        return self._first(self.select_plan(), where, (identifier,), identifier)

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
                sets = used_sets(self.model, self.noun, error.values, None)
                add_to(
                    error, self._unfit(error.values, None), sets, absent(used_extras(self.model, None, error.extras))
                )
            raise
