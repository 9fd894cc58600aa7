"""A mark in a database that a copy or a restoration is filling: it is incomplete."""

from __future__ import annotations

from .cache_version import CacheVersion
from .database import backend, database, ensure_connected
from .model import meta_of
from .opening import DatabaseUrlError

#: the table that exists as long as the database is being filled
MARK = "comptoir_unfinished_copy"


def ensure_usable_database() -> None:
    """Check that no copy or restoration has left the database incomplete, and that its exact decimals can be read.

    :raises DatabaseUrlError: it is incomplete, or too old
    """
    ensure_connected()
    table = meta_of(CacheVersion).table_name
    if backend().scaled_decimals and {"scale", "rowid"} & {each.name for each in backend().columns(table)} == {"rowid"}:
        raise DatabaseUrlError(
            "the database was made before the first release, which keeps exact decimals in another way; nothing was "
            "changed. Use the version that made it, or set COMPTOIR_DATABASE to a new database"
        )
    if database.table_exists(MARK):
        raise DatabaseUrlError(
            "a copy into this database is running or was interrupted; wait for it to finish, start it again "
            "(comptoir copy --again or comptoir restore --again), or use another database"
        )
