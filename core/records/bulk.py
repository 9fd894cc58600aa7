"""Many new records at once: rows are inserted together, and all errors are listed with their places."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ..common.csv_rows import FIRST_LINE, CsvRow, CsvRows
from ..common.errors import ApiError, BadRequest, Conflict, NotFound, Refused, joined, shown, wrong_fields
from ..storage.database import transaction
from ..storage.model import meta_of
from ..storage.statements import insert_rows
from .problems import Rejections, translate_integrity_errors
from .validation import Values

if TYPE_CHECKING:
    from .records import Records

#: the place of a body in messages: the first body has `rows[0].qty`, the first row of a CSV file `line 2.qty`
PLACE = "rows[{}]"

#: errors of a body, as opposed to those of the server or the caller
REJECTIONS = (BadRequest, NotFound, Refused, Conflict)

#: methods that `create_many` doesn't call when it inserts all rows together, so none may be overridden
WRITING = ("create", "insert", "insert_validated", "stored", "notify")

#: accepted values, and those of extra fields
Row = tuple[Values, dict[str, Any] | None]


def insert_all(
    records: Records[Any], rows: Sequence[Row], known: Callable[[Values], Collection[str]], place: str
) -> list[int]:
    """Insert new rows with as few statements as possible, as `Records.insert_all` describes."""
    rejections = Rejections()
    if any(extras for _, extras in rows) or not records.keeps("insert", "insert_validated"):
        identifiers = []
        for number, (values, extras) in enumerate(rows):
            with rejections.at(place.format(number)):
                identifiers.append(records.insert(values, extras, known=known(values)))
            # The database takes no further statement after a row that it has rejected
            rejections.check()
        return identifiers
    validate_all(records, rows, known, place)
    return insert_all_validated(records, rows, place)


def validate_all(
    records: Records[Any], rows: Sequence[Row], known: Callable[[Values], Collection[str]], place: str
) -> None:
    """Complete and check new rows before any of them is written, as `Records.validate_all` describes."""
    rejections = Rejections()
    for number, (values, extras) in enumerate(rows):
        with rejections.at(place.format(number)), translate_integrity_errors(records.model, records.noun, values):
            records.validate(values, None, extras, known(values))
    rejections.check()


def insert_all_validated(records: Records[Any], rows: Sequence[Row], place: str) -> list[int]:
    """Insert rows that `validate_all` has completed, with as few statements as possible."""
    if any(extras for _, extras in rows) or not records.keeps("insert_validated"):
        rejections, identifiers = Rejections(), []
        for number, (values, extras) in enumerate(rows):
            with rejections.at(place.format(number)), translate_integrity_errors(records.model, records.noun, values):
                identifiers.append(records.insert_validated(values, extras))
            rejections.check()
        return identifiers
    written = [values for values, _ in rows]
    # The database doesn't report which one of several rows it rejects
    with translate_integrity_errors(records.model, records.noun, written[0] if len(rows) == 1 else {}, rows=written):
        identifiers = insert_rows(records.model, written)
    if not records.keeps("stored"):
        for identifier in identifiers:
            records.stored(identifier, {}, None)
    return identifiers


def create_many(
    records: Records[Any], bodies: Iterable[Mapping[str, Any]], place: str, first: int, managed: Mapping[str, Any]
) -> list[int]:
    """Create a record of each body, or none, as `Records.create_many` describes."""
    bodies = _listed(records, bodies)
    problems = BulkProblems(place, first)
    accepts = records.keeps("create")
    accepted: dict[int, Any] = {}
    for number, body in enumerate(bodies):
        with problems.at(number, body):
            accepted[number] = records.accept_new(body, managed) if accepts else None
            if accepts:
                records.check_event("created", values=accepted[number][0])
    created = []
    with transaction():
        is_bulk = records.keeps("prepare", "validate", *WRITING) and not records.is_awaited("created")
        if is_bulk and not problems.rejected:
            # If one is rejected, all are tried one by one, to find everything that is wrong
            with suppress(*REJECTIONS), transaction():
                return insert_all(records, [*accepted.values()], lambda _: (), PLACE)
        for number, row in accepted.items():
            body = bodies[number]
            with problems.at(number, body):
                created.append(_create(records, body, *row) if accepts else records.create(body, **managed))
        problems.check(len(bodies))
    return created


def _create(records: Records[Any], body: Mapping[str, Any], values: Values, extras: Mapping[str, Any] | None) -> int:
    with transaction():
        identifier = records.insert(values, extras, body)
        records.notify("created", identifier, checked=True)
    return identifier


class BulkProblems:
    """The errors of several bodies, combined into one that lists each field with its place.

    :param place: the place of a body, with ``{}`` for its number
    :param first: the number of the first one
    """

    def __init__(self, place: str, first: int) -> None:
        self._place, self._first = place, first
        self._wrong: list[tuple[int, str, str]] = []
        #: the numbers of the rejected bodies, from 0
        self.rejected: set[int] = set()

    @contextmanager
    def at(self, number: int, body: Any) -> Iterator[None]:
        """Collect the rejection of a body instead of raising it."""
        try:
            if not isinstance(body, dict):
                raise BadRequest(f"expected an object, got {shown(body)}")
            yield
        except REJECTIONS as error:
            self._add(number, self._place_of(number, body), error)

    def _place_of(self, number: int, body: Any) -> str:
        if not isinstance(body, CsvRow):
            return self._place.format(number + self._first)
        # Empty lines between the rows were skipped
        return f"line {body.line}" if self._place == PLACE else self._place.format(body.line - FIRST_LINE + self._first)

    def _add(self, number: int, place: str, error: ApiError) -> None:
        wrong = [(f"{place}.{name}", reason) for name, reason in error.errors] or [(place, error.message)]
        self._wrong += [(number, name, reason) for name, reason in wrong]
        self.rejected.add(number)

    def check(self, number: int) -> None:
        """Raise everything that is wrong, in the order of the bodies.

        :param number: the number of all bodies
        :raises BadRequest: at least one was rejected
        """
        if self._wrong:
            wrong = [(name, reason) for _, name, reason in sorted(self._wrong, key=lambda each: each[0])]
            name, reason = wrong[0]
            raise wrong_fields(wrong, f"{len(self.rejected)} of {number} entries rejected; {name}: {reason}")


def _listed(records: Records[Any], bodies: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return bodies as a list.

    :raises BadRequest: none of the columns of a CSV file is known: its first line has no column names
    """
    if isinstance(bodies, CsvRows):
        meta = meta_of(records.model)
        offered = [name for name in records.select_plan().fields if name not in {*meta.managed, *records.managed}]
        offered += records.extra_keys
        if not set(bodies.names) & {*meta.fields, *meta.aliases, *records.extra_keys, "array_options"}:
            got = joined(map(repr, bodies.names))
            raise BadRequest(f"expected column names in line 1, such as {joined(offered)}; got {got}")
    return bodies if isinstance(bodies, list) else list(bodies)
