"""New records: one, or many with few statements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ..common.errors import BadRequest
from ..storage.database import transaction
from ..storage.model import meta_of
from ..storage.statements import (
    MOST_VALUES,
    SIZES,
    alike,
    insert_row,
    insert_rows,
    whole_row,
)
from .acceptance import Acceptance
from .body_values import Values
from .extra_fields import store_values
from .many import PLACE, Gathered
from .reader import M
from .refusals import add_to, named_refusals, together
from .validation import missing_fields


class Creation(Acceptance[M]):
    """Records that can be made."""

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

    @property
    def is_plain(self) -> bool:
        """Whether a creation is what this class makes of it: no class of a module's own has another way."""
        own = type(self)
        return all(
            getattr(own, name) is getattr(Creation, name)
            for name in ("create", "insert", "make_ready", "insert_ready", "stored", "tell")
        )

    def _create(self, values: Values, extras: Mapping[str, Any] | None, body: Mapping[str, Any]) -> int:
        with transaction():
            identifier = self.insert(values, extras, body)
            self.tell("created", identifier)
        return identifier

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
        if type(self).create is not Creation.create:
            return partial(self.create, body, **managed)
        return partial(self._create, *self.accept_new(body, managed), body)

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
        plain = all(getattr(own, name) is getattr(Creation, name) for name in ("insert", "insert_ready", "stored"))
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
            add_to(error, self._problems(values, None, self._required(error), extras, known, is_wrong=True))
            raise
        asked = [name for name in self.select_plan().asked if name not in self.managed]
        missing = [name for name, _ in missing_fields(self.model, asked, values)]
        # What `prepare` fills may hang on what else is wrong
        certain = [name for name in missing if name not in meta_of(self.model).excused]
        found = self._problems(values, None, certain, extras, known)
        if missing and not found:
            found = self._problems(values, None, missing, extras, known)
        if found:
            raise together(found)

    def insert_ready(self, values: Values, extras: Mapping[str, Any] | None, body: Mapping[str, Any] | None) -> int:
        """Write a new row with what belongs to it; answers its identifier."""
        identifier = int(insert_row(self.model, values))
        if extras and meta_of(self.model).extrafields:
            store_values(self.model, identifier, extras, merge=False)
        self.stored(identifier, body or {}, None)
        return identifier
