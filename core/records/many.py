"""Many bodies at once: what is wrong with any of them is told together, each field with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..common.csv_rows import FIRST_LINE, CsvRow, CsvRows
from ..common.errors import ApiError, BadRequest, Conflict, NotFound, Refused, shown, wrong_fields

#: how a field is named: that of the first body `rows[0].qty`, or `line 2.qty` of a CSV file's first row
PLACE = "rows[{}]"

#: what is wrong with a body, rather than with the server or with who calls
REJECTIONS = (BadRequest, NotFound, Refused, Conflict)


class Gathered:
    """What is wrong with each of many bodies.

    :param place: how a body is named, with ``{}`` for its number
    :param first: the number of the first one
    """

    def __init__(self, place: str, first: int) -> None:
        self._place, self._first = place, first
        self._wrong: list[tuple[int, str, str]] = []
        #: the numbers of the bodies that something is wrong with, counted from 0
        self.refused: set[int] = set()

    @contextmanager
    def at(self, number: int, body: Any) -> Iterator[None]:
        """Note what is raised of a body, instead of raising it."""
        try:
            if not isinstance(body, dict):
                raise BadRequest(f"expected an object, got {shown(body)}")
            yield
        except REJECTIONS as error:
            self._note(number, self._place_of(number, body), error)

    def _place_of(self, number: int, body: Any) -> str:
        if not isinstance(body, CsvRow):
            return self._place.format(number + self._first)
        # Some lines in between may have been passed over
        return f"line {body.line}" if self._place == PLACE else self._place.format(body.line - FIRST_LINE + self._first)

    def _note(self, number: int, place: str, error: ApiError) -> None:
        wrong = [(f"{place}.{name}", reason) for name, reason in error.errors] or [(place, error.message)]
        self._wrong += [(number, name, reason) for name, reason in wrong]
        self.refused.add(number)

    def check(self, number: int) -> None:
        """Go on only if nothing is wrong.

        :param number: of all bodies
        :raises BadRequest: something is; all of it is named, in the order of the bodies
        """
        if self._wrong:
            wrong = [(name, reason) for _, name, reason in sorted(self._wrong, key=lambda each: each[0])]
            name, reason = wrong[0]
            raise wrong_fields(wrong, f"{len(self.refused)} of {number} entries rejected; {name}: {reason}")


def listed(bodies: Iterable[Any], known: Collection[str], offered: Iterable[str]) -> list[Any]:
    """Bodies as a list, of whatever gives one after the other.

    :param known: what a column of a CSV file may be called
    :param offered: what of that is told
    :raises BadRequest: no column of a CSV file is called so: its first line is no line of names
    """
    if isinstance(bodies, CsvRows) and not set(bodies.names) & set(known):
        told = ", ".join(shown(name) for name in bodies.names[:10])
        raise BadRequest(f"expected column names in line 1, such as {', '.join(offered)}; got {told}")
    return bodies if isinstance(bodies, list) else list(bodies)
