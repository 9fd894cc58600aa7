"""Connect to the database; a server that starts with its machine waits for it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial

import click
import peewee

from ..common.masks import hide_password
from ..common.settings import Settings
from ..storage.cache_version import CacheVersion, ensure_usable_database
from ..storage.database import (
    DatabaseUrlError,
    backend,
    classify_error,
    close,
    ensure_connected,
    is_missing,
    open_database,
)
from ..storage.error_kinds import UNREACHABLE, reason_of

#: seconds that a server waits for its database at startup
PATIENCE = 60.0

_PAUSE = 1.0

#: prints a line on standard error
to_stderr = partial(click.echo, err=True)


def require_database(
    configuration: Settings, patience: float = 0.0, report: Callable[[str], object] = to_stderr
) -> None:
    """Open the database and connect to it.

    :param patience: seconds to wait for a database that does not respond
    :param report: prints or logs that the command waits
    :raises peewee.PeeweeException: the database does not respond, or rejects the connection
    :raises DatabaseUrlError: the driver rejects the URL
    """
    end, waited = time.monotonic() + patience, False
    logger = logging.getLogger("comptoir.database")
    # The command reports an unreachable database in its own words
    logger.disabled = True
    try:
        while True:
            try:
                open_database(configuration.database)
                ensure_connected()
                break
            except (peewee.OperationalError, peewee.InterfaceError) as error:
                if time.monotonic() >= end or not backend().is_worth_waiting(error):
                    raise
                if not waited:
                    url = hide_password(configuration.database)
                    report(f"Waiting up to {patience:.0f} s for the database {url}: {reason_of(error)}")
            close()
            waited = True
            time.sleep(_PAUSE)
    except DatabaseUrlError:
        raise
    except (TypeError, ValueError, peewee.ProgrammingError) as error:
        raise DatabaseUrlError(f"the driver rejects the URL: {reason_of(error)}") from error
    finally:
        logger.disabled = False
    if waited:
        report("Connected to the database.")


def require_installation(configuration: Settings) -> None:
    """Connect to a database that holds an installation; create no database, table, file or folder.

    :raises click.ClickException: the database does not exist, or has no Comptoir tables
    :raises peewee.PeeweeException: as `require_database`
    """
    problem = "does not exist"
    if not is_missing(configuration.database):
        require_database(configuration)
        ensure_usable_database()
        if CacheVersion.table_exists():  # type: ignore[no-untyped-call]
            return
        close()
        problem = "has no Comptoir tables"
    raise click.ClickException(
        f"the database {hide_password(configuration.database)} {problem}; nothing was created\n"
        "  Set COMPTOIR_DATABASE to the database of an installation, or run `comptoir serve` to create a new one."
    )


def unusable(url: str, error: Exception) -> str:
    """Return the message for a database that can't be used."""
    kind = classify_error(error)
    advice = "Check that the database server runs and that COMPTOIR_DATABASE is correct."
    if kind is not None and kind is not UNREACHABLE:
        advice = kind.advice[0].upper() + kind.advice[1:]
    return f"the database {hide_password(url)} can't be used\n  {reason_of(error)}\n  {advice}"
