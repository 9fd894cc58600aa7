"""Whether the database can be used; a server that starts with its machine waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable

import click
import peewee

from ..common.masks import hide_password
from ..common.settings import Settings
from ..storage.cache_version import CacheVersion
from ..storage.database import close, ensure_connected
from ..storage.opening import DatabaseUrlError, is_missing, open_database
from ..storage.troubles import UNREACHABLE, reason_of, trouble_of, waiting_may_help
from ..storage.unfinished import insist_on_whole_database

#: seconds that a server waits for its database at the start
PATIENCE = 60.0

_PAUSE = 1.0


def _to_stderr(text: str) -> None:
    click.echo(text, err=True)


def insist_on_database(
    configuration: Settings, patience: float = 0.0, report: Callable[[str], object] = _to_stderr
) -> None:
    """Put the database in force, and connect to it.

    :param patience: seconds to wait for a database that does not answer
    :param report: told that it waits
    :raises peewee.PeeweeException: it does not answer, or refuses
    :raises DatabaseUrlError: its URL says what the driver does not know
    """
    end = time.monotonic() + patience
    waited = False
    while True:
        try:
            open_database(configuration.database)
            ensure_connected()
        except peewee.ImproperlyConfigured:
            raise
        except (peewee.OperationalError, peewee.InterfaceError) as error:
            close()
            if time.monotonic() >= end or not waiting_may_help(error):
                raise
            if not waited:
                url = hide_password(configuration.database)
                report(f"Waiting up to {patience:.0f} s for the database {url}: {reason_of(error)}")
            waited = True
            time.sleep(_PAUSE)
        except (TypeError, ValueError, peewee.ProgrammingError) as error:
            close()
            raise DatabaseUrlError(f"the driver does not take it: {reason_of(error)}") from error
        else:
            if waited:
                report("The database answers.")
            return


def require_installation(configuration: Settings) -> None:
    """Connect to a database that holds an installation; create no database, table, file or folder.

    :raises click.ClickException: the database does not exist, or has no tables of Comptoir
    :raises peewee.PeeweeException: as `insist_on_database`
    """
    if is_missing(configuration.database):
        raise _not_installed(configuration, "does not exist")
    insist_on_database(configuration)
    insist_on_whole_database()
    if not CacheVersion.table_exists():  # type: ignore[no-untyped-call]
        close()
        raise _not_installed(configuration, "has no tables of Comptoir")


def _not_installed(configuration: Settings, problem: str) -> click.ClickException:
    return click.ClickException(
        f"the database {hide_password(configuration.database)} {problem}; nothing was created\n"
        "  Set COMPTOIR_DATABASE to the database of an installation. `comptoir serve` creates a new one."
    )


def unusable(url: str, error: Exception) -> str:
    """What to say of a database that cannot be used."""
    trouble = trouble_of(error)
    advice = "Does it run, and does COMPTOIR_DATABASE name it rightly?"
    if trouble is not None and trouble is not UNREACHABLE:
        advice = trouble.advice[0].upper() + trouble.advice[1:]
    return f"the database {hide_password(url)} cannot be used\n  {reason_of(error)}\n  {advice}"
