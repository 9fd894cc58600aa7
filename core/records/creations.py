"""Creations of a batch: their rows wait, and are written by one statement for many.

Everything else is done of each as always, and in its order. Nobody can tell the difference, because the rows that wait
are written before any other statement is run: whoever asks the database finds them. What cannot wait is written at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import Any

from ..storage.database import database, transaction
from ..storage.statements import MOST_VALUES, insert_rows, whole_row
from .records import Records
from .refusals import named_refusals

#: rows that one statement writes, the largest first: few numbers, so that few texts are kept
SIZES = (250, 50, 10, 1)

Told = Callable[[int | Exception], None]


class Waiting:
    """A row that waits.

    :ivar told: is told the identifier of the row, or what has refused it, which it may raise to end the batch
    """

    __slots__ = ("records", "row", "told", "values")

    def __init__(self, records: Records[Any], row: dict[str, Any], values: Any, told: Told) -> None:
        self.records, self.row, self.values, self.told = records, row, values, told


class Creations:
    """The creations of one batch, inside its transaction."""

    def __init__(self) -> None:
        self._waiting: list[Waiting] = []
        self._writing = False
        #: whether an entry is being made ready, and the savepoint it has since it ran a statement that writes
        self._ready = False
        self._savepoint: Any = None

    @contextmanager
    def watching(self) -> Any:
        """See every statement meanwhile; in the end all rows are written."""
        own = database.obj.own
        own.watch = self._watch
        try:
            yield
            self.write()
        finally:
            own.watch = None

    def _watch(self, sql: str) -> None:
        """What is done before a statement is run."""
        if self._writing:
            return
        self.write()
        if self._ready and self._savepoint is None and not sql.startswith("SELECT"):
            self._writing = True
            self._savepoint = transaction()
            self._savepoint.__enter__()
            self._writing = False

    def create(self, records: Records[Any], body: Mapping[str, Any], told: Told) -> None:
        """Create a record as `Records.create` does.

        :raises ApiError: it is refused now; later, `told` is told
        """
        self._ready = True
        try:
            self._create(records, body, told)
        except BaseException as error:
            self._end(error)
            raise
        else:
            self._end(None)
        finally:
            self._ready = False

    def _end(self, error: BaseException | None) -> None:
        """End the savepoint of an entry, if it needed one."""
        savepoint, self._savepoint = self._savepoint, None
        if savepoint is None:
            return
        self._ready = False
        if error is None:
            savepoint.__exit__(None, None, None)
            return
        try:
            savepoint.__exit__(type(error), error, error.__traceback__)
        except type(error):
            pass

    def _create(self, records: Records[Any], body: Mapping[str, Any], told: Told) -> None:
        values, extras = records.accept_new(body)
        with named_refusals(records.model, records.noun, values):
            records.make_ready(values, extras)
            row = None
            if self._savepoint is None and not extras:
                row = whole_row(records.model, values)
            if row is None:
                told(records.insert_ready(values, extras, body))
                return
        self._waiting.append(Waiting(records, row, values, told))

    # Writing

    def write(self) -> None:
        """Write the rows that wait."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        ready, self._ready, self._writing = self._ready, False, True
        try:
            first = 0
            while first < len(waiting):
                alike = _alike(waiting, first)
                most = max(1, MOST_VALUES // len(waiting[first].row))
                size = next(each for each in SIZES if each <= min(alike, most) or each == 1)
                self._write(waiting[first : first + size])
                first += size
        finally:
            self._ready, self._writing = ready, False

    def _write(self, some: list[Waiting]) -> None:
        """Write rows by one statement; where it is refused one by one, to see which of them is."""
        records = some[0].records
        try:
            with named_refusals(records.model, records.noun, some[0].values), transaction():
                numbers = insert_rows(records.model, [each.row for each in some])
        except Exception as error:  # noqa: BLE001 - whoever is told raises it again, or answers it
            if len(some) == 1 or database.obj.own.spoilt is not None:
                some[0].told(error)
                return
            for each in some:
                self._write([each])
            return
        for each, number in zip(some, numbers, strict=True):
            each.told(number)


def _alike(waiting: list[Waiting], first: int) -> int:
    """How many rows from this one on are written by the same statement."""
    records, names = waiting[first].records, list(waiting[first].row)
    number = 1
    for each in waiting[first + 1 :]:
        if each.records is not records or list(each.row) != names or number == SIZES[0]:
            break
        number += 1
    return number
