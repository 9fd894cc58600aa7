"""The hosts of a database: the first that can be used is, the one that answered last before the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import peewee

from .troubles import reason_of

_log = logging.getLogger("comptoir.database")


class Hosts:
    """The hosts that a URL names.

    Each is tried by itself: the library of PostgreSQL goes on to the next one only where nobody takes the connection,
    and not where a pool takes it whose database is gone.

    :param places: host and port of each; none: the URL names one, as every URL does
    """

    def __init__(self, places: Sequence[tuple[str, int]] = ()) -> None:
        self.places = places
        self._answered = 0

    def connect(self, reach: Callable[[str, int], Any], failures: type[Exception]) -> Any:
        """A connection to the first host that can be used.

        :param reach: connects to one
        :param failures: what it raises where that is none
        """
        failure: Exception | None = None
        for number in range(len(self.places)):
            place = (self._answered + number) % len(self.places)
            host, port = self.places[place]
            try:
                connection = reach(host, port)
            except failures as error:
                failure = error
                _log.warning("can't use the database at %s:%d: %s", host, port, reason_of(error))
            else:
                self._answered = place
                return connection
        raise failure or peewee.ImproperlyConfigured("expected a host in the database URL, got none")
