"""New records: one, or many with few statements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..common.errors import BadRequest
from ..storage.database import transaction
from ..storage.model import meta_of
from ..storage.statements import insert_row, insert_rows
from .acceptance import Acceptance
from .body_values import Values
from .extra_fields import store_values
from .many import PLACE, REJECTIONS, Gathered
from .reader import M
from .refusals import add_to, named_refusals, together
from .validation import missing_fields

#: methods that a bulk insert leaves out, so none may be overridden
WRITING = ("create", "insert", "insert_ready", "stored", "notify")


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
        return self._create(body, values, extras)

    @classmethod
    def keeps(cls, *names: str) -> bool:
        """Return whether these methods are those of `Creation`, not overridden."""
        return all(getattr(cls, name) is getattr(Creation, name) for name in names)

    def _create(self, body: Mapping[str, Any], values: Values, extras: Mapping[str, Any] | None) -> int:
        with transaction():
            identifier = self.insert(values, extras, body)
            self.notify("created", identifier)
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
        accepts = self.keeps("create")
        accepted: dict[int, Any] = {}
        for number, body in enumerate(bodies):
            with gathered.at(number, body):
                accepted[number] = self.accept_new(body, managed) if accepts else None
        created = []
        with transaction():
            is_bulk = self.keeps("prepare", "make_ready", *WRITING) and not self.is_awaited("created")
            if is_bulk and not gathered.refused:
                # If one is rejected, all are tried one by one, to find everything that is wrong
                with suppress(*REJECTIONS), transaction():
                    return self.insert_all([*accepted.values()])
            for number, found in accepted.items():
                body = bodies[number]
                with gathered.at(number, body):
                    created.append(self._create(body, *found) if accepts else self.create(body, **managed))
            gathered.check(len(bodies))
        return created

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
        if any(extras for _, extras in rows) or not self.keeps(*WRITING):
            return [self.insert(values, extras, known=known(values)) for values, extras in rows]
        for values, _ in rows:
            with named_refusals(self.model, self.noun, values):
                self.make_ready(values, None, known(values))
        # Of several rows, the database doesn't say which one it rejects
        with named_refusals(self.model, self.noun, rows[0][0] if len(rows) == 1 else {}):
            return insert_rows(self.model, [values for values, _ in rows])

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
