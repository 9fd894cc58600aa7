"""A mark in a database that a copy or a restoration is filling: it is incomplete."""

from __future__ import annotations

import peewee

from ..common.clock import utc_now
from .database import ensure_connected
from .model import Model
from .opening import DatabaseUrlError


class IncompleteCopy(Model):
    """The mark; its table exists as long as the database is being filled."""

    id = peewee.AutoField(column_name="rowid")
    started = peewee.DateTimeField(default=utc_now)

    class Meta:
        table_name = "comptoir_unfinished_copy"
        audited = False


def ensure_complete_database() -> None:
    """Check that no copy or restoration has left the database incomplete.

    :raises DatabaseUrlError: it is incomplete
    """
    ensure_connected()
    if IncompleteCopy.table_exists():  # type: ignore[no-untyped-call]
        raise DatabaseUrlError(
            "a copy into this database is running or was interrupted; wait for it to finish, start it again "
            "(comptoir copy --again or comptoir restore --again), or use another database"
        )
