"""Many new records at once: all errors are listed with their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..common.csv_rows import FIRST_LINE, CsvRow, CsvRows
from ..common.errors import ApiError, BadRequest, Conflict, NotFound, Refused, joined, shown, wrong_fields
from ..storage.database import transaction
from ..storage.model import meta_of

if TYPE_CHECKING:
    from .records import Records

#: the place of a body in messages: the first body has `rows[0].qty`, the first row of a CSV file `line 2.qty`
PLACE = "rows[{}]"

#: errors of a body, as opposed to those of the server or the caller
REJECTIONS = (BadRequest, NotFound, Refused, Conflict)


def create_many(
    records: Records[Any], bodies: Iterable[Mapping[str, Any]], place: str, first: int, managed: Mapping[str, Any]
) -> list[int]:
    """Create a record of each body, or none, as `Records.create_many` describes."""
    bodies = _listed(records, bodies)
    problems, created = BulkProblems(place, first), []
    with transaction():
        for number, body in enumerate(bodies):
            # All are tried, to find everything that is wrong
            with problems.at(number, body), transaction():
                created.append(records.create(body, **managed))
        problems.check(len(bodies))
    return created


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
